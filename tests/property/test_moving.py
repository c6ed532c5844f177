"""A space that goes out and comes back into an empty one is equal to what it was."""

import io
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings, strategies as st
from tests.helpers.examples import examples
from tests.helpers.space_digests import digest_of
from tests.property.spaces import content, spaces

from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import Transcript
from unabridged.domain.scope import SpaceId
from unabridged.recording.sessions import conversations
from unabridged.sharing.copy_sessions import leaving, take
from unabridged.stores.copy_space import compare, copy
from unabridged.stores.in_memory import InMemoryStore
from unabridged.stores.sqlite import SqliteStore
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.native_jsonl import write_jsonl


def taken_over(data, store):
    records = []
    with open_file(io.BytesIO(data)) as reader:
        for item in reader:
            match item:
                case Transcript():
                    store.import_session(item.session, item.exchanges)
                case Record():
                    records.append(item)
                case _:
                    raise AssertionError(item)
    return take(store, records)


@settings(max_examples=examples(150))
@given(spaces(), st.booleans())
def test_a_space_comes_back_equal(store, contexts):
    stream = io.BytesIO()
    records = list(leaving(store, contexts=contexts))
    write_jsonl(conversations(store), stream, records=records, space=store.space)
    other = InMemoryStore(SpaceId("other", "space"))
    assert taken_over(stream.getvalue(), other) == len(records)
    left_out = set() if contexts else {RecordKind.CONTEXT, RecordKind.OVERVIEW}
    assert content(other) == content(store, without={RecordKind.PROGRESS, *left_out})
    assert taken_over(stream.getvalue(), other) == 0
    assert content(other) == content(store, without={RecordKind.PROGRESS, *left_out})


@settings(max_examples=examples(40), deadline=None)
@given(spaces())
def test_a_copy_gives_the_same_digest(store):
    with TemporaryDirectory() as folder:
        other = SqliteStore(Path(folder) / "x.db", SpaceId("other", "space"))
        try:
            copy(store, other)
            assert compare(store, other).equal
            assert digest_of(other).value == digest_of(store).value
            back = InMemoryStore(SpaceId("back", "again"))
            copy(other, back)
            assert content(back) == content(store)
        finally:
            other.close()
