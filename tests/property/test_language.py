"""Sentences join back to the text, and nothing that reads text stumbles over any of it."""

import pytest
from hypothesis import given, strategies as st

from unabridged.language.calendar import dates_in
from unabridged.language.names import names_in, numbers_in
from unabridged.language.sentences import sentences

PIECES = st.sampled_from(
    'Dr. |J. R. |etc. |no. 5|3. |"Yes." |...|…|?!|。|」|।|؟|\n|\n\n|- |1. |```\nx. y.\n```\n|~~~|'
    "See a.b.c/d. |Anna |went |home. |和|ไป |😀 |[1] |**x.** |am 8. Mai |7 p.m. |U.S. |\t|\u2028|\r\n".split("|")
)  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join))


@given(TEXTS, st.sampled_from([1, 2]))
def test_sentences_join_back(text, rules):
    pieces = sentences(text, rules)
    assert "".join(pieces) == text
    assert all(pieces)


@given(TEXTS)
def test_no_text_is_refused_and_the_same_is_read_twice(text):
    for read in (names_in, numbers_in, dates_in):
        assert read(text) == read(text)
    assert all(name == name.casefold() for name in names_in(text) if name.isascii())


@given(TEXTS)
def test_only_white_space_stands_alone_where_there_is_nothing_else(text):
    assert all(piece.strip() for piece in sentences(text)) or not text.strip() or "```" in text


@pytest.mark.parametrize(
    "unit", ["a. ", "..", "\n", ".)", "word ", "。", "A. ", "1. ", "A ", '"x" ', "1,"]
)
def test_long_texts_do_not_take_for_ever(unit):
    """Quadratic rules would take hours for these, and run into the time limit of every test."""
    text = unit * 300_000
    assert "".join(sentences(text)) == text
