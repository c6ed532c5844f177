import io
import json
from pathlib import Path

import pytest

from unabridged.domain.results import Skip, SkippedRecord, Transcript
from unabridged.transfer.detect_format import open_file

FIXTURES = Path(__file__).parents[2] / "fixtures" / "imports"


class Read:
    """What a file gave, sorted by kind."""

    def __init__(self, origin, **options):
        if isinstance(origin, str):
            origin = origin.encode()
        if isinstance(origin, bytes):
            origin = io.BytesIO(origin)
        with open_file(origin, **options) as reader:
            self.items = list(reader)
            self.format, self.progress = reader.format, reader.progress
        self.conversations = [i for i in self.items if isinstance(i, Transcript)]
        self.unread = [i for i in self.items if isinstance(i, SkippedRecord)]

    @property
    def reasons(self):
        return [f"{x.reason} ({x.count}×)" if x.count > 1 else x.reason for x in self.unread]

    @property
    def failed(self):
        return [item.reason for item in self.unread if item.kind is Skip.FAILED]

    @property
    def texts(self):
        return [[m.text for e in c.exchanges for m in e.messages] for c in self.conversations]

    @property
    def ids(self):
        return [e.id for c in self.conversations for e in c.exchanges]


@pytest.fixture
def read():
    return Read


@pytest.fixture
def fixtures():
    return FIXTURES


@pytest.fixture
def as_lines():
    return lambda *messages: "".join(json.dumps(m) + "\n" for m in messages).encode()
