import numpy as np
import pytest

from unabridged.domain.index_query import IndexQuery
from unabridged.index import merge_policy, term_weights
from unabridged.index.array_runs import best, distinct, positions_of, spread
from unabridged.index.buffer import IndexBuffer
from unabridged.index.clusters import ClusterCentroids, pack_centres, train, unpack_centres, wanted
from unabridged.index.indexed_exchange import (
    IndexedExchange,
    Vectors,
    count_words,
    key_of,
    quantise,
)
from unabridged.index.live_view import View
from unabridged.index.merge import merge
from unabridged.index.merge_policy import SegmentSize, full, next_merge
from unabridged.index.query import search
from unabridged.index.segment import build
from unabridged.index.sign_bits import differences, signs_of, words_for

DIMENSION = 16


def vectors(*rows):
    codes, scales = quantise(np.array(rows, dtype=np.float32).reshape(-1, DIMENSION))
    return Vectors(codes, scales, np.full(len(rows), 3, dtype=np.uint8))


def some_vectors(count, seed=0):
    return np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)


def entry(place, user="", answer="", vectors=None, parent=None):
    return IndexedExchange(
        place,
        1,
        place - 1 if parent is None else parent,
        1e9 + place,
        0,
        count_words(map(key_of, user.split()), map(key_of, answer.split())),
        np.array([place], dtype=np.uint16),
        vectors,
    )


NONE = np.empty(0, dtype=np.int64)


def view_of(segments, tail=None, centres=None):
    """Return a view of segments of which nothing was removed."""
    return View(segments, [NONE] * len(segments), IndexBuffer() if tail is None else tail, centres)


def found(view, *terms, limit=8, vector=None):
    rows = search(view.scene(), IndexQuery(terms, vector, limit))
    return rows.places[rows.found].tolist()


# The tail


def test_a_tail_finds_what_was_put_and_not_what_was_removed():
    tail = IndexBuffer()
    view = view_of([], tail)
    tail.put(entry(1, "red fox"))
    tail.put(entry(2, "red hen"))
    assert found(view, "red") == [1, 2]
    assert tail.remove(1)
    assert not tail.remove(1)
    assert found(view, "red") == [2]
    assert found(view, "fox") == []
    assert 1 not in tail
    assert 2 in tail
    assert len(tail) == 1


def test_a_removed_entry_leaves_nothing_in_the_tail():
    tail = IndexBuffer("made", DIMENSION)
    tail.put(entry(1, "secret word", vectors=vectors(*some_vectors(2))))
    tail.remove(1)
    assert tail.entries() == []
    assert tail._runs == {}
    assert tail._children == {}
    passages = tail._passages
    assert not passages["passage_codes"].any()
    assert not passages["passage_signs"].any()


def test_replacing_over_and_over_takes_no_room():
    tail = IndexBuffer("made", DIMENSION)
    for i in range(3000):
        tail.put(entry(i % 3, f"word{i}", vectors=vectors(*some_vectors(2, i))))
    assert tail.exchanges == 3
    assert tail.passages == 6
    assert len(tail.arrays["passage_docs"]) <= 600


def test_a_tail_refuses_vectors_of_another_dimension():
    with pytest.raises(ValueError, match="16"):
        IndexBuffer("made", 8).put(entry(1, vectors=vectors(*some_vectors(1))))


# Segments and views


def test_a_segment_has_what_it_was_built_of_by_place():
    segment = build([entry(5, "b a"), entry(2, "a", "c c")])
    assert segment.places.tolist() == [2, 5]
    assert segment.exchanges == 2
    assert segment.passages == 0
    assert segment.arrays["sums"].tolist() == [3, 2]


def test_neighbours_stand_beside_what_was_found():
    entries = [entry(i, f"word{i}") for i in range(6)] + [entry(9, "other", parent=2)]
    view = view_of([build(entries[:3])], _tail(entries[3:]))
    rows = search(view.scene(), IndexQuery(("word2",)))
    assert rows.places.tolist() == [1, 2, 3, 9]
    assert rows.found.tolist() == [False, True, False, False]
    assert rows.before.tolist() == [-1, 0, 1, 1]
    assert rows.user_times.tolist() == [[0], [1], [0], [0]]


def _tail(entries, embedder="", dimension=0):
    tail = IndexBuffer(embedder, dimension)
    for one in entries:
        tail.put(one)
    return tail


def test_an_empty_view_finds_nothing():
    rows = search(view_of([]).scene(), IndexQuery(("a", "b"), np.ones(4, dtype=np.float32)))
    assert rows.places.tolist() == []
    assert rows.user_times.shape == (0, 2)
    assert rows.starts.tolist() == [0]


def test_the_newest_of_equals_are_found():
    view = view_of([build([entry(i, "same words") for i in range(20)])])
    assert found(view, "same", limit=3) == [17, 18, 19]


