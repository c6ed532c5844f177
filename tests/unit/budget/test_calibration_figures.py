"""Calibration against the same filter in matrices, and against counts by hand."""

import json
import math
import random
from dataclasses import replace

import numpy as np
import pytest

from unabridged.budget.calibration import BOUNDS, IMAGE, SPREADS, TEMPLATE, VOCABULARY, Calibration

NOISE, DRIFT, SURPRISE, FADE, ODD = 0.02, 0.01, 4.0, 0.75, 0.1
TOGETHER, OTHER_SPREAD, OTHER_BOUNDS = 0.4, 0.4, (0.15, 1.6)


def spread_of(one, other):
    """The covariance of two classes before any report."""
    share = 1.0 if one == other else TOGETHER if {one, other} <= VOCABULARY else 0.0
    return share * SPREADS.get(one, OTHER_SPREAD) * SPREADS.get(other, OTHER_SPREAD)


class Filter:
    """A Kalman filter over all classes, and the fading mean and variance of its errors."""

    def __init__(self, names):
        self.names = sorted(names)
        self.ratios = np.ones(len(self.names))
        self.joint = np.array([[spread_of(a, b) for b in self.names] for a in self.names])
        self.bias = self.variance = 0.0
        self.reports = 0

    def learn(self, counts, reported):
        seen = np.array([counts.get(name, 0.0) for name in self.names])
        error = reported - sum(
            n * (self.ratios[self.names.index(name)] if name in self.names else 1.0)
            for name, n in counts.items()
        )
        joint = self.joint + DRIFT**2 * np.eye(len(seen))
        pull = joint @ seen
        expected = seen @ pull + (NOISE * reported) ** 2 + 1
        expected *= max(1.0, abs(error) / (SURPRISE * math.sqrt(expected))) ** 2
        low, high = zip(*(BOUNDS.get(name, OTHER_BOUNDS) for name in self.names), strict=True)
        self.ratios = np.clip(self.ratios + pull * error / expected, low, high)
        self.joint = joint - np.outer(pull, pull) / expected
        share = min(ODD, max(-ODD, error / reported))
        fade = FADE if self.reports else 0.0
        off = share - self.bias if self.reports else 0.0
        self.bias = fade * self.bias + (1 - fade) * share
        self.variance = fade * (self.variance + (1 - fade) * off**2)
        self.reports += 1


def texts(seed, names):
    """Prompts of random classes, with what a model with other ratios takes for them."""
    chosen = random.Random(seed)
    ratios = {name: chosen.uniform(0.6, 1.4) for name in names}
    for _ in range(12):
        picked = chosen.sample(names, chosen.randint(1, min(4, len(names))))
        counts = {name: float(chosen.randint(1, 900)) for name in picked}
        yield (
            counts,
            round(sum(ratios[n] * c for n, c in counts.items()) * chosen.uniform(0.9, 1.1)),
        )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("exact", [False, True])
def test_learning_is_a_kalman_filter(seed, exact):
    found = Calibration(exact=exact)
    names = [TEMPLATE, IMAGE] if exact else [*SPREADS, "runic", "ogham"]
    known, total, reports = Filter(names), {}, 0
    for counts_of, taken in texts(seed, sorted(names)):
        other = {} if exact or reports else {"runic": 40.0, "ogham": 40.0}
        counts = {**counts_of, **other}
        reported = taken + 40 * len(other)
        if not found.possible(counts, reported):
            continue
        found = found.learn(counts, reported)
        known.learn(counts, reported)
        total = {name: total.get(name, 0.0) + counts.get(name, 0.0) for name in {*total, *counts}}
        reports += 1
        assert list(found.ratios) == known.names
        assert list(found.ratios.values()) == pytest.approx(list(known.ratios), rel=1e-9)
        rows = [[found.covariance[a][b] for b in known.names] for a in known.names]
        assert np.allclose(rows, known.joint, rtol=1e-9, atol=1e-12)
        assert (found.bias, found.variance) == pytest.approx((known.bias, known.variance), rel=1e-9)
        assert (dict(found.evidence), found.reports, found.ignored) == (total, reports, 0)
    assert reports > 4


def test_an_odd_report_moves_ratios_as_little_as_the_filter_says():
    found, known = Calibration(), Filter(SPREADS)
    for reported in (*[950] * 12, 700, 1_400):
        found = found.learn({"latin": 1_000.0}, reported)
        known.learn({"latin": 1_000.0}, reported)
    assert list(found.ratios.values()) == pytest.approx(list(known.ratios), rel=1e-9)
    assert (found.bias, found.variance) == pytest.approx((known.bias, known.variance), rel=1e-9)


def test_a_report_of_one_token_is_possible_and_of_none_is_not():
    fresh = Calibration()
    assert fresh.learn({"blanks": 1.0}, 1).reports == 1
    assert fresh.learn({"blanks": 0.5}, 0).ignored == 1
    assert fresh.learn({"latin": 0.0}, 1).ignored == 1
    assert fresh.learn({"latin": 1.0, "cjk": 0.5, "kana": 0.0}, 1).evidence == {
        "latin": 1,
        "cjk": 0.5,
    }
    assert fresh.learn({"latin": 2.0}, 3, template=0.5).evidence == {"latin": 2, TEMPLATE: 0.5}
    assert fresh.learn({"latin": 2.0}, 3).evidence == {"latin": 2}
    assert fresh.learn({"latin": 2, "cjk": -1.0}, 2) == fresh.learn({"latin": 2.0}, 2)


