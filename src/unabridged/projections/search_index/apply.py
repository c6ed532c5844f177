"""Apply changes of the log to a search index."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from unabridged.domain.exchange import Exchange
from unabridged.domain.index_query import EmbedderInUse
from unabridged.errors import UpstreamError
from unabridged.index.indexed_exchange import FIRST, IndexedExchange, unpack_vectors
from unabridged.ports import Store, SupportsVectors
from unabridged.projections.search_index.analysis_process import AnalysisProcess
from unabridged.projections.search_index.snapshot import IndexSnapshot
from unabridged.retrieval.analyze import AnalyzedExchange, Analyzer, said_at, session_number

PAGE = 256
"""Exchanges analysed at once."""


class IndexWriter:
    """Analyses exchanges of a log and puts them into a snapshot."""

    def __init__(
        self, store: Store, analyzer: Analyzer, helper: AnalysisProcess | None = None
    ) -> None:
        self._store = store
        self.analyzer = analyzer
        self._helper = helper

    def expect(self, exchanges: Sequence[Exchange]) -> None:
        """Begin to analyse exchanges that will be put soon."""
        if self._helper is not None and self._is_helped:
            self._helper.give(exchanges)

    def expect_no_more(self) -> None:
        """End what was begun for exchanges to come."""
        if self._helper is not None:
            self._helper.end()

    @property
    def _is_helped(self) -> bool:
        # A server would have to be asked for its identity: only an instant embedder is compared.
        made = self.analyzer.embedder
        if self._helper is None or made is None or not made.instant:
            return False
        return made.identity == self._helper.identity

    def _read(self, page: Sequence[Exchange], *, embed: bool) -> list[AnalyzedExchange]:
        if embed and self._helper is not None and self._is_helped:
            return self._helper.take(page, partial(self.analyzer.read, embed=True))
        return self.analyzer.read(page, embed=embed)

    def put(
        self,
        snapshot: IndexSnapshot,
        numbers: Mapping[str, int],
        given: Mapping[str, Exchange],
        *,
        embed: bool,
    ) -> None:
        """Add exchanges in their present form; skip those that no longer exist.

        Args:
            snapshot: The target.
            numbers: The number of each; parents have smaller ones.
            given: Those already read from the log.
            embed: Whether a slow embedder may be used.
        """
        there = {name: given[name] for name in numbers if name in given}
        if len(there) < len(numbers):
            there |= self._store.get(name for name in numbers if name not in given)
        page = [there[name] for name in sorted(there, key=lambda name: numbers[name])]
        for exchange, read in zip(page, self._analysed(snapshot, page, embed=embed), strict=True):
            number = numbers[exchange.id]
            known = snapshot.find(exchange.id)
            if known is not None and known[0] != number:  # it was erased, and restored
                snapshot.remove(exchange.id)
            above = None if exchange.parent is None else snapshot.find(exchange.parent)
            entry = IndexedExchange(
                place=number,
                session=session_number(exchange.session),
                parent=FIRST if above is None else above[0],
                at=said_at(exchange),
                position=0 if above is None else above[1] + 1,
                words=read.words,
                pieces=read.pieces,
                vectors=read.vectors,
                name=exchange.id,
                characters=sum(len(message.text) for message in exchange.messages),
            )
            snapshot.put(entry)
            if self._is_bare(snapshot.embedder, read):
                snapshot.bare.add(number)
            else:
                snapshot.bare.discard(number)

    def makes(self, embedder: EmbedderInUse) -> bool:
        """Return whether the analyzer makes an embedder's vectors without waiting for a server."""
        made = self.analyzer.embedder
        return made is not None and made.instant and made.identity == embedder.identity

    def _is_bare(self, embedder: EmbedderInUse | None, read: AnalyzedExchange) -> bool:
        return embedder is not None and not embedder.stored and read.vectors is None

    def _analysed(
        self, snapshot: IndexSnapshot, page: Sequence[Exchange], *, embed: bool
    ) -> list[AnalyzedExchange]:
        embedder = snapshot.embedder
        if embedder is None:
            return self.analyzer.read(page, embed=False)
        stored = self._stored(embedder, page)
        embed = self.makes(embedder) or (embed and not isinstance(self._store, SupportsVectors))
        fresh = [exchange for exchange in page if exchange.id not in stored]
        old = [exchange for exchange in page if exchange.id in stored]
        try:
            made = self._read(fresh, embed=embed)
        except UpstreamError:
            made = self.analyzer.read(fresh, embed=False)
        made += self.analyzer.read(old, embed=False)
        read_of = dict(zip([x.id for x in (*fresh, *old)], made, strict=True))
        for name, body in stored.items():
            vectors = unpack_vectors(body, embedder.dimension)
            read_of[name] = replace(read_of[name], vectors=vectors)
        return [read_of[exchange.id] for exchange in page]

    def _stored(self, embedder: EmbedderInUse, page: Sequence[Exchange]) -> dict[str, bytes]:
        if not embedder.stored or not isinstance(self._store, SupportsVectors):
            return {}
        ids = [exchange.id for exchange in page]
        return self._store.packed_vectors(embedder.identity, ids)
