"""Whatever is given to a public method, only errors of the tree come out."""

import inspect
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from unabridged import Memory, Settings, UnabridgedError
from unabridged.domain.exchange import ExchangeState
from unabridged.errors import InputError, NotFoundError, SettingError, StoreClosedError
from unabridged.turn.conversation import Conversation

MEMORY = {
    "add": {"messages": "Hello"},
    "ask": {"message": "Hello"},
    "chat": {"message": "Hello"},
    "conversation": {},
    "export": {"path": None},
    "facts": None,
    "forget": {"search": "swordfish"},
    "get": {"id": "nothing-here"},
    "history": {},
    "import_file": {"path": None},
    "maintain": {},
    "open": None,
    "pin": {"text": "I like tea."},
    "plan_forget": {"search": "swordfish"},
    "prepare": {"message": "Hello"},
    "record": {"context": None, "reply": "Yes."},
    "requirements": None,
    "save": {},
    "search": {"query": "tea"},
    "sessions": {},
    "space": None,
    "stats": {},
    "why": {},
    "close": None,
}
CONVERSATION = {
    "begin": {"context": None},
    "branches": {},
    "chat": {"message": "Hello"},
    "checkout": {"exchange": "nothing-here"},
    "header": None,
    "head": None,
    "history": {},
    "is_named": None,
    "prepare": {"message": "Hello"},
    "record": {"context": None, "reply": "Yes."},
    "record_tools": {"context": None, "messages": []},
    "rename": {"title": "Tea"},
    "session": None,
    "space": None,
    "sync": {"messages": [{"role": "user", "content": "Hello"}]},
    "turn": None,
    "undo": {},
}
WRONG = {
    "a number": 5,
    "a negative number": -1,
    "a fraction": 2.5,
    "not a number": float("nan"),
    "true": True,
    "bytes": b"bytes",
    "a list": ["a", 1],
    "a dict": {"a": 1},
    "an object": SimpleNamespace(content="x", role="user"),
    "a type": Memory,
    "a function": lambda: None,
    "nul": "a\0b",
    "half a character": "\ud800",
    "a long text": "x" * 3000,
    "an empty text": "",
    "a time": datetime.fromisoformat("2024-05-01"),
    "the first time": datetime.fromisoformat("0001-01-01"),
    "nothing": None,
}


@pytest.fixture(scope="module")
def memory():
    with Memory.open(ephemeral=True, upstream="quote", user="fuzz", home="/nonexistent") as memory:
        memory.record(memory.prepare("I like tea.", session="tea"), "Noted.")
        yield memory


def cases(kind, table):
    return list(made_cases(kind, table))


def made_cases(kind, table):
    for name, given in table.items():
        if given is not None:
            parameters = list(inspect.signature(getattr(kind, name)).parameters.values())[1:]
            for parameter in parameters:
                yield pytest.param(name, given, parameter, id=f"{name}-{parameter.name}")


def test_the_tables_name_every_public_member():
    for kind, table in ((Memory, MEMORY), (Conversation, CONVERSATION)):
        public = {name for name in dir(kind) if not name.startswith("_")}
        assert public - set(table) == set(), "add it here, with arguments that are right"
    assert {"space"} == set(MEMORY) & set(CONVERSATION) & {"space"}


def call(owner, method, given, parameter, value):
    if parameter.kind is parameter.VAR_POSITIONAL:
        result = getattr(owner, method)(value, **given)
    else:
        result = getattr(owner, method)(**{**given, parameter.name: value})
    if hasattr(result, "__next__") or type(result).__name__ == "Reply":
        list(result)  # lazy ones


def raised(call, *given):
    """Return what a call raised that is no error of the tree, as text."""
    try:
        call(*given)
    except UnabridgedError as error:
        return "" if error.hint or str(error) else "an error without words"
    except Exception as error:  # noqa: BLE001 - what the test is about
        return f"{type(error).__name__}: {error}"[:200]
    return ""


def untyped(owner, method, given, parameter, tmp_path):
    """Return what each wrong value raised that is no error of the tree."""
    found = {}
    for name, wrong in WRONG.items():
        own = dict(given)
        if "path" in own:
            own["path"] = tmp_path / name
        if "context" in own:
            own["context"] = owner.prepare("Hello")
        to_file = parameter.name == "path" and isinstance(wrong, str)
        value = str(tmp_path / wrong) if to_file else wrong
        found[name] = raised(call, owner, method, own, parameter, value)
    return {name: text for name, text in found.items() if text}


@pytest.mark.parametrize(("method", "given", "parameter"), cases(Memory, MEMORY))
def test_a_wrong_argument_of_a_memory_is_an_error_of_the_tree(
    memory, tmp_path, method, given, parameter
):
    assert untyped(memory, method, given, parameter, tmp_path) == {}


