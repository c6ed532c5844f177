"""ROUGE-L (Lin, 2004, *ROUGE: a package for automatic evaluation of summaries*, section 3).

The longest common subsequence of two texts' words, as F1 of its share of both. Words are runs of
letters and digits of the folded text (``measures.words_of``), unstemmed, stop words included; each
text is one sequence, not sentence by sentence.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from bench.recall.ranking_measures import words_of


class Rouge(NamedTuple):
    """How alike two texts are.

    Attributes:
        precision: The share of the candidate's words that are in the subsequence.
        recall: The share of the reference's.
        f1: Their harmonic mean; 0 if nothing is shared.
    """

    precision: float
    recall: float
    f1: float


def rouge_l(candidate: str, reference: str) -> Rouge:
    """Compare a text with what a person wrote."""
    ours, theirs = words_of(candidate).split(), words_of(reference).split()
    common = longest_common(ours, theirs)
    if not common:
        return Rouge(0.0, 0.0, 0.0)
    precision, recall = common / len(ours), common / len(theirs)
    return Rouge(precision, recall, 2 * precision * recall / (precision + recall))


def longest_common(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """The length of the longest common subsequence, a row of the table as bits of one number.

    Hyyrö, 2004, *Bit-parallel LCS-length computation revisited*: a zero bit is a step.
    """
    places: dict[Hashable, int] = {}
    for place, item in enumerate(first):
        places[item] = places.get(item, 0) | 1 << place
    full = (1 << len(first)) - 1
    row = full
    for item in second:
        shared = row & places.get(item, 0)
        row = (row + shared | row - shared) & full
    return len(first) - row.bit_count()
