import pytest

from unabridged.knowledge.fact_rules import draw
from unabridged.language.strip_pasted import own_words

PAGE = (
    "### Task:\nRespond to the user query using the provided context.\n\n<context>\n"
    '<source id="1" name="notes.txt">My name is Bertha. I am allergic to peanuts.</source>\n'
    "</context>\n\nI live in Bern. What does the file say?"
)


def test_a_document_is_not_what_the_user_said():
    assert own_words(PAGE) == "I live in Bern. What does the file say?"
    assert [each.value for each in draw(own_words(PAGE))] == ["Bern"]
    assert "Bertha" in [each.value for each in draw(PAGE)]


@pytest.mark.parametrize(
    "text",
    [
        "I live in Bern.",
        "a < b and </b> closes",
        "What does </context> mean?",
        "<context> of what?",
        "",
    ],
)
def test_other_words_stay_as_they_are(text):
    assert own_words(text) == text
