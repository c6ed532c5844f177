import gzip
import io
import json
from contextlib import suppress
from datetime import UTC, datetime, timezone
from itertools import pairwise

from hypothesis import given, settings, strategies as st
from tests.helpers.examples import examples

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import (
    Image,
    Message,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.domain.results import SkippedRecord, Transcript
from unabridged.domain.session import Session
from unabridged.errors import TransferError
from unabridged.transfer.current_path import current_path
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.formats.table import FORMATS
from unabridged.transfer.markdown import write_markdown
from unabridged.transfer.messages import write_messages
from unabridged.transfer.native_jsonl import write_jsonl
from unabridged.transfer.webpage import write_html
from unabridged.transfer.workspaceai_v3 import documents

ANY = st.text(st.characters(codec=None), max_size=30)
NAME = st.text("abcdef0123", min_size=1, max_size=8)
TIMES = st.datetimes(
    datetime(1900, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    datetime(2200, 1, 1),  # noqa: DTZ001
    timezones=st.timedeltas(min_value=-timezone.max.utcoffset(None), max_value=timezone.max.utcoffset(None))
    .map(lambda d: timezone(d - d % type(d)(minutes=1))),
)  # fmt: skip
PARTS = st.one_of(
    st.builds(Text, ANY),
    st.builds(Image, ANY),
    st.builds(ToolCall, ANY, ANY, ANY),
    st.builds(ToolResult, ANY, ANY, ANY, failed=st.booleans()),
    st.builds(Reasoning, ANY),
)
COUNTS = st.none() | st.integers(0, 10**9)


@st.composite
def conversations(draw):
    session = draw(NAME)
    exchanges = []
    for number in range(draw(st.integers(0, 4))):
        parent = draw(st.sampled_from([None, *exchanges]))
        above = parent.messages[-1].id if parent else None
        messages = []
        for place in range(draw(st.integers(1, 3))):
            role = Role.USER if place == 0 else draw(st.sampled_from([Role.ASSISTANT, Role.TOOL]))
            parts = tuple(draw(st.lists(PARTS, max_size=3)))
            name = f"{number}.{place}{draw(ANY)}"
            rest = (draw(TIMES), above, draw(COUNTS), draw(st.none() | ANY))
            messages.append(Message(name, role, parts, *rest))
            above = name
        exchanges.append(
            Exchange(
                f"{number}{draw(ANY)}",
                session,
                parent.id if parent else None,
                draw(st.sampled_from(ExchangeState)),
                tuple(messages),
                draw(TIMES),
                draw(ANY),
                draw(st.none() | ANY),
            )
        )
    ids = [m.id for e in exchanges for m in e.messages]
    head = draw(st.sampled_from([None, *ids]))
    header = Session(
        session, draw(ANY), draw(TIMES), draw(TIMES), head, draw(ANY), draw(st.none() | ANY)
    )
    return Transcript(header, tuple(exchanges))


def everything(data, **options):
    with open_file(io.BytesIO(data), **options) as reader:
        return list(reader)


def read_or_refused(data, name):
    with suppress(TransferError):
        assert all(
            isinstance(item, (Transcript, SkippedRecord)) for item in everything(data, format=name)
        )


@given(st.lists(conversations(), max_size=3))
def test_what_is_written_comes_back_equal(given_conversations):
    stream = io.BytesIO()
    write_jsonl(given_conversations, stream)
    assert everything(stream.getvalue()) == given_conversations


@given(conversations())
def test_every_writer_takes_every_conversation(conversation):
    for write in (write_markdown, write_messages, write_html):
        write([conversation], io.BytesIO())
    assert all(json.loads(document.encoded()) for document in documents([conversation]))
    path = current_path(conversation)
    assert all(below.parent == above.id for above, below in pairwise(path))


LINES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool", "system"]), "content": ANY},
        optional={
            "time": st.integers(0, 2**33) | st.datetimes().map(str) | ANY,
            "session": st.sampled_from("ab"),
            "id": st.sampled_from("123456"),
        },
    ),
    min_size=1,
    max_size=12,
)


@given(LINES)
def test_a_second_import_is_the_same_and_every_conversation_hangs_together(lines):
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    items = everything(data, format="jsonl")
    assert items == everything(data, format="jsonl")
    for item in items:
        if isinstance(item, Transcript):
            hangs_together(item)


@given(LINES, LINES)
def test_a_longer_file_never_takes_an_exchange_back(lines, more):
    def identities(messages):
        timed = [{**m, "time": n + 10**9} for n, m in enumerate(messages)]
        items = everything("".join(json.dumps(m) + "\n" for m in timed).encode(), format="jsonl")
        return [[e.id for e in i.exchanges] for i in items if isinstance(i, Transcript)]

    longer = {name for ids in identities(lines + more) for name in ids}
    assert all(set(ids[:-1]) <= longer for ids in identities(lines))


