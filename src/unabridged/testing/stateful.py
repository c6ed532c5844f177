"""A state machine that compares a store with plain dictionaries; needs ``hypothesis``, ``pytest``.

class MyMachine(StoreMachine):
    def make(self):
        return MyStore(tempfile.mkdtemp(), SPACE)

    def reopen(self, store):
        store.close()
        return MyStore(store.folder, SPACE)

TestMyStore = MyMachine.TestCase
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from unabridged.domain.blob import Blob, BlobKind
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Reasoning, Role, Text
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.session import Session, title_from
from unabridged.domain.write import Batch
from unabridged.errors import DuplicateIdError, HeadMovedError
from unabridged.ports import Store, SupportsCheck
from unabridged.testing.log_writer import START, LogWriter
from unabridged.testing.stores_blobs import BLOBS, ORIGINAL, stored_blobs
from unabridged.testing.stores_changes import Replica

TEXTS = st.text(st.characters(), max_size=20)
"""Any text, lone surrogates and NUL included."""
_SESSIONS = st.sampled_from(["s1", "s2"])
_PICK = st.integers(0, 1_000_000)
_KINDS = st.sampled_from([RecordKind.FACT, RecordKind.CONTEXT])
_FAR_AHEAD = timedelta(days=3650)


@dataclass
class Model:
    """The expected content of a store: whole exchanges by id, headers, records."""

    exchanges: dict[str, Exchange] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    records: dict[tuple[RecordKind, str], Record] = field(default_factory=dict)
    originals: dict[str, bytes] = field(default_factory=dict)

    def messages(self) -> dict[str, Message]:
        """Return every message, once."""
        return {m.id: m for exchange in self.exchanges.values() for m in exchange.messages}

    def ending(self, head: str | None) -> str | None:
        """Return the exchange of a head: the newest that ends there, else the first with it."""
        holding = sorted(
            x.id for x in self.exchanges.values() if head in {m.id for m in x.messages}
        )
        ends = [name for name in holding if self.exchanges[name].messages[-1].id == head]
        return ends[-1] if ends else next(iter(holding), None)

    def path(self, session: str) -> list[Exchange]:
        """Return the session's current path, oldest first."""
        found, step = [], self.ending(self.sessions[session].head)
        while step is not None:
            found.append(self.exchanges[step])
            step = self.exchanges[step].parent
        return found[::-1]

    def of(self, session: str) -> list[Exchange]:
        """Return the exchanges of a session, by id."""
        return [x for _, x in sorted(self.exchanges.items()) if x.session == session]

    def forget(self, ids: set[str]) -> None:
        """Remove exchanges, and close the gaps."""
        before, gone = self.messages(), {n: x for n, x in self.exchanges.items() if n in ids}
        self.exchanges = {n: x for n, x in self.exchanges.items() if n not in ids}
        lost = {n: m for n, m in before.items() if n not in self.messages()}
        self.originals = {n: data for n, data in self.originals.items() if n not in lost}

        def lifted(message: Message) -> Message:
            return replace(message, parent=_up(message.parent, lost))

        for name, exchange in self.exchanges.items():
            parent = exchange.parent
            while parent in gone:
                parent = gone[parent].parent
            messages = tuple(lifted(message) for message in exchange.messages)
            self.exchanges[name] = replace(exchange, parent=parent, messages=messages)
        for session in {exchange.session for exchange in gone.values()}:
            self._repair(session, lost)
        self.records = {
            key: record
            for key, record in self.records.items()
            if not ids & set(record.exchanges)
            and not (key[0] is RecordKind.CONTEXT and key[1] in gone)
        }

    def _repair(self, session: str, lost: dict[str, Message]) -> None:
        header, left = self.sessions.pop(session), self.of(session)
        if left:
            head = _up(header.head, lost)
            if head is None and header.head is not None:
                head = left[-1].messages[-1].id
            drawn = header.title in {title_from(message.text) for message in lost.values()}
            self.sessions[session] = replace(header, head=head, title="" if drawn else header.title)


def _up(message: str | None, lost: dict[str, Message]) -> str | None:
    while message is not None and message in lost:
        message = lost[message].parent
    return message


