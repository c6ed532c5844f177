"""Real conversations of real processes, with what goes wrong: kills, full disks, damage, rivals."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from tests.faults.damage import damage_index
from tests.helpers import program

from unabridged.testing.ollama_server import OllamaTestServer
from unabridged.testing.replies import ScriptedReply


@pytest.fixture
def environ(tmp_path):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OLLAMA")}
    home = str(tmp_path / "home")
    return {**kept, "UNABRIDGED_HOME": home, "PYTHONIOENCODING": "utf-8:surrogateescape"}


def options(server=None):
    return ["--ollama", server.url, "--model", "llama3.2"] if server else ["--upstream", "quote"]


def start(environ, *words, **more):
    pipe = subprocess.PIPE
    return program.start(*words, env=environ, stdin=pipe, stdout=pipe, stderr=pipe, **more)


def run(environ, *words, said=b"", **more):
    with start(environ, *words, **more) as process:
        out, err = process.communicate(said, timeout=120)
    told = err.decode("utf-8", "replace")
    assert "Traceback" not in told
    return process.returncode, out.decode("utf-8", "replace"), told


def shown(environ, *words):
    code, out, told = run(environ, "show", "--json", *words)
    assert code == 0, told
    return json.loads(out)


def space_file(environ, name="default"):
    (path,) = (Path(environ["UNABRIDGED_HOME"]) / "spaces").glob(f"{name}*.db")
    return path


def test_two_chats_in_one_session_lose_nothing_and_tear_nothing(environ):
    with OllamaTestServer(ScriptedReply("One two three", pause=0.01)) as server:
        assert run(environ, "ask", *options(server), "first of all")[0] == 0
        both = [start(environ, "chat", *options(server)) for _ in range(2)]
        for who, process in enumerate(both):
            lines = "".join(f"message {n} of {who}\n" for n in range(15))
            process.stdin.write(lines.encode())
            process.stdin.close()
        told = [process.stderr.read().decode() for process in both]
        for process in both:
            process.stdout.read()
            process.stdout.close()
            process.stderr.close()
            assert process.wait(timeout=120) == 0, told
        assert "Traceback" not in "".join(told)
    rows = shown(environ, "--limit", "1000")
    said = [row["message"] for row in rows if row["text"] == "One two three"]
    wanted = {f"message {n} of {who}" for n in range(15) for who in range(2)}
    assert sorted(said) == sorted(["first of all", *wanted])
    for who in range(2):
        mine = [text for text in said if text.endswith(f"of {who}")]
        assert mine == [f"message {n} of {who}" for n in range(15)]
    assert run(environ, "doctor", "--upstream", "quote")[0] == 0


def test_a_chat_killed_in_mid_answer_goes_on_where_it_was(environ):
    with OllamaTestServer(
        [ScriptedReply("It was a long story", pause=30), "Welcome back."]
    ) as server:
        with start(environ, "chat", *options(server)) as process:
            process.stdin.write(b"Tell me the story.\n")
            process.stdin.flush()
            assert process.stdout.read(3) == b"It "
            process.send_signal(signal.SIGKILL)
        (kept,) = shown(environ)
        assert (kept["message"], kept["state"]) == ("Tell me the story.", "open")
        code, out, told = run(environ, "chat", *options(server), said=b"Are you there?\n")
        assert code == 0, told
        assert "Welcome back." in out
        sent = server.sent("/api/chat")[-1]["messages"]
        assert [m["role"] for m in sent] == ["system", "user", "assistant", "user"]
        assert sent[1]["content"] == "Tell me the story."
        assert run(environ, "chat", *options(server), said=b"/why\n")[0] == 0
    states = [row["state"] for row in shown(environ, "--limit", "10")]
    assert states == ["open", "complete"]


@pytest.fixture
def small_disk(tmp_path, mounted):
    return mounted(tmp_path / "small", "2m")


def test_a_disk_that_fills_while_chatting_ends_with_its_code_and_keeps_the_rest(
    environ, small_disk, tmp_path
):
    environ["UNABRIDGED_HOME"] = str(small_disk / "home")
    lines = "".join(f"number {n} " + "many words " * 300 + "\n" for n in range(400)).encode()
    with OllamaTestServer("As many words. " * 200) as server:
        code, _, told = run(environ, "chat", *options(server), said=lines)
    assert code == 5
    assert "free space" in told.lower()
    environ["UNABRIDGED_HOME"] = str(shutil.copytree(small_disk / "home", tmp_path / "roomy"))
    rows = shown(environ, "--limit", "1000")
    assert len(rows) >= 5
    for n, row in enumerate(rows):
        assert row["message"] == f"number {n} " + "many words " * 300
        assert (row["text"] == "As many words. " * 200) == (row["state"] == "complete")
    assert [row["state"] for row in rows[:5]] == ["complete"] * 5
    assert run(environ, "doctor", "--upstream", "quote")[0] == 0
    assert run(environ, "chat", "--upstream", "quote", said=b"There is room again.\n")[0] == 0


def test_a_damaged_space_is_named_and_who_reads_changes_nothing(environ):
    for user in ("ann", "bob"):
        assert run(environ, "ask", "--upstream", "quote", "--user", user, f"I am {user}.")[0] == 0
    path = space_file(environ, "ann")
    before = bytes(100) + path.read_bytes()[100:]
    path.write_bytes(before)
    for command in (["search", "hi"], ["stats"], ["why"], ["sessions"], ["show", "1"]):
        code, _, told = run(environ, *command, "--user", "ann")
        assert code == 5, command
        assert str(path) in told
        assert "unabridged recover" in told
    assert run(environ, "doctor", "--upstream", "quote", "--user", "ann")[0] != 0
    assert path.read_bytes() == before
    assert shown(environ, "--user", "bob")[0]["message"] == "I am bob."


def test_a_damaged_space_is_set_aside_and_gone_on_with_by_who_writes(environ):
    assert run(environ, "ask", "--upstream", "quote", "--user", "ann", "I am ann.")[0] == 0
    path = space_file(environ, "ann")
    damage_index(path)
    damaged = path.read_bytes()
    code, _, told = run(environ, "ask", "--upstream", "quote", "--user", "ann", "Here again.")
    assert code == 0, told
    (aside,) = (p for p in path.parent.glob(f"{path.name}.damaged-*") if p.suffix != ".account")
    assert aside.read_bytes() == damaged
    assert str(aside) in told
    assert "1 whole exchange" in told
    assert "No exchange is missing" in told
    rows = shown(environ, "--user", "ann")
    assert [row["message"] for row in rows] == ["I am ann.", "Here again."]
    assert "damaged" not in run(environ, "ask", "--upstream", "quote", "--user", "ann", "Hi.")[2]


def test_nothing_is_left_of_a_file_and_that_is_said(environ):
    assert run(environ, "ask", "--upstream", "quote", "--user", "ann", "I am ann.")[0] == 0
    path = space_file(environ, "ann")
    path.write_bytes(b"\x00" * 9000)
    code, out, told = run(environ, "recover", "ann/default")
    assert code == 0, told
    (aside,) = (p for p in path.parent.glob(f"{path.name}.damaged-*") if p.suffix != ".account")
    assert aside.read_bytes() == b"\x00" * 9000
    assert aside.name in out
    assert "0 whole exchanges" in out
    assert run(environ, "ask", "--upstream", "quote", "--user", "ann", "Here again.")[0] == 0
    assert [row["message"] for row in shown(environ, "--user", "ann")] == ["Here again."]


def test_a_space_of_a_newer_version_is_left_alone(environ):
    assert run(environ, "ask", "--upstream", "quote", "--user", "ann", "I am ann.")[0] == 0
    path = space_file(environ, "ann")
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 9_999)
    connection.close()
    before = path.read_bytes()
    code, _, told = run(environ, "chat", "--upstream", "quote", "--user", "ann", said=b"hello\n")
    assert code == 5
    assert "newer" in told
    assert path.read_bytes() == before
    assert run(environ, "ask", "--upstream", "quote", "--user", "bob", "I am bob.")[0] == 0
    assert run(environ, "spaces")[0] == 0


@pytest.mark.parametrize("words", [["chat"], ["ask", "hello"]])
def test_a_home_that_cannot_be_made_is_said_before_anything_is_asked(environ, small_disk, words):
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    environ["UNABRIDGED_HOME"] = str(small_disk / "home")
    with OllamaTestServer("Never.") as server:
        code, out, told = run(environ, *words, *options(server), said=b"hello\n")
        assert server.sent("/api/chat") == []
    assert code in {2, 5}, told
    assert "Never." not in out
    assert str(small_disk) in told
    assert list(small_disk.iterdir()) == []


def test_a_home_that_can_only_be_read_is_read(environ, small_disk):
    environ["UNABRIDGED_HOME"] = str(small_disk / "home")
    assert run(environ, "ask", "--upstream", "quote", "My cat is called Ada.")[0] == 0
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    for words in (["search", "cat"], ["show"], ["why"], ["sessions"], ["stats"], ["export"]):
        code, out, told = run(environ, *words)
        assert code == 0, (words, told)
    assert "Ada" in out
    with OllamaTestServer("Never.") as server:
        for words in (["ask", "And now?"], ["chat"]):
            code, _, told = run(environ, *words, *options(server), said=b"And now?\n")
            assert server.sent("/api/chat") == []
            assert code == 5, told
            assert "written" in told


@pytest.mark.parametrize("name", ["../x", "a:b", "a.b", "a/b", "..", "CON", "猫"])
def test_any_name_keeps_to_the_home(environ, tmp_path, name):
    for user in (name, "a-b", "x"):
        assert run(environ, "ask", "--upstream", "quote", "--user", user, f"I am {user}.")[0] == 0
    for user in (name, "a-b", "x"):
        assert [r["message"] for r in shown(environ, "--user", user)] == [f"I am {user}."]
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
    assert len(list((tmp_path / "home" / "spaces").glob("*.db"))) == 3


def test_bytes_that_are_no_text_reach_a_real_server_and_come_back(environ):
    said = b"caf\xe9 \x00 \xf0\x9f end"
    with OllamaTestServer("Understood: \x00 \U0001f408") as server:
        code, _, told = run(environ, "ask", *options(server), "-", said=said)
        assert code == 0, told
        assert run(environ, "ask", *options(server), "And?")[0] == 0
        assert "end" in server.sent("/api/chat")[-1]["messages"][1]["content"]
    first, second = shown(environ, "--limit", "5")
    assert first["message"].encode("utf-8", "surrogateescape") == said
    assert first["text"] == second["text"] == "Understood: \x00 \U0001f408"


def test_the_same_prompt_whatever_the_seed_of_the_hashes(environ, tmp_path):
    script = """
