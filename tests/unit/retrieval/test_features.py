from datetime import UTC, datetime

import numpy as np
import pytest

from unabridged.retrieval.features import QueryTerms, features

NOW = datetime(2026, 3, 10, tzinfo=UTC)


THREE = ("bearing", "by_words", "by_meaning")


def at(*dates):
    return [datetime(*date, tzinfo=UTC).timestamp() for date in dates]


def asked(text="", known=1.0, **terms):
    return QueryTerms(text, NOW, terms or {"boat": "boat"}, known)


def test_nearness_never_below_nothing_and_less_where_the_embedder_knows_less(index_hits):
    rows = index_hits(2, user_nearness=[0.5, -0.4], answer_nearness=[0.2, 0.8])
    found = features(rows, asked(known=0.5), None)
    assert found["user_near"].tolist() == [0.25, 0.0]
    assert found["near"].tolist() == [0.25, pytest.approx(0.4)]


def test_coverage_weighs_rare_terms_more(index_hits):
    rows = index_hits(2, user=[[1, 0], [0, 0]], answer=[[0, 0], [0, 3]], frequencies=[1, 80])
    rare, common = features(rows, asked(boat="boat", day="day"), None)["coverage"]
    assert rare + common == pytest.approx(1.0)
    assert rare > 5 * common


def test_a_term_that_nobody_holds_still_counts_against_coverage(index_hits):
    rows = index_hits(1, user=[[1, 0]], frequencies=[5, 0])
    assert features(rows, asked(boat="boat", xyz="xyz"), None)["coverage"][0] < 0.5


def test_a_neighbour_lends_its_terms_both_ways(index_hits):
    rows = index_hits(3, user=[[1], [0], [0]], before=[-1, 0, -1])
    held, after, alone = features(rows, asked(), None)["window"]
    assert held == after > 0
    assert alone == 0
    rows = index_hits(2, user=[[0], [1]], before=[-1, 0])
    before, held = features(rows, asked(), None)["window"]
    assert before == held > 0


def test_a_long_exchange_borrows_little(index_hits):
    rows = index_hits(3, user=[[1], [0], [0]], before=[-1, 0, 0], user_length=[10, 10, 1990])
    _, short, long = features(rows, asked(), None)["window"]
    assert long == pytest.approx(short / 20)


def test_two_branches_lend_to_the_same_exchange(index_hits):
    rows = index_hits(3, user=[[0], [1], [4]], before=[-1, 0, 0])
    window = features(rows, asked(), None)["window"]
    assert window[0] == window[2] > window[1]


def test_time_is_near_for_the_day_that_is_asked_for(index_hits):
    rows = index_hits(2, at=at((2026, 3, 9), (2025, 3, 9)))
    near, far = features(rows, asked("What did I say yesterday?"), None)["time"]
    assert near > 0.5
    assert far < 0.01


def test_order_and_recency(index_hits):
    rows = index_hits(3, at=at((2026, 1, 1), (2026, 2, 1), (2026, 3, 1)))
    found = features(rows, asked("Which car did I buy most recently?"), None)
    assert found["recent"][0] == 0
    assert found["recent"][2] == 1
    assert not features(rows, asked("Which car?"), None)["order"].any()


def test_opening_is_the_beginning_of_a_path(index_hits):
    rows = index_hits(2, positions=[0, 3])
    assert features(rows, asked(), None)["opening"].tolist() == [1.0, 0.25]


def test_without_a_lexicon_whole_terms_are_alike(index_hits):
    rows = index_hits(3, user=[[1, 0]] * 2 + [[0, 0]], answer=[[0, 1], [0, 0], [1, 1]],
                     frequencies=[9, 9])  # fmt: skip
    found = features(rows, asked(boat="boat", lake="lake"), None)
    assert found["alike"].tolist() == pytest.approx([1, 0.5, 1])
    assert found["user_alike"].tolist() == pytest.approx([0.5, 0.5, 0])
    assert found["sentence"].tolist() == pytest.approx([0.5, 0.5, 1])