@pytest.mark.parametrize(("method", "given", "parameter"), cases(Conversation, CONVERSATION))
def test_a_wrong_argument_of_a_conversation_is_an_error_of_the_tree(
    memory, tmp_path, method, given, parameter
):
    assert untyped(memory.conversation("fuzz"), method, given, parameter, tmp_path) == {}


OPEN = [p for p in inspect.signature(Memory.open).parameters if p not in ("settings_", "home")]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*OPEN, *(n for n in Settings.__slots__ if n not in OPEN)])
def test_a_wrong_argument_of_open_is_an_error_of_the_tree(tmp_path, name):
    found = {}
    for kind, value in WRONG.items():
        if name == "home" and isinstance(value, str | None):
            continue
        given = {"home": tmp_path / "home", "upstream": "quote", "ephemeral": True, name: value}
        if text := raised(lambda given: Memory.open(**given).close(), given):
            found[kind] = text
    assert found == {}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"usr": "ann"}, "Did you mean 'user'?"),
        ({"mode": "tool"}, "Did you mean 'tools'?"),
        ({"window": "large"}, "whole number"),
        ({"threads": 0}, "at least 1 thread"),
        ({"upstream": "qoute"}, "Did you mean 'quote'?"),
    ],
)
def test_what_was_meant_is_named_on_opening(tmp_path, given, found):
    with pytest.raises(SettingError) as refusal:
        Memory.open(tmp_path / "home", **given)
    assert found in refusal.value.hint


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (lambda m: m.prepare("Hi", mode="tool"), "Did you mean 'tools'?"),
        (lambda m: m.record(m.prepare("Hi"), "Yes.", state="complte"), "Did you mean 'complete'?"),
        (lambda m: m.search("tea", limit=-1), "0 or more"),
        (lambda m: m.search("tea", limit="3"), "whole number"),
        (lambda m: m.search("tea", limit=True), "whole number"),
        (lambda m: m.search("tea", min_relevance=7), "from 0 to 1"),
        (lambda m: m.search(5), "text"),
        (lambda m: m.history(limit=-3), "0 or more"),
        (lambda m: m.sessions(limit=-3), "0 or more"),
        (lambda m: list(m.maintain(pages=-1)), "0 or more"),
        (lambda m: m.add("Hi", at="yesterday"), "datetime"),
        (lambda m: m.record("Hi", "Yes."), "Context"),
        (lambda m: m.forget(5), "ForgetPlan"),
        (lambda m: m.conversation(session=5), "text"),
        (lambda m: m.prepare("Hi", session=""), "id"),
        (lambda m: m.prepare("Hi", images="a.png"), "list"),
        (lambda m: m.prepare("Hi", tools=print), "list"),
        (lambda m: m.chat("Hi", model="llama3"), "ChatModel"),
    ],
)
def test_what_is_wrong_and_what_is_taken_is_said(memory, call, found):
    with pytest.raises(InputError) as refusal:
        call(memory)
    assert found in refusal.value.hint


def test_times_are_compared_whatever_their_zone(memory):
    late, early = datetime.fromisoformat("2030-01-01"), datetime(2020, 1, 1, tzinfo=UTC)
    with pytest.raises(InputError, match="later than until"):
        memory.search("tea", since=late, until=early)
    assert memory.search("tea", since=early, until=late)
    assert memory.search("tea", until=datetime.fromisoformat("2020-01-01")) == []


def test_a_session_that_is_not_there_is_not_forgotten(memory):
    for wanted in ("nobody's", "1"):
        with pytest.raises(NotFoundError):
            memory.forget(session=wanted)
    assert memory.history("tea")


def test_a_closed_memory_says_so_whatever_is_called(tmp_path):
    memory = Memory.open(tmp_path / "home", upstream="quote")
    context = memory.prepare("Hello")
    memory.close()
    memory.close()
    calls = [
        lambda: memory.prepare("Hello"),
        lambda: memory.record(context, "Yes."),
        lambda: memory.add("Hello"),
        lambda: memory.search("Hello"),
        memory.stats,
        memory.sessions,
        lambda: memory.get(context.id),
        memory.history,
        lambda: memory.pin("Hello"),
        memory.facts.all,
        memory.why,
        lambda: memory.forget(context.id),
        lambda: memory.chat("Hello").text(),
        lambda: list(memory.maintain()),
        lambda: memory.export(Path(tmp_path, "x.jsonl")),
    ]
    for one in calls:
        with pytest.raises(StoreClosedError):
            one()
    assert "closed" in repr(memory)


def test_an_enum_is_taken_as_its_text_or_itself(memory):
    for state in ("incomplete", ExchangeState.INCOMPLETE):
        done = memory.record(memory.prepare("Hi"), "Once", state=state)
        assert done.state is ExchangeState.INCOMPLETE
