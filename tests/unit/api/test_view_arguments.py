"""Whatever is given to a view of a space, only errors of the tree come out, and nothing bad stays."""

import inspect
from datetime import UTC, datetime, timedelta, timezone

import pytest
from click.testing import CliRunner
from tests.opened import store_of
from tests.unit.api.test_arguments import WRONG

from unabridged import Memory
from unabridged.cli.main import cli
from unabridged.domain.chat import Usage
from unabridged.domain.record import Record, RecordKind
from unabridged.errors import InputError, UnabridgedError
from unabridged.knowledge.damaged_records import damaged_records, repair_records

VIEWS = {
    "facts": lambda memory: memory.facts,
    "requirements": lambda memory: memory.requirements,
    "pins": lambda memory: memory.space.pins,
    "sessions": lambda memory: memory.space.sessions,
    "log": lambda memory: memory.space.log,
    "contexts": lambda memory: memory.space.contexts,
    "forgetting": lambda memory: memory.space.forgetting,
    "space": lambda memory: memory.space,
}
RIGHT = {
    "text": "The app must start within 2 s.",
    "wanted": "1",
    "receipt": "1",
    "rewritten": ["backups/a.zip"],
    "session": "tea",
    "current": None,
    "title": "Tea",
    "query": "tea",
    "message": "tea",
    "before": None,
}
NOT_FUZZED = {
    "space": {"close", "shared", "answering", "counter", "info"},  # for the engine itself
    "facts": {"asking", "learn_pending"},
    "requirements": {"asking", "learn_pending", "admit"},
    "log": {"import_records", "import_transcripts", "many_imports"},
    "forgetting": {"resume"},
}
ALONE = inspect.Parameter.POSITIONAL_ONLY
REQUIREMENT_FIELDS = ("rationale", "type", "priority", "satisfaction", "conflicts", "bogus")


@pytest.fixture(scope="module")
def memory():
    with Memory.open(ephemeral=True, upstream="quote", user="views", home="/nonexistent") as memory:
        memory.record(memory.prepare("I like tea.", session="tea"), "Noted.")
        memory.facts.add("My boat is called Kestrel.")
        memory.requirements.add("The app must log every error.")
        yield memory


def cases():
    with Memory.open(ephemeral=True, upstream="quote", home="/nonexistent") as memory:
        for view, find in VIEWS.items():
            owner = find(memory)
            for name, method in inspect.getmembers(owner, inspect.ismethod):
                if name.startswith("_") or name in NOT_FUZZED.get(view, ()):
                    continue
                for parameter in inspect.signature(method).parameters.values():
                    yield pytest.param(
                        view, name, parameter.name, id=f"{view}-{name}-{parameter.name}"
                    )


def right(memory, method, but):
    """Return right arguments for what a method needs, without one of them."""
    exchange = memory.get(next(iter(memory.space.log.scan())).id)
    known = {
        **RIGHT,
        "exchange": exchange,
        "exchanges": [exchange.id],
        "fact": memory.facts.all()[0],
        "messages": exchange.messages,
        "parts": exchange.user.parts,
        "role": exchange.user.role,
        "session": memory.sessions()[0].session
        if method in ("rename", "undo", "branches")
        else "tea",
    }
    return {name: value for name, value in known.items() if name != but}


def tried(call, *args, **kwargs):
    """Return what a call raised that is no error of the tree."""
    try:
        result = call(*args, **kwargs)
        if hasattr(result, "__next__"):
            list(result)
    except UnabridgedError as error:
        return "" if str(error) else "an error without words"
    except Exception as error:  # noqa: BLE001 - what the test is about
        return f"{type(error).__name__}: {error}"[:200]
    return ""


