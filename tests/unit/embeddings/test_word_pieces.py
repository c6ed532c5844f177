import numpy as np
import pytest

from unabridged.embeddings.word_pieces import LEAST, MOST_PIECES, StaticLexicon
from unabridged.index.indexed_exchange import ANSWER_SENTENCE, USER_SENTENCE
from unabridged.language.words import words_by_sentence

VOCABULARY = ["boat", "ship", "tea", "ro", "##sina", "##nte", "id", "user", "get", "lake", "zero"]


@pytest.fixture
def lexicon(tmp_path):
    table = np.zeros((len(VOCABULARY), 384), dtype=np.int8)
    for row in range(len(VOCABULARY) - 1):
        table[row, row] = 100
    table[0, 1] = 50  # a boat is a little like a ship
    table[0, 300] = 127  # beyond the axes that are compared
    np.save(tmp_path / "table.npy", table)
    (tmp_path / "vocabulary.txt").write_text("\n".join(VOCABULARY), "utf-8")
    return StaticLexicon(tmp_path)


def pieces(lexicon, user, answer):
    return lexicon.pieces(words_by_sentence(user), words_by_sentence(answer))


def test_sentences_of_both_sides_in_their_order(lexicon):
    found = pieces(lexicon, "A boat. Tea, tea!\nLake", "The ship")
    assert found.dtype == np.uint16
    assert found.tolist() == [
        *(USER_SENTENCE, 0), *(USER_SENTENCE, 2), *(USER_SENTENCE, 9), *(ANSWER_SENTENCE, 1),
    ]  # fmt: skip


def test_words_of_no_weight_have_no_pieces(lexicon):
    assert pieces(lexicon, "It was what it was.", "").tolist() == []
    assert lexicon.units("the") == []


def test_a_word_in_several_pieces_has_a_number_of_its_own_too(lexicon):
    *parts, own = lexicon.units("rosinante")
    assert parts == [3, 4, 5]
    assert len(VOCABULARY) <= own < ANSWER_SENTENCE


@pytest.mark.parametrize("word", ["xylophone", "京都", "🎉", "ж"])
def test_an_unknown_word_is_like_itself_only(lexicon, word):
    (own,) = lexicon.units(word)
    assert len(VOCABULARY) <= own < ANSWER_SENTENCE
    assert pieces(lexicon, word, "").tolist() == [USER_SENTENCE, own]
    assert lexicon.alike([own, 2], np.array([2, own])).tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_identifiers_meet_in_either_spelling(lexicon):
    one, other = pieces(lexicon, "getUserId", ""), pieces(lexicon, "get_user_id", "")
    assert one.tolist() == other.tolist()
    assert {6, 7, 8} <= set(one.tolist())


EVERY = np.arange(len(VOCABULARY))


def test_alike_gives_cosines_of_the_first_axes(lexicon):
    boat, tea = lexicon.alike([0, 2], EVERY).T
    assert np.flatnonzero(boat).tolist() == [0, 1]
    assert boat[:2].tolist() == pytest.approx([1.0, 50 / np.hypot(100, 50)])
    assert np.flatnonzero(tea).tolist() == [2]
    assert boat[1] >= LEAST


def test_a_piece_without_a_vector_is_like_itself_only(lexicon):
    (cosines,) = lexicon.alike([len(VOCABULARY) - 1], EVERY).T
    assert cosines.tolist() == [0.0] * (len(VOCABULARY) - 1) + [1.0]


def test_the_same_whatever_is_asked_beside(lexicon):
    together = lexicon.alike([1, 0, 2], EVERY)
    for column, unit in enumerate((1, 0, 2)):
        for piece in EVERY:
            assert lexicon.alike([unit], np.array([piece])) == together[piece, column]


def test_a_very_long_exchange_keeps_its_first_pieces(lexicon):
    text = "\n".join(["boat tea lake"] * MOST_PIECES)
    found = pieces(lexicon, text, "ship")
    assert len(found) == MOST_PIECES
    assert USER_SENTENCE in found
    assert ANSWER_SENTENCE not in found
