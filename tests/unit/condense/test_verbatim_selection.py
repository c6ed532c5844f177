"""Which messages stay verbatim (EMM, step 2.2)."""

import pytest

from unabridged.annotations.schemes import scheme
from unabridged.condense.verbatim_selection import Candidate, least_kept, select

STORY = scheme("story")


@pytest.mark.parametrize(
    ("share", "count", "kept"),
    [(0.9, 1, 1), (0.9, 3, 3), (0.9, 20, 18), (0.4, 5, 2), (0.7, 10, 7), (0.5, 4, 2), (0.4, 0, 0)],
)
def test_a_share_is_rounded_up(share, count, kept):
    assert least_kept(share, count) == kept


def test_the_most_important_stay_and_of_equals_the_oldest():
    said = [0.4, 0.9, 0.1, 0.9, 0.4]
    candidates = [Candidate((f"e{n}", 0), "standard", each) for n, each in enumerate(said)]
    made = select(candidates, STORY)
    assert made.keep == {"standard": (("e1", 0), ("e3", 0))}
    assert made.condense == {"standard": (("e0", 0), ("e2", 0), ("e4", 0))}


def test_categories_are_counted_each_for_itself_and_an_unknown_one_is_the_fallback():
    candidates = [
        Candidate((f"{name}{n}", 0), name, 0.5)
        for name in ("story_critical", "standard", "nobody knows it")
        for n in range(5)
    ]
    made = select(candidates, STORY)
    assert {name: len(keys) for name, keys in made.keep.items()} == {
        "story_critical": 5,
        "standard": 4,
    }
    assert {name: len(keys) for name, keys in made.condense.items()} == {"standard": 6}


def test_what_was_condensed_before_counts_and_stays_condensed():
    candidates = [Candidate((f"e{n}", 0), "standard", n / 10) for n in range(10)]
    before = {(f"e{n}", 0) for n in range(5)}
    made = select(candidates, STORY, before)
    assert made.keep == {"standard": (("e6", 0), ("e7", 0), ("e8", 0), ("e9", 0))}
    assert made.condense == {"standard": (("e5", 0),)}
    assert set(made.before["standard"]) == before
