import math

import pytest

from bench.figures.bootstrap import differences, intervals


def test_the_error_is_that_of_the_mean():
    values = [n % 2 for n in range(400)]
    found = intervals([{"x": float(value)} for value in values])["x"]
    assert found.mean == 0.5
    assert found.error == pytest.approx(math.sqrt(0.25 / 400), rel=0.05)
    assert found.low == pytest.approx(0.5 - 1.96 * 0.025, abs=0.004)
    assert found.high == pytest.approx(0.5 + 1.96 * 0.025, abs=0.004)


def test_the_same_values_give_the_same_interval():
    rows = [{"x": n / 7, "y": 1.0} for n in range(20)]
    assert intervals(rows) == intervals(rows)
    assert intervals(rows)["y"] == (found := intervals(rows))["y"]
    assert (found["y"].error, found["y"].low, found["y"].high) == (0, 1, 1)


def test_differences_are_paired():
    theirs = [{"x": float(n % 2), "mine": 0.0} for n in range(50)]
    ours = [{"x": row["x"] + 0.1, "other": 1.0} for row in theirs]
    found = differences(ours, theirs)
    assert list(found) == ["x"]
    assert found["x"].mean == pytest.approx(0.1)
    assert found["x"].low == pytest.approx(0.1)
    assert found["x"].error == pytest.approx(0, abs=1e-9)


def test_nothing_gives_nothing():
    assert intervals([]) == {}
    assert differences([], []) == {}
