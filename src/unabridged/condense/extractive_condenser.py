"""The extractive condenser: whole sentences, word for word, chosen without a model.

It chooses the sentences that together cover the most within a limit, without repetition: greedy
maximisation of a submodular coverage under a budget. Each step takes the sentence that adds the
most, for its length (H. Lin, J. Bilmes, "Multi-document summarization via budgeted maximization of
submodular functions", NAACL 2010), evaluated lazily (M. Minoux, 1978).
"""

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence

from unabridged.condense.sentence_candidates import SentenceCandidate, pieces_of
from unabridged.condense.sentence_weights import WEIGHTS, SentenceWeights
from unabridged.domain.condensation import CondensationDraft, CondenseSource, Line
from unabridged.language.sentences import OMITTED

VERSION = "extract-1"
"""Its name and version: another version may choose other sentences."""
BLOCK = 1_500
"""Sentences that are compared with one another at once; longer texts are divided."""

GAP = f" {OMITTED} "
"""Replaces sentences that were left out between two that are kept."""
_MISSES = 200
"""Sentences in a row that do not fit, after which the search stops."""


class ExtractiveCondenser:
    """Chooses sentences of messages within a token limit; never cuts one and never adds a word."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self._read: (
            tuple[tuple[CondenseSource, ...], frozenset[str], list[SentenceCandidate]] | None
        ) = None

    @property
    def identity(self) -> str:
        return VERSION

    def condense(
        self, sources: Sequence[CondenseSource], limit: int, about: Iterable[str] = ()
    ) -> CondensationDraft | None:
        """Keep the most informative sentences, in the order in which they were said.

        Args:
            sources: The messages, in their order.
            limit: Tokens that the texts of the lines may take together.
            about: Search terms (``language.words``) that the sentences should contain, if any.

        Returns:
            A line for each message of which something is kept; None if no sentence fits.
        """
        pieces = self._pieces(tuple(sources), frozenset(about))
        chosen = _chosen(pieces, limit, WEIGHTS)
        lines, tokens = self._fitting(sources, pieces, chosen, limit)
        return CondensationDraft(tuple(lines), tokens, VERSION) if lines else None

    def _pieces(
        self, sources: tuple[CondenseSource, ...], about: frozenset[str]
    ) -> list[SentenceCandidate]:
        # Split once, as the same texts are condensed again if the result was too long.
        read = self._read
        if read is None or read[:2] != (sources, about):
            made = pieces_of(sources, self._count, WEIGHTS, about)
            self._read = read = (sources, about, made)
        return read[2]

    def _fitting(
        self,
        sources: Sequence[CondenseSource],
        pieces: Sequence[SentenceCandidate],
        chosen: list[int],
        limit: int,
    ) -> tuple[list[Line], int]:
        held: dict[int, dict[int, str]] = {}
        for i in chosen:
            held.setdefault(pieces[i].source, {})[pieces[i].number] = pieces[i].text
        lines = {place: _line(sources[place], kept) for place, kept in held.items()}
        alone = {pieces[i].source: pieces[i].tokens for i in chosen}
        counts = {
            place: alone[place] if len(line.sentences) == 1 else self._count(line.text)
            for place, line in lines.items()
        }
        total = sum(counts.values())
        for i in reversed(chosen):
            if total <= limit:
                break
            place = pieces[i].source
            del held[place][pieces[i].number]
            total -= counts.pop(place)
            del lines[place]
            if held[place]:
                lines[place] = _line(sources[place], held[place])
                counts[place] = self._count(lines[place].text)
                total += counts[place]
        return [lines[place] for place in sorted(lines)], total


def _line(source: CondenseSource, kept: dict[int, str]) -> Line:
    numbers = tuple(sorted(kept))
    text = joined({number: kept[number] for number in numbers})
    return Line(text, source.exchange, source.index, source.role, numbers)


def _chosen(pieces: Sequence[SentenceCandidate], limit: int, weights: SentenceWeights) -> list[int]:
    blocks = max(1, -(-len(pieces) // BLOCK))
    size = max(1, -(-len(pieces) // blocks))
    left = sum(piece.tokens for piece in pieces)
    chosen: list[tuple[float, int]] = []
    for start in range(0, len(pieces), size):
        block = pieces[start : start + size]
        tokens = sum(piece.tokens for piece in block)
        share = limit * tokens // left if left else 0
        picked = choose(block, share, weights)
        limit -= sum(block[i].tokens for _, i in picked)
        left -= tokens
        chosen += [(gain, start + i) for gain, i in picked]
    return [i for _, i in sorted(chosen)]


def choose(
    pieces: Sequence[SentenceCandidate], limit: int, weights: SentenceWeights
) -> list[tuple[float, int]]:
    """Choose sentences.

    Returns:
        The negated gain for its length and the position of each; the most informative first.
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


def joined(kept: Mapping[int, str]) -> str:
    """Join sentences of a message."""
    text = ""
    previous: int | None = None
    for number, sentence in kept.items():
        if previous is not None and number != previous + 1:
            text = text.rstrip() + GAP
            sentence = sentence.lstrip()  # noqa: PLW2901 -- the space around a gap is the gap's
        text += sentence
        previous = number
    return text.strip()
