from dataclasses import replace

from unabridged.condense.extractive_condenser import choose
from unabridged.condense.sentence_candidates import SentenceCandidate
from unabridged.condense.sentence_weights import WEIGHTS


def piece(source, number, tokens=10, **terms):
    return SentenceCandidate(source, number, " ".join(terms), tokens, tuple(terms.items()), 1.0)


def places(pieces, limit, weights=WEIGHTS):
    return {i for _, i in choose(pieces, limit, weights)}


def test_what_is_kept_is_spread_over_messages():
    pieces = [piece(0, 0, a=2.0), piece(0, 1, b=1.9), piece(1, 0, c=1.8)]
    assert places(pieces, 20) == {0, 2}
    assert places(pieces, 20, replace(WEIGHTS, spread=1.0)) == {0, 1}


def test_what_was_said_is_worth_less_the_next_time():
    pieces = [piece(0, 0, a=2.0, b=2.0), piece(1, 0, a=2.0, b=1.9), piece(2, 0, c=3.0)]
    assert places(pieces, 20) == {0, 2}
    assert places(pieces, 20, replace(WEIGHTS, again=1.0, spread=1.0)) == {0, 1}


def test_length_counts_as_the_weights_say():
    pieces = [piece(0, 0, 40, a=4.0), piece(1, 0, 10, b=1.5)]
    assert choose(pieces, 40, replace(WEIGHTS, length=0.0))[0][1] == 0
    assert choose(pieces, 40, replace(WEIGHTS, length=1.0))[0][1] == 1


def test_equals_are_taken_in_their_order():
    pieces = [piece(n, 0, **{f"t{n}": 1.0}) for n in range(6)]
    assert [i for _, i in choose(pieces, 30, WEIGHTS)] == [0, 1, 2]


def test_what_is_too_long_is_passed_over_for_what_fits():
    pieces = [piece(0, 0, 50, a=9.0, b=9.0), piece(1, 0, 10, c=1.0)]
    assert places(pieces, 20) == {1}
    assert choose([], 20, WEIGHTS) == []
