import math

import pytest
from hypothesis import given, strategies as st

from bench.recall.ranking_measures import PLACES, distinct, ranked, stands_in

names = st.text("abcdefgh", min_size=1, max_size=2)


def test_a_ranking_worked_out_by_hand():
    found = ranked(["x", "a", "y", "b", "z", "w"], {"a", "b", "c"})
    assert [found[f"any@{k}"] for k in (1, 3, 5)] == [0, 1, 1]
    assert [found[f"all@{k}"] for k in (1, 3, 50)] == [0, 0, 0]
    assert [found[f"frac@{k}"] for k in (1, 3, 5)] == [
        0,
        pytest.approx(1 / 3),
        pytest.approx(2 / 3),
    ]
    assert found["mrr"] == 0.5
    gain = 1 / math.log2(3) + 1 / math.log2(5)
    assert found["ndcg@10"] == pytest.approx(gain / (1 + 1 / math.log2(3) + 1 / math.log2(4)))


def test_every_gold_unit_first_is_perfect_and_none_is_nothing():
    assert set(ranked(["a", "b"], {"a"}).values()) == {1.0}
    assert set(ranked(["x", "y"], {"a"}).values()) == {0.0}
    assert set(ranked([], {"a"}).values()) == {0.0}


@given(st.lists(names, unique=True, max_size=60), st.sets(names, min_size=1))
def test_measures_bound_each_other(order, gold):
    found = ranked(order, gold)
    assert all(0 <= value <= 1 for value in found.values())
    for k in PLACES:
        assert found[f"all@{k}"] <= found[f"frac@{k}"] <= found[f"any@{k}"]
    for measure in ("any", "all", "frac"):
        by_place = [found[f"{measure}@{k}"] for k in PLACES]
        assert by_place == sorted(by_place)
    assert found["any@1"] <= found["mrr"]


def test_each_name_stands_at_its_first_place():
    assert distinct(["b", "a", "b", "c", "a"]) == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("answer", "text", "stands"),
    [
        ("Petronella", "we called her PETRONELLA.", True),
        ("a tomato  feed", "use a tomato\nfeed, weekly", True),
        ("7 days", "it took 17 days", False),
        ("larch", "larches", False),
        ("", "anything", False),
        ("…", "anything …", False),
        ("20 %", "20% of it", True),
        ("咖啡", "我喜欢 咖啡。", True),
    ],
)
def test_an_answer_stands_word_for_word(answer, text, stands):
    assert stands_in(answer, text) is stands
