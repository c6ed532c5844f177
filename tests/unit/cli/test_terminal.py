import io
import threading

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from unabridged.cli.chat.editor import Editor
from unabridged.cli.chat.terminal import TerminalScreen
from unabridged.cli.terminal_text import cells


@pytest.fixture
def shown():
    return io.StringIO()


def screen_on(shown, height=40):
    console = Console(
        file=shown, width=60, height=height, force_terminal=False, highlight=False, markup=False
    )
    return TerminalScreen(console)


def answer(shown, *pieces, height=40):
    screen = screen_on(shown, height)
    screen.begin_answer()
    for piece in pieces:
        screen.delta(piece, "")
    screen.end_answer()
    return shown.getvalue().strip("\n").split("\n")


def test_an_answer_is_indented_and_laid_out(shown):
    lines = answer(
        shown, "# He", "ad\n\nSome **bo", "ld** words\nand a line\n\n```\nco", "de\n```\n"
    )
    assert [line.rstrip() for line in lines] == [
        "  Head",
        "",
        "  Some bold words",
        "  and a line",
        "",
        "   code",
    ]


def test_what_a_model_says_cannot_steer_the_terminal_and_markup_is_text(shown):
    text = "\n".join(answer(shown, "a\x1b[2Jb <b>bold</b> [red]x[/red] :smile: <div>\n\n<p>"))
    assert "\x1b" not in text
    assert "a\ufffd[2Jb <b>bold</b> [red]x[/red] :smile: <div>" in text
    assert "<p>" in text


def test_lines_fit_with_wide_characters(shown):
    lines = answer(shown, "日本語の長い文章も折り返されるべきです。" * 5 + "\n\n👩‍👩‍👧 " * 40)
    assert len(lines) > 3
    assert all(cells(line.rstrip()) <= 60 for line in lines)


def test_a_block_larger_than_the_screen_is_whole_in_the_end(shown):
    code = "\n".join(f"line_{number}" for number in range(900))
    lines = answer(shown, "```\n", *(code[i : i + 500] for i in range(0, len(code), 500)), height=9)
    assert [line.strip() for line in lines if "line_" in line] == code.split("\n")


def test_working_is_said_between_the_words(shown):
    screen = screen_on(shown)
    screen.begin_answer()
    screen.delta("", "hm")
    screen.delta("Let me see.", "")
    screen.working("calls current_time {}")
    screen.delta("It is noon.", "")
    screen.end_answer()
    lines = [line.strip() for line in shown.getvalue().split("\n") if line.strip()]
    assert lines == ["Let me see.", "calls current_time {}", "It is noon."]


def test_an_answer_that_is_broken_off_leaves_no_thread_behind(shown):
    before = threading.enumerate()
    screen = screen_on(shown)
    screen.begin_answer()
    screen.delta("half a sent", "")
    screen.end_answer()
    assert "half a sent" in shown.getvalue()
    for thread in set(threading.enumerate()) - set(before):
        thread.join(timeout=60)
        assert not thread.is_alive()


def typed(keys, said=(), draft=""):
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text(keys)
        return Editor(list(said), ["/help", "/memory stats"]).read(draft)


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("hello\r", "hello"),
        ("one\x1b\rtwo\r", "one\ntwo"),
        ("one\ntwo\r", "one\ntwo"),
        ("\x1b[200~pasted\none\r\ntwo\x1b[201~\r", "pasted\none\ntwo"),
        ("wrong\x03right\r", "right"),
        ("/mem\t\r", "/memory stats"),
        ("猫 🐈\r", "猫 🐈"),
        ("\x04", None),
    ],
)
def test_keys(keys, text):
    assert typed(keys) == text


def test_earlier_messages_are_at_hand():
    assert typed("\x1b[A\r", said=["older", "newer"]) == "newer"


def test_a_draft_can_be_edited():
    assert typed(" more\r", draft="text") == "text more"


def test_ctrl_c_on_an_empty_line_is_told():
    with pytest.raises(KeyboardInterrupt):
        typed("\x03")
