import random

import pytest

from bench.condense.rouge import longest_common, rouge_l


def by_table(first, second):
    """The textbook's table."""
    row = [0] * (len(second) + 1)
    for item in first:
        before, row = row, [0]
        for place, other in enumerate(second):
            row.append(before[place] + 1 if item == other else max(before[place + 1], row[place]))
    return row[-1]


@pytest.mark.parametrize("seed", range(40))
def test_the_longest_common_subsequence_is_the_tables(seed):
    chance = random.Random(seed)
    first = chance.choices("abcde", k=chance.randrange(90))
    second = chance.choices("abcdef", k=chance.randrange(90))
    assert longest_common(first, second) == by_table(first, second)


def test_rouge_is_lins_example():
    # Lin (2004), section 3.1: "police killed the gunman" against two candidates.
    reference = "police killed the gunman"
    assert rouge_l("police kill the gunman", reference).f1 == pytest.approx(0.75)
    assert rouge_l("the gunman kill police", reference).f1 == pytest.approx(0.5)


def test_precision_and_recall_are_shares_of_each_text():
    found = rouge_l("The team chose Oslo, and the budget grew.", "the team chose oslo")
    assert (found.precision, found.recall) == (0.5, 1.0)
    assert found.f1 == pytest.approx(2 / 3)


@pytest.mark.parametrize(("candidate", "reference"), [("", "a"), ("a", ""), ("a", "b"), ("", "")])
def test_nothing_shared_is_nothing(candidate, reference):
    assert rouge_l(candidate, reference).f1 == 0
