"""Calibration: how many tokens a model really counts, learned from its server's reports.

There is a ratio per script class, found by recursive least squares with a full covariance (a Kalman
filter whose state barely moves). Each report gives the tokens of a whole prompt. The error is
distributed over the classes by their share of the prompt and their uncertainty.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any

from unabridged.budget.allocate import MARGIN_SHARE

TEMPLATE = "template"
"""The class of the tokens that the chat template adds."""

IMAGE = "image"
"""The class of the tokens of images."""

OUTSIDE_TEXT = frozenset({TEMPLATE, IMAGE})
"""Tokens that no tokenizer counts, so that their cost is learned even with an exact one."""

BOUNDS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "latin": (0.65, 1.5),
        "foreign": (0.4, 1.6),
        "eastern": (0.3, 1.6),
        "rest": (0.7, 1.5),
        "code": (0.45, 1.5),
        "odd": (1.0, 1.6),
        "marks": (0.4, 1.6),
        "digits": (0.3, 1.5),
        "blanks": (0.05, 1.5),
        "cjk": (0.25, 1.6),
        "kana": (0.15, 1.6),
        "hangul": (0.15, 1.5),
        "cyrillic": (0.15, 1.6),
        "slavic": (0.15, 1.6),
        "greek": (0.15, 1.6),
        "arabic": (0.15, 1.6),
        "indic": (0.12, 1.6),
        "thai": (0.15, 1.6),
        "southern": (0.15, 1.5),
        "emoji": (0.25, 1.5),
        TEMPLATE: (0.2, 4.0),
        IMAGE: (0.05, 4.0),
    }
)
"""Class to the ratios that any real tokenizer can have; other reports are impossible."""

_OTHERS_BOUNDS = (0.15, 1.6)
SPREADS: Mapping[str, float] = MappingProxyType(
    {
        "latin": 0.12,
        "foreign": 0.3,
        "eastern": 0.3,
        "rest": 0.2,
        "code": 0.2,
        "odd": 0.05,
        "marks": 0.25,
        "digits": 0.35,
        "blanks": 0.4,
        "cjk": 0.4,
        "kana": 0.45,
        "hangul": 0.5,
        "cyrillic": 0.5,
        "slavic": 0.5,
        "greek": 0.5,
        "arabic": 0.5,
        "indic": 0.5,
        "thai": 0.5,
        "southern": 0.5,
        "emoji": 0.35,
        TEMPLATE: 0.5,
        IMAGE: 0.6,
    }
)
"""Class to the uncertainty of its ratio before any report (standard deviation)."""

_OTHERS_SPREAD = 0.4

VOCABULARY = frozenset("foreign eastern cjk kana hangul cyrillic slavic greek arabic emoji".split())
"""Classes that a large vocabulary makes cheaper together …"""

_TOGETHER = 0.4
"""… and how strongly (correlation)."""

_NOISE = 0.02
"""The error of a prompt when every ratio is right, as a share of it."""

_DRIFT = 0.01
"""How far a ratio may move between two reports (standard deviation): texts change."""

_SURPRISE = 4.0
"""Standard deviations beyond which a report counts less, the odder it is."""

_FADE = 0.75
"""How much of the error statistics each report keeps."""

_PROVED_AFTER = 8
"""Reports before the margin shrinks."""

LEAST_MARGIN = 0.01
"""The margin never falls below this share of the window."""

_ODD = 0.1
"""The largest error of counts that one report may suggest, as a share."""

_SURE, _UNSURE = 0.7, 0.95
"""Shares of a text's first uncertainty: below the first, ratios under 1 are used as learned, above the
second not at all. Reports of one language prove no other.
"""

_SAFETY = 1.0
_MARGIN_SAFETY = 3.0
"""Standard deviations of the error: added to counts, and kept as margin."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The calibration of one model under one tokenizer.

    Attributes:
        tokenizer: The identity of the tokenizer whose counts it corrects.
        exact: Whether that is the model's own: then only the template's cost is learned.
        ratios: Class to tokens that the model takes per counted token; 1 if missing.
        covariance: Class to class to the joint uncertainty of the ratios.
        evidence: Class to tokens counted in reported prompts.
        reports: Reports learned from.
        ignored: Impossible reports, such as those of truncated prompts.
        bias: The recent mean error, as a share: above 0, prompts took more than was counted.
        variance: Its variance.
    """

    tokenizer: str = ""
    exact: bool = False
    ratios: Mapping[str, float] = field(default_factory=dict)
    covariance: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    evidence: Mapping[str, float] = field(default_factory=dict)
    reports: int = 0
    ignored: int = 0
    bias: float = 0.0
    variance: float = 0.0

    @property
    def neutral(self) -> bool:
        """Whether it leaves all counts of texts unchanged."""
        return self.exact or self.reports == 0

    def apply(self, by_script: Mapping[str, float]) -> int:
        """Return the tokens that the model will take for counts by class; rounded up, errs high."""
        likely = self.predict(by_script) + self._unproved(by_script)
        return math.ceil(likely * (1 + self._safety()) - 1e-9)

    def predict(self, by_script: Mapping[str, float]) -> float:
        """Return the same without a safety margin: the best estimate."""
        return sum(self.ratios.get(name, 1.0) * count for name, count in by_script.items())

    def margin_share(self) -> float:
        """Return the safety margin that is proved sufficient: 0.05 at first, never below 0.01."""
        if self.reports < _PROVED_AFTER:
            return MARGIN_SHARE
        needed = max(0.0, self.bias) + _MARGIN_SAFETY * math.sqrt(self.variance)
        return min(MARGIN_SHARE, max(LEAST_MARGIN, needed))

    def possible(self, by_script: Mapping[str, float], reported: int) -> bool:
        """Return whether a prompt of these counts can have taken the reported tokens."""
        least = most = 0.0
        for name, count in by_script.items():
            low, high = BOUNDS.get(name, _OTHERS_BOUNDS)
            fixed = self.exact and name not in OUTSIDE_TEXT
            least += count if fixed else low * count
            most += count if fixed else high * count
        return math.floor(least) <= reported <= math.ceil(most)

    def learn(
        self, by_script: Mapping[str, float], reported: int, template: float = 0.0
    ) -> "Calibration":
        """Return the calibration after one more report.

        Args:
            by_script: Tokens counted in the prompt, by class, before any calibration.
            reported: Tokens of the whole prompt by the server's report.
            template: Tokens planned for the chat template, if ``by_script`` lacks them.
        """
        counts = {name: float(n) for name, n in by_script.items() if n > 0}
        if template > 0:
            counts[TEMPLATE] = counts.get(TEMPLATE, 0.0) + template
        if reported <= 0 or not counts or not self.possible(counts, reported):
            return replace(self, ignored=self.ignored + 1)
        error = reported - self.predict(counts)
        ratios, covariance = self._updated(counts, error, reported)
        share = min(_ODD, max(-_ODD, error / reported))
        fade = _FADE if self.reports else 0.0
        bias = fade * self.bias + (1 - fade) * share
        spread = share - self.bias if self.reports else 0.0
        evidence = {
            name: self.evidence.get(name, 0.0) + counts.get(name, 0.0)
            for name in {*self.evidence, *counts}
        }
        return replace(
            self,
            ratios=ratios,
            covariance=covariance,
            evidence=evidence,
            reports=self.reports + 1,
            bias=bias,
            variance=fade * (self.variance + (1 - fade) * spread * spread),
        )

    def _unproved(self, by_script: Mapping[str, float]) -> float:
        # What the ratios below 1 take off, as far as no report proves it for such a text.
        taken = sum(max(0.0, 1.0 - self.ratios.get(name, 1.0)) * n for name, n in by_script.items())
        if not taken or self.exact:
            return 0.0
        now = before = 0.0
        for one, count in by_script.items():
            for other, times in by_script.items():
                now += self._uncertainty(one, other) * count * times
                before += _first_uncertainty(one, other) * count * times
        unsure = math.sqrt(max(0.0, now) / before)
        return taken * min(1.0, max(0.0, (unsure - _SURE) / (_UNSURE - _SURE)))

    def _safety(self) -> float:
        # The share added to counts: the error's upper quantile, until it is small.
        if self.neutral:
            return 0.0
        quantile = self.bias + _SAFETY * math.sqrt(self.variance)
        return min(MARGIN_SHARE / 2, max(0.0, quantile))

    def _uncertainty(self, one: str, other: str) -> float:
        # The covariance of two ratios: the learned one, else the one before any report.
        known = self.covariance.get(one, {}).get(other)
        return _first_uncertainty(one, other) if known is None else known

    def _updated(
        self, counts: Mapping[str, float], error: float, reported: int
    ) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
        # Every class from the first report on: a class added later would bring covariances that do
        # not fit those that have shrunk by then.
        names = sorted(OUTSIDE_TEXT if self.exact else {*SPREADS, *self.ratios, *counts})
        joint = {
            one: {
                other: self._uncertainty(one, other) + (_DRIFT**2 if one == other else 0.0)
                for other in names
            }
            for one in names
        }
        pull = {one: sum(joint[one][o] * counts.get(o, 0.0) for o in names) for one in names}
        expected = max(0.0, sum(pull[name] * counts.get(name, 0.0) for name in names))
        expected += (_NOISE * reported) ** 2 + 1.0
        surprise = abs(error) / (_SURPRISE * math.sqrt(expected))
        expected *= max(1.0, surprise) ** 2
        ratios = {}
        for name in names:
            low, high = BOUNDS.get(name, _OTHERS_BOUNDS)
            moved = self.ratios.get(name, 1.0) + pull[name] * error / expected
            ratios[name] = min(high, max(low, moved))
        covariance = {
            one: {other: joint[one][other] - pull[one] * pull[other] / expected for other in names}
            for one in names
        }
        return ratios, covariance

    def to_body(self) -> dict[str, Any]:
        """Return plain data for the body of a record."""
        return asdict(self)

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> "Calibration":
        """Read the data that ``to_body`` made.

        Raises:
            ValueError: A field is missing, unknown or of another type.
        """
        try:
            covariance = {
                str(one): {str(other): float(value) for other, value in row.items()}
                for one, row in body["covariance"].items()
            }
            return cls(
                tokenizer=str(body["tokenizer"]),
                exact=bool(body["exact"]),
                ratios={str(name): float(value) for name, value in body["ratios"].items()},
                covariance=covariance,
                evidence={str(name): float(value) for name, value in body["evidence"].items()},
                reports=int(body["reports"]),
                ignored=int(body["ignored"]),
                bias=float(body["bias"]),
                variance=float(body["variance"]),
            )
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"no calibration: {error}") from error

    def fitting(self, tokenizer: str, *, exact: bool) -> "Calibration":
        """Return this if it was learned under that tokenizer, else a new one for it."""
        if self.tokenizer == tokenizer and self.exact == exact:
            return self
        return Calibration(tokenizer=tokenizer, exact=exact)


def _first_uncertainty(one: str, other: str) -> float:
    together = 1.0 if one == other else _TOGETHER if VOCABULARY.issuperset((one, other)) else 0
    return together * SPREADS.get(one, _OTHERS_SPREAD) * SPREADS.get(other, _OTHERS_SPREAD)
