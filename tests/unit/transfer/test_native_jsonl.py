import io
import json
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from unabridged.domain.blob import Blob, BlobKind, system_blob
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.domain.record import Record as Kept, RecordKind
from unabridged.domain.results import Skip, SkippedRecord, Transcript
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.errors import TransferError
from unabridged.testing.stores_reads import EVERY_PART
from unabridged.transfer.markdown import write_markdown
from unabridged.transfer.messages import write_messages
from unabridged.transfer.native_jsonl import write_jsonl

AT = datetime(2025, 1, 2, 3, 4, 5, 678901, tzinfo=timezone(timedelta(hours=2)))


def exchange(number, parent=None, state=ExchangeState.COMPLETE):
    user = Message(
        f"m{number}", Role.USER, (Text(f"question {number}"),), AT, tokens=3, tokenizer="t"
    )
    middle = Message(
        f"c{number}", Role.ASSISTANT, (Reasoning("hm"), ToolCall("c", "add", "{}")), AT
    )
    result = Message(f"r{number}", Role.TOOL, (ToolResult("c", "add", "```2```", failed=True),), AT)
    answer = Message(
        f"a{number}", Role.ASSISTANT, (Text(f"answer {number}"),), AT, parent=f"r{number}"
    )
    messages = (user, middle, result, answer)
    return Exchange(f"e{number}", "s", parent, state, messages, AT, mode="tools", model="m")


@pytest.fixture
def conversation():
    session = Session("s", "Title", AT, AT, "a3", "chatgpt", "foreign")
    branch = exchange(2, "e1", ExchangeState.INCOMPLETE)
    return Transcript(session, (exchange(1), branch, exchange(3, "e1")))


def written(write, *conversations):
    stream = io.BytesIO()
    write(conversations, stream)
    return stream.getvalue()


def test_everything_comes_back_equal(read, conversation):
    got = read(written(write_jsonl, conversation, conversation))
    assert (got.format, got.unread) == ("unabridged", [])
    assert got.conversations == [conversation, conversation]


def test_a_file_without_conversations_is_read(read):
    assert read(written(write_jsonl)).items == []


def test_a_file_that_breaks_off_is_told(read, conversation):
    lines = written(write_jsonl, conversation).splitlines(keepends=True)
    got = read(b"".join(lines[:-2]))
    assert got.conversations[0].exchanges == conversation.exchanges[:2]
    assert got.conversations[0].session.head == "a2"
    assert got.unread[-1].where == "the end"
    assert got.unread[-1].kind is Skip.TRUNCATED


@pytest.mark.parametrize("damage", [
    ("state", "dreaming"), ("messages", []), ("at", "2025-01-01"), ("at", 7), ("session", "other"),
    ("messages", [{"id": "x", "role": "user", "parts": [{"type": "text", "text": 1}], "at": "2025-01-01T00:00:00Z"}]),
    ("messages", [{"id": "x", "role": "user", "parts": [{"type": "smell"}], "at": "2025-01-01T00:00:00Z"}]),
    ("messages", [{"id": "x", "role": "assistant", "parts": [], "at": "2025-01-01T00:00:00Z"}]),
    ("more", 1),
])  # fmt: skip
def test_a_damaged_exchange_is_told_and_the_rest_stays_whole(read, conversation, damage):
    lines = written(write_jsonl, conversation).splitlines()
    line = json.loads(lines[2])
    line["exchange"][damage[0]] = damage[1]
    lines[2] = json.dumps(line).encode()
    got = read(b"\n".join(lines))
    assert [e.id for e in got.conversations[0].exchanges] == ["e2", "e3"]
    assert [e.parent for e in got.conversations[0].exchanges] == [None, "e2"]
    assert [item.where for item in got.unread] == ["line 3"]


def test_a_damaged_session_takes_its_exchanges_with_it_but_no_other(read, conversation):
    lines = written(write_jsonl, conversation, conversation).splitlines()
    lines[1] = lines[1].replace(b'"created"', b'"craeted"')
    got = read(b"\n".join(lines))
    assert got.conversations == [conversation]
    assert len(got.unread) == 4


@pytest.mark.parametrize("version", [3, 0, -1])
def test_another_version_is_refused(read, version):
    with pytest.raises(TransferError, match=f"version {version}"):
        read(b'{"format": "unabridged", "version": %d}\n' % version)