def test_removed_places_are_neither_found_nor_beside():
    segment = build([entry(i, "same") for i in range(4)])
    view = View([segment], [np.array([2, 77])], IndexBuffer(), None)
    assert view.exchanges == 3
    rows = search(view.scene(), IndexQuery(("same",)))
    assert rows.places.tolist() == [0, 1, 3]
    assert rows.frequencies.tolist() == [3]
    assert rows.before.tolist() == [-1, 0, -1]


def test_a_vector_of_another_dimension_is_refused():
    view = view_of([build([entry(1, vectors=vectors(*some_vectors(1)))], "made", DIMENSION)])
    with pytest.raises(ValueError, match="16"):
        search(view.scene(), IndexQuery((), np.ones(5, dtype=np.float32)))


def test_vectors_of_two_embedders_are_never_mixed():
    one, other = (
        build([entry(i, vectors=vectors(*some_vectors(1)))], name, DIMENSION)
        for i, name in enumerate(("one", "other"))
    )
    with pytest.raises(ValueError, match="several embedders"):
        view_of([one, other])
    with pytest.raises(ValueError, match="several embedders"):
        merge([one, other], [NONE, NONE], None)


def test_a_view_refuses_lists_of_other_centres():
    held = vectors(*some_vectors(20))
    centres = train(held.codes, 3)
    segment = build([entry(1, vectors=held)], "made", DIMENSION)
    with pytest.raises(ValueError, match="other centres"):
        view_of([segment], IndexBuffer("made", DIMENSION, centres), centres)
    view_of([merge([segment], [NONE], centres)], IndexBuffer("made", DIMENSION, centres), centres)


def test_merging_gives_what_building_gives():
    entries = [
        entry(i, f"w{i % 5} w{i % 3} x", f"y{i % 7}", vectors(*some_vectors(i % 3, i)))
        for i in range(60)
    ]
    centres = train(vectors(*some_vectors(40)).codes, 4)
    parts = [build(entries[i::4], "made", DIMENSION) for i in range(4)]
    gone = {3, 17, 58}
    merged = merge(parts, [np.array(sorted(gone))] * 4, centres)
    built = build([e for e in entries if e.place not in gone], "made", DIMENSION, centres)
    assert merged.arrays.keys() == built.arrays.keys()
    for name, array in built.arrays.items():
        assert merged.arrays[name].dtype == array.dtype, name
        assert np.array_equal(merged.arrays[name], array), name
    assert (merged.embedder, merged.dimension, merged.centres) == (
        "made",
        DIMENSION,
        centres.identity,
    )


def test_merging_nothing_gives_nothing():
    alone = build([entry(1, "a")])
    assert merge([alone], [np.array([1])], None).exchanges == 0


# Signs and centres


@pytest.mark.parametrize(
    ("dimension", "words"), [(0, 0), (1, 1), (64, 1), (65, 2), (192, 3), (384, 6), (1024, 16)]
)
def test_signs_take_whole_words(dimension, words):
    assert words_for(dimension) == words
    assert signs_of(np.ones((2, dimension), dtype=np.int8)).shape == (2, words)


def test_signs_do_not_depend_on_what_is_beside_them():
    codes = np.random.default_rng(3).integers(-127, 128, (5000, 96)).astype(np.int8)
    together = signs_of(codes)
    assert np.array_equal(together[4321:4322], signs_of(codes[4321:4322]))


@pytest.mark.parametrize("dimension", [24, 96, 192, 384])
@pytest.mark.parametrize("count", [1, 511, 1300])
def test_differences_are_counted(dimension, count):
    rng = np.random.default_rng(dimension)
    signs = signs_of(rng.integers(-127, 128, (count, dimension)).astype(np.int8))
    expected = [
        sum((int(a) ^ int(b)).bit_count() for a, b in zip(row, signs[0], strict=True))
        for row in signs
    ]
    assert differences(signs, signs[0]).tolist() == expected


def test_near_vectors_differ_in_few_signs():
    rng = np.random.default_rng(5)
    one = rng.standard_normal(384)
    near, far = one + 0.3 * rng.standard_normal(384), rng.standard_normal(384)
    codes, _ = quantise(np.stack([one, near, far]).astype(np.float32))
    signs = signs_of(codes)
    assert differences(signs, signs[0]).tolist()[1] < 60
    assert 150 < differences(signs, signs[0]).tolist()[2] < 234


def test_each_vector_is_in_the_list_of_the_nearest_centre():
    codes = vectors(*some_vectors(300)).codes
    centres = train(codes, 7)
    units = centres.codes / np.linalg.norm(centres.codes.astype(float), axis=1)[:, None]
    nearest = (codes.astype(float) @ units.T).argmax(axis=1)
    assert (centres.nearest(codes) == nearest).mean() > 0.99
    assert centres.order(codes[0])[0] == centres.nearest(codes[:1])[0]
    assert sorted(centres.order(codes[0]).tolist()) == list(range(7))


