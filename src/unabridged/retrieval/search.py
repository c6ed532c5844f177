"""Finds whole exchanges for a question, with their evidence, best first.

A lookup makes a shortlist by words and by vectors. A recipe weights the features of each row.
Rows above the floor are read from the store. Nothing here depends on how the index is built.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import local
from typing import TYPE_CHECKING

from unabridged.domain.index_query import IndexQuery
from unabridged.domain.intent import Intent
from unabridged.errors import UpstreamError
from unabridged.language.words import asked_terms
from unabridged.ports import Reranker, SearchIndexPort, Store
from unabridged.retrieval.analyze import Analyzer, session_number
from unabridged.retrieval.echo_filter import only_quotes
from unabridged.retrieval.features import QueryTerms, features
from unabridged.retrieval.passages import sides
from unabridged.retrieval.rank import Ranked, rank
from unabridged.retrieval.ranking_weights import RECIPES
from unabridged.retrieval.relevance import Relevance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


LEAST = 0.05
"""The least evidence of a result, however low the floor."""


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A question to the search.

    Attributes:
        now: The time that its time expressions are relative to.
        telling: Whether to skip exchanges that only quote others: they would displace what they
            quote.
    """

    text: str
    now: datetime
    intent: Intent = Intent.VIVID_RECALL
    session: str | None = None
    telling: bool = False


class _Last(local):
    """The last question of a thread."""

    trouble = ""


class Search:
    """Finds exchanges in one space.

    Args:
        reader: Reads questions, as it read the exchanges.
    """

    def __init__(
        self,
        store: Store,
        index: SearchIndexPort,
        reader: Analyzer | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self.reader = reader or Analyzer()
        self._last = _Last()
        self._reranker = reranker
        self._store = store
        self._index = index

    @property
    def trouble(self) -> str:
        """Why the last search of this thread was by words only, or empty."""
        return self._last.trouble

    def find(
        self,
        question: SearchQuery,
        limit: int,
        *,
        floor: float = 0.0,
        least_match: float | None = None,
    ) -> list[Relevance]:
        """Find the exchanges that are relevant to a question, best first.

        If the server that embeds does not answer, the search is by words only, and ``trouble`` says so.

        Args:
            question: The question.
            limit: The most results.
            floor: Leave out exchanges with less evidence, or less than ``LEAST``; 0 to 1.
            least_match: Instead, leave out exchanges that match less by themselves.
        """
        depth = self._reranker.depth if self._reranker else 0
        most = max(limit, depth, 1)
        ranked = self.rank(question, most)
        if least_match is None:
            chosen = [one for one in ranked if one.score >= max(floor, LEAST)]
        else:
            chosen = [one for one in ranked if one.match >= least_match]
        evidence: list[Relevance] = []
        for start in range(0, len(chosen), most):
            evidence += self._read(question, chosen[start : start + most])
            if not question.telling or len(evidence) >= most:
                break
        if depth and self._reranker is not None:
            evidence = _reranked(self._reranker, question.text, evidence, depth)
        return evidence[:limit]

    def _read(self, question: SearchQuery, chosen: Sequence[Ranked]) -> list[Relevance]:
        found = self._store.get(one.exchange for one in chosen)
        evidence = [
            Relevance(found[one.exchange], one.score, match=one.match)
            for one in chosen
            if one.exchange in found
        ]
        if (only := question.session) is not None:  # two sessions may share a number
            evidence = [e for e in evidence if e.exchange.session == only]
        if question.telling:
            evidence = [e for e in evidence if not only_quotes(e.exchange)]
        return evidence

    def rank(self, question: SearchQuery, limit: int) -> list[Ranked]:
        """Return ids of exchanges with their evidence, best first, without reading the store.

        It may return more than ``limit``.
        """
        asked = asked_terms(question.text)
        vector = self._vector(question.text)
        if not asked and vector is None:
            return []
        recipe = RECIPES[question.intent]
        only = None if question.session is None else session_number(question.session)
        index_query = IndexQuery(tuple(asked), vector, recipe.candidates_for(limit), only)
        index_hits = self._index.search(index_query)
        if not len(index_hits.places):
            return []
        embedder = self.reader.embedder
        known = embedder.known(question.text) if embedder and vector is not None else 0.0
        compared = QueryTerms(question.text, question.now, asked, known)
        return rank(index_hits, features(index_hits, compared, self.reader.lexicon), recipe)

    def embedded_by(self) -> str | None:
        """Return the embedder whose vectors are compared; see ``ports.SearchIndexPort``."""
        return self._index.embedded_by()

    def close(self) -> None:
        """Close the embedder."""
        if self.reader.embedder is not None:
            self.reader.embedder.close()

    def _vector(self, text: str) -> "NDArray[np.float32] | None":
        self._last.trouble = ""
        embedder = self.reader.embedder
        if embedder is None:
            return None
        held = self._index.embedded_by()
        if held == "":
            return None
        try:
            if held not in (None, embedder.identity):
                self._last.trouble = (
                    f"Searched by words only: the stored vectors are now those of {held!r}."
                )
                return None
            return embedder.embed_query(text)
        except UpstreamError as error:
            self._last.trouble = f"Searched by words only: {error}"
            return None


def _reranked(
    reranker: Reranker, question: str, evidence: list[Relevance], depth: int
) -> list[Relevance]:
    best, rest = evidence[:depth], evidence[depth:]
    scores = reranker.scores(question, ["\n".join(sides(one.exchange)) for one in best])
    order = sorted(range(len(best)), key=lambda row: (-scores[row], row))
    return [best[row] for row in order] + rest
