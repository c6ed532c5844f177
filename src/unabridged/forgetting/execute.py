"""Execute a forgetting, so that a kill at any moment leaves it not begun or to be finished.

First, one transaction stores the ids and figures of what to remove, with the tombstone that
recognises the words. After that every step can be repeated; the receipt ends it.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from unabridged.domain.blob import Blob, BlobKind
from unabridged.domain.exchange import Exchange
from unabridged.domain.forgetting import ForgetPlan, OutOfReach, Receipt, Scan
from unabridged.domain.record import RecordKind
from unabridged.domain.results import MaintenanceProgress
from unabridged.errors import HeadMovedError, NotFoundError, UpstreamError
from unabridged.forgetting.forget_journal import (
    BEGUN,
    ForgetJournal,
    begun,
    record_of as work_record,
    work_of,
)
from unabridged.forgetting.plan import ForgetSelection, check_plan, plan
from unabridged.forgetting.receipts import (
    is_genuine,
    named,
    receipt_of,
    record_of as receipt_record,
    sealed,
    without_backups,
)
from unabridged.forgetting.tombstones import tombstone
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.requirements import Requirements
from unabridged.log.cursor import pass_over
from unabridged.log.entrances import (
    entrances,
    texts_of_blob,
    texts_of_message,
    texts_of_record,
)
from unabridged.ports import Clock, Keys, Store, SupportsScan

_PIECE_LENGTH = 40
"""Characters of a piece: long enough to be unique, short enough to be on one page."""
_LEAST_PIECE = 24
"""Characters of the shortest piece."""
_LEAST_WORD = 6
"""Characters of the shortest word of a search that is looked for in the files."""
_MOST_PIECES = 200
"""Pieces that are looked for; of more, every n-th is used."""
_ATTEMPTS = 20
UNSEEN = "It was interrupted; its words were erased before the files could be searched for them."
NO_FILES = "This store cannot search its own files."
LATER = "Condensations will be rebuilt when the model answers again: {error}"


class Renews(Protocol):
    """Condenses sessions and months again after their condensations were removed."""

    def renew(
        self, sessions: Mapping[str, Sequence[str]], months: Iterable[str]
    ) -> Iterator[MaintenanceProgress]:
        """Condense sessions, each at its previous levels, and months."""
        ...


@dataclass(frozen=True, slots=True)
class ForgetDependencies:
    """The dependencies of forgetting in addition to the store.

    ``outside`` names what is not reached, given the exchanges.
    """

    clock: Clock
    keys: Keys
    facts: Facts
    requirements: Requirements
    condensations: Renews
    outside: Callable[[Sequence[Exchange]], OutOfReach]


class ForgetExecutor:
    """Forgets in one space."""

    def __init__(self, store: Store, hands: ForgetDependencies) -> None:
        self._store = store
        self._hands = hands

    def plan(self, wanted: ForgetSelection) -> ForgetPlan:
        """Plan a forgetting; only reads."""
        clock = self._hands.clock
        made = plan(self._store, wanted, clock.new_id(), clock.now(), self._hands.outside)
        if not (made.is_empty and made.words and isinstance(self._store, SupportsScan)):
            return made
        found = self._store.scan_files([_forms_of(word) for word in _spellings(made.words)]).found
        return replace(made, remnants=len(found))

    def carry_out(self, planned: ForgetPlan, *, recognised: bool = True) -> Receipt:
        """Forget the content of a plan.

        ``recognised``: whether the same words are recognised when they return, and then not stored.

        Returns:
            The receipt; that of an earlier run if there was one.

        Raises:
            InputError: The plan is of another space, or something changed since it was made.
            StoreBusyError: It is removed, but others read the files for so long that old bytes
                remain in them: ``resume`` finishes it.
            StoreError: It could not be written; if it had begun, ``resume`` finishes it.
        """
        if held := self._store.records(RecordKind.RECEIPT, ids=[planned.id]):
            return receipt_of(held[0])
        if not self._store.records(RecordKind.PROGRESS, ids=[BEGUN + planned.id]):
            check_plan(self._store, planned)
        work = work_of(planned)
        at = self._hands.clock.now()
        key = self._hands.keys.current()
        stones = []
        if planned.exchanges and recognised:
            stones.append(tombstone(planned, at, key, self._store))
        self._store.put([work_record(work), *stones])
        wanted = [*_pieces_of(self._texts_of(planned)), *_spellings(planned.words)]
        return self._finish(work, planned.exchanges, wanted, renew=True)

    def resume(self, *, renew: bool = True) -> list[Receipt]:
        """Finish interrupted forgetting; ``renew`` or the next maintenance condenses again."""
        done = []
        for work in begun(self._store):
            held = self._store.records(RecordKind.RECEIPT, ids=[work.id])
            if held:
                self._store.delete(RecordKind.PROGRESS, [BEGUN + work.id])
                continue
            said = list(self._store.get(work.exchanges).values())
            messages = {message.id: message for e in said for message in e.messages}
            texts = (text for m in messages.values() for text in texts_of_message(m))
            done.append(self._finish(work, said, _pieces_of(texts), renew=renew))
        return done

    def receipts(self) -> list[Receipt]:
        """Return every receipt, the oldest first."""
        return [receipt_of(record) for record in self._store.records(RecordKind.RECEIPT)]

    def is_genuine(self, receipt: Receipt) -> bool | None:
        """Return whether a receipt is unchanged; None if its key may be gone."""
        keys = self._hands.keys.held()
        return any(is_genuine(receipt, key) for key in keys) if keys else None

    def lift(self, wanted: str) -> Receipt:
        """Allow the content of a receipt to be stored again.

        ``wanted`` is its id, or the end or beginning of it.

        Raises:
            NotFoundError: There is none, or several.
        """
        found = named({r.id: r for r in self.receipts()}, wanted, "receipt", "receipts")
        lifted = replace(found, lifted=found.lifted or self._hands.clock.now())
        self._store.put([receipt_record(lifted)])
        self._store.delete(RecordKind.TOMBSTONE, [lifted.id])
        return lifted

    def settle(self, receipt_id: str, rewritten: Collection[str]) -> Receipt:
        """Store that backups were rewritten without the content of a receipt; return it.

        Raises:
            NotFoundError: There is none, or several.
        """
        found = named({r.id: r for r in self.receipts()}, receipt_id, "receipt", "receipts")
        settled = without_backups(found, rewritten, self._hands.keys.current())
        self._store.put([receipt_record(settled)])
        return settled

    def _finish(
        self,
        work: ForgetJournal,
        said: Sequence[Exchange],
        wanted: Sequence[str],
        *,
        renew: bool,
    ) -> Receipt:
        whole = len(said) == len(work.exchanges)
        self._let_go(work)
        self._store.erase(work.exchanges)
        pass_over(self._store, self._hands.clock, said)
        notes = self._repair(work, renew=renew)
        scan, left = self._scan(wanted)
        if not whole:
            notes.append(UNSEEN)
        elif scan is None:
            notes.append(NO_FILES)
        receipt = self._receipt(work, scan or Scan(), len(wanted) if scan else 0, left, notes)
        self._store.put([receipt_record(receipt)])
        self._store.delete(RecordKind.PROGRESS, [BEGUN + work.id])
        return receipt

    def _texts_of(self, planned: ForgetPlan) -> Iterator[str]:
        # What goes; a text that others share is found where it stays, and then not counted as left.
        for message in planned.messages:
            yield from texts_of_message(message)
        for data in self._store.originals(m.id for m in planned.messages).values():
            yield from texts_of_blob(Blob(BlobKind.ORIGINAL, data))
        kinds: dict[RecordKind, list[str]] = {}
        for one in (*planned.going, *planned.given):
            kinds.setdefault(one.kind, []).append(one.id)
        for kind, ids in kinds.items():
            for record in self._store.records(kind, ids=ids):
                yield from (text for text in texts_of_record(record) if " " in text)  # no ids
                for blob in record.blobs:
                    yield from texts_of_blob(blob)
        yield from (session.title for session in planned.titles)

    def _let_go(self, work: ForgetJournal) -> None:
        for fact in work.facts:
            with suppress(NotFoundError):  # done before the interruption
                self._hands.facts.drop(fact)
        for kind, name in work.given:
            self._store.delete(RecordKind(kind), [name])
        for session in work.titles:
            self._untitle(session)

    def _untitle(self, session_id: str) -> None:
        for attempt in range(_ATTEMPTS):
            session = self._store.session(session_id)
            if session is None or not session.title:
                return
            try:
                self._store.set_session(replace(session, title=""), session.head)
            except HeadMovedError:
                if attempt == _ATTEMPTS - 1:
                    raise
            else:
                return

    def _repair(self, work: ForgetJournal, *, renew: bool) -> list[str]:
        for statement in work.pins:
            with suppress(NotFoundError):
                self._hands.facts.pin(statement)
        if work.sources:
            self._hands.requirements.learn(self._store.get(work.sources).values())
        if not renew:
            return []
        try:
            for _ in self._hands.condensations.renew(work.condensed, work.periods):
                pass
        except UpstreamError as error:
            return [LATER.format(error=error)]
        return []

    def _scan(self, wanted: Sequence[str]) -> tuple[Scan | None, int]:
        if not isinstance(self._store, SupportsScan):
            return None, 0
        scan = self._store.scan_files([_forms_of(piece) for piece in wanted])
        found = [wanted[number] for number in scan.found]
        if not found:
            return scan, 0
        texts = (entrance.text for entrance in entrances(self._store))
        return scan, len(set(found) - _said_elsewhere(found, texts))

    def _receipt(
        self, work: ForgetJournal, scan: Scan, pieces: int, left: int, notes: Sequence[str]
    ) -> Receipt:
        receipt = Receipt(
            id=work.id,
            at=work.at,
            done=self._hands.clock.now(),
            space=self._store.space.name,
            what=work.what,
            exchanges=len(work.exchanges),
            ids=(*work.exchanges, *work.facts),
            given=work.given,
            messages=work.messages,
            bytes=work.bytes,
            records=work.records,
            sessions=work.sessions,
            titles=len(work.titles),
            staying=work.staying,
            repeats=work.repeats,
            outside=work.outside,
            files=scan.files,
            scanned=scan.bytes,
            pieces=pieces,
            left=left,
            notes=tuple(notes),
        )
        return sealed(receipt, self._hands.keys.current())


def _spellings(words: Iterable[str]) -> list[str]:
    # A word as it was typed and as it may be written; short ones are in any file by chance.
    forms = (form for word in words for form in (word, word.lower(), word.upper(), word.title()))
    return [form for form in dict.fromkeys(forms) if len(form) >= _LEAST_WORD]


def _pieces_of(texts: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for line in (line for text in texts for line in text.splitlines()):
        said = line.strip()
        starts = {
            0,
            max(0, len(said) // 2 - _PIECE_LENGTH // 2),
            max(0, len(said) - _PIECE_LENGTH),
        }
        found |= {said[i : i + _PIECE_LENGTH].strip(): None for i in sorted(starts)}
    telling = [piece for piece in found if len(piece) >= _LEAST_PIECE]
    step = max(1, -(-len(telling) // _MOST_PIECES))
    return telling[::step]


def _forms_of(piece: str) -> list[bytes]:
    # The bytes that a piece may be stored as: UTF-8, UTF-16 and escaped as in JSON.
    escaped = json.dumps(piece)[1:-1].encode("ascii")
    plain = json.dumps(piece, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")
    forms = [
        piece.encode("utf-8", "surrogatepass"),
        piece.encode("utf-16-le", "surrogatepass"),
        escaped,
        plain,
    ]
    return list(dict.fromkeys(forms))


def _said_elsewhere(pieces: Sequence[str], texts: Iterable[str]) -> set[str]:
    left = set(pieces)
    found: set[str] = set()
    for text in texts:
        if not left:
            break
        hits = {piece for piece in left if piece in text}
        found |= hits
        left -= hits
    return found