def test_training_finds_clusters():
    middles = some_vectors(5, 1) * 4
    codes, _ = quantise(np.concatenate([m + some_vectors(40, i) for i, m in enumerate(middles)]))
    lists = train(codes[np.random.default_rng(0).permutation(200)], 5).nearest(codes)
    assert all(len(set(lists[i : i + 40].tolist())) <= 2 for i in range(0, 200, 40))
    assert len(set(lists.tolist())) == 5


def test_centres_are_the_same_after_packing():
    centres = train(vectors(*some_vectors(50)).codes, 5)
    again = unpack_centres(pack_centres(centres), DIMENSION)
    assert again.identity == centres.identity
    assert np.array_equal(again.codes, centres.codes)
    assert again.identity != ClusterCentroids(centres.codes[::-1]).identity
    with pytest.raises(ValueError, match="no centres"):
        unpack_centres(b"123", DIMENSION)


def test_fewer_vectors_than_centres_make_fewer_centres():
    assert len(train(vectors(*some_vectors(3)).codes, 10)) == 3


def test_small_spaces_want_no_centres():
    assert wanted(10_000) == 0
    assert wanted(1_000_000) > 100


# Weights and upkeep


def test_codes_tell_occurrences_and_lengths_apart():
    times = np.array([0, 1, 2, 3, 255], dtype=np.uint8)
    codes = term_weights.codes_of(times, np.full(5, 30))
    assert codes[0] == 0
    assert len(set(codes.tolist())) == 5
    assert codes.max() < 128
    longer = term_weights.codes_of(times, np.full(5, 60))
    assert (longer[1:] > codes[1:]).all()
    means = (30.0, 30.0)
    short, long = (term_weights.weigh(term_weights.joined(c, c), means) for c in (codes, longer))
    assert short[0] == 0
    assert (np.diff(short) > 0).all()
    assert (long[1:] < short[1:]).all()


def test_a_table_weighs_as_the_formula_does():
    codes = np.random.default_rng(0).integers(0, 1 << 14, 20_000).astype(np.uint16)
    table = term_weights.weigh(codes, (20.0, 40.0))
    assert np.array_equal(table[:100], term_weights.weigh(codes[:100], (20.0, 40.0)))


def test_the_tail_is_sealed_when_it_is_full():
    assert not full(SegmentSize(merge_policy.SEALED_EXCHANGES - 1, 10))
    assert full(SegmentSize(merge_policy.SEALED_EXCHANGES, 10))
    assert full(SegmentSize(3, merge_policy.SEALED_PASSAGES))


@pytest.mark.parametrize("passages", [0, 1, 2, 12])
def test_segments_stay_few_and_each_is_copied_few_times(passages):
    sizes, copied, most = [], 0, 0
    sealed = min(merge_policy.SEALED_EXCHANGES, merge_policy.SEALED_PASSAGES // max(passages, 1))
    total = 0
    while total < 1_000_000:
        sizes.append(SegmentSize(sealed, sealed * passages))
        total += sealed
        while chosen := next_merge(sizes):
            merged = [sizes[i] for i in chosen]
            copied += sum(size.exchanges for size in merged)
            sizes = [size for i, size in enumerate(sizes) if i not in chosen]
            sizes.append(
                SegmentSize(sum(m.exchanges for m in merged), sum(m.passages for m in merged))
            )
            assert sizes[-1].weight <= 1.5 * merge_policy.LARGEST
        most = max(most, len(sizes))
    assert copied <= 5 * total
    heaviest = total * max(1, passages / 2) / merge_policy.LARGEST
    assert most <= 2 * heaviest + 3 * merge_policy.FANOUT


def test_a_stale_segment_is_written_anew():
    sizes = [SegmentSize(100, 100), SegmentSize(100_000, 100_000, removed=50_000)]
    assert next_merge(sizes) == (1,)
    assert next_merge([SegmentSize(100, 100, removed=5)]) == ()


# Small tools


def test_runs_are_spread():
    assert spread(np.array([5, 0, 9]), np.array([2, 0, 3])).tolist() == [5, 6, 9, 10, 11]
    assert spread(np.array([], dtype=np.int64), np.array([], dtype=np.int64)).tolist() == []


def test_distinct_and_positions():
    assert distinct(np.array([3, 1, 3, 2, 1])).tolist() == [1, 2, 3]
    assert positions_of(np.array([1, 4, 9]), np.array([1, 2, 9])).tolist() == [0, -1, 2]
    assert positions_of(np.array([1]), np.array([], dtype=np.int64)).tolist() == [-1]


def test_the_best_are_chosen_and_the_newest_of_equals():
    values = np.array([1.0, 5.0, 3.0, 3.0, 3.0, 0.0])
    places = np.array([10, 11, 14, 12, 13, 15])
    assert best(values, 3, lambda some: places[some]).tolist() == [1, 2, 4]
    assert best(values, 9, lambda some: places[some]).tolist() == list(range(6))