def test_plain_messages_hold_the_words_of_the_current_path(read, conversation):
    data = written(write_messages, conversation)
    assert [json.loads(line)["content"] for line in data.splitlines()] == [
        "question 1", "answer 1", "question 3", "answer 3"]  # fmt: skip
    assert read(data).texts == [["question 1", "answer 1", "question 3", "answer 3"]]


def test_markdown_is_for_people(conversation):
    text = written(write_markdown, conversation).decode()
    assert text.startswith("# Title\n")
    assert "1 more on other branches" in text
    assert "question 2" not in text
    assert "````\n```2```\n````" in text
    assert text.index("question 1") < text.index("answer 1") < text.index("question 3")


FACT = Kept(RecordKind.FACT, "f1", AT, {"text": "x", "n": [1, 2.5, None, True]}, ("e1",))


def test_the_bytes_of_a_blob_are_written_once(read, conversation):
    blobs = (system_blob("Be kind. \ud83d"), Blob(BlobKind.IMAGE, bytes(range(256))))
    records = [replace(FACT, id=f"f{n}", blobs=blobs[:n]) for n in (1, 2, 0, 2)]
    data = with_records(conversation, *records)
    assert read(data).items == [conversation, *records]
    assert data.count(b'"data"') == 2


def with_records(conversation, *records, space=None):
    stream = io.BytesIO()
    write_jsonl([conversation], stream, records=records, space=space)
    return stream.getvalue()


def test_records_come_back_equal_behind_the_conversations(read, conversation):
    blob = Kept(RecordKind.OVERVIEW, "b", AT, {"text": "\ud83d\ude00 side by side \ud83d"})
    data = with_records(conversation, FACT, blob, space=SpaceId("ada", "helper"))
    assert read(data).items == [conversation, FACT, blob]
    assert json.loads(data.splitlines()[0])["space"] == {
        "user": "ada",
        "agent": "helper",
        "model": "",
    }
    assert json.loads(data.splitlines()[-1])["end"]["records"] == 2


def test_halves_of_characters_side_by_side_stay_halves(read, conversation):
    halves = replace(conversation, session=replace(conversation.session, title="\ud83d\ude00"))
    assert read(with_records(halves)).items == [halves]


@pytest.mark.parametrize(
    "damage", [("kind", "smell"), ("at", "2025-01-01"), ("body", [1]), ("exchanges", "e1")]
)
def test_a_damaged_record_is_told_and_takes_nothing_with_it(read, conversation, damage):
    lines = with_records(conversation, FACT, replace(FACT, id="f2")).splitlines()
    line = json.loads(lines[-3])
    line["record"][damage[0]] = damage[1]
    lines[-3] = json.dumps(line).encode()
    got = read(b"\n".join(lines))
    assert [i for i in got.items if not isinstance(i, SkippedRecord)] == [
        conversation,
        replace(FACT, id="f2"),
    ]
    assert len(got.unread) == 1


def test_the_first_version_is_still_read(read, fixtures):
    got = read((fixtures / "unabridged-1.jsonl").read_bytes())
    assert got.unread == []
    assert [len(c.exchanges) for c in got.conversations] == [13, 1]
    one, two = got.conversations
    assert one.exchanges[0].messages[0].parts == tuple(EVERY_PART)
    assert one.session.foreign_id == "f"
    assert two.exchanges[0].state is ExchangeState.OPEN


def test_counts_that_cannot_be_true_are_not_believed(read, conversation):
    lines = written(write_jsonl, conversation).splitlines()
    lines[2] = lines[2].replace(b'"tokens":3', b'"tokens":-3')
    got = read(b"\n".join(lines))
    assert got.unread == []
    assert got.conversations[0].exchanges[0].user.tokens is None


def test_a_message_that_comes_twice_is_told_unless_siblings_share_it(read):
    first, second = exchange(1), exchange(2)
    sibling = replace(second, id="sibling", messages=(first.user, *exchange(3).messages[1:]))
    doubled = replace(exchange(4), messages=(exchange(4).user, *first.messages[1:]))
    within = replace(exchange(5), messages=(exchange(5).user, *exchange(5).messages[1:3] * 2))
    session = Session("s", "", AT, AT, source="unabridged")
    stream = io.BytesIO()
    write_jsonl([Transcript(session, (first, second, sibling, doubled, within))], stream)
    got = read(stream.getvalue())
    assert got.ids == ["e1", "e2", "sibling"]
    assert sum("a message with a repeated id" in reason for reason in got.reasons) == 2
