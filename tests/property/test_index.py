"""Any division of the same entries gives the same rows, and those that plain Python gives."""

import random
from collections.abc import Iterable
from math import log

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.helpers.examples import examples

from unabridged.domain.index_query import IndexHits, IndexQuery
from unabridged.index import term_search, vector_search
from unabridged.index.buffer import IndexBuffer
from unabridged.index.clusters import ClusterCentroids, train
from unabridged.index.indexed_exchange import (
    IndexedExchange,
    Vectors,
    count_words,
    key_of,
    quantise,
)
from unabridged.index.live_view import View
from unabridged.index.merge import merge
from unabridged.index.query import search
from unabridged.index.segment import Segment, build
from unabridged.index.term_weights import by_sides, by_whole, relative

DIMENSION = 24
EMBEDDER = "made"
VOCABULARY = [f"w{i}" for i in range(60)]


def entry(
    place: int, seed: int = 0, parent: int | None = None, *, dimension: int = DIMENSION
) -> IndexedExchange:
    """An entry that follows from its place and a seed."""
    rng = random.Random(f"{place} {seed}")
    words = [
        [VOCABULARY[int(len(VOCABULARY) * rng.random() ** 2)] for _ in range(rng.randrange(n))]
        for n in (12, 30)
    ]
    passages = rng.choice((0, 1, 1, 1, 2, 5))
    numbers = np.random.default_rng(rng.randrange(1 << 32))
    codes, scales = quantise(numbers.standard_normal((passages, dimension)).astype(np.float32))
    sides = np.array([rng.choice((1, 2, 3)) for _ in range(passages)], dtype=np.uint8)
    before = place - 1 if rng.random() < 0.7 else rng.choice((-1, place // 2 if place else -1))
    return IndexedExchange(
        place=place,
        session=rng.randrange(5),
        parent=before if parent is None else parent,
        at=1e9 + place + rng.random(),
        position=rng.randrange(9),
        words=count_words(*(map(key_of, side) for side in words)),
        pieces=np.unique(numbers.integers(0, 30_000, rng.randrange(20)).astype(np.uint16)),
        vectors=Vectors(codes, scales, sides) if passages else None,
        name=f"exchange-{place * 7}-{'é' * (place % 3)}",
    )


def lengths_of(one: IndexedExchange) -> tuple[int, int]:
    return int(one.words.user.sum()), int(one.words.answer.sum())


def index_query(seed: int, limit: int = 8, *, dimension: int = DIMENSION) -> IndexQuery:
    rng = random.Random(seed)
    terms = rng.sample([*VOCABULARY, "nobody", "never"], rng.randrange(1, 9))
    vector = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    session = rng.randrange(6) if rng.random() < 0.3 else None
    return IndexQuery(tuple(terms), None if rng.random() < 0.1 else vector, limit, session)


def divided(
    entries: Iterable[IndexedExchange],
    seed: int,
    centres: ClusterCentroids | None = None,
    *,
    dimension: int = DIMENSION,
) -> View:
    """A view of entries in some division, with stale and removed ones lying about in it."""
    rng = random.Random(seed)
    held = list(entries)
    rng.shuffle(held)
    segments: list[Segment] = []
    removed: list[np.ndarray] = []
    edges = sorted(rng.sample(range(len(held) + 1), min(rng.randrange(5), len(held))))
    for start, stop in zip([0, *edges], edges, strict=False):
        segment, stale = _segment(rng, held[start:stop], held, centres, dimension)
        segments.append(segment)
        removed.append(stale)
    tail = IndexBuffer(EMBEDDER, dimension, centres)
    for one in held[edges[-1] if edges else 0 :]:
        if rng.random() < 0.3:
            tail.put(entry(one.place, rng.randrange(99), dimension=dimension))
        if rng.random() < 0.3:
            junk = entry(50_000 + rng.randrange(100), dimension=dimension)
            tail.put(junk)
            if rng.random() < 0.5:
                assert len(tail.arrays["places"])
            assert tail.remove(junk.place)
        tail.put(one)
    return View(segments, removed, tail, centres)


def _segment(
    rng: random.Random,
    some: list[IndexedExchange],
    held: list[IndexedExchange],
    centres: ClusterCentroids | None,
    dimension: int,
) -> tuple[Segment, np.ndarray]:
    here = {one.place for one in some}
    others = [one.place for one in held if one.place not in here]
    stale = rng.sample(others, min(len(others), rng.randrange(4)))
    stale += rng.sample(range(90_000, 90_100), rng.randrange(3))
    extra = [entry(place, rng.randrange(99), dimension=dimension) for place in stale]
    kept = rng.random() < 0.5
    parts = [some[i::3] for i in range(3)] if rng.random() < 0.6 else [some]
    parts[0] = [*parts[0], *extra]
    built = [build(part, EMBEDDER, dimension, centres) for part in parts]
    if len(built) == 1 and kept:
        return built[0], np.unique(np.array(stale, dtype=np.int64))
    gone, none = np.unique(np.array(stale, dtype=np.int64)), np.empty(0, dtype=np.int64)
    merged = merge(built, [none if kept else gone, none, none][: len(built)], centres)
    return merged, gone if kept else none


def expected(entries: Iterable[IndexedExchange], asked: IndexQuery) -> IndexHits:
    """What a lookup gives where everything is compared exactly."""
    held = {one.place: one for one in entries}
    words = {place: _words(one) for place, one in held.items()}
    count = len(held)
    holding = [sum(key_of(t) in words[p] for p in held) for t in asked.terms]
    rarities = [log(1.0 + (count - n + 0.5) / (n + 0.5)) for n in holding]
    means = [sum(lengths_of(one)[side] for one in held.values()) / count for side in (0, 1)]
    ways = ([], [])
    for place, one in held.items():
        user, answer = lengths_of(one)
        lengths = relative(np.array([user]), np.array([answer]), tuple(means))
        for way, found in zip((by_whole, by_sides), ways, strict=True):
            score = 0.0
            for term, rarity in zip(asked.terms, rarities, strict=True):
                times = words[place].get(key_of(term), (0, 0))
                weight = way(np.array([float(times[0])]), np.array([float(times[1])]), lengths)
                score += rarity * float(weight[0])
            found.append(score)
    there = {p for p in held if asked.session in (None, held[p].session)}
    most = [
        max((n for p, n in zip(held, way, strict=True) if p in there), default=0) for way in ways
    ]
    scores = {
        place: one / (most[0] or 1.0) + other / (most[1] or 1.0)
        for place, one, other in zip(held, *ways, strict=True)
    }
    near = {place: _nearness(one, asked.vector) for place, one in held.items()}
    by_words = [p for p in there if scores[p]]
    by_words.sort(key=lambda p: (scores[p], p), reverse=True)
    by_vectors = [p for p in there if near[p]] if asked.vector is not None else []
    if asked.session is not None:
        by_vectors = [p for p in by_vectors if _joint(near[p]) > 0]
    by_vectors.sort(key=lambda p: (_joint(near[p]), p), reverse=True)
    found = {*by_words[: asked.limit], *by_vectors[: asked.limit]}
    beside = {held[p].parent for p in found} | {p for p in held if held[p].parent in found}
    rows = sorted(found | (beside & there))
    at = {p: i for i, p in enumerate(rows)}
    near.update({p: {} for p in rows if p not in found})
    pieces = [held[p].pieces if p in found else held[p].pieces[:0] for p in rows]
    times = np.array(
        [[words[p].get(key_of(term), (0, 0)) for term in asked.terms] for p in rows],
        dtype=np.uint8,
    ).reshape(len(rows), len(asked.terms), 2)
    names = [held[p].name_bytes for p in rows]
    return IndexHits(
        places=np.array(rows, dtype=np.int64),
        names=np.concatenate([*names, np.empty(0, dtype=np.uint8)]),
        name_starts=np.cumsum([0, *map(len, names)]),
        sessions=np.array([held[p].session for p in rows], dtype=np.int64),
        at=np.array([held[p].at for p in rows]),
        found=np.array([p in found for p in rows], dtype=np.bool_),
        before=np.array([at.get(held[p].parent, -1) for p in rows], dtype=np.int64),
        positions=np.array([held[p].position for p in rows], dtype=np.int64),
        user_times=times[:, :, 0],
        answer_times=times[:, :, 1],
        user_length=np.array([lengths_of(held[p])[0] for p in rows], dtype=np.int64),
        answer_length=np.array([lengths_of(held[p])[1] for p in rows], dtype=np.int64),
        user_nearness=np.array([near[p].get(1, 0) for p in rows], dtype=np.float32),
        answer_nearness=np.array([near[p].get(2, 0) for p in rows], dtype=np.float32),
        pieces=np.concatenate([*pieces, np.empty(0, dtype=np.uint16)]),
        starts=np.cumsum([0, *(len(p) for p in pieces)]),
        frequencies=np.array(holding, dtype=np.int64),
        exchanges=count,
        user_mean=means[0],
        answer_mean=means[1],
    )


def _words(one: IndexedExchange) -> dict[int, tuple[int, int]]:
    words = one.words
    return {
        k: (u, a)
        for k, u, a in zip(
            words.keys.tolist(), words.user.tolist(), words.answer.tolist(), strict=True
        )
    }


def _nearness(one: IndexedExchange, vector: np.ndarray | None) -> dict[int, np.float32]:
    if one.vectors is None or vector is None:
        return {}
    codes, scales = quantise(vector[None, :])
    best: dict[int, np.float32] = {}
    for row, scale, side in zip(
        one.vectors.codes, one.vectors.scales, one.vectors.sides.tolist(), strict=True
    ):
        product = sum(int(a) * int(b) for a, b in zip(row, codes[0], strict=True))
        cosine = np.float32(product) * (scale * scales[0])
        for one_side in (1, 2):
            if side & one_side:
                best[one_side] = max(best.get(one_side, np.float32("-inf")), cosine)
    return best


def _joint(near: dict[int, np.float32]) -> np.float32:
    """The best cosine of the user's side and the best of any."""
    zero = np.float32(0)
    return max(near.get(1, zero), zero) + max(*near.values(), zero)


def same(left: IndexHits, right: IndexHits) -> list[str]:
    """The columns that differ."""
    return [name for name in IndexHits.__dataclass_fields__ if not _equal(left, right, name)]


def _equal(left, right, name):
    one, other = getattr(left, name), getattr(right, name)
    return np.array_equal(one, other) and getattr(one, "dtype", 0) == getattr(other, "dtype", 0)


SEEDS = st.integers(0, 1 << 32)
SMALL = ((vector_search, "EXACT"), (vector_search, "SCANNED"))
SMALL_WORDS = (
    (term_search, "MOST_POSTINGS"),
    (term_search, "SURVIVORS"),
    (term_search, "_SEARCH_COST"),
)


@given(SEEDS, st.integers(1, 50), st.integers(1, 12))
@settings(max_examples=examples(60), deadline=None)
def test_small_spaces_give_what_plain_python_gives(seed, count, limit):
    entries = [entry(place * (1 + seed % 3), seed) for place in range(count)]
    asked = index_query(seed, limit)
    view = divided(entries, seed + 1)
    assert view.exchanges == count
    assert same(search(view.scene(), asked), expected(entries, asked)) == []


@given(SEEDS, st.integers(2, 80), st.integers(1, 6))
@settings(max_examples=examples(60), deadline=None)
def test_no_division_changes_anything_where_short_cuts_are_taken(seed, count, limit):
    rng = random.Random(seed)
    entries = [entry(place * (1 + seed % 3), seed) for place in range(count)]
    codes = [one.vectors.codes for one in entries if one.vectors is not None]
    centres = train(np.concatenate(codes), rng.randrange(1, 6)) if codes and seed % 3 else None
    asked = index_query(seed, limit)
    with pytest.MonkeyPatch.context() as patch:
        for module, name in (*SMALL, *SMALL_WORDS):
            patch.setattr(module, name, rng.choice((2, 5, 20)))
        patch.setattr(vector_search, "RESCORED", (rng.choice((2, 5, 20)), 20))
        one, other = (search(divided(entries, seed + i, centres).scene(), asked) for i in range(2))
    assert same(one, other) == []


@given(SEEDS, st.integers(1, 40))
@settings(max_examples=examples(30), deadline=None)
def test_looking_finds_what_was_put_since_the_last_time(seed, count):
    entries = [entry(place, seed) for place in range(count)]
    tail = IndexBuffer(EMBEDDER, DIMENSION)
    view = View(
        [build(entries[::2], EMBEDDER, DIMENSION)], [np.empty(0, dtype=np.int64)], tail, None
    )
    asked = index_query(seed, 4)
    for i, one in enumerate(entries[1::2]):
        tail.put(one)
        now = [*entries[::2], *entries[1::2][: i + 1]]
        assert same(search(view.scene(), asked), expected(now, asked)) == []
