"""Terms are the same whichever way they are found."""

from hypothesis import given, strategies as st

from unabridged.language import words


@given(st.text(st.characters(max_codepoint=127), max_size=200))
def test_plain_text_has_the_terms_that_any_text_has(text):
    folded = words.fold(text)
    assert words._PLAIN.findall(folded) == words._TOKEN.findall(folded)


@given(st.text(max_size=200))
def test_terms_are_folded_and_hold_no_space(text):
    for term in words.terms(text):
        assert term
        assert " " not in term
        assert term == words.fold(term) or not term.isascii()


def test_every_script_is_found():
    assert words.terms("The Cheeses’ project") == ["the", "chees", "project"]
    assert words.terms("我喜欢乳酪") == ["我喜", "喜欢", "欢乳", "乳酪"]
    assert words.terms("한국어 ไทย") == ["한국", "국어", "ไท", "ทย"]
    assert words.terms("Käse CAFÉ it's") == ["kas", "caf", "it"]
    assert words.query_terms("What did we say about cheese?") == ["chees"]
    assert words.query_terms("what is it?") == ["what", "is", "it"]
