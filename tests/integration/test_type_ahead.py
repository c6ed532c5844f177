"""What a person types while a model answers, on a real terminal."""

import json
import os
import sys
import time

import pytest
from tests.helpers import program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
if sys.platform != "win32":
    from tests.helpers.on_terminal import OnTerminal

SLOW = """
import time
from unabridged.factory import open_memory
from unabridged.domain.chat import Abilities, StreamChunk

class Slow:
    model, provider = "slow", "scripted"
    def abilities(self):
        return Abilities(self.model, trained_window=8192)
    def chat(self, request):
        time.sleep(PAUSE)
        for piece in ("Alpha ", "beta ", "gamma."):
            yield StreamChunk(text=piece)
            time.sleep(PAUSE)
        yield StreamChunk(done=True)
    def close(self):
        pass

open_memory.choose_model = lambda *_: (Slow(), "")
from unabridged.cli.main import main
main()
"""
PROMPT = "Ctrl-D to quit"
"""The end of the first screen, after which the editor reads."""
FOOTER = "of 8,192 tokens"


def later(*seconds):
    return [pytest.param(one, marks=pytest.mark.slow) for one in seconds]


ENTER, CTRL_C, CTRL_D = "\r", "\x03", "\x04"


@pytest.fixture
def chat(tmp_path):
    kept = {name: value for name, value in os.environ.items() if name != "OLLAMA_HOST"}
    env = {**kept, "UNABRIDGED_HOME": str(tmp_path / "home"), "TERM": "xterm-256color"}

    def started(pause=0.4, *words):
        return OnTerminal(SLOW.replace("PAUSE", str(pause)), *(words or ["chat"]), env=env)

    started.env = env
    return started


def said(chat):
    shown = program.run("show", "--json", "--limit", "50", env=chat.env)
    return [(one["message"], one["state"]) for one in json.loads(shown.stdout)]


@pytest.mark.parametrize("after", [0.2, *later(0.0, 0.7, 1.2)])
def test_lines_typed_during_an_answer_are_messages_and_ctrl_d_quits(chat, after):
    with chat() as terminal:
        terminal.until(PROMPT).type("one" + ENTER)
        terminal.until("reading")
        time.sleep(after)
        terminal.type("two" + ENTER + "drei 猫" + ENTER + CTRL_D)
        assert terminal.ended() == 0
        first, _, rest = terminal.text.partition(FOOTER)
    assert "two" not in first
    assert "drei" not in first
    assert rest.index("› two") < rest.index("› drei 猫")
    assert said(chat) == [("one", "complete"), ("two", "complete"), ("drei 猫", "complete")]


@pytest.mark.parametrize("after", [0.0, *later(0.1, 0.3, 0.6)])
def test_lines_typed_while_the_chat_starts_are_messages(chat, after):
    with chat(0.05) as terminal:
        time.sleep(after)
        terminal.type("one" + ENTER + "two" + ENTER + CTRL_D)
        assert terminal.ended() == 0
        shown = terminal.text
    assert shown.index("› one") < shown.index("› two")
    assert said(chat) == [("one", "complete"), ("two", "complete")]


def test_what_has_no_enter_yet_waits_in_the_line(chat):
    with chat() as terminal:
        terminal.until(PROMPT).type("one" + ENTER)
        terminal.until("reading").type("tw")
        terminal.until(FOOTER)
        terminal.until("› tw").type("o" + ENTER)
        terminal.until("› two").type(CTRL_D)
        terminal.ended()
    assert [message for message, _ in said(chat)] == ["one", "two"]


def test_ctrl_c_stops_the_answer_and_keeps_what_was_typed(chat):
    with chat() as terminal:
        terminal.until(PROMPT).type("one" + ENTER)
        terminal.until("Alpha").type("two" + ENTER + CTRL_C)
        terminal.until("Stopped.").until("› two").type(CTRL_D)
        assert terminal.ended() == 0
    assert said(chat) == [("one", "incomplete"), ("two", "complete")]


def test_lines_pasted_during_an_answer_stay_one_message(chat):
    with chat() as terminal:
        terminal.until(PROMPT).type("one" + ENTER)
        terminal.until("reading")
        assert terminal.raw.rfind(b"\x1b[?2004h") > terminal.raw.rfind(b"\x1b[?2004l")
        terminal.type("\x1b[200~two\rthree\x1b[201~" + ENTER + CTRL_D)
        terminal.ended()
    assert [message for message, _ in said(chat)] == ["one", "two\nthree"]


def test_the_terminal_is_left_as_it_was(chat):
    with chat(0.01) as terminal:
        before = terminal.modes
        terminal.until(PROMPT).type("one" + ENTER)
        terminal.until(FOOTER)
        assert terminal.modes != before
        terminal.type(CTRL_D)
        terminal.ended()
        assert terminal.modes == before
        assert terminal.raw.rfind(b"\x1b[?2004l") > terminal.raw.rfind(b"\x1b[?2004h")


def test_what_is_typed_during_ask_is_left_to_the_shell(chat):
    with chat(0.4, "ask", "one") as terminal:
        before = terminal.modes
        terminal.until("reading").type("ls" + ENTER)
        assert terminal.ended() == 0
        assert "ls" not in terminal.text
        assert terminal.modes == before
        assert terminal.left() == b"ls\r"


def test_the_spinner_moves_while_a_model_reads(chat):
    with chat(1.5) as terminal:
        terminal.until(PROMPT).type("one" + ENTER)
        terminal.until("Alpha")
        glyphs = {line.strip()[0] for line in terminal.text.split("\r") if "reading" in line}
    assert len(glyphs) > 3


@pytest.mark.parametrize(
    ("typed", "rows"),
    [("one", 0), ("x" * 60, 0), ("x" * 61, 1), ("one" + ENTER, 1), ("猫" * 45 + ENTER + "two", 2)],
)
def test_the_echo_of_what_was_typed_early_is_erased(chat, typed, rows):
    code = """
import time
from unabridged.cli.chat.type_ahead import TypeAhead
time.sleep(0.8)
with TypeAhead(wanted=True) as ahead:
    ahead.take()
    print("taken", len(ahead.early()), repr(ahead.early()))
"""
    with OnTerminal(code, env=chat.env, columns=60) as terminal:
        terminal.type(typed)
        terminal.until(f"taken {len(typed)} ''").ended()
        erased = f"\x1b[{rows}A\x1b[J" if rows else "\r\x1b[J"
        assert erased in terminal.raw.decode()
        assert terminal.raw.decode().count("\x1b[J") == 1
