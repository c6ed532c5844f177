"""Keeps what was written of each session, so that only what changed is rendered again."""

from collections.abc import Iterable, Mapping

import msgspec

from unabridged.condense.session_view import line_from_data, name_of
from unabridged.domain.changes import Changes
from unabridged.domain.condensation import Level
from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.session import Session, title_from
from unabridged.ports import Store
from unabridged.projections.json_files import fields
from unabridged.projections.json_files.exchange_json import ExchangeJson, write_exchange
from unabridged.projections.json_files.json_document import SessionJson
from unabridged.projections.json_files.layout import Layout, RenderedText
from unabridged.projections.json_files.rendered_exchanges import RenderedPath

_PAGE = 256
"""Records that are read at once."""
TOLD_BY = frozenset({RecordKind.CONTEXT, RecordKind.CONDENSATION})
"""Kinds of records that the head of a file tells of."""


class SessionCache:
    """What was written of the sessions of a space.

    Args:
        store: The log.
        layout: How it looks.
    """

    def __init__(self, store: Store, layout: Layout) -> None:
        self._store = store
        self._layout = layout
        self._texts: dict[str, RenderedText] = {}
        self.sessions: dict[str, SessionJson] = {}

    def restore(self, sessions: Iterable[SessionJson]) -> None:
        """Begin with what was read from a file."""
        self.sessions |= {one.session.id: one for one in sessions}

    def holds_any(self, sessions: Iterable[Session]) -> bool:
        """Return whether one of some sessions is held."""
        return any(one.id in self.sessions for one in sessions)

    def clear(self) -> None:
        """Render everything again when it is needed next."""
        self.sessions.clear()
        self._texts.clear()

    def apply(self, changes: Changes) -> None:
        """Render again what changed in the sessions that are held."""
        if changes.full:
            self.clear()
            return
        if changes.kinds & TOLD_BY:
            self._texts.clear()
        if changes.erased:
            gone = set(changes.erased)
            whole = {n for n, one in self.sessions.items() if any(x.id in gone for x in one)}
        else:
            whole = set()
        for name, ids in touched(self._store, changes).items():
            if name in self.sessions:
                self._refresh(name, ids, whole=name in whole)
                whole.discard(name)
        for name in whole:
            self._refresh(name, set(), whole=True)

    def get(self, header: Session) -> SessionJson:
        """Return what is written of a session."""
        held = self.sessions.get(header.id)
        if held is None:
            held = self.sessions[header.id] = self._render(header, None)
        return held

    def texts(self, sessions: Iterable[SessionJson]) -> list[RenderedText]:
        """Return what the head of a file says of sessions."""
        wanted = list(sessions)
        missing = [one for one in wanted if one.session.id not in self._texts]
        summaries = self._summaries(missing) if self._layout.shows_records else {}
        for one in missing:
            self._texts[one.session.id] = _text_of(one, summaries.get(one.session.id, ""))
        return [self._texts[one.session.id] for one in wanted]

    def window(self) -> int | None:
        """Return the window of the newest context, in tokens."""
        if not self._layout.shows_records:
            return None
        newest = self._store.records(RecordKind.CONTEXT, newest=1)
        return _ledger_of(newest[0]).window if newest else None

    def _refresh(self, name: str, ids: set[str], *, whole: bool) -> None:
        self._texts.pop(name, None)
        header = self._store.session(name)
        old = self.sessions.pop(name)
        if header is None:
            return
        found = None if whole else self._grown(header, old, ids)
        self.sessions[name] = found or self._render(header, old)

    def _grown(self, header: Session, old: SessionJson, ids: set[str]) -> SessionJson | None:
        data = fields.form_bytes(fields.session_form(header))
        if not ids and header.head == old.session.head:
            return SessionJson(header, data, old.path, old.others)
        last = old.path.last
        if len(ids) != 1 or last is None:
            return None
        exchange = next(iter(self._store.get(ids).values()), None)
        if exchange is None or exchange.messages[-1].id != header.head:
            return None
        is_last = last.id == exchange.id and last.opened_by is None
        first = exchange.user.id
        if not (is_last or exchange.parent == last.id) or any(
            one.first == first for one in old.others
        ):
            return None
        written = self._write(exchange, None, self._complexities([exchange]))
        return SessionJson(header, data, old.path.grown(written), old.others)

    def _render(self, header: Session, old: SessionJson | None) -> SessionJson:
        known = {} if old is None else {one.id: one for one in old}
        exchanges = {one.id: one for one in self._store.exchanges_of(header.id)}
        opened = _openings(exchanges)
        fresh = [
            one
            for one in exchanges.values()
            if one.id not in known or not known[one.id].shows(one, opened[one.id])
        ]
        told = self._complexities(fresh)
        written = {one.id: self._write(one, opened[one.id], told) for one in fresh}
        written = {name: written.get(name) or known[name] for name in exchanges}
        path = self._path(header, exchanges)
        others = sorted(exchanges.keys() - set(path))
        on, off = (RenderedPath([written[name] for name in ids]) for ids in (path, others))
        return SessionJson(header, fields.form_bytes(fields.session_form(header)), on, off)

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
        return write_exchange(exchange, opened_by, self._layout, complexities.get(exchange.id))

    def _complexities(self, exchanges: list[Exchange]) -> dict[str, float]:
        # How complex messages were, as their contexts tell.
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

    def _summaries(self, sessions: Iterable[SessionJson]) -> dict[str, str]:
        # What was said in sessions, as their condensations tell.
        names = {name_of(one.session.id): one.session.id for one in sessions}
        found = {}
        for record in self._store.records(RecordKind.CONDENSATION, ids=list(names)):
            for one in record.body.get("condensations", ()):
                if one.get("level") == Level.CONVERSATION:
                    texts = (line_from_data(line).text for line in one.get("lines", ()))
                    found[names[record.id]] = " ".join(texts)
                    break
        return found


def touched(store: Store, changes: Changes) -> dict[str, set[str]]:
    """Return the sessions that changed, each with the exchanges that were written or moved."""
    found: dict[str, set[str]] = {name: set() for name in changes.sessions}
    for exchange in store.get([*changes.written, *changes.moved]).values():
        found.setdefault(exchange.session, set()).add(exchange.id)
    return found


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


def _text_of(one: SessionJson, summary: str) -> RenderedText:
    header, last = one.session, one.path.last
    first = next(iter(one.path), last)
    return RenderedText(
        session=header,
        summary=summary or header.title or (title_from(_words(first)) if first else ""),
        exchanges=len(one.path) + len(one.others),
        tokens=one.path.tokens + one.others.tokens,
        first=(first.at if first else header.created).date().isoformat(),
        last=(last.at if last else header.updated).date().isoformat(),
        model=last.model if last else "",
    )


def _words(exchange: ExchangeJson) -> str:
    # What the user said in an exchange, as the seed's fields show it.
    value = msgspec.json.decode(exchange.shown[0])
    return str(value["user"]["content"]) if "user" in value else ""
