import math

import numpy as np
import pytest

from bench.recall.recall_baselines import Bm25, Dense, embedded


class Letters:
    """Embeds a text as how often it has a, b and c."""

    identity, dimension, instant = "letters", 3, True

    def embed(self, texts):
        counts = np.array([[t.count(c) for c in "abc"] for t in texts], dtype=np.float32)
        return counts / np.maximum(1, np.linalg.norm(counts, axis=1, keepdims=True))

    def embed_query(self, text):
        return self.embed([text])[0]

    def known(self, text):
        return 1.0

    def close(self):
        pass


def test_bm25_is_the_formula():
    documents = {"x": "walnut chess walnut", "y": "chess clock", "z": "the greyhound slept"}
    ranker = Bm25(documents)
    assert ranker.rank("walnut chess", 5) == ["x", "y"]
    # x: two walnuts in three words; the mean length is 7/3, "the" being a stop word.
    dampen = 1.2 * (1 - 0.75 + 0.75 * 3 / (7 / 3))
    walnut = math.log(1 + 2.5 / 1.5) * 2 * 2.2 / (2 + dampen)
    chess = math.log(1 + 1.5 / 2.5) * 2.2 / (1 + dampen)
    scores = np.zeros(3)
    for term in ("walnut", "chess"):
        places, times = ranker._postings[term]
        weight = math.log(1 + (3 - len(places) + 0.5) / (len(places) + 0.5))
        scores[places] += weight * times * 2.2 / (times + ranker._dampen[places])
    assert scores[0] == pytest.approx(walnut + chess)


def test_bm25_meets_other_forms_of_a_word_and_passes_over_stop_words():
    ranker = Bm25({"x": "She planted beans", "y": "what is the of", "z": "unlike"})
    assert ranker.rank("what did she plant of the bean", 5) == ["x"]
    assert ranker.rank("nothing here", 5) == []


def test_dense_ranks_by_the_inner_product():
    ranker = Dense(Letters(), {"x": "aab", "y": "cc", "z": "abb"})
    assert ranker.rank("b", 2) == ["z", "x"]


def test_many_texts_are_embedded_in_order():
    texts = ["a" * (n % 3) + "b" * (n % 5) + "c" for n in range(600)]
    assert np.array_equal(embedded(Letters(), texts), Letters().embed(texts))
    assert embedded(Letters(), []).shape == (0, 3)
