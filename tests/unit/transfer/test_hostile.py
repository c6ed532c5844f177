"""Every format against files that are damaged or made to hurt: read, or refused by name, never half."""

import copy
import json

import pytest
from tests.helpers.talker import Talker

from unabridged.domain.fact import Requirement
from unabridged.domain.message import Role
from unabridged.domain.record import Record
from unabridged.domain.results import SkippedRecord, Transcript
from unabridged.errors import TransferError

FILES = [
    "workspaceai-v1.json",
    "workspaceai-v2.json",
    "workspaceai-v3.json",
    "dana-memory.json",
    "reqvibe-sessions.json",
    "emm-memory.json",
    "openwebui-export.json",
    "sillytavern-chat.jsonl",
    "sillytavern-group.jsonl",
    "lmstudio.conversation.json",
    "whisperengine.json",
    "files-model.json",
    "files-user.json",
    "chatgpt-conversations.json",
    "claude-conversations.json",
]
DEEP = "[" * 3000 + "]" * 3000
WRONG = [None, True, 0, -1, 1e308, "", "x", [], {}, [[]], [None], {"": {}}, "\ud800", 10**30]


class File:
    """A fixture as values: a list of records, and how they are written again."""

    def __init__(self, path):
        self.lines = path.suffix == ".jsonl"
        text = path.read_text()
        self.value = [json.loads(line) for line in text.splitlines()] if self.lines else json.loads(text)  # fmt: skip

    def written(self, value):
        if self.lines:
            listed = value if isinstance(value, list) else [value]
            return "".join(json.dumps(each) + "\n" for each in listed).encode()
        return json.dumps(value).encode()


@pytest.fixture(params=FILES)
def file(request, fixtures):
    return File(fixtures / request.param)


@pytest.fixture
def form(file, read):
    return read(file.written(file.value)).format


def places(value, route=()):
    """Give the way to every value inside, the outermost first."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in inside:
        yield (*route, key)
        if isinstance(each, (dict, list)):
            yield from places(each, (*route, key))


def changed(value, route, change):
    value = copy.deepcopy(value)
    holder = value
    for key in route[:-1]:
        holder = holder[key]
    change(holder, route[-1])
    return value


def survives(read, data, form):
    """Read, twice the same, and whole; or refuse with a hint."""
    try:
        got = read(data, format=form)
    except TransferError as error:
        if not error.hint:
            pytest.fail("no hint")
        return None
    assert got.ids == read(data, format=form).ids
    for item in got.items:
        assert isinstance(item, (Transcript, Requirement, Record, SkippedRecord))
        if isinstance(item, Transcript):
            hangs_together(item)
    return got


def hangs_together(conversation):
    seen = {}
    for exchange in conversation.exchanges:
        assert exchange.id not in seen
        assert exchange.parent is None or exchange.parent in seen
        assert exchange.user.role is Role.USER
        above = seen[exchange.parent].messages[-1].id if exchange.parent else None
        for message in exchange.messages:
            assert message.parent == above
            above = message.id
        seen[exchange.id] = exchange
    head = conversation.session.head
    assert head is None or any(m.id == head for e in seen.values() for m in e.messages)


def test_every_value_may_be_of_a_wrong_type(read, file, form):
    def replaced(number):
        def change(holder, key):
            holder[key] = WRONG[number % len(WRONG)]

        return change

    for number, route in enumerate(places(file.value)):
        for step in (number, number + 5):
            survives(read, file.written(changed(file.value, route, replaced(step))), form)


def test_every_value_may_be_missing(read, file, form):
    def removed(holder, key):
        del holder[key]

    for route in places(file.value):
        survives(read, file.written(changed(file.value, route, removed)), form)


def test_every_element_may_come_twice(read, file, form):
    for route in places(file.value):
        if isinstance(route[-1], int):
            doubled = changed(file.value, route, lambda held, key: held.insert(key, held[key]))
            assert survives(read, file.written(doubled), form) is not None


def test_a_file_may_break_off_anywhere(read, file, form):
    data = file.written(file.value)
    whole = {text for row in read(data).texts for text in row}
    for end in range(0, len(data), max(1, len(data) // 40)):
        got = survives(read, data[:end], form)
        if got is not None and file.lines:
            assert {text.partition(":\n")[2] or text for row in got.texts for text in row} <= {
                text.partition(":\n")[2] or text for text in whole
            }


def test_a_mark_of_byte_order_and_room_around_change_nothing(read, file):
    data = file.written(file.value)
    assert read(b"\xef\xbb\xbf" + data + b"\r\n \n").ids == read(data).ids


def test_halves_of_characters_numbers_that_are_none_and_depth_are_told(read, file, form):
    text = file.written(file.value).decode()
    for hurt in ('"\\ud800 half"', "NaN", DEEP, "-Infinity", '"\\u0000"'):
        for marker in ('"user"', '"content"', '"mes"', '"text"'):
            if f"{marker}:" in text:
                at = text.index(f"{marker}:") + len(marker) + 1
                begins = text[at:].lstrip()[:1]
                if begins == '"':
                    end = text.index('"', text.index('"', at) + 1) + 1
                    survives(read, text[:at] + hurt + text[end:], form)


def test_a_very_long_text_is_taken_whole(read, file, form):
    long = "word " * (1 << 18)
    texts = [
        route for route in places(file.value) if route[-1] in ("content", "mes", "text", "user")
    ]
    for route in texts[-1:]:
        value = changed(file.value, route, lambda holder, key: holder.__setitem__(key, long))
        got = survives(read, file.written(value), form)
        said = [text for row in got.texts for text in row]
        assert any(long.strip() in text for text in said) or got.unread


def test_the_format_is_seen_and_no_other(read, file, form):
    assert form not in ("jsonl", "unabridged")


def test_what_was_read_is_admitted_once(read, file, tmp_path):
    got = read(file.written(file.value))
    with Talker.open(home=tmp_path, upstream="quote") as memory:
        assert sum(map(memory.import_transcript, got.conversations)) == len(set(got.ids))
        assert sum(map(memory.import_transcript, got.conversations)) == 0
