import math

import numpy as np
import pytest

from bench.condense.textrank import likeness, ranks, telling

TALK = [
    "The harbour race starts at the old lighthouse.",
    "Runa painted the lighthouse for the harbour race.",
    "The race goes from the lighthouse around the harbour.",
    "Biscuits need butter.",
]


def test_likeness_is_the_shared_words_over_the_logarithms_of_the_lengths():
    held = [frozenset("abc"), frozenset("bcde"), frozenset("x")]
    found = likeness(held)
    assert found[0, 1] == found[1, 0] == pytest.approx(2 / (math.log(3) + math.log(4)), rel=1e-6)
    assert found[0, 2] == 0
    assert not np.diag(found).any()


def test_what_shares_words_with_others_weighs_most():
    found = ranks(TALK)
    assert found.argmin() == 3
    assert found[3] < 0.5 < found[:3].min()
    assert found.mean() == pytest.approx(1)


def test_weights_are_those_that_pagerank_settles_at():
    found = ranks(TALK)
    alike = likeness([telling(each) for each in TALK])
    shares = alike[:3] / alike[:3].sum(axis=1, keepdims=True)
    # The last sentence is like no other: it gives nothing on, and has what everybody has.
    raw = found * 0.15 / found[3]
    assert raw == pytest.approx(0.15 + 0.85 * (raw[:3] @ shares), abs=1e-3)


def test_blocks_weigh_alike():
    found = ranks(TALK * 3, block=4)
    assert found == pytest.approx(np.tile(ranks(TALK), 3))


@pytest.mark.parametrize("pieces", [[], ["word"], ["the of", "and"]])
def test_little_talk_is_ranked_too(pieces):
    assert len(ranks(pieces)) == len(pieces)
    assert np.isfinite(ranks(pieces)).all()
