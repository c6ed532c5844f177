"""The surface: what is there, how it is named, and how it shows itself."""

import inspect
import pydoc
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pytest

import unabridged
from unabridged import Memory, UnabridgedError
from unabridged.domain.settings import Settings, SettingsDict
from unabridged.errors import InputError
from unabridged.models.scripted import ScriptedModel
from unabridged.turn.conversation import Conversation

HOUSE = """
    close space facts requirements open ask chat prepare record add conversation search get history
    sessions why stats pin plan_forget forget maintain import_file export save
""".split()


def test_the_surface_is_what_was_planned():
    assert {name for name in dir(Memory) if not name.startswith("_")} == set(HOUSE)


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="pydoc wraps signatures from 3.13 on")
def test_help_is_short():
    assert len(pydoc.render_doc(Memory).splitlines()) < 120


@pytest.mark.parametrize("kind", [Memory, Conversation, unabridged.AsyncMemory, unabridged.Reply])
def test_every_public_method_has_a_first_line_that_fits(kind):
    for name, member in inspect.getmembers(kind):
        if not name.startswith("_") and (callable(member) or isinstance(member, property)):
            first = (inspect.getdoc(member) or "").splitlines()[0]
            assert first.endswith("."), name
            assert len(first) < 90, name


def test_the_version_and_the_names_are_there():
    assert unabridged.__version__ == version("unabridged")
    assert {"Memory", "AsyncMemory", "Context", "Settings", "UnabridgedError", "__version__"} <= {
        *dir(unabridged)
    }
    for name in unabridged.__all__:
        assert getattr(unabridged, name)
    with pytest.raises(AttributeError):
        _ = unabridged.Nothing


