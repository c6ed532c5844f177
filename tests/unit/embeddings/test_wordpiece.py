import json
from pathlib import Path

import pytest

from unabridged.embeddings.static import DATA
from unabridged.embeddings.wordpiece import WordPiece, words_of

FIXTURE = Path(__file__).parents[2] / "fixtures" / "embeddings" / "wordpiece.json"
CUT = [(case["text"], case["tokens"]) for case in json.loads(FIXTURE.read_text("utf-8"))["cut"]]
SHIPPED = (DATA / "vocabulary.txt").read_text("utf-8").split("\n")
BERT = SHIPPED[:-4_600]
"""The words that were added to BERT's pieces stand last."""

LATIN = [(text, tokens) for text, tokens in CUT if set(tokens) <= {*BERT, "[UNK]"}]
"""The shipped vocabulary knows nothing of other scripts."""


def cut(text, vocabulary):
    wordpiece = WordPiece(vocabulary)
    return [
        piece
        for word in words_of(text)
        for piece in [vocabulary[p] for p in wordpiece.pieces(word)] or ["[UNK]"]
    ]


@pytest.mark.parametrize(("text", "tokens"), CUT)
def test_cuts_as_the_reference_does(text, tokens):
    every = sorted({token for _, tokens in CUT for token in tokens} - {"[UNK]"})
    assert cut(text, every) == tokens


@pytest.mark.parametrize(("text", "tokens"), LATIN)
def test_the_shipped_pieces_cut_latin_as_the_reference_does(text, tokens):
    assert cut(text, BERT) == tokens


def test_frequent_words_that_bert_would_cut_are_whole():
    assert cut("headphones toddler lasagna", SHIPPED) == ["headphones", "toddler", "lasagna"]
    assert len(cut("headphones toddler lasagna", BERT)) > 3


def test_most_of_the_fixture_is_latin():
    assert len(LATIN) > 20


def test_takes_the_longest_piece_from_the_left():
    assert cut("unhappy", ["un", "unh", "##happy", "##appy", "##a"]) == ["unh", "##appy"]


def test_a_word_with_an_unknown_end_is_unknown():
    assert WordPiece(["un", "##a"]).pieces("unab") == ()


def test_an_emoji_leaves_the_word_beside_it():
    assert words_of("Great😀day ✨") == ["great", "😀", "day", "✨"]


def test_ideographs_stand_alone_and_words_around_them_stay_whole():
    assert words_of("in 北京abc東") == ["in", "北", "京", "abc", "東"]


def test_identifiers_are_cut_at_their_marks():
    assert words_of("get_user_id2()") == ["get", "_", "user", "_", "id2", "(", ")"]
    assert words_of("größe_x") == ["große", "_", "x"]
