from dataclasses import replace

import numpy as np
import pytest

from unabridged.domain.intent import Intent
from unabridged.retrieval.rank import LOOKED_AT, rank, weighed
from unabridged.retrieval.ranking_weights import RECIPES, Recipe
from unabridged.retrieval.relevance import evidence, half

TWO = Recipe({"words": 2.0, "near": 1.0})


def columns(rows, **given):
    names = ("words", "near", "alike", "bearing", "by_words", "by_meaning")
    default = dict.fromkeys(names, [0.0] * len(rows.places))
    return {n: np.asarray(c, dtype=np.float32) for n, c in {**default, **given}.items()}


def places(ranked):
    return [int(one.exchange) for one in ranked]


def test_each_feature_counts_relative_to_its_best():
    score = weighed({"words": np.float32([2, 4]), "near": np.float32([0.5, 0.1])}, TWO)
    assert score.tolist() == pytest.approx([2.0, 2.2])


def test_a_feature_that_says_nothing_adds_nothing():
    assert weighed({"words": np.zeros(2, np.float32), "near": np.float32([-1, 0])}, TWO).any() == 0


def test_a_feature_that_is_as_good_as_nothing_leaves_the_others_their_order():
    far = np.float32([1e-44, 0])  # an exchange hundreds of slacks away from the time asked for
    score = weighed({"words": np.float32([1, 2]), "near": far}, TWO)
    assert np.isfinite(score).all()
    assert score[1] > score[0]


def test_of_equals_the_newest_comes_first(index_hits):
    rows = index_hits(3, places=[4, 9, 6])
    assert places(rank(rows, columns(rows, words=[1, 1, 1]), TWO)) == [9, 6, 4]


def test_neighbours_that_were_not_found_are_not_ranked(index_hits):
    rows = index_hits(3, found=[True, False, True])
    assert places(rank(rows, columns(rows, words=[1, 9, 2]), TWO)) == [3, 1]


def test_nothing_found_is_nothing(index_hits):
    rows = index_hits(1, found=[False])
    assert rank(rows, columns(rows), TWO) == []


def test_evidence_falls_along_the_order_and_never_rises(index_hits):
    rows = index_hits(4, exchanges=300)
    given = columns(rows, words=[4, 3, 2, 1], bearing=[1.5, 1.0, 1.8, 0.2])
    scores = [one.score for one in rank(rows, given, TWO)]
    assert scores == sorted(scores, reverse=True)
    assert scores[1] == scores[2] > 0.9
    assert scores[3] < 0.2


def test_evidence_is_absolute():
    strong, faint = (evidence(np.float32(some), 1.2) for some in ([1.8, 1.7], [0.6, 0.5]))
    assert strong.min() > 0.9
    assert faint.max() < 0.1
    assert evidence(np.float32([0, 0]), 0.7).tolist() == [0, 0]
    assert not len(evidence(np.empty(0, np.float32), 1.2))


def test_more_is_asked_of_a_row_where_more_could_be_so_by_chance(index_hits):
    one, many, most, huge = (half(index_hits(1, exchanges=n)) for n in (1, 50, 300, 10**6))
    assert one < many < most == huge
    assert half(replace(index_hits(1), user_mean=500.0)) > half(index_hits(1))
    assert half(index_hits(1, exchanges=0)) == one


def test_a_copy_goes_behind_the_others_of_the_best(index_hits):
    said = list(range(100, 120))
    rows = index_hits(
        LOOKED_AT + 2,
        sentences=[
            [("u", said[:12]), ("a", said[12:])],
            [("u", said)],
            *([[("u", range(200 + 20 * n, 220 + 20 * n))] for n in range(LOOKED_AT)]),
        ],
    )
    given = columns(rows, words=list(range(LOOKED_AT + 2, 0, -1)))
    order = places(rank(rows, given, TWO))
    assert order == [1, *range(3, LOOKED_AT + 1), 2, LOOKED_AT + 1, LOOKED_AT + 2]


def test_what_is_short_or_differs_is_no_copy(index_hits):
    said = list(range(100, 120))
    rows = index_hits(
        4,
        sentences=[
            [("u", said)],
            [("u", [*said[:17], 300, 301, 302])],
            [("u", [7, 8])],
            [("u", [7, 8])],
        ],
    )
    assert places(rank(rows, columns(rows, words=[4, 3, 2, 1]), TWO)) == [1, 2, 3, 4]


def test_every_intent_has_a_recipe_of_known_features(index_hits):
    from datetime import UTC, datetime

    from unabridged.retrieval.features import QueryTerms, features

    rows = index_hits(1, user=[[1]])
    known = features(rows, QueryTerms("", datetime(2026, 1, 1, tzinfo=UTC), {"a": "a"}), None)
    for intent in Intent:
        recipe = RECIPES[intent]
        assert recipe.weights.keys() <= known.keys()
        assert all(weight > 0 for weight in recipe.weights.values())
    assert "recent" in RECIPES[Intent.SUMMARY].weights
    assert "recent" not in RECIPES[Intent.VIVID_RECALL].weights