@pytest.mark.parametrize(
    ("exact", "counts", "least", "most"),
    [
        (False, {"latin": 1_000.0}, 650, 1_500),
        (False, {"runic": 1_000.0}, 150, 1_600),
        (True, {"latin": 1_000.0}, 1_000, 1_000),
        (True, {"latin": 100.0, TEMPLATE: 100.0, IMAGE: 100.0}, 125, 900),
        (False, {}, 0, 0),
    ],
)
def test_what_a_prompt_can_have_taken(exact, counts, least, most):
    possible = Calibration(exact=exact).possible
    assert [possible(counts, n) for n in (least - 1, least, most, most + 1)] == [
        False, True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("bias", "variance", "share"),
    [
        (0.0, 0.0, 0.01),
        (-0.5, 0.0, 0.01),
        (0.02, 0.0, 0.02),
        (0.02, 0.005**2, 0.035),
        (-0.02, 0.01**2, 0.03),
        (0.2, 0.0, 0.05),
    ],
)
def test_the_margin_is_the_mean_error_and_three_deviations(bias, variance, share):
    one = Calibration(bias=bias, variance=variance, reports=8)
    assert one.margin_share() == pytest.approx(share)
    assert replace(one, reports=7).margin_share() == 0.05


@pytest.mark.parametrize(
    ("bias", "variance", "tokens"),
    [
        (0.0, 0.0, 1_000),
        (-0.3, 0.0, 1_000),
        (0.01, 0.0, 1_010),
        (0.01, 0.005**2, 1_015),
        (0.3, 0.0, 1_025),
    ],
)
def test_counts_have_the_error_added_up_to_half_the_margin(bias, variance, tokens):
    one = Calibration(bias=bias, variance=variance, reports=1)
    assert one.apply({"latin": 1_000.0}) == tokens
    assert one.apply({"latin": 1_000.02}) == tokens + 1
    assert replace(one, exact=True).apply({"latin": 1_000.0}) == 1_000
    assert replace(one, reports=0).apply({"latin": 1_000.0}) == 1_000


def shrunk(**spreads):
    """A calibration whose ratios are 0.5, with these shares of the first uncertainty left."""
    names = list(spreads)
    covariance = {a: {b: spread_of(a, b) * spreads[a] * spreads[b] for b in names} for a in names}
    return Calibration(ratios=dict.fromkeys(names, 0.5), covariance=covariance, reports=1)


@pytest.mark.parametrize(
    ("left", "tokens"),
    [(0.1, 500), (0.7, 500), (0.8, 700), (0.825, 750), (0.95, 1_000), (1.0, 1_000)],
)
def test_a_ratio_below_one_is_used_as_far_as_reports_prove_it(left, tokens):
    assert shrunk(latin=left).apply({"latin": 1_000.0}) == tokens
    assert replace(shrunk(latin=left), exact=True).apply({"latin": 1_000.0}) == 500


def test_classes_that_move_together_are_proved_together():
    one = shrunk(cjk=0.95, kana=0.85, latin=0.8)
    counts = {"cjk": 300.0, "kana": 500.0, "latin": 200.0, "digits": 100.0}

    def weight(joint):
        return sum(joint(a, b) * n * m for a, n in counts.items() for b, m in counts.items())

    def learned(a, b):
        return one.covariance.get(a, {}).get(b, spread_of(a, b))

    unsure = math.sqrt(weight(learned) / weight(spread_of))
    assert 0.7 < unsure < 0.95
    assert one.apply(counts) == math.ceil(600 + 500 * (unsure - 0.7) / 0.25)
    assert replace(one, ratios={**one.ratios, "digits": 1.4}).apply(counts) == math.ceil(
        640 + 500 * (unsure - 0.7) / 0.25
    )


def test_the_body_of_a_record_is_read_by_type_and_whole():
    whole = Calibration(
        "t", True, {"latin": 0.5}, {"latin": {"cjk": 0.25}}, {"latin": 3.0}, 4, 5, 0.125, 0.5
    )
    assert Calibration.from_body(json.loads(json.dumps(whole.to_body()))) == whole
    odd = {**whole.to_body(), "tokenizer": 7, "exact": 1, "ratios": {1: 2}, "evidence": {1: 2}}
    odd |= {"covariance": {1: {2: 3}}, "reports": "4", "ignored": "5", "bias": "1", "variance": "2"}
    read = Calibration.from_body(odd)
    assert read == Calibration("7", True, {"1": 2.0}, {"1": {"2": 3.0}}, {"1": 2.0}, 4, 5, 1.0, 2.0)
    assert read.exact is True


def test_another_tokenizer_begins_from_nothing():
    found = Calibration("t", exact=True, reports=3)
    assert found.fitting("t", exact=True) is found
    assert found.fitting("u", exact=True) == Calibration("u", exact=True)
    assert found.fitting("t", exact=False) == Calibration("t", exact=False)
    assert Calibration() == Calibration("", False, {}, {}, {}, 0, 0, 0.0, 0.0)