@pytest.mark.parametrize(("view", "name", "parameter"), list(cases()))
def test_a_wrong_argument_of_a_view_is_an_error_of_the_tree(memory, view, name, parameter):
    method = getattr(VIEWS[view](memory), name)
    found = {}
    parameters = inspect.signature(method).parameters
    known = right(memory, name, parameter)
    needed = {n for n, one in parameters.items() if one.default is one.empty and n in known}
    fields = parameters[parameter].kind is inspect.Parameter.VAR_KEYWORD
    for what, wrong in WRONG.items():
        for field in REQUIREMENT_FIELDS if fields else (parameter,):
            given = {**{n: known[n] for n in parameters if n in needed}, field: wrong}
            alone = [n for n in given if n in parameters and parameters[n].kind is ALONE]
            placed = [given.pop(n) for n in alone]
            if text := tried(method, *placed, **given):
                found[f"{field}={what}"] = text
    assert found == {}
    assert damaged_records(store_of(memory)) == []
    memory.prepare("Which boat and which tea?", session="tea")
    assert memory.facts.all(None) is not None
    assert memory.requirements.all(withdrawn=True) is not None


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (lambda m: m.facts.add("x", pinned="yes"), "True or False"),
        (lambda m: m.facts.add("x", pinned=1), "True or False"),
        (lambda m: m.facts.add("x", aliases=[5]), "a list of texts"),
        (lambda m: m.facts.add("x", aliases="ab"), "a list of texts"),
        (lambda m: m.facts.all("x"), "current, superseded, withdrawn"),
        (lambda m: m.facts.learn([5]), "a list of Exchanges"),
        (lambda m: m.requirements.add(5), "text"),
        (lambda m: m.requirements.edit("1", rationale=5), "text"),
        (lambda m: m.space.count_tokens(["x"]), "a list of Messages"),
        (lambda m: m.record(m.prepare("x"), "y", usage=Usage(prompt="a")), "a whole number"),
        (lambda m: m.add("x", at=datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5)))), "later"),
        (lambda m: m.search("x", since=datetime(9999, 12, 31, 23, 0, tzinfo=timezone(-timedelta(hours=5)))), "later"),
    ],
)  # fmt: skip
def test_what_a_view_takes_is_said(memory, call, found):
    before = len(memory.facts.all(None)), len(memory.requirements.all())
    with pytest.raises(InputError) as refusal:
        call(memory)
    assert found in refusal.value.hint
    assert (len(memory.facts.all(None)), len(memory.requirements.all())) == before


def test_an_unknown_argument_names_the_method(memory):
    with pytest.raises(TypeError, match=r"Memory\.search\(\).*bogus"):
        memory.search("x", bogus=1)


AT = datetime(2026, 1, 1, tzinfo=UTC)
DAMAGED = [
    Record(RecordKind.FACT, "01BADFACT1", AT, {"text": "I like rum.", "pinned": "yes", "exchange": None, "by": "user"}),
    Record(RecordKind.FACT, "01BADFACT2", AT, {"text": "I like gin.", "pinned": False, "aliases": [5]}),
    Record(RecordKind.REQUIREMENT, "01BADCARD1", AT, {"text": "The app must sing.", "pinned": 1, "number": 7, "seal": ""}),
    Record(RecordKind.REQUIREMENT, "01BADCARD2", AT, {"text": "The app must hum.", "number": "many"}),
]  # fmt: skip


def test_a_damaged_record_stops_nothing_is_found_and_can_be_forgotten(tmp_path):
    with Memory.open(tmp_path / "home", upstream="quote") as memory:
        memory.record(memory.prepare("I like tea."), "Noted.")
        store = store_of(memory)
        store.put(DAMAGED)
        assert {"I like rum.", "I like gin."} <= {fact.text for fact in memory.facts.all()}
        assert not memory.facts.get("01BADFACT1").pinned
        assert len(memory.requirements.all()) == 2
        memory.prepare("What do I like to drink?")
        memory.plan_forget(search="tea")
        assert len(damaged_records(store)) == 4
        memory.forget(fact="01BADFACT2")
        assert "I like gin." not in {fact.text for fact in memory.facts.all()}
        memory.requirements.withdraw("7")
        assert len(damaged_records(store)) == 2
        assert repair_records(store) == 2
        assert damaged_records(store) == []
        assert "I like rum." in {fact.text for fact in memory.facts.all()}


def test_doctor_finds_and_repairs_a_damaged_record(tmp_path, monkeypatch):
    with Memory.open(tmp_path / "home", upstream="quote") as memory:
        memory.record(memory.prepare("I like tea."), "Noted.")
        store_of(memory).put(DAMAGED[:1])
    monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("UNABRIDGED_UPSTREAM", "quote")
    for words, there in ((["doctor"], True), (["doctor", "--repair"], False), (["doctor"], False)):
        assert ("01BADFACT1" in CliRunner().invoke(cli, words).stdout) is there
