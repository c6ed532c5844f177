"""What of an answer is shown: no tags of prompts, wherever the pieces break."""

import pytest
from hypothesis import given, strategies as st

from unabridged.cli.shown_text import ShownText, shown_text

PLAIN = [
    "a < b and b > c", "if x <r: pass", "<rec", "< think>", "List<recalls>", "<b>bold</b>", "<",
    "`<recalled>` marks memories", "a <thinker> sits", "", "1 <\n2",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN)
def test_other_text_is_shown_as_it_is(text):
    assert shown_text(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<recalled-fact>The dog", "The dog"),
        ('<recalled-exchange date="2024-05-03" from="this session">\nHi</recalled-exchange>', "Hi"),
        ("<recalled>\nOne\n</recalled>\nTwo", "One\n\nTwo"),
        ("</RECALLED-user>Yes", "Yes"),
        ("<think>\nhm < 3\n</think>\n\nFour.", "Four."),
        ("\n<thinking>hm</thinking>Four.", "Four."),
        ("So.</think> Four.", "So. Four."),
        ("<think>It never ends", "It never ends"),
    ],
)
@pytest.mark.parametrize("step", [1, 2, 3, 7, 1000])
def test_tags_are_not_shown_however_the_text_comes(text, shown, step):
    pieces = [text[place : place + step] for place in range(0, len(text), step)]
    words = ShownText()
    assert ("".join(map(words.feed, pieces)) + words.rest()).strip() == shown


@given(
    st.lists(st.sampled_from(["<", "</", "recalled", "-fact", ">", " ", "`", "a", "\n", "think"])),
    st.integers(1, 5),
)
def test_pieces_make_no_difference(parts, step):
    text = "".join(parts)
    words = ShownText()
    pieces = [text[place : place + step] for place in range(0, len(text), step)]
    shown = "".join(map(words.feed, pieces)) + words.rest()
    assert shown == shown_text(text)


def test_words_are_not_held_back_longer_than_they_may_be_a_tag():
    words = ShownText()
    assert words.feed("It is <") == "It is "
    assert words.feed("5. ") == "<5. "
    assert not words.feed("<think")
    assert not words.thinking
    assert words.feed("er> sits") == "<thinker> sits"
