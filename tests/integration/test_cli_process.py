import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.helpers import program

HEAVY = {
    "apsw", "httpx2", "markdown_it", "numpy", "prompt_toolkit", "rich", "tiktoken", "xllamacpp",
}  # fmt: skip


@pytest.fixture
def environ(tmp_path):
    kept = {name: value for name, value in os.environ.items() if name != "OLLAMA_HOST"}
    return {
        **kept,
        "UNABRIDGED_HOME": str(tmp_path / "home"),
        "UNABRIDGED_UPSTREAM": "quote",
        "PYTHONIOENCODING": "utf-8",
    }


def run(environ, *words, text=None, **options):
    return program.run(*words, said=text, env=environ, text=True, encoding="utf-8", **options)


def loaded_by(environ, code):
    ran = run_python(environ, f"{code}\nimport sys\nprint(*sys.modules)")
    return {name.partition(".")[0] for name in ran.split()}


def run_python(environ, code):
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True
    )
    return ran.stdout.splitlines()[-1]


def test_help_and_import_load_nothing_heavy(environ):
    assert not loaded_by(environ, "import unabridged") & HEAVY
    helped = (
        "from unabridged.cli.main import cli\n"
        "try:\n    cli.main(['--help'])\nexcept SystemExit:\n    pass"
    )
    assert not loaded_by(environ, helped) & HEAVY
    assert not loaded_by(environ, helped.replace("--help", "config', 'path")) & HEAVY


def test_a_plain_conversation_needs_no_extra(environ):
    blocked = (
        "import sys\n"
        "for name in ('rich', 'prompt_toolkit', 'httpx2', 'tiktoken', 'xllamacpp'):\n"
        "    sys.modules[name] = None\n"
        "from unabridged.cli.main import main\n"
        "main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", blocked, "chat"],
        input="My cat is called Ada.\nWhat is my cat called?\n/why\n/memory stats\n",
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "Ada" in ran.stdout


def test_a_conversation_survives_a_restart(environ):
    first = run(environ, "chat", text="Meine Katze heißt Ada. 猫 🐈\n")
    assert first.returncode == 0, first.stderr
    second = run(environ, "ask", "Wie heißt meine Katze?")
    assert "Meine Katze heißt Ada. 猫 🐈" in second.stdout


def test_exit_codes(environ):
    assert run(environ, "--help").returncode == 0
    assert run(environ, "--version").stdout.startswith("unabridged ")
    assert run(environ, "nonsense").returncode == 2
    assert run(environ, "why").returncode == 3
    assert run(environ, "ask", "x " * 5000, "--window", "512").returncode == 4
    assert run(environ, "ask", "x", "--ollama", "http://127.0.0.1:9").returncode == 6
    assert run(environ, "import", "/nowhere.json").returncode == 7
    damaged = next((Path(environ["UNABRIDGED_HOME"]) / "spaces").glob("*.*"))
    damaged.write_bytes(b"no database" * 1000)
    ran = run(environ, "stats")
    assert ran.returncode == 5
    assert ran.stderr.startswith("error: ")
    assert "Traceback" not in ran.stderr


def test_a_reader_that_goes_away_is_no_error(environ):
    text = "".join(
        json.dumps({"role": "user", "content": f"{number} " + "word " * 200}) + "\n"
        for number in range(300)
    )
    assert run(environ, "import", "-", text=text).returncode == 0
    pipe = subprocess.PIPE
    with program.start("export", env=environ, stdout=pipe, stderr=pipe) as process:
        process.stdout.read(10)
        process.stdout.close()
        told = process.stderr.read()
        code = process.wait(timeout=60)
    assert told == b""
    assert code == 141


def test_output_that_the_locale_cannot_show_is_no_error(environ):
    latin = {**environ, "PYTHONIOENCODING": "latin-1"}
    ran = program.run("ask", "猫 \udcff", env=latin)
    assert ran.returncode == 0, ran.stderr
    shown = program.run("show", env=latin)
    assert (shown.returncode, bool(shown.stdout)) == (0, True)


def test_input_in_no_encoding_is_kept_byte_for_byte(environ):
    said = b"caf\xe9 \x00 \xf0\x9f"
    ran = program.run("ask", "-", said=said, env=environ)
    assert ran.returncode == 0, ran.stderr
    (kept,) = json.loads(run(environ, "show", "--json").stdout)
    assert kept["message"].encode("utf-8", "surrogateescape") == said


SLOW = """
import sys, time
from unabridged.factory import open_memory
from unabridged.domain.chat import Abilities, StreamChunk

class Slow:
    model, provider = "slow", "scripted"
    def abilities(self):
        return Abilities(self.model, trained_window=8192)
    def chat(self, request):
        yield StreamChunk(text="It was called ")
        time.sleep(60)
        yield StreamChunk(text="never", done=True)
    def close(self):
        pass

open_memory.choose_model = lambda *_: (Slow(), "")
from unabridged.cli.main import main
main()
"""


def test_ctrl_c_stops_an_answer_and_keeps_what_came(environ):
    with program.python(
        SLOW,
        "chat",
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdin.write(b"What was it called?\n")
        process.stdin.flush()
        assert process.stdout.read(len("It was called")) == b"It was called"
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Stopped" in told
    assert b"Traceback" not in told
    (kept,) = json.loads(run(environ, "show", "--json").stdout)
    assert (kept["state"], kept["text"]) == ("incomplete", "It was called ")


def test_a_killed_conversation_keeps_the_question(environ):
    with program.python(
        SLOW,
        "chat",
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        process.stdin.write(b"What was it called?\n")
        process.stdin.flush()
        process.stdout.read(len("It was called"))
        process.kill()
    (kept,) = json.loads(run(environ, "show", "--json").stdout)
    assert kept["message"] == "What was it called?"


def test_an_interrupted_import_is_resumed_by_repeating_it(environ, tmp_path):
    path = tmp_path / "many.jsonl"
    lines = (
        json.dumps({"role": role, "content": f"{role} {number}", "session": f"s{number}"}) + "\n"
        for number in range(400)
        for role in ("user", "assistant")
    )
    path.write_text("".join(lines), encoding="utf-8")
    process = program.start("import", path, env=environ)
    spaces = Path(environ["UNABRIDGED_HOME"]) / "spaces"
    while process.poll() is None and not any(spaces.glob("*")):
        time.sleep(0.01)
    process.kill()
    process.wait()
    report = json.loads(run(environ, "import", str(path), "--json").stdout)["files"][0]
    again = json.loads(run(environ, "import", str(path), "--json").stdout)["files"][0]
    stats = json.loads(run(environ, "stats", "--json").stdout)
    assert report["exchanges"] == stats["exchanges"] == 400
    assert again["added"] == 0
