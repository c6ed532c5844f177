"""Dana's agents: a file for each agent and session under one home, apart from one another."""

import gc
import json
import threading
import weakref
from pathlib import Path

import httpx2
import pytest
from tests.helpers.talker import Talker
from tests.journeys.house import prompts

from unabridged.home.api_keys import ApiKeys
from unabridged.testing.ollama_server import OllamaTestServer

AGENTS = ("alpha", "beta", "gamma", "delta", "omega")
SESSIONS = ("001", "002")
EVERY = [(agent, session) for agent in AGENTS for session in SESSIONS]
ROUNDS = 4
HELD = "chats/{}_{}_conversation.json"


def mark(agent, session):
    """A word that only one agent says, and only in one session."""
    return f"{agent.title()}{'Yew' if session == '001' else 'Oak'}"


MARKS = {mark(agent, session) for agent, session in EVERY}


def words(agent, session, n):
    return f"Remember that the seal of step {n} is {mark(agent, session)} and the tea is green."


@pytest.fixture
def model():
    """A model that says the mark of whoever asks."""

    def answer(body):
        last = body["messages"][-1]["content"]
        said = [name for name in MARKS if name in last]
        return f"The seal is {' and '.join(sorted(said))}."

    with OllamaTestServer(answer) as server:
        yield server


def together(work):
    """Do something for every agent and session at the same time; give what failed."""
    failed = []
    gate = threading.Barrier(len(EVERY))

    def one(agent, session):
        try:
            gate.wait(60)
            work(agent, session)
        except BaseException as error:  # noqa: BLE001 - shown by the assertion
            failed.append((agent, session, error))

    threads = [threading.Thread(target=one, args=each) for each in EVERY]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(240)
    assert failed == []


def check_apart(model, house):
    """Every prompt holds one mark; every file holds what was said in its session, and no other's."""
    seen = prompts(model)
    assert len(seen) == len(EVERY) * ROUNDS
    for prompt in seen:
        assert len([name for name in MARKS if name in prompt]) == 1, prompt
    assert max(prompt.count("of step") for prompt in seen) >= ROUNDS  # its own is there, whole
    for agent, session in EVERY:
        data = json.loads((house.home / HELD.format(agent, session)).read_text("utf-8"))
        own = mark(agent, session)
        assert [turn["user_input"] for turn in data["history"]] == [
            words(agent, session, n) for n in range(ROUNDS)
        ]
        assert {turn["agent_response"] for turn in data["history"]} == {f"The seal is {own}."}
        assert all(turn["timestamp"].startswith("20") for turn in data["history"])
        assert data["metadata"]["agent"] == agent
        assert data["metadata"]["session_id"] == session
        assert data["metadata"]["turns"] == ROUNDS
        assert not [name for name in MARKS - {own} if name in json.dumps(data)]


