"""Ranking does not depend on the order of rows, and hardly on what has nothing to do with it."""

from dataclasses import fields, replace
from datetime import UTC, datetime

import numpy as np
from hypothesis import given, strategies as st

from unabridged.domain.index_query import IndexHits
from unabridged.index.indexed_exchange import ANSWER_SENTENCE, USER_SENTENCE
from unabridged.retrieval.features import QueryTerms, features
from unabridged.retrieval.rank import rank
from unabridged.retrieval.ranking_weights import RECALL

ASKED = QueryTerms("a b c", datetime(2026, 1, 1, tzinfo=UTC), {"a": "a", "b": "b", "c": "c"})
TERMS = len(ASKED.terms)


class Letters:
    """Knows three words, of which the first two are a little alike."""

    def pieces(self, user, answer):
        raise NotImplementedError

    def units(self, word):
        return ["abc".index(word)]

    def alike(self, units, pieces):
        near = np.zeros((6, 3), np.float32)
        near[:3, :3] = [[1.0, 0.5, 0], [0.5, 1.0, 0], [0, 0, 1.0]]
        return near[np.ix_(pieces, units)]


@st.composite
def index_hits_of_all(draw, least=1):
    rows = draw(st.integers(least, 9))

    def column(kind, low, high, shape=()):
        size = rows * int(np.prod(shape, dtype=int))
        values = draw(st.lists(st.integers(low, high), min_size=size, max_size=size))
        return np.array(values, dtype=kind).reshape(rows, *shape)

    streams = [
        [
            number
            for side, some in draw(
                st.lists(
                    st.tuples(
                        st.sampled_from((USER_SENTENCE, ANSWER_SENTENCE)),
                        st.lists(st.integers(0, 5), min_size=1, max_size=4, unique=True),
                    ),
                    max_size=3,
                )
            )
            for number in (side, *some)
        ]
        for _ in range(rows)
    ]
    before = [draw(st.integers(-1, row - 1)) for row in range(rows)]
    names = [str(place).encode() for place in range(1, rows + 1)]
    return IndexHits(
        places=np.arange(1, rows + 1),
        names=np.frombuffer(b"".join(names), dtype=np.uint8),
        name_starts=np.cumsum([0, *map(len, names)]),
        sessions=column(np.int64, 0, 3),
        at=column(np.float64, 0, 10**6),
        found=column(np.bool_, 0, 1),
        before=np.array(before, dtype=np.int64),
        positions=column(np.int64, 0, 4),
        user_times=column(np.uint8, 0, 3, (TERMS,)),
        answer_times=column(np.uint8, 0, 3, (TERMS,)),
        user_length=column(np.int64, 0, 300),
        answer_length=column(np.int64, 0, 300),
        user_nearness=column(np.float32, -8, 8) / np.float32(8),
        answer_nearness=column(np.float32, -8, 8) / np.float32(8),
        pieces=np.array([n for stream in streams for n in stream], dtype=np.uint16),
        starts=np.concatenate(([0], np.cumsum([len(s) for s in streams]))).astype(np.int64),
        frequencies=np.array([3, 5, 1]),
        exchanges=40,
        user_mean=50.0,
        answer_mean=50.0,
    )


def ranked(rows, lexicon=None):
    return rank(rows, features(rows, ASKED, lexicon or Letters()), RECALL)


def reordered(rows, order):
    order = np.asarray(order)
    back = np.argsort(order)
    parts = [rows.pieces[rows.starts[row] : rows.starts[row + 1]] for row in order]
    names = [rows.names[rows.name_starts[row] : rows.name_starts[row + 1]] for row in order]
    moved = {
        field.name: getattr(rows, field.name)[order]
        for field in fields(rows)
        if field.name not in {"pieces", "starts", "names", "name_starts", "frequencies", "before"}
        and isinstance(getattr(rows, field.name), np.ndarray)
    }
    before = rows.before[order]
    return replace(
        rows,
        **moved,
        before=np.where(before >= 0, back[before], -1),
        pieces=np.concatenate(parts),
        starts=np.concatenate(([0], np.cumsum([len(part) for part in parts]))),
        names=np.concatenate(names),
        name_starts=np.concatenate(([0], np.cumsum([len(name) for name in names]))),
    )


@given(index_hits_of_all(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows, random):
    order = list(range(len(rows.places)))
    random.shuffle(order)
    assert ranked(reordered(rows, order)) == ranked(rows)


@given(index_hits_of_all())
def test_what_was_found_is_ranked_once_with_evidence_that_never_rises(rows):
    found = ranked(rows)
    assert sorted(int(one.exchange) for one in found) == rows.places[rows.found].tolist()
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


@given(index_hits_of_all())
def test_a_row_that_says_nothing_changes_no_order(rows):
    more = {
        name: np.concatenate((getattr(rows, name), np.array([value], getattr(rows, name).dtype)))
        for name, value in {
            "places": 99, "sessions": 9, "at": 0.0, "found": True, "before": -1, "positions": 10**6,
            "user_length": 50, "answer_length": 50, "user_nearness": -1.0, "answer_nearness": -1.0,
            "starts": len(rows.pieces),
        }.items()
    }  # fmt: skip
    none = np.zeros((1, TERMS), np.uint8)
    wider = replace(
        rows,
        **more,
        names=np.concatenate((rows.names, np.frombuffer(b"99", dtype=np.uint8))),
        name_starts=np.append(rows.name_starts, len(rows.names) + 2),
        user_times=np.concatenate((rows.user_times, none)),
        answer_times=np.concatenate((rows.answer_times, none)),
    )
    before, after = ranked(rows), ranked(wider)
    assert [one for one in after if one.exchange != "99"] == before
    assert after[-1].exchange == "99"
