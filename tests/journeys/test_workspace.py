"""WorkspaceAI's user: a memory for each model in a file of its own, chat and tools, one machine."""

import json
import re
import time

import pytest
from tests.journeys.house import prompts
from tests.server.clients import ollama_client

from unabridged.domain.message import ToolCall
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.replies import ScriptedReply, spoken

LARGE, SMALL = "qwen2.5:7b", "qwen2.5:3b"
TRAINED = 32_768
FILES = {LARGE: "qwen2-5-7b.json", SMALL: "qwen2-5-3b.json"}
HI = "hi"
COMPLEX = (
    "Analyze this code file, explain the architecture, identify issues, "
    "and suggest detailed improvements"
)
FOLDER_TOOL = '''
def list_files(folder: str) -> str:
    """List the files of a folder."""
    return f"{folder}: budget.ods, heron.py"
'''


def count(text):
    """A crude count that is of the size of real tokens."""
    return max(1, len(text) // 4)


def answer(body):
    """Say what came, and call the tool where one is offered and a folder is asked for."""
    last = body["messages"][-1]
    offered = [tool["function"]["name"] for tool in body.get("tools") or ()]
    if last["role"] == "user" and "folder" in last["content"] and "list_files" in offered:
        call = ToolCall("c1", "list_files", '{"folder": "work"}')
        return ScriptedReply("", calls=(call,))
    return ScriptedReply(f"{body['model']} read {len(body['messages'])} messages.")


@pytest.fixture
def server():
    entries = (
        OllamaEntry(LARGE, trained=TRAINED, family="qwen2", day=3),
        OllamaEntry(SMALL, trained=TRAINED, family="qwen2", day=2),
    )
    with OllamaTestServer(answer, models=entries, count=count) as running:
        yield running


@pytest.fixture
def place(house, server):
    return house(server.url, "workspace")


def memory_files(place, model):
    """The bytes of every file in which a model's memory lies."""
    stem = FILES[model].removesuffix(".json")
    found = sorted((place.home / "memory").glob(f"{stem}.*"))
    return {path.name: path.read_bytes() for path in found}


def held(place, model):
    return json.loads((place.home / "memory" / FILES[model]).read_text("utf-8"))


def said(place, model):
    """What the user said in a model's memory, the oldest first, as its file tells."""
    return [one["user"]["content"] for one in held(place, model)["current_conversation"]]


def every(place, model):
    """What the user said to a model in any session, by when it was said."""
    lines = place.run("export", "--model", model, "--format", "messages").splitlines()
    rows = [json.loads(line) for line in lines if line.startswith("{")]
    return [row["content"] for row in rows if row["role"] == "user"]


# One path for memory, whatever the mode.


@pytest.mark.slow
def test_tools_then_chat_have_one_memory_and_tools_only_when_asked_for(place, server, tmp_path):
    tools = tmp_path / "files.py"
    tools.write_text(FOLDER_TOOL)
    text = "t: Which files are in my folder?\nchat: Is the heron among them?\nThank you.\n"
    place.apart("chat", "--model", LARGE, "--tools", f"{tools}:list_files", text=text)
    asked = server.sent("/api/chat")
    offered = [[t["function"]["name"] for t in body.get("tools", ())] for body in asked]
    assert len(asked) == 4  # the tools mode took two: the call, and its result
    assert "list_files" in offered[0]
    assert offered[0] == offered[1]
    assert offered[2] == offered[3] == []
    assert "tools" not in asked[2]  # None at all, as the seed says it
    in_chat = json.dumps(asked[2]["messages"])
    for words in ("Which files are in my folder?", "budget.ods", "Is the heron among them?"):
        assert words in in_chat
    assert [one["metadata"]["mode"] for one in held(place, LARGE)["current_conversation"]] == [
        "tools",
        "chat",
        "chat",
    ]
    place.apart("ask", "--model", LARGE, "--mode", "tools", "And now?")
    again = server.sent("/api/chat")[-1]
    assert again["tools"]
    assert "Is the heron among them?" in json.dumps(again["messages"])


# A memory for each model.


@pytest.mark.slow
def test_two_models_know_nothing_of_each_other(place, server):
    mine = {LARGE: "My dog is called Waldi.", SMALL: "My cat is called Ada."}
    later = {LARGE: "What is my dog called?", SMALL: "Remember the name of my pet?"}
    for talk in (mine, later):
        for model, words in talk.items():
            place.apart("ask", "--model", model, words)
    url = place.serve()
    for model in (SMALL, LARGE):
        with ollama_client(url) as client:
            new = [{"role": "user", "content": "What is my pet called?"}]
            client.chat(model=model, messages=new)
    found = {model: [] for model in mine}
    for body in server.sent("/api/chat"):
        found[body["model"]].append(json.dumps(body, ensure_ascii=False))
    assert [len(each) for each in found.values()] == [3, 3]
    assert all("Waldi" in sent for sent in found[LARGE])
    assert all("Ada" in sent for sent in found[SMALL])
    assert not [sent for sent in found[SMALL] if "Waldi" in sent or "My dog" in sent]
    assert not [sent for sent in found[LARGE] if "Ada" in sent or "My cat" in sent]
    assert "Waldi" not in b"".join(memory_files(place, SMALL).values()).decode()
    assert "Ada" not in b"".join(memory_files(place, LARGE).values()).decode()


def test_another_model_in_the_middle_of_a_chat_has_its_own_conversation(place, server):
    lines = [
        "My dog is called Waldi.",
        f"/model {SMALL}",
        "My cat is called Ada.",
        f"/model {LARGE}",
        "What is my dog called?",
    ]
    ran = place.run("chat", "--model", LARGE, text="\n".join(lines))
    assert f"{SMALL} (ollama) answers from now on; with its own memory." in ran
    assert said(place, LARGE) == [lines[0], lines[4]]
    assert said(place, SMALL) == [lines[2]]
    first, cat, again = prompts(server)
    assert "Waldi" not in cat
    assert "Waldi" in again
    assert "Ada" not in again
    assert "Waldi" in first


@pytest.mark.long
def test_the_server_keeps_modes_in_one_memory_and_models_apart(place, server):
    tool = {
        "type": "function",
        "function": {
            "name": "now",
            "description": "Tell the time.",
            "parameters": {"type": "object", "properties": {}},
        },
    }
    past = [{"role": "user", "content": "My dog is called Waldi."}]
    with ollama_client(place.serve()) as client:
        first = client.chat(model=LARGE, messages=past, tools=[tool])
        past += [dict(first.message), {"role": "user", "content": "Say it in short."}]
        streamed = client.chat(model=LARGE, messages=past, stream=True)
        assert "".join(part.message.content for part in streamed)
    with_tools, without = server.sent("/api/chat")
    assert [t["function"]["name"] for t in with_tools["tools"]] == ["now"]
    assert not without["tools"]  # as the client said it
    place.end()
    new = [{"role": "user", "content": "What is my dog called?"}]
    with ollama_client(place.serve()) as client:  # after a restart; the client knows nothing
        for model in (LARGE, SMALL):
            client.chat(model=model, messages=new)
    remembered, unknown = prompts(server)[-2:]
    assert "My dog is called Waldi." in remembered
    assert "Waldi" not in unknown
    assert set(memory_files(place, SMALL)) & set(FILES.values()) == {FILES[SMALL]}


def test_every_field_of_the_seeds_file_is_there(place):
    text = "Hello\nt: Optimize this Python loop.\n/new\nWhat about React?\n/new\nAnd databases?\n"
    place.run("chat", "--model", LARGE, text=text)
    place.run("archive", "--model", LARGE, "--session", "3")
    document = held(place, LARGE)
    assert list(document)[:4] == [
        "metadata",
        "current_conversation",
        "recent_conversations",
        "summarized_conversations",
    ]
    about = document["metadata"]
    assert set(about) == {
        "version",
        "model",
        "created",
        "last_updated",
        "total_exchanges",
        "total_tokens",
        "context_window",
    }
    assert (about["version"], about["model"]) == ("3.0", LARGE)
    assert (about["total_exchanges"], about["context_window"]) == (4, 16_384)
    assert about["created"] < about["last_updated"]
    (exchange,) = document["current_conversation"]
    assert exchange["user"]["content"] == "And databases?"
    assert exchange["assistant"]["content"] == f"{LARGE} read 2 messages."
    tokens = exchange["user"]["tokens"] + exchange["assistant"]["tokens"]
    told = exchange["metadata"]
    assert told["total_tokens"] == tokens > 0
    assert told["mode"] == "chat"
    assert 0 <= told["complexity_score"] <= 1
    assert told["timestamp"].startswith("20")
    (recent,) = document["recent_conversations"]
    assert set(recent) == {"summary", "exchange_count", "total_tokens", "date_range"}
    assert recent["summary"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d", recent["date_range"])
    (archived,) = document["summarized_conversations"]
    assert archived["exchange_count"] == 2
    assert sum(one["total_tokens"] for one in (recent, archived)) + tokens == about["total_tokens"]
    check_exported(place, document)


def check_exported(place, document):
    """What `export` writes in format 3.0 has the same fields, and the words of every session."""
    place.run("export", "--model", LARGE, "--format", "v3", "-o", str(place.root / "out") + "/")
    written = json.loads((place.root / "out" / FILES[LARGE]).read_text("utf-8"))
    assert set(written) == set(document) - {"unabridged"}
    assert written["metadata"] == document["metadata"]
    pairs = zip(written["current_conversation"], document["current_conversation"], strict=True)
    assert all(one == other for one, other in pairs)
    words = [x["user"]["content"] for c in written["recent_conversations"] for x in c["exchanges"]]
    assert words == ["What about React?", "Hello", "Optimize this Python loop."]


# Shared on purpose.

OTHER = f"default/default/{SMALL}"


def everything(place, model):
    return b"".join(memory_files(place, model).values()).decode()


def test_a_session_is_handed_to_another_model_and_nothing_else_goes_along(place, server):
    place.run("ask", "--model", LARGE, "The code of the alarm is 4711.")
    place.run("ask", "--model", LARGE, "--new", "My dog is called Waldi.")
    place.run("ask", "--model", SMALL, "What is my dog called?")
    assert "Waldi" not in prompts(server)[-1]  # apart, until a person says otherwise

    told = place.run("share", "hand-off", "--model", LARGE, OTHER)
    assert f"Handed off to {OTHER}" in told
    place.run("ask", "--model", SMALL, "What is my dog called?")
    assert "My dog is called Waldi." in prompts(server)[-1]
    given, taken = (place.data("share", "list", "--model", model) for model in (LARGE, SMALL))
    assert [one["share"]["id"] for one in given] == [
        one["share"]["id"] for one in taken
    ]  # recorded on both sides
    assert f"→ {SMALL}" in place.run("sessions", "--model", LARGE)
    assert "4711" not in everything(place, SMALL)
    place.run("ask", "--model", SMALL, "--new", "What is the code of the alarm?")
    assert "4711" not in prompts(server)[-1]


def test_a_share_is_taken_back_and_the_giver_keeps_its_own(place, server):
    place.run("ask", "--model", LARGE, "My dog is called Waldi.")
    place.run("ask", "--model", SMALL, "My cat is called Ada.")
    shared = place.data("share", "to", "--model", LARGE, OTHER, "--session", "1")
    assert "Waldi" in everything(place, SMALL)
    mine = memory_files(place, LARGE)[FILES[LARGE]]
    (share,) = shared
    place.run("share", "revoke", share["share"]["id"], "--model", LARGE)
    assert "Waldi" not in everything(place, SMALL)
    assert "Ada" in everything(place, SMALL)
    assert json.loads(mine)["current_conversation"] == held(place, LARGE)["current_conversation"]
    place.run("ask", "--model", SMALL, "What is my dog called?")
    assert "Waldi" not in prompts(server)[-1]
    place.run("ask", "--model", LARGE, "What is my dog called?")
    assert "Waldi" in prompts(server)[-1]


def test_what_both_models_learned_anew_of_a_shared_fact_is_a_contradiction(place):
    place.run("ask", "--model", LARGE, "I live in Berlin.")
    place.run("share", "to", "--model", LARGE, OTHER, "--all-facts")
    assert "Berlin" in place.run("facts", "--model", SMALL)
    place.run("ask", "--model", LARGE, "I live in Rome now.")
    place.run("ask", "--model", SMALL, "I live in Paris now.")
    place.run("share", "to", "--model", LARGE, OTHER, "--all-facts")
    both = place.run("facts", "--model", SMALL)
    assert "Rome" in both
    assert "Paris" in both
    assert "≠" in both  # shown, never silently merged
    assert "Paris" not in place.run("facts", "--model", LARGE)


# Damage, kills, two programs at once.


@pytest.mark.parametrize("damage", ["words", "half", "nothing"])
def test_a_damaged_file_of_one_model_leaves_the_others_alone(place, server, damage):
    place.run("chat", "--model", LARGE, text="My dog is called Waldi.\nHe likes the sea.\n")
    place.run("ask", "--model", SMALL, "My cat is called Ada.")
    path = place.home / "memory" / FILES[LARGE]
    whole = path.read_bytes()
    broken = {"words": b"invalid json content {", "half": whole[: len(whole) // 2], "nothing": b""}
    path.write_bytes(broken[damage])
    other, mine = memory_files(place, SMALL), memory_files(place, LARGE)

    assert "7b.json is damaged: line" in place.run("doctor", code=1)
    assert (memory_files(place, LARGE), memory_files(place, SMALL)) == (mine, other)  # looked only

    said_of_it = place.run("ask", "--model", LARGE, "What is my dog called?")
    assert f"{path} is damaged" in said_of_it
    assert f"set aside as {path.name}.damaged-1" in said_of_it
    assert "Waldi" in prompts(server)[-1]
    assert path.with_name(f"{path.name}.damaged-1").read_bytes() == broken[damage]
    assert len(said(place, LARGE)) == 3
    assert memory_files(place, SMALL) == other  # byte for byte
    place.run("ask", "--model", SMALL, "What is my cat called?")
    assert "Ada" in prompts(server)[-1]
    assert [row["damaged"] for row in place.data("spaces")] == ["", ""]


def test_the_file_of_one_model_is_carried_to_another_machine(place, server, house):
    place.run("chat", "--model", LARGE, text="My dog is called Waldi.\nHe likes the sea.\n")
    other = house(server.url, "workspace", "laptop")
    (other.home / "memory").mkdir(parents=True)
    for name, data in memory_files(place, LARGE).items():
        (other.home / "memory" / name).write_bytes(data)
    other.run("adopt", str(other.home / "memory" / FILES[LARGE]), "--yes")
    other.run("ask", "--model", LARGE, "What is my dog called?")
    assert "Waldi" in prompts(server)[-1]
    assert len(said(other, LARGE)) == 3


@pytest.mark.slow
def test_a_chat_that_is_killed_keeps_what_was_said(house):
    slow = ScriptedReply("This answer takes its time " * 20, pause=0.5)
    with OllamaTestServer(slow, models=(OllamaEntry(LARGE),), count=count) as server:
        place = house(server.url, "workspace")
        process = place.start("chat", "--model", LARGE, stdin=-1)
        process.stdin.write("My dog is called Waldi.\n")
        process.stdin.flush()
        for _ in range(600):
            if server.sent("/api/chat"):
                break
            time.sleep(0.1)
        assert server.sent("/api/chat")
        process.kill()
        process.communicate(timeout=60)
        (kept,) = place.data("show", "--model", LARGE)
        assert kept["messages"][0]["text"] == "My dog is called Waldi."
        assert kept["state"] != "complete"
        server.script.script = "Waldi."
        place.run("ask", "--model", LARGE, "What is my dog called?")
        assert "My dog is called Waldi." in prompts(server)[-1]
        assert said(place, LARGE) == ["My dog is called Waldi.", "What is my dog called?"]


@pytest.mark.long
def test_two_programs_at_once_lose_nothing(place, server):
    talks = [[f"Note {name}{n} of ours." for n in range(6)] for name in "ab"]
    models = [(LARGE, LARGE), (LARGE, SMALL)]
    for pair in models:
        running = []
        for model, talk in zip(pair, talks, strict=True):
            process = place.start("chat", "--model", model, stdin=-1)
            process.stdin.write("\n".join(talk))
            process.stdin.close()
            process.stdin = None
            running.append(process)
        for process in running:
            _, err = process.communicate(timeout=240)
            assert process.returncode == 0, err
    found = [one for model in (LARGE, SMALL) for one in every(place, model)]
    assert sorted(found) == sorted([*talks[0], *talks[1]] * 2)
    assert every(place, SMALL) == talks[1]
    mine = every(place, LARGE)
    assert [words for words in mine if words in talks[1]] == talks[1]  # each in its own order
    assert [words for words in mine if words in talks[0]] == talks[0] * 2
    assert [row["damaged"] for row in place.data("spaces")] == ["", ""]


# From one memory to one for each model.

OLD = {
    "current_conversation": [
        {
            "user": "My dog is called Waldi.",
            "assistant": "A fine name.",
            "timestamp": "2025-09-01T10:00:00",
            "metadata": {"model": LARGE},
        },
        {
            "user": "Write a quick script.",
            "assistant": "Here it is.",
            "timestamp": "2025-09-01T11:00:00",
            "metadata": {"model": SMALL},
        },
        {"user": "hello", "assistant": "hi", "timestamp": "2025-09-01T12:00:00"},
    ],
    "recent_conversations": [],
    "summarized_conversations": [],
}


def test_a_single_memory_becomes_one_for_each_model_and_goes_back(place, server, tmp_path):
    old = tmp_path / "WorkspaceAI" / "memory"
    old.mkdir(parents=True)
    single = old / "memory.json"
    single.write_text(json.dumps(OLD), "utf-8")
    before = single.read_bytes()
    shown = place.run("migrate", str(old.parent), "--dry-run")
    assert "1 exchange without a model; it stays unknown" in shown  # never guessed
    assert not (place.home / "memory").exists() or not memory_files(place, LARGE)

    place.run("migrate", str(old.parent), "--model", LARGE)
    assert said(place, LARGE) == ["My dog is called Waldi.", "hello"]
    assert said(place, SMALL) == ["Write a quick script."]
    assert single.read_bytes() == before
    assert len(list((place.home / "backups").rglob("old.zip"))) == 1
    place.run("ask", "--model", LARGE, "What is my dog called?")
    assert "Waldi" in prompts(server)[-1]

    single.write_text("overwritten by the old program")
    place.run("migrate", "--rollback")
    assert single.read_bytes() == before
    assert place.data("spaces") == []
    since = list((place.home / "backups").rglob("said-since-*.jsonl"))
    assert any("What is my dog called?" in path.read_text("utf-8") for path in since)


# Budgets.


@pytest.mark.long
@pytest.mark.parametrize(("mode", "window"), [("chat", 4096), ("tools", 4096), ("chat", 32_768)])
def test_a_long_history_stays_within_the_window(place, server, mode, window):
    size = 400 if window < TRAINED else 2400
    talk = [f"Note {n}: " + "the heron stands in the reeds; " * (size // 30) for n in range(40)]
    words = ("--model", LARGE, "--window", str(window), "--mode", mode)
    place.run("chat", *words, text="\n".join(talk))
    place.run("ask", *words, "What did note 3 say of the heron?")
    asked = server.sent("/api/chat")
    assert len(asked) == len(talk) + 1
    assert {body["options"]["num_ctx"] for body in asked} == {window}
    assert all(body["truncate"] is False for body in asked)
    assert set(server.cut) == {0}
    sizes = [count(spoken(body["messages"])) for body in asked]
    for body, tokens in zip(asked, sizes, strict=True):
        assert tokens + body["options"].get("num_predict", 0) <= window
    assert max(sizes) > 0.4 * window  # memory is used, and full
    known = {words.strip() for words in talk}
    shown = [m["content"].strip() for body in asked for m in body["messages"][1:-1]]
    notes = [words for words in shown if words.startswith("Note")]
    assert notes
    assert set(notes) <= known  # nothing is cut: it stands there as it was said
    assert len(said(place, LARGE)) == len(talk) + 1  # and nothing is lost
    ledger = place.data("why", "--model", LARGE)
    assert sum(ledger["parts"].values()) == ledger["window"] == window


LEVELS = {"concise": (25, 20), "balanced": (35, 25), "detailed": (45, 30)}


@pytest.mark.parametrize("verbosity", LEVELS)
def test_answers_get_the_room_that_the_seed_gives_them(place, server, verbosity):
    """15 % + complexity x (high - 15 %); the seed reckons 17 % at 0.1 and 31 % at 0.8."""
    for mode, high in zip(("tools", "chat"), LEVELS[verbosity], strict=True):
        shares = {}
        for message in (HI, COMPLEX):
            place.run(
                "ask", "--model", LARGE, "--mode", mode, "--window", str(TRAINED), "--new",
                "--set", f"verbosity={verbosity}", message,
            )  # fmt: skip
            told = place.data("why", "--model", LARGE)
            share = told["response_percentage"]
            assert share == pytest.approx(15 + told["complexity"] * (high - 15), abs=0.01)
            assert sum(told["parts"].values()) == told["window"] == TRAINED
            assert told["parts"]["reserve"] >= 0.02 * TRAINED
            kept = told["budget_available"] / TRAINED
            assert 0.5 <= kept <= 0.8
            shares[message] = (told["complexity"], share, kept)
        assert shares[HI][0] <= 0.1
        assert shares[HI][1] <= 15 + 0.1 * (high - 15)  # balanced, tools: 17 % at most
        assert 0.7 <= shares[COMPLEX][0] <= 1
        assert shares[COMPLEX][1] >= 15 + 0.7 * (high - 15)  # balanced, tools: 29 % at least
        assert shares[COMPLEX][2] <= shares[HI][2]  # memory makes room
    if verbosity == "balanced":
        assert server.sent("/api/chat")[-1]["options"]["num_predict"] > 0
