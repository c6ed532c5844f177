"""Old folders as the seeds' documents describe them, whose files break off at any byte."""

import gzip
import io
import json
from dataclasses import dataclass, field

import pytest

from unabridged.domain.message import Role
from unabridged.domain.results import Skip, SkippedRecord, Transcript
from unabridged.errors import UnknownFormatError
from unabridged.transfer.detect_format import open_file

WORDS = ('plain "quoted" words {0}', "Grüße, \u4f60\u597d {0}", "a\nb\\ [{{ {0}", "]}} , : {0}")


def said(number, side):
    return WORDS[number % len(WORDS)].format(f"{side}{number}.")


@dataclass
class Old:
    """A file of an old program, and the rows in it that carry what was said."""

    value: object
    rows: list = field(default_factory=list)

    def row(self, row, *texts):
        self.rows.append((row, texts))
        return row


def dana():
    old = Old(None)
    turns = [
        old.row(
            {
                "turn_id": f"t{n}",
                "user_input": said(n, "u"),
                "agent_response": said(n, "a"),
                "timestamp": f"2025-09-04T10:0{n}:00",
                "metadata": {"history": [1]} if n % 2 else {},
            },
            said(n, "u"),
            said(n, "a"),
        )
        for n in range(5)
    ]
    old.value = {
        "conversation_id": "c1",
        "created_at": "2025-09-04T10:00:00",
        "updated_at": "2025-09-04T10:09:00",
        "history": turns,
        "summaries": [],
        "metadata": {},
    }
    return old


def emm():
    old = Old(None)
    messages = [
        old.row(
            {
                "id": f"m{n}",
                "content": said(n, "m"),
                "type": "assistant" if n % 2 else "user",
                "timestamp": f"2025-09-04T10:0{n}:00",
                "tokens": 9,
                "content_category": "standard",
                "importance_score": 0.4,
                "condensed": False,
            },
            said(n, "m"),
        )
        for n in range(6)
    ]
    old.value = {"metadata": {"message_count": 6, "condensations": []}, "messages": messages}
    return old


def reqvibe(*, named=False):
    old = Old(None)
    sessions = [
        {
            "id": f"s{s}",
            "messages": [
                old.row(
                    {
                        "role": "assistant" if n % 2 else "user",
                        "content": said(10 * s + n, "r"),
                    },
                    said(10 * s + n, "r"),
                )
                for n in range(4)
            ],
            "title": f"Title {s}",
            "created_at": "2025-09-04T10:00:00",
            "model": "some-model",
        }
        for s in range(2)
    ]
    old.value = {"sessions": {each["id"]: each for each in sessions} if named else sessions}
    return old


def exchange(old, n, version):
    user, answer = said(n, "u"), said(n, "a")
    if version == 1:
        row = {"user": user, "assistant": answer, "timestamp": f"2025-09-04T10:0{n}:00Z"}
    else:
        row = {
            "user": {"content": user, "tokens": 3},
            "assistant": {"content": answer, "tokens": 3},
            "metadata": {"timestamp": f"2025-09-04T10:0{n}:00Z", "mode": "chat"},
        }
    return old.row(row, user, answer)


def workspace(version):
    old = Old(None)
    current = [exchange(old, n, version) for n in range(3)]
    old.value = {
        **({"metadata": {"version": f"{version}.0"}} if version > 1 else {}),
        "current_conversation": current,
    }
    if version > 1:
        recent = [
            {"date": "2025-09-01", "messages": [exchange(old, n, version) for n in (3, 4)]},
            {"date": "2025-08-01", "summary": "only this is left", "exchange_count": 2},
        ]
        old.value |= {"recent_conversations": recent, "summarized_conversations": []}
    return old


def bare_list():
    old = Old(None)
    old.value = [exchange(old, n, 1) for n in range(4)]
    return old


FILES = {
    "dana": dana,
    "emm": emm,
    "reqvibe": reqvibe,
    "reqvibe by id": lambda: reqvibe(named=True),
    "version 1": lambda: workspace(1),
    "version 1, a list": bare_list,
    "version 2": lambda: workspace(2),
    "version 3": lambda: workspace(3),
}


def ends(old, text):
    """Return where each row ends in a text, with what it says."""
    found, at = [], 0
    decoder = json.JSONDecoder()
    for row, texts in old.rows:
        while True:
            at = text.index("{", at)
            value, end = decoder.raw_decode(text, at)
            if value == row:
                break
            at += 1
        found.append((len(text[:end].encode()), texts))
        at = end
    return found


def cuts(data, *, every):
    """Return every offset, or those next to a bracket, a quote, a comma or half a character."""
    signs = b'{}[]":,\\'
    return [
        cut
        for cut in range(1, len(data))
        if every or ((data[cut] in signs or data[cut - 1] in signs or data[cut] > 127) and cut % 3)
    ]


def read(data):
    try:
        with open_file(io.BytesIO(data)) as reader:
            items = list(reader)
    except UnknownFormatError:
        return [], []
    words = [
        part.text
        for item in items
        if isinstance(item, Transcript)
        for each in item.exchanges
        for message in each.messages
        if message.role in (Role.USER, Role.ASSISTANT)
        for part in message.parts
    ]
    return words, [item for item in items if isinstance(item, SkippedRecord)]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("name", FILES)
def test_each_whole_exchange_before_the_end_arrives_and_nothing_else(name, indent, plain):
    old = FILES[name]()
    text = json.dumps(old.value, indent=indent, ensure_ascii=plain)
    data, rows = text.encode(), ends(old, text)
    known = {words for _, texts in rows for words in texts}
    assert sorted(read(data)[0], key=str) == sorted([*known, *summary(text)], key=str)
    for cut in cuts(data, every=plain and indent is None):
        wanted = [words for end, texts in rows if end <= cut for words in texts]
        words, skipped = read(data[:cut])
        assert sorted(each for each in words if each in known) == sorted(wanted), cut
        assert all(each in known or each in summary(text) for each in words), cut
        if wanted and data[cut:].strip():
            assert any(each.kind is Skip.TRUNCATED for each in skipped), cut


def summary(text):
    if "only this is left" not in text:
        return []
    return [
        "only this is left",
        "[Only this summary is left of what was said here. It stood for 2 exchanges. Dates:"
        " 2025-08-01.]",
    ]


@pytest.mark.parametrize("name", FILES)
def test_a_packed_file_that_breaks_off_gives_what_is_whole(name):
    old = FILES[name]()
    whole = gzip.compress(json.dumps(old.value).encode(), 0)
    known = {words for _, texts in old.rows for words in texts}
    words, skipped = read(whole[: len(whole) * 2 // 3])
    assert 0 < len([each for each in words if each in known]) < len(known)
    assert any(each.kind is Skip.TRUNCATED for each in skipped)
