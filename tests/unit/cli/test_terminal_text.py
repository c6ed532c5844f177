import pytest
from hypothesis import given, strategies as st

from unabridged.cli.terminal_text import cells, clip, one_line, pad, safe, wrap


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("hello", 5),
        ("Grüße", 5),
        ("e\u0301", 1),
        ("你好", 4),
        ("한국어", 6),
        ("ｱｲ", 2),
        ("👍", 2),
        ("👍🏽", 2),
        ("👩‍👩‍👧", 2),
        ("🇵🇹🇩🇪", 4),
        ("❤️", 2),
        ("สวัสดี", 4),
        ("a\u200bb", 2),
    ],
)
def test_cells(text, width):
    assert cells(text) == width


def test_safe_keeps_words_and_takes_what_steers_a_terminal():
    assert safe("a\x1b[31mb\x07\x9bc\u202ed\ud800e") == "a\ufffd[31mb\ufffd\ufffdc\ufffdd\ufffde"
    assert safe("tab\tline\nend\r\n") == "tab    line\nend\n"
    assert one_line(" a\n\n b\t c ") == "a b c"


def test_clip_and_pad_count_cells():
    assert clip("你好世界", 8) == "你好世界"
    assert clip("你好世界", 7) == "你好世…"
    assert clip("你好世界", 6) == "你好…"
    assert pad("你好", 6) == "你好  "
    assert pad("12", 4, right=True) == "  12"


def test_words_are_wrapped_whole_and_wide_characters_anywhere():
    assert wrap("moved to Lisbon in “March.”", 24) == ["moved to Lisbon in", "“March.”"]
    assert wrap("日本語の長い文章", 6) == ["日本語", "の長い", "文章"]
    assert wrap("abcdefghij", 4) == ["abcd", "efgh", "ij"]


def test_a_path_is_kept_whole_where_it_is_copied():
    path = "/home/ann/" + "x" * 40
    assert wrap(f"There is no {path} here.", 30, breaks=False) == ["There is no", path, "here."]
    assert wrap(path, 30, breaks=False) == [path]
    assert all(cells(line) <= 30 for line in wrap(f"There is no {path} here.", 30))


@pytest.mark.parametrize("width", [58, 78])
@pytest.mark.parametrize(
    "command",
    [
        "`pip install -e './unabridged[mcp]'`",
        "`unabridged facts list --state all`",
        "Install it with: .venv/bin/pip install -e '.[mcp]'",
        "Another port: unabridged serve --port 11436",
    ],
)
def test_a_command_is_never_broken_if_a_line_has_room_for_it(command, width):
    copied = command.partition(": ")[2] or command
    for before in range(0, 70, 3):
        lines = wrap("x" * before + " " + command, width)
        assert any(copied in line for line in lines)
        assert all(cells(line) <= width for line in lines)


@given(st.text(max_size=200), st.integers(4, 60))
def test_wrapped_lines_fit_and_lose_nothing(text, width):
    text = safe(text)
    lines = wrap(text, width)
    assert all(cells(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(st.text(max_size=80), st.integers(1, 40))
def test_clipped_text_fits(text, width):
    assert cells(clip(text, width)) <= width
