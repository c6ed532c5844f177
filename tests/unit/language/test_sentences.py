import pytest

from unabridged.language.sentences import sentences


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three?", 3),
        ("Dr. Meyer came at 5 p.m. today. He left.", 2),
        ("我喜欢奶酪。你呢？好！", 3),
        ("これはペンです。それは本です。", 2),
        ("1. first item\n2. second item\n", 2),
        ("Look:\n```\na. b. c.\nd\n```\nDone.", 3),
        ("Pi is 3.14 and e is 2.72. Yes.", 2),
        ("", 0),
    ],
)
def test_sentences_end_where_people_end_them(text, count):
    assert len(sentences(text)) == count
    assert "".join(sentences(text)) == text
