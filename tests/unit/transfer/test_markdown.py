"""What Markdown shows of a conversation: every word, and nothing of one message hides the next."""

import io
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st
from markdown_it import MarkdownIt
from tests.helpers.hostile import HOSTILE

from unabridged.domain.control_characters import escape_controls, without_controls
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import (
    Foreign,
    Image,
    Message,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session
from unabridged.transfer.markdown import write_markdown
from unabridged.transfer.native_jsonl import write_jsonl

AT = datetime(2026, 5, 1, tzinfo=UTC)
SWALLOWS = (
    "```\nnever closed",
    "~~~~ text\n```\nstill open",
    "<!-- hidden",
    "<script>alert(1)",
    "<details><summary>x",
    "<?php",
    "<![CDATA[",
    "<pre>",
    "a <b>bold</b> <img src=x onerror=y>",
    "1. list\n\n   ```\n   in a list",
)


def markdown(text, **more):
    said = Message("u", Role.USER, (Text(text),), AT)
    parts = (
        Reasoning(text),
        ToolCall("c", text, text),
        ToolResult("c", text, text),
        Foreign(text, text),
        Image(f"http://x/{text}"),
        Text(text),
    )
    answer = Message("a", Role.ASSISTANT, parts, AT)
    one = Exchange("e1", "s", None, ExchangeState.COMPLETE, (said, answer), AT, model=text)
    stream = io.BytesIO()
    write_markdown([Transcript(Session("s", text, AT, AT, "a"), (one,)) for _ in "ab"], stream)
    return stream.getvalue().decode()


@pytest.mark.parametrize("text", SWALLOWS)
def test_no_message_hides_who_says_the_next_one(text):
    page = MarkdownIt("commonmark", {"html": True}).render(markdown(text))
    assert page.count("<strong>You</strong>") == 2
    assert page.count("<strong>Assistant</strong>") == 2
    for tag in ("<!--", "<script", "<details", "<?php", "<![CDATA", "<b>", "<img src=x"):
        assert tag not in page


def test_words_that_look_like_tags_are_shown_and_code_and_addresses_stay():
    text = "Use <recalled> in `a <b> c`, see <https://x.org/a> or <me@x.org>; 1 < 2.\n\n    <code>"
    page = MarkdownIt("commonmark", {"html": True}).render(markdown(text))
    assert "Use &lt;recalled&gt; in <code>a &lt;b&gt; c</code>" in page
    assert '<a href="https://x.org/a">' in page
    assert "1 &lt; 2" in page
    assert "\n    <code>" in markdown(text)


def test_no_control_character_is_written():
    shown = markdown(HOSTILE)
    assert without_controls(shown) == shown
    assert "tea\ufffd" in shown


@given(st.text())
def test_json_with_escapes_is_the_same_json(text):
    shown = escape_controls(json.dumps({text: text}, ensure_ascii=False))
    assert json.loads(shown) == {text: text}
    assert without_controls(shown) == shown


def test_a_lossless_export_is_lossless_on_a_terminal_too():
    said = Message("u", Role.USER, (Text(HOSTILE),), AT)
    one = Exchange("e1", "s", None, ExchangeState.OPEN, (said,), AT)
    stream = io.BytesIO()
    write_jsonl([Transcript(Session("s", HOSTILE, AT, AT, "u"), (one,))], stream)
    lines = stream.getvalue().decode()
    shown = escape_controls(lines)
    assert shown != lines
    assert [json.loads(line) for line in shown.splitlines()] == [
        json.loads(line) for line in lines.split("\n") if line
    ]
