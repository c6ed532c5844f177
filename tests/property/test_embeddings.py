"""Whatever the text: WordPiece loses no letter, and a vector depends on its text alone."""

import numpy as np
from hypothesis import given, strategies as st

from unabridged.embeddings.static import DATA, StaticEmbedder
from unabridged.embeddings.wordpiece import CONTINUES, WordPiece, words_of

VOCABULARY = (DATA / "vocabulary.txt").read_text("utf-8").split("\n")
WORDPIECE = WordPiece(VOCABULARY)
EMBEDDER = StaticEmbedder()

TALK = st.lists(st.sampled_from(["dog", "Größe", "don't", "北京", "x_1", "😀", "running", "."]))
TEXTS = st.one_of(st.text(max_size=200), TALK.map(" ".join))


@given(TEXTS)
def test_pieces_join_to_the_word(text):
    for word in words_of(text):
        pieces = [VOCABULARY[place] for place in WORDPIECE.pieces(word)]
        if pieces:
            assert "".join(piece.removeprefix(CONTINUES) for piece in pieces) == word
            assert all(piece.startswith(CONTINUES) for piece in pieces[1:])


@given(TEXTS)
def test_words_hold_no_space_and_every_ascii_letter(text):
    words = words_of(text)
    assert all(word and not any(c.isspace() for c in word) for word in words)
    kept = [c for c in "".join(words) if c.isascii() and c.isalnum()]
    for c in "abcdefghijklmnopqrstuvwxyz0123456789":
        assert kept.count(c) >= sum(x == c for x in text.lower())


@given(st.lists(TEXTS, max_size=6), st.randoms(use_true_random=False))
def test_a_vector_depends_on_its_text_alone(texts, chance):
    order = list(range(len(texts)))
    chance.shuffle(order)
    straight = EMBEDDER.embed(texts)
    mixed = EMBEDDER.embed([texts[place] for place in order])
    assert mixed.tobytes() == straight[order].tobytes()
    lengths = np.linalg.norm(straight, axis=1)
    assert ((np.abs(lengths - 1) < 1e-5) | (lengths == 0)).all()
    assert all(0 <= EMBEDDER.known(text) <= 1 for text in texts)