def test_importing_the_package_imports_nothing_else():
    code = "import sys, unabridged; print([m for m in sys.modules if m.startswith('unabridged.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_module_of_the_package_imports_pydantic_for_messages():
    code = (
        "import sys, unabridged; m = unabridged.Memory.open(ephemeral=True, upstream='quote'); "
        "m.record(m.prepare({'role': 'user', 'content': 'x'}), 'y'); "
        "print('pydantic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_what_is_shown_is_one_short_line(tmp_path):
    words = "My boat is called Kestrel and lies in Porto. " * 40
    with Memory.open(tmp_path / "home", upstream=ScriptedModel(["Yes. " * 100])) as memory:
        reply = memory.chat(words)
        shown = [reply, memory]
        exchange = reply.finish()
        context = memory.prepare("Where is my boat Kestrel?")
        talk = memory.conversation(title=words)
        memory.requirements.add(words)
        shown += [reply, exchange, context, context.ledger, talk, exchange.user, memory.pin(words),
                  *memory.search("boat"), *memory.sessions(), memory.sessions()[0].session,
                  memory.stats(), memory.why(exchange.id), *memory.requirements.all()]  # fmt: skip
        plan = memory.plan_forget(exchange.id)
        shown += [plan, memory.forget(plan), memory.space, memory.facts, memory.requirements]
        theirs = memory.conversation(exchange.session)
        shown += [memory.conversation(), theirs]
        assert repr(memory.space) == "<Space 'default/default'>"
        assert repr(memory.facts) == "<Facts 1 fact>"
        assert repr(memory.requirements) == "<Requirements 1 requirement>"
        assert repr(memory.conversation()) == "<Conversation new>"
        assert repr(memory.conversation("tea")) == "<Conversation tea new>"
    assert repr(memory.facts) == "<Facts closed>"
    assert repr(theirs).endswith("closed>")
    for one in shown:
        line = repr(one)
        assert line.startswith(f"<{type(one).__name__}"), line
        assert len(line) <= 100, line
        assert "\n" not in line
        assert str(one) == line
    assert (
        repr(exchange)
        == f"<Exchange {exchange.id} complete 'My boat is called Kestrel and lies in P…'>"
    )


def test_a_fact_that_holds_already_is_not_added_again():
    with Memory.open(ephemeral=True, upstream="quote") as memory:
        first = memory.facts.add("I live in Porto.")
        assert memory.facts.add(" I live in Porto. ") == first
        assert memory.facts.add("I live in Porto.", pinned=True).pinned
        assert [fact.id for fact in memory.facts.all()] == [first.id]
        memory.facts.add("I live in Lisbon.")
        again = memory.facts.add("I live in Porto.")
        assert again.id != first.id  # it had been replaced
        assert [fact.text for fact in memory.facts.all()] == ["I live in Porto."]


def test_hints_of_a_program_name_what_a_program_can_do(tmp_path):
    with Memory.open(tmp_path / "home", upstream="quote") as memory:
        context = memory.prepare("Hello")
        for use, wanted in (
            (lambda: memory.why(context), "record or begin"),
            (memory.why, "record an exchange"),
            (lambda: memory.get("nothing-of-this-id"), "search()"),
            (lambda: memory.pin(" "), "give a text"),
            (lambda: memory.space.pins.remove("nothing"), "list of pins"),
            (lambda: memory.space.sessions.find("nothing"), "sessions()"),
            (lambda: memory.conversation().rename("Tea"), "record something"),
        ):
            with pytest.raises(UnabridgedError) as found:
                use()
            assert wanted in found.value.hint.lower()
            assert "/remember" not in found.value.hint
        memory.record(context, "Hi")
        memory.export(tmp_path / "all.jsonl")
        with pytest.raises(InputError) as found:
            memory.export(tmp_path / "all.jsonl")
        assert found.value.hint.startswith("Name another file")


def test_the_settings_are_named_for_editors():
    names = {name for name in Settings.__slots__ if name not in ("home", "upstream", "models")}
    assert set(SettingsDict.__annotations__) == names


SNIPPET = """
import asyncio
from unabridged import AsyncMemory, Memory
from openai import OpenAI

client = OpenAI(api_key="x")
with Memory.open("home", user="ann", agent="a", window=8192, mode="tools") as memory:
    context = memory.prepare({"role": "user", "content": "Hi"}, session="s")
    answer = client.chat.completions.create(model="m", messages=context.messages)
    exchange = memory.record(context, answer)
    memory.record(context, answer.choices[0].message)
    memory.add([{"role": "user", "content": "Hi"}, answer.choices[0].message])
    for piece in memory.chat("Hi"):
        print(piece.upper())
    text: str = memory.chat("Hi").text()
    client.chat.completions.create(model="m", messages=memory.history())
    more = context.messages + [{"role": "user", "content": "Hi"}]
    again = client.chat.completions.create(model="m", messages=more, tools=context.tool_schemas)


async def main() -> None:
    async with await AsyncMemory.open("home", user="ann") as memory:
        context = await memory.prepare("Hi", session="s")
        exchange = await memory.record(context, "Hello")
        reply = await memory.chat("Hi")
        async for piece in reply:
            print(piece.upper())
        text: str = await reply.text()
        async for step in memory.maintain():
            print(step.stage)
    async with AsyncMemory.open() as memory:
        print((await memory.search("Hi", limit=3))[0].score)


asyncio.run(main())
"""
WRONG = """
from unabridged import AsyncMemory, Memory

Memory.open(usr="ann")
Memory.open(window="large")
memory = Memory.open()
memory.prepare(5)
memory.search("x", limit="3")


async def main() -> None:
    other = await AsyncMemory.open(usr="ann")
    await other.search("x", limit="3")
"""


@pytest.mark.slow
def test_a_users_program_is_checked_by_its_types(tmp_path):
    Path(tmp_path, "right.py").write_text(SNIPPET, encoding="utf-8")
    Path(tmp_path, "wrong.py").write_text(WRONG, encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--config-file="]
    right = subprocess.run(
        [*mypy, "right.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert right.returncode == 0, right.stdout
    wrong = subprocess.run(
        [*mypy, "wrong.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    lines = [line.split(":")[1] for line in wrong.stdout.splitlines() if ": error:" in line]
    assert lines == ["4", "5", "7", "8", "12", "13"], wrong.stdout


def test_a_datetime_with_a_zone_is_what_is_stored(tmp_path):
    at = datetime(2020, 1, 1, tzinfo=UTC)
    with Memory.open(tmp_path / "home", upstream="quote") as memory:
        memory.add("Happy new year", at=at)
        (found,) = memory.search("year", since=at)
        assert found.exchange.at == at