BOAT, SHIP, LAKE = 7, 8, 9


def test_likeness_by_side_and_sentence(index_hits, lexicon):
    knows = lexicon({"boat": [BOAT], "lake": [LAKE]}, {BOAT: {SHIP: 0.5}})
    rows = index_hits(
        4,
        frequencies=[9, 9],
        sentences=[
            [("u", [SHIP, 3]), ("a", [LAKE])],
            [("u", [3]), ("u", [BOAT, LAKE])],
            [("a", [3, 4])],
            [],
        ],
    )
    found = features(rows, asked(boat="boat", lake="lake"), knows)
    assert found["alike"].tolist() == pytest.approx([0.75, 1, 0, 0])
    assert found["user_alike"].tolist() == pytest.approx([0.25, 1, 0, 0])
    assert found["sentence"].tolist() == pytest.approx([0.5, 1, 0, 0])


def test_neighbours_are_not_compared_word_by_word(index_hits, lexicon):
    knows = lexicon({"boat": [BOAT]}, {})
    rows = index_hits(2, sentences=[[("u", [BOAT])]] * 2, found=[True, False])
    assert features(rows, asked(), knows)["alike"].tolist() == [1.0, 0.0]


def test_a_word_of_several_pieces_counts_once(index_hits, lexicon):
    knows = lexicon({"boat": [BOAT], "lake": [LAKE, 20, 21, 22]}, {})
    rows = index_hits(2, frequencies=[9, 9], sentences=[[("u", [BOAT])], [("u", [LAKE])]])
    found = features(rows, asked(boat="boat", lake="lake"), knows)
    assert found["alike"].tolist() == pytest.approx([0.5, 0.125])


def test_of_a_word_that_nobody_holds_the_pieces_speak_alone(index_hits, lexicon):
    knows = lexicon({"lkae": [LAKE, 20, 99]}, {})
    rows = index_hits(1, frequencies=[0], sentences=[[("u", [LAKE])]])
    assert features(rows, asked(lkae="lkae"), knows)["alike"].tolist() == [0.5]


def test_a_pair_that_nobody_holds_says_less_than_a_word(index_hits):
    rows = index_hits(1, user=[[1, 0]], frequencies=[1, 0])
    word = features(rows, asked(boat="boat", xyz="xyz"), None)["coverage"][0]
    pair = features(rows, QueryTerms("", NOW, {"工房": "工房", "の工": "の工"}), None)["coverage"][
        0
    ]
    assert pair > 1.5 * word


def test_features_are_float32_and_bounded(index_hits, lexicon):
    knows = lexicon({"boat": [BOAT]}, {BOAT: {SHIP: 0.3}})
    rows = index_hits(
        3, user=[[255], [1], [0]], user_nearness=[1, -1, 0.2], before=[-1, 0, 1],
        sentences=[[("u", [SHIP])], [], [("a", [BOAT])]], at=[5.0, 5.0, 5.0],
    )  # fmt: skip
    for name, column in features(rows, asked("boat yesterday"), knows).items():
        assert column.dtype == np.float32, name
        assert column.shape == (3,)
        assert ((column >= 0) & (column <= (3 if name in THREE else 1))).all(), name


def test_a_session_is_worth_its_three_best(index_hits):
    rows = index_hits(
        6, sessions=[5, 5, 5, 5, 2, 2], user_nearness=[0.6, 0.1, 0.3, 0.3, 1.0, 0.9],
        found=[True] * 5 + [False],
    )  # fmt: skip
    session = features(rows, asked(), None)["session"]
    assert session.tolist() == pytest.approx([0.2] * 4 + [1 / 6, 0])


def test_words_that_only_ask_for_the_past_say_little(index_hits):
    rows = index_hits(1, user=[[1, 0]], frequencies=[1, 1])
    framed = features(rows, asked(boat="boat", conversation="conversation"), None)["coverage"][0]
    other = features(rows, asked(boat="boat", lake="lake"), None)["coverage"][0]
    assert framed > 0.8
    assert other == pytest.approx(0.5)
