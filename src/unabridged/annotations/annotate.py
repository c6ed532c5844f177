"""Annotate the messages of a space.

Annotations are made in the background, page by page, and stored as records. A missing one is
computed when it is asked for. A person's correction, and what an imported file gave, are separate
records that no later run changes.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from unabridged.annotations.annotation_records import (
    Judged,
    annotations_of,
    ids_of,
    record_of,
    statement_record,
    told_apart,
)
from unabridged.domain.annotation import USER, Annotation, ExchangeReading, Scheme, Stated
from unabridged.domain.arguments import checked
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, Role
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import MaintenanceProgress
from unabridged.errors import InputError, NotFoundError
from unabridged.log.cursor import LogCursor
from unabridged.ports import Clock, Store

PROGRESS = "readings"
"""The id of the record that stores how far annotating has come."""
PAGE = 64
"""Exchanges that are annotated together."""

_Due = tuple[Exchange, dict[str, Annotation]]
"""An exchange to annotate, and the annotations of it that stay."""

MODEL = "model:"
"""The prefix of a model's name as author; rules never replace a model's annotations."""


class Judge(Protocol):
    """A classifier of messages: ``RuleClassifier``, ``LlmClassifier`` and others."""

    @property
    def scheme(self) -> Scheme:
        """The categories that it uses."""
        ...

    @property
    def identity(self) -> str:
        """The author of its annotations: ``rules`` with a version, or ``model:NAME``."""
        ...

    def classify(self, texts: Sequence[tuple[Role, str]]) -> list[Annotation | None]:
        """Return an annotation for each text; None for one without words."""
        ...


@dataclass(frozen=True, slots=True)
class CategoryCount:
    """How often a category occurs.

    Attributes:
        keep: 0 to 1: the share of its exchanges that stays verbatim.
        exchanges: Exchanges whose most important message is in it.
    """

    name: str
    keep: float
    messages: int
    exchanges: int


@dataclass(frozen=True, slots=True)
class ReadingCounts:
    """Counts of the stored annotations.

    Attributes:
        categories: All categories, in the order of the scheme; then those that only imported files
            gave.
        by: Author to the number of messages.
    """

    scheme: str
    exchanges: int
    pending: int
    categories: tuple[CategoryCount, ...]
    by: Mapping[str, int]


class Annotations:
    """The annotations of a space.

    Args:
        rules: Annotates on demand; it must be instant.
        judge: Annotates in the background; None for the rules. If it is slow or a model, its
            annotations replace those of the rules, never the reverse.
    """

    def __init__(
        self, store: Store, rules: Judge, clock: Clock, judge: Judge | None = None
    ) -> None:
        self._store = store
        self._rules = rules
        self._clock = clock
        self._judge = judge or rules

    @property
    def scheme(self) -> Scheme:
        """The categories."""
        return self._rules.scheme

    def of(self, exchanges: Sequence[Exchange]) -> dict[str, ExchangeReading]:
        """Return the annotations of exchanges by id; compute missing ones without storing them."""
        held = self._stored(exchanges)
        known = {exchange.id: self._known(held, exchange) for exchange in exchanges}
        self._add(self._rules, [(each, known[each.id]) for each in exchanges])
        return {each.id: self._shown(each, known[each.id], held) for each in exchanges}

    def read_pending(
        self, limit: int | None = None, *, page_size: int | None = None
    ) -> Iterator[MaintenanceProgress]:
        """Annotate and store what is new or has changed.

        It may be stopped at any moment and run twice, even in two processes.

        Args:
            limit: Up to this many exchanges; None for all.
            page_size: Exchanges that are annotated together; None for the usual number.

        Raises:
            UpstreamError: The model failed; what was done before is kept.
        """
        done, size = 0, page_size or PAGE
        cursor = LogCursor(
            self._store,
            self._clock,
            PROGRESS,
            f"{self.scheme.name} {self._judge.identity}",
            again=True,
        )
        while page := cursor.page(size if limit is None else min(size, limit - done)):
            due = self._due(page.exchanges)
            cursor.mark(page, self._read(due))
            done += len(due)
            yield MaintenanceProgress("read", done, page.left)

    def correct(
        self,
        exchange: Exchange,
        which: str | Role,
        *,
        category: str | None = None,
        importance: float | None = None,
    ) -> ExchangeReading:
        """Correct the annotation of a message; no later run changes the correction.

        Args:
            exchange: The exchange.
            which: The id of one of its messages, or a role: the last message of that role with
                words.
            category: Its category; None to leave it.
            importance: 0 to 1; None for that of the new category, or to leave it.

        Raises:
            InputError: There is no such category, or the importance is out of range.
            NotFoundError: The exchange has no such message.
        """
        checked("category", category, str | None)
        checked("importance", importance, float | None)
        names = [each.name for each in self.scheme.categories]
        if category is not None and category not in names:
            raise InputError(
                f"There is no category {category!r} in the scheme {self.scheme.name!r}.",
                hint=f"Use one of: {', '.join(names)}.",
            )
        if importance is not None and not 0 <= importance <= 1:
            raise InputError(
                f"An importance of {importance:g} is out of range.",
                hint="Use a number from 0 to 1.",
            )
        message = _message(exchange, which)
        corrections = dict(self._stored([exchange]).said(USER, exchange.id))
        before = corrections.get(message.id, Stated())
        if category is not None or importance is not None:
            corrections[message.id] = Stated(
                before.category if category is None else category,
                # Another category without an importance takes the category's, not an older one.
                before.importance if category is None and importance is None else importance,
            )
            record = statement_record(USER, exchange.id, corrections, self._clock.now())
            self._store.put([record])
        return self.of([exchange])[exchange.id]

    def stats(self) -> ReadingCounts:
        """Count the annotations under the scheme, with what was stated; each message once."""
        seen: set[str] = set()
        messages: Counter[str] = Counter()
        exchanges: Counter[str] = Counter()
        by: Counter[str] = Counter()
        held = annotations_of(self._store.records(RecordKind.READING), self.scheme)
        for reading in held.values():
            own = [each for name, each in reading.messages.items() if name not in seen]
            seen |= reading.messages.keys()  # branches share messages
            messages.update(each.category for each in own)
            by.update(each.by for each in own)
            if reading.foremost:
                exchanges[reading.foremost.category] += 1
        names = dict.fromkeys([each.name for each in self.scheme.categories] + sorted(messages))
        counts = tuple(
            CategoryCount(name, self.scheme.category(name).keep, messages[name], exchanges[name])
            for name in names
        )
        pending = max(0, self._store.totals().exchanges - len(held))
        return ReadingCounts(self.scheme.name, len(held), pending, counts, dict(sorted(by.items())))

    def _due(self, page: Sequence[Exchange]) -> list[_Due]:
        held = self._stored(page)
        mine = self._judge.identity
        due = []
        for exchange in page:
            known = self._known(held, exchange)
            lasting = {name: each for name, each in known.items() if _lasts(each.by, mine)}
            lacking = {message.id for message in _worded(exchange)} - lasting.keys()
            stored = held.annotations.get(exchange.id)
            if lacking or stored is None or stored.scheme != self.scheme.name:
                due.append((exchange, lasting))
        return due

    def _read(self, due: Sequence[_Due]) -> list[Record]:
        self._add(self._judge, due)
        at = self._clock.now()
        return [
            record_of(ExchangeReading(exchange.id, self.scheme.name, _ordered(exchange, known)), at)
            for exchange, known in due
        ]

    def _add(self, judge: Judge, due: Sequence[_Due]) -> None:
        lacking = [
            (message, known)
            for exchange, known in due
            for message in _worded(exchange)
            if message.id not in known
        ]
        found = judge.classify([(message.role, message.text) for message, _ in lacking])
        for (message, known), reading in zip(lacking, found, strict=True):
            if reading is not None:
                known[message.id] = reading

    def _stored(self, exchanges: Sequence[Exchange]) -> Judged:
        asked = ids_of(exchange.id for exchange in exchanges)
        return told_apart(self._store.records(RecordKind.READING, ids=asked))

    def _known(self, held: Judged, exchange: Exchange) -> dict[str, Annotation]:
        stored = held.annotations.get(exchange.id)
        return dict(stored.messages) if stored and stored.scheme == self.scheme.name else {}

    def _shown(
        self, exchange: Exchange, known: Mapping[str, Annotation], held: Judged
    ) -> ExchangeReading:
        reading = ExchangeReading(exchange.id, self.scheme.name, _ordered(exchange, known))
        return held.with_stated(reading, self.scheme)


def _worded(exchange: Exchange) -> list[Message]:
    return [m for m in exchange.messages if m.role is not Role.TOOL and m.text.strip()]


def _ordered(exchange: Exchange, known: Mapping[str, Annotation]) -> dict[str, Annotation]:
    return {m.id: known[m.id] for m in _worded(exchange) if m.id in known}


def _message(exchange: Exchange, which: str | Role) -> Message:
    worded = _worded(exchange)
    by_id = [message for message in worded if message.id == which]
    by_role = [message for message in worded if message.role == which]
    if found := by_id or by_role:
        return found[-1]
    raise NotFoundError(
        f"Exchange {exchange.id} has no message {str(which)!r} with words.",
        hint="Name user or assistant, or the id of one of its messages.",
    )


def _lasts(by: str, judge: str) -> bool:
    return by == judge or by.startswith(MODEL)
