"""A lossless export holds every text of a log: what the walker lists, the export has.

The walker is not what writes the export: it lists texts without the places they belong to. So this
test compares the two, with another word in each entrance.
"""

import base64
import io
import json
import secrets
from dataclasses import replace

import pytest

from unabridged.domain.blob import Blob, BlobKind, system_blob
from unabridged.domain.message import Image, Reasoning, Text, ToolCall, ToolResult
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import Transcript
from unabridged.domain.scope import SpaceId
from unabridged.log.entrances import EntranceKind, entrances, texts_of_blob
from unabridged.recording.sessions import conversations, with_originals
from unabridged.sharing.copy_sessions import CARRIED, CONTEXTS, leaving
from unabridged.stores.in_memory import InMemoryStore
from unabridged.testing.log_writer import START, LogWriter
from unabridged.transfer.export import FORMS, Outgoing

WORKING_STATE = {RecordKind.PROGRESS, RecordKind.REQUEST}
"""Records that no export carries: how far work has come, and which request was answered by what."""


@pytest.fixture
def words():
    return []


@pytest.fixture
def word(words):
    def another(place):
        words.append(f"{place}-{secrets.token_hex(6)}")
        return words[-1]

    return another


@pytest.fixture
def store(word):
    store = InMemoryStore(SpaceId("ada"))
    empty = LogWriter(store, "empty")
    store.set_session(replace(empty.header, title=word("title")), None)
    talk = LogWriter(store)
    parts = [
        Text(word("text") + "\ud800é"),
        Image(word("image")),
        ToolCall(word("call"), word("name"), word("arguments")),
        ToolResult(word("call"), word("name"), word("result"), failed=True),
        Reasoning(word("reasoning")),
    ]
    original = json.dumps({word("key"): [word("value"), {"deep": word("value")}]}).encode()
    begun = talk.begin(parts, original=original)
    talk.regenerate(talk.answer(begun, word("answer")), word("sibling"))
    talk.edit(begun, word("branch"), word("answer"))
    talk.begin(word("open"), original=f"no JSON {word('original')}".encode())
    shared = system_blob(word("system"))
    for kind in RecordKind:
        tools = Blob(BlobKind.TOOLS, json.dumps([{"name": word("tool")}]).encode())
        body = {"text": word("body"), "more": [{"deep": (word("body"), 3)}]}
        exchanges = (begun.id,) if kind in {RecordKind.CONTEXT, RecordKind.OVERVIEW} else ()
        name = begun.id if kind is RecordKind.CONTEXT else f"record-{kind}"
        store.put([Record(kind, name, START, body, exchanges, (shared, tools))])
    store.set_session(replace(talk.header, title=word("title")), talk.header.head)
    return store


def exported(store):
    out = Outgoing(
        lambda: conversations(store),
        lambda one: with_originals(store, one),
        lambda: leaving(store, contexts=True),
    )
    stream = io.BytesIO()
    FORMS["jsonl"].write(out, stream)
    return stream.getvalue()


def texts_of(data):
    """Give every text of a file: in its JSON, and in the bytes that it holds in Base64."""
    waiting = [json.loads(line) for line in data.splitlines()]
    while waiting:
        match waiting.pop():
            case {"digest": _, "kind": kind, "data": packed}:
                yield from texts_of_blob(Blob(BlobKind(kind), base64.b64decode(packed)))
            case {"original": packed, **rest}:
                yield from texts_of_blob(Blob(BlobKind.ORIGINAL, base64.b64decode(packed)))
                waiting.append(rest)
            case dict() as value:
                waiting += value.values()
            case list() as value:
                waiting += value
            case str() as text:
                yield text


def test_every_text_that_the_walker_lists_is_in_a_lossless_export(store, words):
    assert {*CARRIED, *CONTEXTS} == {*RecordKind} - WORKING_STATE
    left = {text for kind in WORKING_STATE for one in store.records(kind) for text in body(one)}
    listed = {one.text for one in entrances(store)}
    assert {one.kind for one in entrances(store)} == {*EntranceKind}
    assert listed - set(texts_of(exported(store))) == left
    assert all(any(each in text for text in listed) for each in words)


def body(record):
    blobs = (text for blob in record.blobs[1:] for text in texts_of_blob(blob) if text != "name")
    return [record.body["text"], record.body["more"][0]["deep"][0], *blobs]


def test_conversations_come_back_with_all_their_texts(store, read):
    again = InMemoryStore(SpaceId("ada"))
    for item in read(exported(store)).items:
        if isinstance(item, Transcript):
            again.import_session(item.session, item.exchanges, item.originals)

    def said(held):
        kinds = {EntranceKind.TITLE, EntranceKind.MESSAGE, EntranceKind.ORIGINAL}
        return sorted((one.kind, one.id, one.text) for one in entrances(held) if one.kind in kinds)

    assert said(again) == said(store)
