"""Find everything in a space that contains some words: exchanges, records and titles."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from unabridged.domain.blob import Blob, BlobKind
from unabridged.domain.exchange import Exchange
from unabridged.domain.forgetting import PlannedRemoval
from unabridged.domain.record import Record, RecordKind
from unabridged.language.words import fold, terms, unescaped, words
from unabridged.log.entrances import (
    names_of_message,
    texts_of_blob,
    texts_of_message,
    texts_of_record,
)
from unabridged.ports import Store

WITH_WORDS = (
    RecordKind.CONTEXT,
    RecordKind.READING,
    RecordKind.OPENING,
    RecordKind.COMPACTION,
    RecordKind.OVERVIEW,
    RecordKind.FACT,
    RecordKind.REQUIREMENT,
    RecordKind.CONDENSATION,
    RecordKind.FOLDER,
)
"""Kinds whose records may hold words of a conversation; others hold ids, figures and digests."""
_STEM = 2
"""Characters at the end of a term that stemming may have changed."""


@dataclass(frozen=True, slots=True)
class WordMatches:
    """Where all the words of a query are.

    Attributes:
        exchanges: The ids of exchanges: messages, tools, reasoning and originals are looked at.
        records: Records of other exchanges with a text, own or shared, that has the words.
        titles: The ids of sessions whose title has them.
        within: The ids of exchanges that have them only inside other words, or in their session's id.
    """

    exchanges: tuple[str, ...] = ()
    records: tuple[PlannedRemoval, ...] = ()
    titles: tuple[str, ...] = ()
    within: tuple[str, ...] = ()


def find_words(store: Store, query: str, session: str | None = None) -> WordMatches:
    """Find what contains all the words of a query, in any order; in one session if one is named."""
    wanted = _Query(query)
    found: dict[str, None] = {}
    within: dict[str, None] = {}
    looked: set[str] = set()
    after: str | None = None
    while page := store.scan(after):
        after = page[-1].id
        chosen = [one for one in page if session in (None, one.session)]
        looked.update(one.id for one in chosen)
        for exchange, texts in zip(chosen, _texts_of(store, chosen), strict=True):
            if wanted.is_in(texts):
                found[exchange.id] = None
            elif wanted.is_within(texts):
                within[exchange.id] = None
    records = [
        PlannedRemoval(record.kind, record.id)
        for kind in WITH_WORDS
        for record in store.records(kind)
        if set(record.exchanges).isdisjoint(found)
        and (session is None or not looked.isdisjoint(record.exchanges))
        and any(wanted.is_in([text]) for text in _texts_of_record(record))
    ]
    for one in store.sessions():
        if session in (None, one.id) and wanted.is_within([one.id, one.foreign_id or ""]):
            within |= dict.fromkeys(each.id for each in store.exchanges_of(one.id))
    titles = [s.id for s in store.sessions() if session in (None, s.id) and wanted.is_in([s.title])]
    return WordMatches(
        tuple(found),
        tuple(records),
        tuple(titles),
        tuple(name for name in within if name not in found),
    )


def _texts_of(store: Store, exchanges: Sequence[Exchange]) -> Iterator[list[str]]:
    originals = store.originals(m.id for exchange in exchanges for m in exchange.messages)
    for exchange in exchanges:
        texts = []
        for message in exchange.messages:
            texts += [*texts_of_message(message), *names_of_message(message)]
            if message.id in originals:
                texts += texts_of_blob(Blob(BlobKind.ORIGINAL, originals[message.id]))
        # Arguments and parts of kinds that memory does not read are JSON text, perhaps escaped.
        yield texts + [unescaped(text) for text in texts if "\\u" in text]


def _texts_of_record(record: Record) -> Iterator[str]:
    yield from texts_of_record(record)
    for blob in record.blobs:
        yield from texts_of_blob(blob)


class _Query:
    """The words of a query, and what texts are compared with."""

    def __init__(self, query: str) -> None:
        self._terms = set(terms(query))
        # Most texts lack a word by its first letters already; cutting them into terms takes long.
        self._starts = [t[: max(1, len(t) - _STEM)] for t in self._terms if t.isalpha()]
        self._words = words(fold(query)) or [fold(query).strip()]

    def is_in(self, texts: Iterable[str]) -> bool:
        """Return whether texts have all the words; of a query of function words, its letters."""
        text = "\n".join(texts)
        if not self._terms:
            return self._has(text, [" ".join(self._words)])
        return self._may_be_in(text) and self._terms <= set(terms(text))

    def is_within(self, texts: Iterable[str]) -> bool:
        """Return whether texts have the letters of all the words, also inside other words."""
        return self._has("\n".join(texts), self._words)

    def _may_be_in(self, text: str) -> bool:
        # An identifier is found by its parts too.
        return "_" in text or self._has(text, self._starts)

    def _has(self, text: str, parts: Iterable[str]) -> bool:
        folded = fold(text).replace("'", "")
        return all(part in folded for part in parts)
