import math

import pytest
from hypothesis import given, settings, strategies as st
from tests.helpers.examples import examples

from unabridged.budget.calibration import BOUNDS, Calibration
from unabridged.tokens.estimate import EstimateTokenizer
from unabridged.tokens.tiktoken import TiktokenTokenizer

TEXT = st.text(st.characters(), max_size=400) | st.text("ab AB1.\n 中é😂", max_size=400)
COUNTS = st.dictionaries(st.sampled_from(sorted(BOUNDS)), st.floats(0, 50_000), max_size=6)


@pytest.fixture(scope="module")
def exact():
    return TiktokenTokenizer("o200k_base")


@settings(max_examples=examples(300))
@given(text=TEXT)
def test_every_text_can_be_estimated(text):
    estimate = EstimateTokenizer()
    count = estimate.count(text)
    assert (count > 0) == bool(text)
    assert math.isclose(sum(estimate.by_script(text).values()), count, abs_tol=1e-6)


@settings(max_examples=examples(200))
@given(text=TEXT)
def test_every_text_can_be_counted(exact, text):
    count = exact.count(text)
    assert (count > 0) == bool(text)
    assert math.isclose(sum(exact.by_script(text).values()), count, abs_tol=1e-6)


@settings(max_examples=examples(200))
@given(reports=st.lists(st.tuples(COUNTS, st.integers(-10, 200_000)), max_size=12))
def test_no_report_breaks_a_calibration(reports):
    found = Calibration()
    for counts, reported in reports:
        found = found.learn(counts, reported)
        assert 0.01 <= found.margin_share() <= 0.05
        for name, ratio in found.ratios.items():
            low, high = BOUNDS[name]
            assert low <= ratio <= high
        assert found.apply({"latin": 100.0, "cjk": 10.0}) > 0
    assert found.reports + found.ignored == len(reports)
    assert Calibration.from_body(found.to_body()) == found