class StoreMachine(RuleBasedStateMachine):
    """All operations of a store, in any order. Override ``make`` and ``reopen``."""

    def make(self) -> Store:
        """Return a new, empty store."""
        raise NotImplementedError

    def reopen(self, store: Store) -> Store:
        """Close a store and reopen it; a store in memory returns itself."""
        return store

    @initialize()
    def start(self) -> None:
        """Start with an empty store."""
        self.store = self.make()
        self.model = Model()
        self.replica = Replica()
        self.count = 0

    # --- making ---------------------------------------------------------------------------------

    def _message(self, text: str, role: Role, parent: str | None) -> Message:
        self.count += 1
        at = START + timedelta(minutes=self.count)
        parts = (Text(text), Reasoning(text))
        return Message(f"m{self.count:05}", role, parts, at, parent, tokens=self.count % 5)

    def _header(self, session: str) -> Session:
        return self.model.sessions.get(session, Session(session, "", START, START))

    def _append(
        self,
        exchange: Exchange,
        head: str,
        opened_by: str | None = None,
        originals: Mapping[str, bytes] | None = None,
    ) -> None:
        header = self._header(exchange.session)
        after = replace(header, head=head, updated=START + timedelta(minutes=self.count))
        batch = Batch(after, exchange, opened_by, originals=originals or {})
        self.store.append(batch, header.head)
        self.model.originals |= batch.originals
        self.model.sessions[after.id] = after
        known = self.model.exchanges.get(exchange.id)
        if known is not None:
            whole = replace(known, model=exchange.model)
            self.model.exchanges[exchange.id] = whole.extended(exchange.messages, exchange.state)
        else:
            shared = () if opened_by is None else (self.model.messages()[opened_by],)
            whole = replace(exchange, messages=shared + exchange.messages)
            self.model.exchanges[exchange.id] = whole

    def _any(self, pick: int) -> Exchange:
        ids = sorted(self.model.exchanges)
        return self.model.exchanges[ids[pick % len(ids)]]

    def _some(self) -> bool:
        return bool(getattr(self, "model", None) and self.model.exchanges)

    # --- rules ----------------------------------------------------------------------------------

    @rule(session=_SESSIONS, text=TEXTS)
    def say(self, session: str, text: str) -> None:
        """A user's message after the head, every second one with an original."""
        header = self._header(session)
        message = self._message(text, Role.USER, header.head)
        parent = self.model.ending(header.head)
        name = f"x{self.count:05}"
        opened = Exchange(name, session, parent, ExchangeState.OPEN, (message,), message.at)
        originals = {message.id: ORIGINAL} if self.count % 2 else {}
        self._append(opened, message.id, originals=originals)

    @rule(session=_SESSIONS, text=TEXTS, state=st.sampled_from(ExchangeState))
    def answer(self, session: str, text: str, state: ExchangeState) -> None:
        """One more message for the exchange at the head."""
        head = self._header(session).head
        name = self.model.ending(head)
        if name is not None:
            message = self._message(text, Role.ASSISTANT, head)
            news = replace(self.model.exchanges[name], messages=(message,), state=state, model=text)
            self._append(news, message.id)

    @precondition(_some)
    @rule(pick=_PICK, text=TEXTS, empty=st.booleans())
    def regenerate(self, pick: int, text: str, *, empty: bool) -> None:
        """Another answer to a stored message."""
        old = self._any(pick)
        message = self._message(text, Role.ASSISTANT, old.user.id)
        twin = replace(old, id=f"x{self.count:05}", messages=() if empty else (message,))
        self._append(twin, old.user.id if empty else message.id, opened_by=old.user.id)

    @precondition(_some)
    @rule(pick=_PICK, title=TEXTS, nowhere=st.booleans())
    def branch(self, pick: int, title: str, *, nowhere: bool) -> None:
        """Another head and title."""
        exchange = self._any(pick)
        header = self.model.sessions[exchange.session]
        head = None if nowhere else exchange.messages[pick % len(exchange.messages)].id
        after = replace(header, head=head, title=title_from(title))
        self.store.set_session(after, header.head)
        self.model.sessions[after.id] = after

    @rule(session=_SESSIONS, text=TEXTS)
    def come_too_late(self, session: str, text: str) -> None:
        """A wrong head, and a duplicate id."""
        header = self._header(session)
        message = self._message(text, Role.USER, None)
        late = Exchange("late", session, None, ExchangeState.OPEN, (message,), START)
        batch = Batch(replace(header, head=message.id), late)
        with pytest.raises(HeadMovedError) as caught:
            self.store.append(batch, "no head")
        assert caught.value.found == header.head
        taken = next(iter(self.model.messages().values()), None)
        if taken is not None:
            batch = Batch(replace(header, head=taken.id), replace(late, messages=(message, taken)))
            with pytest.raises(DuplicateIdError):
                self.store.append(batch, header.head)

    @rule(text=TEXTS, known=st.integers(0, 4))
    def admit(self, text: str, known: int) -> None:
        """A foreign conversation with branches: a part of it, all of it, all again."""
        self.count += 1
        talk = LogWriter(None, f"in{self.count:05}")
        first, second = talk.say(text, "1"), talk.say("two", text)
        third = talk.edit(second, "three", "3")
        said = [first, second, third, talk.regenerate(third, "drei")]
        header = replace(talk.header, title=title_from(text), updated=START + _FAR_AHEAD)
        for part in (said[:known], said, said):
            if part:
                head = part[-1].messages[-1].id
                news = sum(exchange.id not in self.model.exchanges for exchange in part)
                assert self.store.import_session(replace(header, head=head), part) == news
                self.model.exchanges.update((exchange.id, exchange) for exchange in part)
        leads = known in {0, 1, 4}
        head = said[-1 if leads else known - 1].messages[-1].id
        self.model.sessions[header.id] = replace(header, head=head)

    @rule(
        kind=_KINDS,
        name=st.sampled_from("abc"),
        text=TEXTS,
        picks=st.lists(_PICK, max_size=2),
        blobs=st.lists(st.sampled_from(BLOBS), unique=True),
    )
    def put(
        self, kind: RecordKind, name: str, text: str, picks: list[int], blobs: list[Blob]
    ) -> None:
        """A record of exchanges, with blobs."""
        drawn = tuple(self._any(pick).id for pick in picks) if self._some() else ()
        record = Record(kind, name, START, {"text": text}, drawn, tuple(blobs))
        self.store.put([record])
        self.model.records[kind, name] = record

    @rule(kind=_KINDS, name=st.sampled_from("abc"))
    def drop(self, kind: RecordKind, name: str) -> None:
        """Remove a record."""
        self.store.delete(kind, [name])
        self.model.records.pop((kind, name), None)

    @precondition(_some)
    @rule(picks=st.lists(_PICK, min_size=1, max_size=4))
    def forget(self, picks: list[int]) -> None:
        """Remove some exchanges."""
        ids = {self._any(pick).id for pick in picks}
        assert self.store.erase([*ids, "nothing"]) == len(ids)
        self.model.forget(ids)

    @rule()
    def close_and_open(self) -> None:
        """Close the store and reopen it."""
        self.store = self.reopen(self.store)

    # --- what must hold -------------------------------------------------------------------------

    @invariant()
    def holds_what_the_model_holds(self) -> None:
        """Every question has the model's answer."""
        model = getattr(self, "model", None)
        if model is None:
            return
        assert self.store.scan() == [x for _, x in sorted(model.exchanges.items())]
        assert self.store.get(model.exchanges) == model.exchanges
        assert {session.id: session for session in self.store.sessions()} == model.sessions
        held = {session: len(model.of(session)) for session in model.sessions}
        assert self.store.counts() == {name: number for name, number in held.items() if number}
        assert sum(self.store.kinds().values()) == sum(held.values())
        for session in model.sessions:
            assert self.store.recent(session, 99) == model.path(session)
            assert self.store.recent(session, 2) == model.path(session)[-2:]
        for kind in (RecordKind.FACT, RecordKind.CONTEXT):
            kept = [record for key, record in sorted(model.records.items()) if key[0] is kind]
            assert self.store.records(kind) == kept
        self._blobs(model)
        self._counts(model)
        before = self.replica.sessions
        changes = self.replica.follow(self.store)
        self.replica.agrees(self.store)
        changed = {name for name, header in model.sessions.items() if before.get(name) != header}
        assert changes.sessions >= changed

    def _blobs(self, model: Model) -> None:
        original = Blob(BlobKind.ORIGINAL, ORIGINAL)
        used = {blob for record in model.records.values() for blob in record.blobs}
        used |= {original} if model.originals else set()
        assert stored_blobs(self.store, original, *BLOBS) == used
        assert self.store.originals(model.messages()) == model.originals

    def _counts(self, model: Model) -> None:
        totals, messages = self.store.totals(), model.messages()
        assert totals.sessions == len(model.sessions)
        assert totals.exchanges == len(model.exchanges)
        assert totals.messages == len(messages)
        assert totals.tokens == sum(message.tokens or 0 for message in messages.values())

    def teardown(self) -> None:  # type: ignore[explicit-override] # typing.override is of 3.12
        """Check the store, if it can, and close it."""
        store = getattr(self, "store", None)
        if store is not None:
            assert not isinstance(store, SupportsCheck) or store.check() == []
            store.close()
