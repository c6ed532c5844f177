"""A cache of rendered sessions, so that only changes are rendered again."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from unabridged.condense.session_view import line_from_data, name_of
from unabridged.domain.changes import Changes
from unabridged.domain.condensation import Level
from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.session import Session, title_from
from unabridged.ports import Store
from unabridged.projections.json_files import fields
from unabridged.projections.json_files.layout import FileFacts, Layout
from unabridged.projections.json_files.session_json import ExchangeJson, SessionJson

_PAGE = 256
"""Records read at once."""
TOLD_BY = frozenset({RecordKind.CONTEXT, RecordKind.CONDENSATION})
"""Kinds of records in the head of a file."""


class SessionCache:
    """The rendered sessions of a space."""

    def __init__(self, store: Store, layout: Layout) -> None:
        self._store = store
        self._layout = layout
        self._summaries: dict[str, str] = {}
        self.sessions: dict[str, SessionJson] = {}

    def restore(self, sessions: Iterable[SessionJson]) -> None:
        """Fill the cache with what was read from a file."""
        self.sessions |= {one.session.id: one for one in sessions}

    def clear(self) -> None:
        """Clear the cache."""
        self.sessions.clear()
        self._summaries.clear()

    def apply(self, changes: Changes) -> None:
        """Render the changes of cached sessions."""
        if changes.full:
            self.clear()
            return
        if changes.kinds & TOLD_BY:
            self._summaries.clear()
        gone = set(changes.erased)
        held = self.sessions.items() if gone else ()
        whole = {name for name, one in held if any(each.form.id in gone for each in one)}
        fresh = touched(self._store, changes)
        for name in (fresh.keys() | whole) & self.sessions.keys():
            self._refresh(name, None if name in whole else fresh[name])

    def get(self, header: Session) -> SessionJson:
        """Return a rendered session."""
        if header.id not in self.sessions:
            self.sessions[header.id] = self._render(header)
        return self.sessions[header.id]

    def facts(self, headers: Iterable[Session]) -> FileFacts:
        """Return the head of a file with sessions."""
        sessions = [self.get(one) for one in headers]
        if not self._layout.shows_records:
            return FileFacts(self._store.space, sessions, {}, None)
        self._summarize([one for one in sessions if one.session.id not in self._summaries])
        newest = self._store.records(RecordKind.CONTEXT, newest=1)
        window = _ledger_of(newest[0]).window if newest else None
        return FileFacts(self._store.space, sessions, self._summaries, window)

    def _refresh(self, name: str, ids: set[str] | None) -> None:
        self._summaries.pop(name, None)
        header = self._store.session(name)
        old = self.sessions.pop(name)
        if header is not None:
            grown = None if ids is None else self._grown(header, old, ids)
            self.sessions[name] = grown or self._render(header)

    def _grown(self, header: Session, old: SessionJson, ids: set[str]) -> SessionJson | None:
        if not ids and header.head == old.session.head:
            return SessionJson(header, _header_json(header), old.path, old.others)
        if len(ids) != 1 or not old.path:
            return None
        last = old.path[-1].form
        exchange = next(iter(self._store.get(ids).values()), None)
        if exchange is None or exchange.messages[-1].id != header.head:
            return None
        is_last = last.id == exchange.id and last.opened_by is None
        if not is_last and exchange.parent != last.id:
            return None
        if any(one.first == exchange.user.id for one in old.others):
            return None
        before = old.path[:-1] if is_last else old.path
        written = self._write(exchange, None, self._complexities([exchange]))
        return SessionJson(header, _header_json(header), [*before, written], old.others)

    def _render(self, header: Session) -> SessionJson:
        exchanges = {one.id: one for one in self._store.exchanges_of(header.id)}
        opened = _openings(exchanges)
        told = self._complexities(list(exchanges.values()))
        written = {name: self._write(one, opened[name], told) for name, one in exchanges.items()}
        path = self._path(header, exchanges)
        others = sorted(exchanges.keys() - set(path))
        on, off = ([written[name] for name in names] for names in (path, others))
        return SessionJson(header, _header_json(header), on, off)

    def _path(self, header: Session, exchanges: Mapping[str, Exchange]) -> list[str]:
        ending = self._store.recent(header.id, 1)
        step = ending[0].id if ending else None
        path: list[str] = []
        while step is not None and step in exchanges:
            path.append(step)
            step = exchanges[step].parent
        return path[::-1]

    def _write(
        self, exchange: Exchange, opened_by: str | None, complexities: Mapping[str, float]
    ) -> ExchangeJson:
        form = fields.exchange_form(exchange, opened_by)
        shown = self._layout.write(exchange, complexities.get(exchange.id))
        return ExchangeJson.of(form, fields.form_bytes(form), shown)

    def _complexities(self, exchanges: list[Exchange]) -> dict[str, float]:
        # The complexity of messages, from their contexts.
        found: dict[str, float] = {}
        if not self._layout.shows_records:
            return found
        for start in range(0, len(exchanges), _PAGE):
            ids = [one.id for one in exchanges[start : start + _PAGE]]
            for record in self._store.records(RecordKind.CONTEXT, ids=ids):
                complexity = _ledger_of(record).complexity
                if complexity is not None:
                    found[record.id] = complexity
        return found

    def _summarize(self, sessions: Sequence[SessionJson]) -> None:
        # Summaries of sessions: their condensation, title or first words.
        names = {name_of(one.session.id): one.session.id for one in sessions}
        told = {}
        for record in self._store.records(RecordKind.CONDENSATION, ids=list(names)):
            for one in record.body.get("condensations", ()):
                if one.get("level") == Level.CONVERSATION:
                    texts = (line_from_data(line).text for line in one.get("lines", ()))
                    told[names[record.id]] = " ".join(texts)
                    break
        for one in sessions:
            summary = told.get(one.session.id) or one.session.title
            self._summaries[one.session.id] = summary or self._title(one)

    def _title(self, session: SessionJson) -> str:
        if not session.path:
            return ""
        [turn] = self._layout.turns(session.path[0].shown, "$")
        return title_from(turn.user)


def touched(store: Store, changes: Changes) -> dict[str, set[str]]:
    """Return the sessions that changed, each with the exchanges that were written or moved."""
    found: dict[str, set[str]] = {name: set() for name in changes.sessions}
    for exchange in store.get([*changes.written, *changes.moved]).values():
        found.setdefault(exchange.session, set()).add(exchange.id)
    return found


def _header_json(header: Session) -> bytes:
    return fields.form_bytes(fields.session_form(header))


def _openings(exchanges: Mapping[str, Exchange]) -> dict[str, str | None]:
    owners: dict[str, str] = {}
    for name in sorted(exchanges):
        owners.setdefault(exchanges[name].user.id, name)
    for name, exchange in exchanges.items():
        owners.update((message.id, name) for message in exchange.messages[1:])
    return {
        name: None if owners[one.user.id] == name else one.user.id
        for name, one in exchanges.items()
    }


class _Ledger(msgspec.Struct, frozen=True):
    complexity: float | None = None
    window: int | None = None


class _Manifest(msgspec.Struct, frozen=True):
    ledger: _Ledger = _Ledger()


class _Context(msgspec.Struct, frozen=True):
    manifest: _Manifest = _Manifest()


def _ledger_of(record: Record) -> _Ledger:
    try:
        return msgspec.convert(record.body, _Context).manifest.ledger
    except msgspec.ValidationError:
        return _Ledger()