NODES = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.fixed_dictionaries(
        {"parent": st.none() | st.sampled_from("abcdefghz")},
        optional={
            "message": st.fixed_dictionaries(
                {
                    "author": st.fixed_dictionaries(
                        {"role": st.sampled_from(["user", "assistant", "tool", "system"])}
                    ),
                    "content": st.fixed_dictionaries(
                        {
                            "content_type": st.sampled_from(["text", "thoughts", "code"]),
                            "parts": st.lists(st.sampled_from(["x", "", 1, None, {}]), max_size=2),
                        }
                    ),
                },
                optional={"create_time": st.none() | st.floats(0, 2e9)},
            )
        },
    ),
    max_size=8,
)


@settings(max_examples=examples(200))
@given(NODES, st.sampled_from("abcdefgh"))
def test_any_tree_and_any_circle_gives_whole_exchanges(mapping, current):
    data = json.dumps([{"id": "c", "mapping": mapping, "current_node": current}]).encode()
    items = everything(data)
    assert items == everything(data)
    for item in items:
        if isinstance(item, Transcript):
            hangs_together(item)


ANSWERS = st.dictionaries(
    st.sampled_from(["a", "b", "c", "d", "a/1", "b/1"]),
    st.fixed_dictionaries(
        {
            "parentId": st.none() | st.sampled_from(["a", "b", "c", "d", "a/1", "b/1", "z"]),
            "role": st.sampled_from(["user", "assistant", "system", "ghost"]),
            "content": st.sampled_from(
                ["x", "", 1, '<details type="tool_calls" name="f" result="r"></details>y']
            ),
        }
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=examples(200))
@given(ANSWERS, st.sampled_from(["a", "b", "a/1"]))
def test_any_tree_of_open_webui_gives_whole_exchanges(messages, current):
    chat = {"history": {"messages": messages, "currentId": current}}
    data = json.dumps([{"id": "c", "user_id": "u", "chat": chat}]).encode()
    items = everything(data)
    assert items == everything(data)
    for item in items:
        if isinstance(item, Transcript):
            hangs_together(item)


SWIPED = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(["Ann", "Brook", "Cole"]),
            "is_user": st.booleans(),
            "mes": st.sampled_from(["x", "y", ""]),
        },
        optional={
            "swipes": st.lists(st.sampled_from(["x", "y", "z", ""]), max_size=4),
            "swipe_id": st.integers(-1, 4),
            "send_date": st.sampled_from(["July 12, 2024 1:31am", "2024-7-12@01h31m37s", "no", 7]),
            "is_system": st.booleans(),
        },
    ),
    max_size=8,
)


@settings(max_examples=examples(200))
@given(SWIPED, SWIPED)
def test_a_longer_chat_never_takes_an_exchange_back(lines, more):
    header = {"user_name": "Ann", "character_name": "Brook", "create_date": "2024-7-12@01h31m37s"}

    def identities(messages):
        data = "".join(json.dumps(line) + "\n" for line in (header, *messages)).encode()
        items = everything(data)
        assert items == everything(data)
        for item in items:
            if isinstance(item, Transcript):
                hangs_together(item)
        return [e.id for i in items if isinstance(i, Transcript) for e in i.exchanges]

    before, after = identities(lines), identities(lines + more)
    if more and more[0]["is_user"] and more[0]["mes"]:
        assert set(before) <= set(after)


def hangs_together(conversation):
    seen = {}
    ids = set()
    for exchange in conversation.exchanges:
        assert exchange.id not in seen
        assert exchange.parent is None or exchange.parent in seen
        assert exchange.user.role is Role.USER
        above = seen[exchange.parent].messages[-1].id if exchange.parent else None
        for message in exchange.messages:
            assert message.parent == above
            assert message.at.tzinfo is UTC
            above = message.id
        later = {message.id for message in exchange.messages[1:]}
        assert not later & ids
        ids |= later | {exchange.user.id}
        seen[exchange.id] = exchange
    assert conversation.session.head in ids


@settings(max_examples=examples(300))
@given(st.binary(max_size=200) | ANY.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_read_or_refused_by_name(data):
    for form in (data, gzip.compress(data), b"PK\x03\x04" + data, b"\xfd7zXZ\x00" + data):
        for name in (None, *(each.name for each in FORMATS)):
            read_or_refused(form, name)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "role content time session id mapping message parent chat_messages sender text uuid "
                "turns haystack_sessions haystack_dates haystack_session_ids exchange messages parts "
                "author content_type files attachments tool_calls metadata create_time "
                "user assistant current_conversation recent_conversations summary date_range "
                "history summaries user_input agent_response sessions requirements volere "
                "type condensed chat parentId versions steps currentlySelected genInfo "
                "mes is_user is_system swipes swipe_id swipe_info extra send_date".split()
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=examples(300))
@given(st.lists(JSON, max_size=3), st.booleans())
def test_any_json_is_read_or_refused_by_name(values, array):
    lines = "".join(json.dumps(value) + "\n" for value in values)
    data = (json.dumps(values) if array else lines).encode()
    for name in (None, *(each.name for each in FORMATS)):
        read_or_refused(data, name)
