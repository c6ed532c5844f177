"""Measures how well feelings are read, against sentences that people rated (EmoBank).

Only for measuring: nothing of the ratings is shipped. The marks alone (exclamation
marks) are the baseline that a method for arousal must beat.
"""

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures.timer import timed
from bench.recall.default_embedder import default_embedder
from unabridged.annotations.emotion import STRONG, EmotionAnalyzer, Felt
from unabridged.errors import BadRecordError, TransferError
from unabridged.ports import Embedder

SURE = 1.96
"""Standard errors to either side: 95 %."""

FILE = "emobank.csv"
_COLUMNS = ("V", "A", "text")


@dataclass(frozen=True, slots=True)
class RatedSentence:
    """A sentence with what people felt of it.

    Attributes:
        text: It.
        valence: 1 (bad) to 5 (good).
        arousal: 1 (calm) to 5 (stirred).
    """

    text: str
    valence: float
    arousal: float


def load(data: str | Path) -> list[RatedSentence]:
    """Read rated sentences.

    Args:
        data: A CSV file with the columns V, A and text, as EmoBank has, or its folder.

    Raises:
        BadRecordError: A rating is not a number.
        TransferError: The file cannot be read, or holds none.
    """
    place = Path(data)
    place = place / FILE if place.is_dir() else place
    try:
        with place.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise TransferError(
            f"{str(place)!r} cannot be read: {error}.", hint="Use EmoBank's emobank.csv."
        ) from error
    if not rows or any(column not in rows[0] for column in _COLUMNS):
        raise TransferError(
            f"{place.name!r} holds no rated sentences.",
            hint=f"It needs a head line with {', '.join(_COLUMNS)}.",
        )
    return [_rated(row, number) for number, row in enumerate(rows, 2)]


def _rated(row: Mapping[str, Any], line: int) -> RatedSentence:
    try:
        return RatedSentence(str(row["text"]), float(row["V"]), float(row["A"]))
    except (TypeError, ValueError) as error:
        raise BadRecordError(
            f"Line {line} has no ratings.", line=line, hint="V and A are numbers from 1 to 5."
        ) from error


def ways(embedder: Embedder) -> dict[str, Callable[[Sequence[str]], list[Felt]]]:
    """Return the ways to read feelings that are compared."""
    return {
        "marks": _marks,
        "words": EmotionAnalyzer().feel,
        "meaning": EmotionAnalyzer(embedder, by_words=False).feel,
        "both": EmotionAnalyzer(embedder).feel,
    }


def _marks(texts: Sequence[str]) -> list[Felt]:
    return [(0.5, min(3, text.count("!")) / 3) for text in texts]


def run(rated: Sequence[RatedSentence]) -> list[dict[str, Any]]:
    """Measure each way.

    Returns:
        A row for each: ``way``, ``sentences``; Pearson's correlation with the ratings as
        ``valence`` and ``arousal`` (None if a way always says the same), each with half the
        width of its 95 % interval by Fisher's transformation as ``…_error``; ``strong``, the share
        that it reads as stronger than 0.7; ``milliseconds`` for each sentence.
    """
    texts = [each.text for each in rated]
    rows = []
    for way, feel in ways(default_embedder()).items():
        feel(texts[:1])  # the first reads the tables
        took, felt = timed(feel, texts)
        valence = pearson([v for v, _ in felt], [each.valence for each in rated])
        arousal = pearson([a for _, a in felt], [each.arousal for each in rated])
        rows.append(
            {
                "way": way,
                "sentences": len(rated),
                "valence": valence,
                "valence_error": _error(valence, len(rated)),
                "arousal": arousal,
                "arousal_error": _error(arousal, len(rated)),
                "strong": round(sum(a > STRONG for _, a in felt) / len(felt), 4),
                "milliseconds": round(took / len(texts), 4),
            }
        )
    return rows


def pearson(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Pearson's correlation; None if one side is always the same."""
    count = len(left)
    mean_left, mean_right = sum(left) / count, sum(right) / count
    over = sum((a - mean_left) * (b - mean_right) for a, b in zip(left, right, strict=True))
    spread = math.sqrt(
        sum((a - mean_left) ** 2 for a in left) * sum((b - mean_right) ** 2 for b in right)
    )
    return round(over / spread, 4) if spread else None


def _error(correlation: float | None, count: int) -> float | None:
    if correlation is None or count <= 3 or abs(correlation) >= 1:
        return None
    z, error = math.atanh(correlation), SURE / math.sqrt(count - 3)
    return round((math.tanh(z + error) - math.tanh(z - error)) / 2, 4)
