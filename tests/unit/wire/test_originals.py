"""What a client sends is kept: by its parts, or as it came beside the message."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.helpers.examples import examples
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.domain.client_history import RequestOptions
from unabridged.domain.message import Message
from unabridged.domain.settings import Settings
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock
from unabridged.wire import ollama, openai
from unabridged.wire.incoming_message import IncomingMessage
from unabridged.wire.originals import items_of, original_of

NOW = datetime(2026, 11, 26, tzinfo=UTC)
DIALECTS = {"ollama": ollama, "openai": openai}
WORDS = st.text(min_size=1, max_size=20).filter(str.strip)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=5,
)
PRIVATE = st.dictionaries(
    st.sampled_from(["cache_control", "refusal", "audio", "annotations", "x_private", "name"]),
    JSON,
    max_size=2,
)
PART = st.one_of(
    st.builds(lambda text, more: {"type": "text", "text": text, **more}, WORDS, PRIVATE),
    st.builds(lambda uri: {"type": "image_url", "image_url": {"url": uri, "detail": "low"}}, WORDS),
    st.builds(lambda data: {"type": "file", "file": data}, JSON),
)
THOUGHT = st.fixed_dictionaries(
    {}, optional={"reasoning_content": WORDS, "reasoning": WORDS, "encrypted_content": WORDS}
)


def _calls(names, arguments):
    return [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for n, name in enumerate(names)
    ]


NAMES = st.lists(st.sampled_from(["look", "run"]), min_size=1, max_size=2)
OPENAI = st.one_of(
    st.builds(lambda c, m: {**m, "role": "user", "content": c}, WORDS | st.lists(PART, min_size=1, max_size=3), PRIVATE),
    st.builds(lambda c, t, m: {**m, "role": "assistant", "content": c, **t}, WORDS, THOUGHT, PRIVATE),
    st.builds(
        lambda names, said, t: {
            "role": "assistant", "content": said, "tool_calls": _calls(names, '{"q": 1}'), **t
        },
        NAMES, st.none() | WORDS, THOUGHT,
    ),
    st.builds(lambda c: {"role": "tool", "tool_call_id": "c0", "content": c}, WORDS | st.lists(PART, min_size=1, max_size=2)),
)  # fmt: skip
OLLAMA = st.one_of(
    st.builds(lambda c, m: {**m, "role": "user", "content": c}, WORDS, PRIVATE),
    st.builds(lambda c: {"role": "user", "content": c, "images": ["AAAA"]}, WORDS),
    st.builds(lambda c, t: {"role": "assistant", "content": c, "thinking": t}, WORDS, WORDS),
    st.builds(
        lambda names, q: {
            "role": "assistant", "content": "", "tool_calls": [
                {"function": {"name": name, "arguments": {"q": q}}} for name in names
            ]
        },
        NAMES, JSON,
    ),
    st.builds(lambda c: {"role": "tool", "tool_name": "look", "content": c}, WORDS),
)  # fmt: skip
LISTS = st.one_of(
    st.tuples(st.just("openai"), st.lists(OPENAI, min_size=1, max_size=5)),
    st.tuples(st.just("ollama"), st.lists(OLLAMA, min_size=1, max_size=5)),
)


def given_back(message, original, dialect):
    """The item of a stored message: from its original, else from its parts."""
    stored = Message("1", message.role, message.parts, NOW, original=original)
    (item,) = items_of([stored], dialect)
    return dict(item)


@settings(max_examples=examples(200), deadline=None)
@given(LISTS)
def test_every_item_comes_back_from_its_draft(sent):
    dialect, items = sent
    items = json.loads(json.dumps(items))  # as a server reads them
    drafts = DIALECTS[dialect].drafts(items)
    assert [draft.place for draft in drafts] == list(range(len(items)))
    for item, draft in zip(items, drafts, strict=True):
        assert given_back(draft, original_of(draft), dialect) == item


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(LISTS)
def test_every_item_comes_back_from_the_store(sent):
    dialect, items = sent
    items = [{"role": "user", "content": "Begin."}, *items, {"role": "user", "content": "End."}]
    chosen = Settings(home="unused", store="memory", window=200_000)
    with Talker.open(settings=chosen, upstream=ScriptedModel(), clock=ManualClock()) as memory:
        heard = memory.sync(DIALECTS[dialect].drafts(items))
        memory.record(memory.prepare_synced(heard, RequestOptions()), "Noted.")
        store = store_of(memory)
        messages = [m for e in memory.exchanges() for m in e.messages][:-1]
        originals = store.originals([m.id for m in messages])
        back = [given_back(m, originals.get(m.id), dialect) for m in messages]
        assert back == items


@pytest.mark.parametrize(
    ("dialect", "item"),
    [
        ("openai", {"role": "user", "content": "Hello"}),
        ("openai", {"role": "assistant", "content": "Yes", "reasoning_content": "hm"}),
        ("openai", {"role": "tool", "tool_call_id": "c", "content": "blue"}),
        ("ollama", {"role": "user", "content": "Hello", "images": ["AAAA"]}),
        ("ollama", {"role": "assistant", "content": "Yes", "thinking": "hm"}),
    ],
)
def test_what_the_parts_give_back_is_not_kept_twice(dialect, item):
    (draft,) = DIALECTS[dialect].drafts([item])
    assert original_of(draft) is None


def test_an_original_is_of_one_dialect():
    (draft,) = openai.drafts([{"role": "user", "content": "Hello", "name": "Ann"}])
    original = original_of(draft)
    message = Message("1", draft.role, draft.parts, NOW, original=original)
    assert items_of([message], "openai") == [{"role": "user", "content": "Hello", "name": "Ann"}]
    assert items_of([message], "ollama") == [{"role": "user", "content": "Hello"}]
    imported = Message("1", draft.role, draft.parts, NOW, original=b"[]")
    assert items_of([imported], "openai") == [{"role": "user", "content": "Hello"}]
    assert original_of(IncomingMessage(draft.role, draft.parts)) is None


def test_an_original_is_forgotten_with_its_message(tmp_path):
    with Talker.open(tmp_path, upstream=ScriptedModel(), clock=ManualClock()) as memory:
        item = {"role": "user", "content": "My number is 4007", "name": "Ann"}
        heard = memory.sync(openai.drafts([item]))
        exchange = memory.record(memory.prepare_synced(heard, RequestOptions()), "I see.")
        store, name = store_of(memory), exchange.user.id
        assert json.loads(store.originals([name])[name])["item"] == item
        memory.space.forgetting.execute(memory.space.forgetting.plan(exchanges=[exchange.id]))
        assert store.originals([name]) == {}
