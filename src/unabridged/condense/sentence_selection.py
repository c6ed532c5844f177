"""Choose sentences that together say the most within a limit, and nothing twice.

Greedy maximisation of a submodular coverage under a budget: at every step the sentence that adds
the most, for its length, to what is said already (H. Lin, J. Bilmes, "Multi-document summarization
via budgeted maximization of submodular functions", NAACL 2010), evaluated lazily (M. Minoux, 1978).
"""

import heapq
from collections.abc import Sequence

from unabridged.condense.sentence_candidates import SentenceCandidate
from unabridged.condense.sentence_weights import SentenceWeights

_MISSES = 200
"""Sentences in a row that do not fit, after which no more are tried."""


def choose(
    pieces: Sequence[SentenceCandidate], limit: int, weights: SentenceWeights
) -> list[tuple[float, int]]:
    """Choose sentences.

    Returns:
        What each adds for its length, negated, and its place among the candidates; the most
        telling first.
    """
    said: dict[str, float] = {}
    costs = [max(1, piece.tokens) ** weights.length for piece in pieces]
    kept: dict[int, float] = {}
    heap = [(-_gain(piece, said) / costs[i], i) for i, piece in enumerate(pieces)]
    heapq.heapify(heap)
    chosen: list[tuple[float, int]] = []
    misses = 0
    while heap and misses < _MISSES:
        _, i = heapq.heappop(heap)
        piece = pieces[i]
        if piece.tokens > limit:
            misses += 1
            continue
        gain = -_gain(piece, said) * kept.get(piece.source, 1.0) / costs[i]
        if heap and (gain, i) > heap[0]:
            heapq.heappush(heap, (gain, i))
            continue
        chosen.append((gain, i))
        limit -= piece.tokens
        misses = 0
        kept[piece.source] = kept.get(piece.source, 1.0) * weights.spread
        for term, _ in piece.terms:
            said[term] = said.get(term, 1.0) * weights.again
    return chosen


def _gain(piece: SentenceCandidate, said: dict[str, float]) -> float:
    known = said.get
    return piece.factor * sum([worth * known(term, 1.0) for term, worth in piece.terms])