def check_private(home):
    """Folders 0700, files 0600, and every conversation in the one folder."""
    for path in [home, *home.rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
    assert {path.parent.name for path in home.rglob("*_conversation.json")} == {"chats"}


@pytest.mark.slow
def test_agents_and_sessions_in_threads_of_one_program(model, house, monkeypatch):
    place = house(model.url, "agent")
    monkeypatch.chdir(place.cwd)

    def work(agent, session):
        for n in range(ROUNDS):  # opened anew each time, as agents are
            with Talker.open(**place.settings, agent=agent, session=session) as memory:
                memory.chat(words(agent, session, n)).finish()

    together(work)
    check_apart(model, place)
    check_private(place.home)


@pytest.mark.long
def test_agents_and_sessions_in_processes_on_the_command_line(model, house):
    place = house(model.url, "agent")

    def work(agent, session):
        said = "\n".join(words(agent, session, n) for n in range(ROUNDS))
        place.apart("chat", "--agent", agent, "--session", session, text=said)

    together(work)
    check_apart(model, place)
    check_private(place.home)


@pytest.mark.long
def test_agents_and_sessions_through_the_server(model, house):
    place = house(model.url, "agent")
    url = place.serve()
    token = ApiKeys(place.home).token()

    def work(agent, session):
        named = {"X-Unabridged-Agent": agent, "X-Unabridged-Session": session}
        with httpx2.Client(
            headers={**named, "Authorization": f"Bearer {token}"}, timeout=60
        ) as client:
            for n in range(ROUNDS):
                message = {"role": "user", "content": words(agent, session, n)}
                body = {"model": "llama3.2", "stream": False, "messages": [message]}
                assert client.post(f"{url}/api/chat", json=body).status_code == 200

    together(work)
    place.end()
    check_apart(model, place)
    for path in (place.home / "chats").iterdir():
        assert path.stat().st_mode & 0o777 == 0o600


def test_a_session_knows_nothing_of_its_agents_other_one_until_a_person_searches(model, house):
    place = house(model.url, "agent")
    place.run("ask", "--agent", "alpha", "--session", "001", words("alpha", "001", 1))
    place.run("ask", "--agent", "alpha", "--session", "001", "I am allergic to hazelnuts.")
    place.run("ask", "--agent", "alpha", "--session", "002", "What do you remember of the seal?")
    place.run("ask", "--agent", "alpha", "--session", "002", "What am I allergic to?")
    for prompt in prompts(model)[-2:]:
        assert mark("alpha", "001") not in prompt
        assert "hazelnut" not in prompt
    found = place.data("search", "--agent", "alpha", "seal of step")
    assert mark("alpha", "001") in json.dumps(found)


def test_twenty_exchanges_are_shown_and_all_are_kept(model, house):
    place = house(model.url, "agent")
    with Talker.open(**place.settings, agent="alpha", session="long") as memory:
        for n in range(45):
            memory.record(memory.prepare(f"Box {n} holds {n} apples."), f"Noted: box {n}.")
        prompt = memory.prepare("What is in the boxes?")
        shown = [m for m in prompt.messages if m["role"] == "user"][:-1]
        assert 0 < len(shown) <= 20
        assert shown[-1]["content"] == "Box 44 holds 44 apples."
        recalled = memory.prepare("Do you remember what box 3 holds?")
        assert "Box 3 holds 3 apples." in recalled.prompt[-1].text
        assert len(memory.exchanges(100)) == 45
        assert memory.space.search("box 7 apples")[0].exchange.user.text == "Box 7 holds 7 apples."
    data = json.loads((place.home / HELD.format("alpha", "long")).read_text("utf-8"))
    assert [turn["user_input"] for turn in data["history"]] == [
        f"Box {n} holds {n} apples." for n in range(45)
    ]


def test_what_is_not_saved_is_said_and_lost_with_the_process(model, house):
    place = house(model.url, "agent")
    path = place.home / HELD.format("alpha", "001")
    off = {**place.settings, "agent": "alpha", "session": "001", "auto_save": False}
    with Talker.open(**off) as memory:
        memory.chat("My desk is red.").finish()
        assert memory.space.log.unsaved
        assert not path.exists()
        assert "red" in json.dumps(memory.prepare("Which colour is my desk?").messages)
        assert memory.save()
        assert not memory.space.log.unsaved
        assert "My desk is red." in path.read_text("utf-8")
        memory.chat("My chair is blue.").finish()
        assert "blue" not in path.read_text("utf-8")
    with Talker.open(**off) as memory:
        assert [e.user.text for e in memory.exchanges()] == ["My desk is red."]
    chat = ("chat", "--agent", "beta", "--session", "001", "--set", "auto_save=no")
    place.run(*chat, text="My desk is red.\n/save\nMy chair is blue.\n")
    kept = (place.home / HELD.format("beta", "001")).read_text("utf-8")
    assert "My desk is red." in kept
    assert "blue" not in kept


def test_packed_and_elsewhere_the_memory_is_the_same(model, house):
    place = house(model.url, "agent")
    elsewhere = place.root / "elsewhere" / "agent.json"
    for chosen in (["json_compression=yes"], [f"json_path={elsewhere}"]):
        own = [word for each in chosen for word in ("--set", each)]
        name = ("--agent", "packed" if "compression" in chosen[0] else "moved", "--session", "001")
        place.run("ask", *name, *own, "My desk is red.")
        place.run("ask", *name, *own, "Which colour is my desk?")
        assert "My desk is red." in prompts(model)[-1]
    [packed] = (place.home / "chats").glob("packed_001*")
    assert packed.read_bytes()[:2] == b"\x1f\x8b"
    assert elsewhere.parent.is_dir()
    assert any("My desk is red." in p.read_text("utf-8") for p in elsewhere.parent.glob("*.json"))
    assert not list((place.home / "chats").glob("moved_*"))


def test_scattered_files_of_old_agents_come_home(model, house):
    place = house(model.url, "agent")
    old = place.root / "projects"
    turns = [{"user_input": "My boat is called Ada.", "agent_response": "A fine name."}]
    for name in ("one", "two"):
        (old / name).mkdir(parents=True)
        turns[0]["user_input"] = f"My boat in {name} is called Ada."
        data = json.dumps({"history": turns})
        (old / name / "conversation_memory.json").write_text(data, encoding="utf-8")
    before = {path: path.read_bytes() for path in old.rglob("*.json")}
    place.run("migrate", str(old), "--agent", "alpha")
    assert {path: path.read_bytes() for path in old.rglob("*.json")} == before
    held = [path.read_text("utf-8") for path in (place.home / "chats").glob("alpha_*.json")]
    for name in ("one", "two"):
        assert sum(f"My boat in {name} is called Ada." in text for text in held) == 1
    found = place.data("search", "--agent", "alpha", "what is the boat called")
    assert len(found) == 2


def test_a_damaged_file_is_set_aside_and_the_other_agents_are_untouched(model, house):
    place = house(model.url, "agent")
    for agent, session in (("alpha", "001"), ("alpha", "002"), ("beta", "001")):
        for n in range(3):
            place.run("ask", "--agent", agent, "--session", session, words(agent, session, n))
    path = place.home / HELD.format("alpha", "001")
    others = {p: p.read_bytes() for p in (place.home / "chats").glob("beta*")}
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    place.run("ask", "--agent", "alpha", "--session", "001", words("alpha", "001", 3))
    said = [e.user.text for e in opened(place, "alpha", "001")]
    assert said[-1] == words("alpha", "001", 3)
    assert set(said[:-1]) <= {words("alpha", "001", n) for n in range(3)}
    assert [e.user.text for e in opened(place, "alpha", "002")] == [
        words("alpha", "002", n) for n in range(3)
    ]
    assert {p: p.read_bytes() for p in (place.home / "chats").glob("beta*")} == others
    aside = [p for p in place.home.rglob("*") if p.is_file() and p.read_bytes()[:60] == whole[:60]]
    assert any(p.read_bytes() == whole[: len(whole) // 2] for p in aside)


def opened(place, agent, session):
    with Talker.open(**place.settings, agent=agent, session=session) as memory:
        return memory.exchanges(100)


def descriptors():
    """Open files of this process, as far as the system tells."""
    told = Path("/proc/self/fd")
    return len(list(told.iterdir())) if told.is_dir() else 0


def test_agents_that_were_closed_hold_nothing_and_silent_ones_leave_nothing(model, house):
    place = house(model.url, "agent")
    with Talker.open(**place.settings, agent="alpha", session="001") as memory:
        memory.chat("Hello.").finish()
    gone = []

    def visit(n):
        memory = Talker.open(**place.settings, agent=f"silent{n}", session="001")
        assert memory.exchanges() == []
        memory.close()
        gone.append(weakref.ref(memory))

    visit(0)
    gc.collect()
    held = descriptors()
    threads = threading.active_count()
    for n in range(1, 30):
        visit(n)
    gc.collect()
    assert [ref() for ref in gone if ref() is not None] == []
    assert descriptors() <= held
    assert threading.active_count() <= threads
    assert not [p for p in (place.home / "chats").iterdir() if "silent" in p.name]


def test_a_large_history_is_opened_added_to_and_searched(model, house):
    place = house(model.url, "agent")
    old = place.root / "old"
    old.mkdir()
    turns = [
        {"user_input": f"Entry {n}: the jar {n} is on shelf {n % 40}.", "agent_response": "Noted."}
        for n in range(3_000)
    ]
    (old / "conversation_memory.json").write_text(json.dumps({"history": turns}), "utf-8")
    place.run("migrate", str(old), "--agent", "alpha")
    own = {**place.settings, "agent": "alpha"}
    with Talker.open(**own) as memory:
        assert len(memory.exchanges(4_000)) == len(turns)
        found = memory.space.search("on which shelf is the jar 777", 3)
        assert "jar 777" in found[0].exchange.user.text
        memory.chat("And the next one?").finish()
        assert len(json.dumps(model.sent("/api/chat")[-1]["messages"])) < 20_000
    [path] = (place.home / "chats").glob("alpha_*_conversation.json")
    data = json.loads(path.read_text("utf-8"))
    assert [t["user_input"] for t in data["history"][:-1]] == [t["user_input"] for t in turns]
    assert data["history"][-1]["user_input"] == "And the next one?"
    assert data["metadata"]["turns"] == len(turns) + 1
