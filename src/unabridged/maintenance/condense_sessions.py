"""Condenses sessions that outgrew their budget, after recording.

Every step is one transaction that replaces a session's condensations as a whole, so it may be
killed at any moment, run again, and run in two programs at once. Originals are never touched.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from unabridged.condense.session_view import PERIOD, SessionView, name_of, record_of, view_of
from unabridged.domain.annotation import ExchangeReading
from unabridged.domain.condensation import Condensation, Level
from unabridged.domain.exchange import Exchange
from unabridged.domain.record import RecordKind
from unabridged.domain.results import (
    CondensePreview,
    CondenseStats,
    ExpandedCondensation,
    MaintenanceProgress,
)
from unabridged.domain.session import Session
from unabridged.errors import NotFoundError
from unabridged.log.iterate import path_of
from unabridged.maintenance import run_records
from unabridged.maintenance.condense_periods import conversation_of, is_stale, month_of, period_of
from unabridged.maintenance.condense_session import (
    CondenseTools,
    Trigger,
    Worked,
    candidates_of,
    looked_at,
    spoken,
    tokens_of,
    work_out,
)
from unabridged.maintenance.expand import expand
from unabridged.ports import Clock, Store

PAGE = 64
"""Exchanges to read at once."""
GROWTH = 0.25
"""The share of the threshold that must be new for another run."""
NEWEST = 4
"""Sessions to look at after an answer; with ``everything``, all are."""
LEAST_CONVERSATION = 4
"""Messages under which a session gets no condensation: it is as short as one."""
LEFT_AFTER = timedelta(minutes=10)
"""How long a session must rest to count as left, unless ``everything`` is asked for."""


class ReadsCategories(Protocol):
    """Returns the annotations of messages."""

    def of(self, exchanges: Sequence[Exchange]) -> Mapping[str, ExchangeReading]:
        """Return readings by exchange; missing ones are made now."""
        ...


@dataclass(frozen=True, slots=True)
class _Held:
    """A session as maintenance sees it."""

    session: Session
    view: SessionView
    path: list[Exchange]
    messages: int
    tokens: int


class Condensations:
    """Condenses the sessions of a space."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        annotations: ReadsCategories,
        terms: CondenseTools,
        trigger: Trigger | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._annotations = annotations
        self.terms = terms
        self.trigger = trigger or Trigger()
        self._in_vain: dict[str, str | None] = {}  # session to its head, after a run without result

    # Looking.

    def view(self, session: str) -> SessionView:
        """Return what of a session is condensed."""
        return self._view(name_of(session))

    def _view(self, name: str) -> SessionView:
        found = self._store.records(RecordKind.CONDENSATION, ids=[name])
        return view_of(found[0]) if found else SessionView(name)

    def condensations(self) -> list[Condensation]:
        """Return every condensation of the space, the oldest first."""
        records = self._store.records(RecordKind.CONDENSATION)
        found = [one for record in records for one in view_of(record).condensations]
        return sorted(found, key=lambda one: (one.since, one.until, one.id))

    def expand(self, wanted: str) -> ExpandedCondensation:
        """Open a condensation, stored or of a past prompt, by its id or a prefix of it.

        Raises:
            NotFoundError: There is none, or several.
        """
        return expand(self._store, wanted, self.condensations())

    def stats(self) -> CondenseStats:
        """Return the statistics of condensing."""
        return run_records.statistics(self._store)

    # Condensing one session.

    def plan(self, session: str, *, threshold: int | None = None) -> CondensePreview:
        """Preview a run over a session; nothing is changed.

        A run is due above ``threshold`` tokens; None for the setting.

        Raises:
            NotFoundError: There is no such session.
        """
        began = self._clock.now()
        held = self._held(session)
        due = self._due(session, held.view, threshold)
        outlook = self._outlook(held, self._work_out(held), threshold, due=due)
        return replace(outlook, seconds=self._since(began))

    def condense(
        self, session: str, *, force: bool = False, threshold: int | None = None
    ) -> CondensePreview:
        """Condense a session if a run is due.

        Args:
            session: The session.
            force: Run even if none is due; the newest messages are still spared.
            threshold: Tokens above which a run is due; None for the setting.

        Raises:
            NotFoundError: There is no such session.
        """
        began = self._clock.now()
        held = self._held(session)
        due = self._due(session, held.view, threshold)
        if not force and not due:
            return self._outlook(held, None, threshold, due=due)
        worked = self._work_out(held)
        outlook = self._outlook(held, worked, threshold, due=due)
        outlook = replace(outlook, seconds=self._since(began))
        self._keep(held, worked, outlook.seconds)
        return outlook

    def _since(self, began: datetime) -> float:
        return max(0.0, (self._clock.now() - began).total_seconds())

    def _keep(self, held: _Held, worked: Worked | None, seconds: float) -> None:
        at = self._clock.now()
        if worked is None or not worked.usable:
            looked = looked_at(held.path, held.view, self.trigger, self.terms)
            if looked != held.view:
                self._store.put([record_of(looked, at)])
            return
        run = run_records.run_of(
            held.session.id, worked, at, self.terms.condenser.identity, seconds
        )
        self._store.put([record_of(worked.view, at), run_records.record_of(run)])

    def _work_out(self, held: _Held) -> Worked | None:
        older = candidates_of(held.path, self.trigger.spared)
        annotations = self._annotations.of(older)
        return work_out(held.path, annotations, held.view, self.trigger, self.terms)

    def _held(self, session_id: str) -> _Held:
        session = self._store.session(session_id)
        if session is None:
            raise NotFoundError(
                f"There is no session {session_id!r}.",
                hint="List them: `unabridged sessions`, or sessions() in Python.",
            )
        path = path_of(self._store, session_id)
        said = [m for e in path for _, m in spoken(e)]
        tokens = sum(tokens_of(m, self.terms.count) for m in said)
        return _Held(session, self.view(session_id), path, len(said), tokens)

    def _due(self, session: str, view: SessionView, threshold: int | None) -> bool:
        # Read only what is new since the last run, or enough to make one due.
        most = self._threshold(threshold)
        fresh = ripe = messages = 0
        before = None
        while page := self._store.recent(session, PAGE, before):
            for exchange in reversed(page):
                if exchange.id == view.upto:
                    grown = ripe >= GROWTH * most and messages >= self.trigger.messages
                    return grown and view.tokens + fresh > most
                said = [message for _, message in spoken(exchange)]
                tokens = sum(tokens_of(message, self.terms.count) for message in said)
                ripe += tokens if messages >= self.trigger.spared else 0
                fresh += tokens
                messages += len(said)
            enough = ripe and fresh > most and messages >= self.trigger.messages
            if enough and not view.upto:
                return True
            if len(page) < PAGE:
                break
            before = page[0].id
        return bool(ripe) and fresh > most and messages >= self.trigger.messages

    def _threshold(self, given: int | None) -> int:
        return self.trigger.tokens if given is None else min(given, self.trigger.tokens)

    def _outlook(
        self, held: _Held, worked: Worked | None, threshold: int | None, *, due: bool
    ) -> CondensePreview:
        older = candidates_of(held.path, self.trigger.spared)
        candidates = sum(len(spoken(exchange)) for exchange in older)
        saved = sum(one.source_tokens - one.tokens for one in held.view.at(Level.EXCHANGES))
        reason = worked.reason if worked else ""
        if worked is None:
            reason = "Every candidate is condensed or stays verbatim." if due else "Nothing is due."
        return CondensePreview(
            session=held.session.id,
            due=due,
            tokens=held.tokens - saved,
            threshold=self._threshold(threshold),
            messages=held.messages,
            candidates=candidates,
            keep=_counts(worked.selection.keep) if worked else {},
            condense=_counts(worked.selection.condense) if worked else {},
            made=worked.made if worked else (),
            coherence=worked.coherence if worked else None,
            usable=bool(worked and worked.usable),
            reason=reason,
        )

    # Condensing everything.

    def run(
        self,
        current: str | None = None,
        *,
        everything: bool = False,
        threshold: int | None = None,
    ) -> Iterator[MaintenanceProgress]:
        """Condense what is due: sessions over their budget, sessions that were left, months.

        Args:
            current: The session in use: it was not left.
            everything: Look at every session; else at the newest few, and condense as a whole only
                those that rested, since several clients may use several sessions.
            threshold: Tokens above which a run is due; None for the setting.

        Yields:
            The progress after each session; what was reported is stored.
        """
        sessions = self._store.sessions(newest=None if everything else NEWEST)
        months: set[str] = set()
        for done, session in enumerate(reversed(sessions), 1):
            note = ""
            if self._due(session.id, self.view(session.id), threshold):
                outlook = self.condense(session.id, threshold=threshold)
                note = outlook.reason if outlook.made and not outlook.usable else ""
            left = everything or self._clock.now() - session.updated >= LEFT_AFTER
            if session.id != current and left and self._whole(session):
                months.add(month_of(session))
            yield MaintenanceProgress("condense", done, len(sessions) - done, note)
        if everything:
            months = {month_of(s) for s in sessions}
        ended = sorted(m for m in months if m < self._clock.now().strftime("%Y-%m"))
        for done, month in enumerate(ended, 1):
            self._period(month)
            yield MaintenanceProgress("periods", done, len(ended) - done)

    def renew(
        self, sessions: Mapping[str, Collection[str]], months: Iterable[str]
    ) -> Iterator[MaintenanceProgress]:
        """Restore lost condensations, and no others.

        Args:
            sessions: Session to the levels that it had.
            months: The months that had one, such as ``2026-05``.
        """
        for done, (name, levels) in enumerate(sessions.items(), 1):
            session = self._store.session(name)
            if session is not None:
                if Level.EXCHANGES.value in levels:
                    self.condense(name, force=True)
                if Level.CONVERSATION.value in levels:
                    self._in_vain.pop(name, None)
                    self._whole(session)
            yield MaintenanceProgress("condense", done, len(sessions) - done)
        for month in months:
            self._period(month)

    def _whole(self, session: Session) -> bool:
        view = self.view(session.id)
        if not is_stale(view, session) or self._in_vain.get(session.id, "") == session.head:
            return False
        path = path_of(self._store, session.id)
        made = None
        if sum(len(spoken(exchange)) for exchange in path) >= LEAST_CONVERSATION:
            made = conversation_of(session, path, view, self._annotations.of(path), self.terms)
        if made is None:
            self._in_vain[session.id] = session.head
            return False
        self._store.put([record_of(made, self._clock.now())])
        return True

    def _period(self, month: str) -> None:
        within = [s for s in self._store.sessions() if month_of(s) == month]
        records = self._store.records(RecordKind.CONDENSATION, ids=[name_of(s.id) for s in within])
        whole = [c for r in records for c in view_of(r).at(Level.CONVERSATION)]
        made = period_of(month, whole, self._view(PERIOD + month), self.terms)
        if made is not None:
            self._store.put([record_of(made, self._clock.now())])


def _counts(groups: Mapping[str, Sequence[object]]) -> dict[str, int]:
    return {name: len(keys) for name, keys in groups.items() if keys}