import sys
from tests.helpers.talker import Talker
from unabridged.domain.chat import ToolSpec
from unabridged.testing.clock import ManualClock
schema = {"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "integer"}}}
tools = [ToolSpec(f"tool_{n}", f"Does thing {n} with cheese. " * 3, schema) for n in range(60)]
with Talker.open(sys.argv[1], upstream="quote", clock=ManualClock(), window=4096) as memory:
    for n in range(30):
        if n % 6 == 0:
            memory.new_session()
        words = f"The cheese {n} comes from town {n % 7} and costs {n} euros. Anna likes it. " * (n % 9)
        memory.record(memory.prepare(f"Exchange {n}: {words}"), f"Noted, {n}. " + words)
    memory.space.pins.add("I like cheese.")
    memory.space.pins.add("Anna is my sister.")
    for ask in ("Remember the cheese from town 3?", "What have we talked about?", "hi", "And Anna?"):
        for mode in ("chat", "tools"):
            context = memory.prepare(ask, mode=mode, tools=tools if mode == "tools" else None)
            print(context.hash, sorted(context.ledger.parts.items()), *context.ledger.rows)
"""
    said = set()
    for seed in ("0", "1", "4242"):
        home = tmp_path / f"home-{seed}"
        ran = subprocess.run(
            [sys.executable, "-c", script, str(home)],
            env={
                **environ,
                "PYTHONHASHSEED": seed,
                "TZ": f"UTC{'+-'[int(seed) % 2]}{int(seed) % 9}",
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        said.add(ran.stdout)
    assert len(said) == 1
    assert len(said.pop().splitlines()) == 8
