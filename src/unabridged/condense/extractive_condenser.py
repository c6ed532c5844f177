"""The extractive condenser: whole sentences, word for word, chosen without any model."""

from collections.abc import Callable, Iterable, Sequence

from unabridged.condense.join_sentences import joined
from unabridged.condense.sentence_candidates import SentenceCandidate, pieces_of
from unabridged.condense.sentence_selection import choose
from unabridged.condense.sentence_weights import WEIGHTS, SentenceWeights
from unabridged.domain.condensation import CondensationDraft, CondenseSource, Line

VERSION = "extract-1"
"""Its name and version: another version may choose other sentences."""
BLOCK = 1_500
"""Sentences that are weighed against one another at once; longer texts are parted."""


class ExtractiveCondenser:
    """Chooses sentences of messages under a token limit; never cuts one and never adds a word."""

    def __init__(self, count: Callable[[str], int], weights: SentenceWeights = WEIGHTS) -> None:
        self._count = count
        self._weights = weights
        self._read: (
            tuple[tuple[CondenseSource, ...], frozenset[str], list[SentenceCandidate]] | None
        ) = None

    @property
    def identity(self) -> str:
        return VERSION

    def condense(
        self, sources: Sequence[CondenseSource], limit: int, about: Iterable[str] = ()
    ) -> CondensationDraft | None:
        """Keep what tells the most, in the order in which it was said.

        Args:
            sources: The messages, in their order.
            limit: Tokens that the texts of the lines may take together.
            about: Search terms (``language.words``) that the sentences should speak of, if
                any.

        Returns:
            A line for each message of which something is kept; None where not one sentence fits.
        """
        pieces = self._pieces(tuple(sources), frozenset(about))
        chosen = _chosen(pieces, limit, self._weights)
        lines, tokens = self._fitting(sources, pieces, chosen, limit)
        return CondensationDraft(tuple(lines), tokens, VERSION) if lines else None

    def _pieces(
        self, sources: tuple[CondenseSource, ...], about: frozenset[str]
    ) -> list[SentenceCandidate]:
        # Read the sentences; once where the same are condensed again because it came out too long.
        read = self._read
        if read is None or read[:2] != (sources, about):
            made = pieces_of(sources, self._count, self._weights, about)
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
