"""The steps of a forgetting: what is searched for, what is noted, and what a kill leaves to do."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from unabridged.domain.fact import Fact
from unabridged.domain.forgetting import (
    Duplicate,
    ForgetPlan,
    OutOfReach,
    PlannedRemoval,
    Receipt,
    Scan,
)  # fmt: skip
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.errors import HeadMovedError, NotFoundError, UpstreamError
from unabridged.forgetting.execute import ForgetDependencies, ForgetExecutor
from unabridged.forgetting.forget_journal import begun, record_of, work_of
from unabridged.forgetting.plan import ForgetSelection
from unabridged.forgetting.receipts import is_genuine, receipt_of, record_of as receipt_record
from unabridged.forgetting.replay import ForgottenContent, forgotten_in, replay
from unabridged.forgetting.temporary_keys import PassingKeys
from unabridged.stores.in_memory import InMemoryStore
from unabridged.testing.clock import ManualClock
from unabridged.testing.log_writer import LogWriter

AT = datetime(2026, 3, 1, tzinfo=UTC)
SPACE = SpaceId("ann", "helper")
SECRET = "My cousin Xylophonia lives behind the old brewery in Ulaanbaatar, as you know since May."
UNSEEN = "It was interrupted; its words were erased before the files could be searched for them."


class Scanned(InMemoryStore):
    """A store whose files hold some texts for ever."""

    def __init__(self, *texts):
        super().__init__(SPACE)
        self.texts, self.asked = texts, []

    def scan_files(self, pieces):
        self.asked.append(pieces)
        found = (
            n for n, forms in enumerate(pieces) if any(t.encode() in forms for t in self.texts)
        )
        return Scan(("x.db",), 77, tuple(found))


class Condensing:
    def __init__(self, error=None):
        self.asked, self.error = [], error

    def renew(self, sessions, months):
        self.asked.append((dict(sessions), tuple(months)))
        if self.error:
            raise self.error
        yield from (1, 2)


class Facts:
    def __init__(self):
        self.dropped, self.pinned = [], []

    def drop(self, name):
        self.dropped.append(name)
        if name == "gone":
            raise NotFoundError("gone", hint="")

    def pin(self, name):
        self.pinned.append(name)
        if name == "gone":
            raise NotFoundError("gone", hint="")


class Requirements:
    def __init__(self):
        self.learned = []

    def learn(self, exchanges):
        self.learned += [exchange.id for exchange in exchanges]


def executor_of(store, error=None):
    hands = ForgetDependencies(
        ManualClock(), PassingKeys(), Facts(), Requirements(), Condensing(error),
        lambda _: OutOfReach(("b1",)),
    )  # fmt: skip
    made = ForgetExecutor(store, hands)
    made.hands = hands
    return made


def forms(piece):
    found = [piece.encode(), piece.encode("utf-16-le")]
    escaped = "".join(c if ord(c) < 128 else f"\\u{ord(c):04x}" for c in piece.replace('"', '\\"'))
    return list(dict.fromkeys([*found, escaped.encode(), piece.replace('"', '\\"').encode()]))


def forget(store, *exchanges, **changed):
    executor = executor_of(store)
    plan = executor.plan(ForgetSelection("exchanges", tuple(e.id for e in exchanges)))
    return executor.carry_out(replace(plan, **changed))


def test_the_files_are_searched_for_the_beginning_the_middle_and_the_end_of_each_line():
    store = Scanned()
    said = LogWriter(store).say(
        f"  {SECRET}\nshort\n{'x' * 24}\n{'y' * 23}\n", 'Grüße "an" alle Welt, und mehr.'
    )
    receipt = forget(store, said)
    half = len(SECRET) // 2 - 20
    pieces = [
        SECRET[:40].strip(), SECRET[half : half + 40].strip(), SECRET[-40:].strip(), "x" * 24,
        'Grüße "an" alle Welt, und mehr.',
    ]  # fmt: skip
    assert store.asked == [[forms(piece) for piece in pieces]]
    assert (receipt.pieces, receipt.left, receipt.files, receipt.scanned) == (5, 0, ("x.db",), 77)
    assert receipt.notes == ()


@pytest.mark.parametrize(("lines", "pieces"), [(200, 200), (201, 101), (400, 200), (401, 134)])
def test_of_many_pieces_every_nth_is_searched_for(lines, pieces):
    store = Scanned()
    text = "\n".join(f"Line number {n:06} of this text" for n in range(lines))
    assert forget(store, LogWriter(store).say(text, "")).pieces == pieces
    assert store.asked[0][1] == forms(f"Line number {-(-lines // 200):06} of this text")


def test_what_is_found_though_nothing_that_stays_says_it_is_left():
    ends = [SECRET[:40].strip(), SECRET[-40:].strip()]
    store = Scanned(*ends)
    writer = LogWriter(store)
    said = writer.say(SECRET, "")
    writer.say(f"I repeat: {ends[0]}", "")
    receipt = forget(store, said)
    assert (receipt.left, receipt.pieces) == (1, 3)


def test_halves_of_characters_are_searched_for_too():
    store = Scanned()
    piece = "\ud83d half of a character, alone"
    forget(store, LogWriter(store).say(piece, ""))
    assert store.asked == [[[
        piece.encode("utf-8", "surrogatepass"), piece.encode("utf-16-le", "surrogatepass"),
        b"\\ud83d half of a character, alone",
    ]]]  # fmt: skip


def test_a_word_is_searched_for_as_it_may_be_written():
    store = Scanned("BREWERY")
    executor = executor_of(store)
    plan = executor.plan(ForgetSelection("search", words=("brewERY", "boats")))
    assert plan.remnants == 1
    assert store.asked == [[forms(w) for w in ("brewERY", "brewery", "BREWERY", "Brewery")]]
    store.asked.clear()
    assert executor.plan(ForgetSelection("search")).remnants == 0
    said = LogWriter(store).say("Hello.", "")
    assert executor.plan(ForgetSelection("search", (said.id,), words=("brewery",))).remnants == 0
    assert store.asked == []
    receipt = forget(store, said, words=("brewery", "sixsix"))
    assert receipt.pieces == 6
    assert receipt.left == 1


def test_a_store_without_files_says_that_nothing_was_searched():
    store = InMemoryStore(SPACE)
    receipt = forget(store, LogWriter(store).say(SECRET, "Aye."))
    assert (receipt.pieces, receipt.left, receipt.scanned) == (0, 0, 0)
    assert receipt.notes == ("This store cannot search its own files.",)


def full_plan(said):
    return ForgetPlan(
        "p1", AT, "search", (said,), (Fact("f1", "x", AT),), (PlannedRemoval(RecordKind.RUN, "r1"),),
        (Session("s1", "", AT, AT),), (Session("s2", "Title of it", AT, AT),),
        (PlannedRemoval(RecordKind.CONTEXT, "c1"), PlannedRemoval(RecordKind.RUN, "r2")),
        (Fact("f2", "y", AT),), (Duplicate("d1", "exchange", "", "", "", AT),), OutOfReach(("b1",), ("a1",)),
        ("pin",), ("src",), (), {"s3": ("exchanges",)}, ("2026-03",), str(SPACE.name), ("word",),
    )  # fmt: skip


def test_the_journal_holds_ids_and_figures_and_comes_back():
    store = InMemoryStore(SPACE)
    said = LogWriter(store).say("Grüße", "a")
    work = work_of(full_plan(said))
    shown = {name: getattr(work, name) for name in work.__dataclass_fields__}
    assert shown == {
        "id": "p1", "at": AT, "what": "search", "exchanges": (said.id,), "facts": ("f1",),
        "given": (("run", "r1"),), "titles": ("s2",), "pins": ("pin",), "sources": ("src",),
        "condensed": {"s3": ("exchanges",)}, "periods": ("2026-03",), "messages": 2, "bytes": 8,
        "records": {"context": 1, "run": 2}, "sessions": 1, "staying": 1, "repeats": ("d1",),
        "outside": OutOfReach(("b1",), ("a1",)),
    }  # fmt: skip
    assert {type(v) for v in shown["exchanges"] + shown["given"][0]} == {str}
    record = record_of(work)
    assert (record.kind, record.id, record.at) == (RecordKind.PROGRESS, "forgetting-p1", AT)
    assert {"id", "at"}.isdisjoint(record.body)
    store.put([record, Record(RecordKind.PROGRESS, "other", AT, {})])
    assert begun(store) == [work]


def test_every_step_is_taken_and_the_receipt_has_its_figures():
    store = Scanned()
    writer = LogWriter(store)
    said, stays = writer.say(SECRET, "Aye."), writer.say("Quite another thing.", "Yes.")
    store.put([Record(RecordKind.RUN, name, AT, {}) for name in ("r1", "r3")])
    title = LogWriter(store, "s2")
    title.say("Hello.", "")
    store.set_session(replace(title.header, title="Title"), title.header.head)
    executor = executor_of(store)
    plan = replace(
        full_plan(said), facts=(Fact("f1", "x", AT), Fact("gone", "y", AT)), pins=("pin", "gone"),
        sources=(stays.id,), words=(), space=store.space.name,
    )  # fmt: skip
    store.put([record_of(work_of(plan))])  # begun: what changed since does not matter
    receipt = executor.carry_out(plan)
    hands = executor.hands
    assert (hands.facts.dropped, hands.facts.pinned) == (["f1", "gone"], ["pin", "gone"])
    assert hands.requirements.learned == [stays.id]
    assert hands.condensations.asked == [({"s3": ("exchanges",)}, ("2026-03",))]
    assert [r.id for r in store.records(RecordKind.RUN)] == ["r3"]
    assert store.session("s2").title == ""
    assert set(store.get([said.id, stays.id])) == {stays.id}
    assert begun(store) == []
    assert receipt == Receipt(
        id="p1", at=AT, done=receipt.done, space=store.space.name, what="search", exchanges=1,
        ids=(said.id, "f1", "gone"), given=(("run", "r1"),), messages=2, bytes=len(SECRET) + 4,
        records={"context": 1, "run": 2}, sessions=1, titles=1, staying=1, repeats=("d1",),
        outside=OutOfReach(("b1",), ("a1",)), files=("x.db",), scanned=77, pieces=receipt.pieces,
        digest=receipt.digest,
    )  # fmt: skip
    assert executor.receipts() == [receipt]
    assert executor.is_genuine(receipt) is True
    assert is_genuine(receipt, hands.keys.current())
    assert executor.carry_out(plan) == receipt
    (stone,) = store.records(RecordKind.TOMBSTONE)
    assert (stone.id, stone.body["exchanges"]) == ("p1", [said.id])
    assert executor_of(store).is_genuine(receipt) is None


def test_without_recognition_there_is_no_tombstone():
    store = InMemoryStore(SPACE)
    said = LogWriter(store).say(SECRET, "Aye.")
    executor = executor_of(store)
    executor.carry_out(executor.plan(ForgetSelection("exchanges", (said.id,))), recognised=False)
    assert store.records(RecordKind.TOMBSTONE) == []
    with pytest.raises(NotFoundError):
        executor.lift("none")


def test_a_model_that_fails_is_noted():
    store = Scanned()
    said = LogWriter(store).say(SECRET, "Aye.")
    executor = executor_of(store, UpstreamError("It is away.", hint=""))
    receipt = executor.carry_out(executor.plan(ForgetSelection("exchanges", (said.id,))))
    assert receipt.notes == (
        "Condensations will be rebuilt when the model answers again: It is away.",
    )


@pytest.mark.parametrize("renew", [True, False])
@pytest.mark.parametrize("erased", [True, False])
def test_what_was_begun_is_finished(renew, erased):
    store = Scanned()
    said = LogWriter(store).say(SECRET, "Aye.")
    executor = executor_of(store)
    plan = executor.plan(ForgetSelection("exchanges", (said.id,)))
    store.put([record_of(work_of(replace(plan, condensed={"s1": ("exchanges",)})))])
    if erased:
        store.erase([said.id])
    (receipt,) = executor.resume(renew=renew)
    assert receipt.notes == ((UNSEEN,) if erased else ())
    assert receipt.pieces == (0 if erased else 3)
    assert executor.hands.condensations.asked == ([({"s1": ("exchanges",)}, ())] if renew else [])
    assert store.get([said.id]) == {}
    assert executor.receipts() == [receipt]
    assert executor.resume() == []


def test_only_the_end_may_have_been_missing():
    store = InMemoryStore(SPACE)
    said = LogWriter(store).say(SECRET, "Aye.")
    executor = executor_of(store)
    plan = executor.plan(ForgetSelection("exchanges", (said.id,)))
    receipt = executor.carry_out(plan)
    store.put([record_of(work_of(plan)), record_of(work_of(replace(plan, id="p2")))])
    assert [one.id for one in executor.resume()] == ["p2"]
    assert begun(store) == []
    assert receipt in executor.receipts()


@pytest.mark.parametrize(("moves", "fails"), [(0, False), (19, False), (20, True)])
def test_a_title_is_cleared_though_others_write(moves, fails):
    class Busy(InMemoryStore):
        tries = 0

        def set_session(self, session, head):
            Busy.tries += 1
            if Busy.tries <= moves:
                raise HeadMovedError("s1", None, None)
            super().set_session(session, head)

    store = InMemoryStore(SPACE)
    writer = LogWriter(store)
    said = writer.say(SECRET, "Aye.")
    store.set_session(replace(writer.header, title="Title"), writer.header.head)
    store.__class__ = Busy
    executor = executor_of(store)
    plan = ForgetPlan("p1", AT, "search", titles=(store.session("s1"),), space=store.space.name)
    plan = replace(plan, titles=(*plan.titles, Session("unknown", "x", AT, AT)))
    if fails:
        with pytest.raises(HeadMovedError):
            executor.carry_out(plan)
    else:
        executor.carry_out(plan)
        assert store.session("s1").title == ""
    assert Busy.tries == min(moves + 1, 20)
    assert said.id in store.get([said.id])


def test_a_receipt_is_lifted_once_and_settled():
    store = InMemoryStore(SPACE)
    said = LogWriter(store).say(SECRET, "Aye.")
    executor = executor_of(store)
    receipt = executor.carry_out(executor.plan(ForgetSelection("exchanges", (said.id,))))
    assert receipt.outside.backups == ("b1",)
    settled = executor.settle(receipt.id, ["b1"])
    assert settled.outside.backups == ()
    assert executor.receipts() == [settled]
    assert executor.is_genuine(settled)
    lifted = executor.lift(receipt.id)
    assert lifted.lifted is not None
    assert executor.lift(receipt.id) == lifted
    assert executor.receipts() == [lifted]
    assert store.records(RecordKind.TOMBSTONE) == []
    for act in (executor.lift, lambda name: executor.settle(name, [])):
        with pytest.raises(NotFoundError, match="There is no receipt 'unknown'"):
            act("unknown")


def two_copies():
    """A store, an older copy of it, and what was said in both."""
    stores = [InMemoryStore(SPACE), InMemoryStore(SPACE)]
    for store in stores:
        for session in ("s1", "s2"):
            writer = LogWriter(store, session)
            said = [writer.say(f"{session}: {SECRET}", "Aye."), writer.say("Another.", "Aye.")]
            store.set_session(replace(writer.header, title=f"Title {session}"), writer.header.head)
        store.put([Record(RecordKind.RUN, name, AT, {}) for name in ("r1", "r2")])
    return (*stores, said)


def test_what_a_space_forgot_is_forgotten_in_its_copy():
    store, copy, said = two_copies()
    executor = executor_of(store)
    gone = PlannedRemoval(RecordKind.RUN, "r1")
    plan = executor.plan(
        ForgetSelection("exchanges", (said[0].id,), records=(gone,), titles=("s1",))
    )
    receipt = executor.carry_out(plan)
    found = forgotten_in(store)
    journal = (*store.records(RecordKind.RECEIPT), *store.records(RecordKind.TOMBSTONE))
    assert found == ForgottenContent(
        frozenset({said[0].id}), (gone,), frozenset(s.id for s in store.sessions() if not s.title),
        journal,
    )  # fmt: skip
    assert len(journal) == 2
    assert "s1" in found.untitled
    assert type(found.records) is type(found.journal) is tuple
    assert {type(r.kind) for r in found.records} == {RecordKind}
    assert type(found.ids) is type(found.untitled) is frozenset
    done = replay(copy, found, ManualClock())
    assert (done.exchanges, done.given, done.titles) == (1, (("run", "r1"),), len(found.untitled))
    assert said[0].id not in copy.get([said[0].id])
    assert said[1].id in copy.get([said[1].id])
    assert [r.id for r in copy.records(RecordKind.RUN)] == ["r2"]
    assert {s.id: bool(s.title) for s in copy.sessions()} == {
        s.id: bool(s.title) for s in store.sessions()
    }
    assert [receipt_of(r) for r in copy.records(RecordKind.RECEIPT)] == [receipt]
    assert copy.records(RecordKind.TOMBSTONE) == store.records(RecordKind.TOMBSTONE)
    assert replay(copy, found, ManualClock()) is None
    executor.lift(receipt.id)
    after = forgotten_in(store)
    assert (after.ids, after.records) == (frozenset(), ())
    assert [r.kind for r in after.journal] == [RecordKind.RECEIPT]


def test_a_tombstone_without_a_receipt_counts_and_what_came_back_does_not():
    store, _copy, said = two_copies()
    executor = executor_of(store)
    executor.carry_out(executor.plan(ForgetSelection("exchanges", (said[0].id,))))
    (receipt,) = executor.receipts()
    more = replace(receipt, id="p9", ids=(said[1].id, "f1", "f2"), given=(("run", "r1"),) * 2)
    store.put([receipt_record(more), Record(RecordKind.FACT, "f1", AT, {"text": "x"})])
    stone = store.records(RecordKind.TOMBSTONE)[0]
    store.put([replace(stone, id="p8", body={**stone.body, "exchanges": ["x1"]})])
    found = forgotten_in(store)
    assert found.ids == {said[0].id, "f2", "x1"}
    assert found.records == ()
    store.delete(RecordKind.RUN, ["r1"])
    assert forgotten_in(store).records == (PlannedRemoval(RecordKind.RUN, "r1"),)


def test_facts_that_were_withdrawn_are_withdrawn_in_the_copy():
    from unabridged.knowledge.facts import Facts as RealFacts

    _store, copy, _ = two_copies()
    facts = RealFacts(copy, ManualClock())
    one, two = facts.add("I like tea."), facts.add("I like boats.")
    gone = ForgottenContent(frozenset({one.id, "unknown"}))
    done = replay(copy, gone, ManualClock())
    assert done.ids == (one.id,)
    assert [fact.id for fact in facts.all()] == [two.id]
    assert copy.records(RecordKind.RECEIPT) == []


def test_the_files_are_searched_for_what_a_program_sent_too():
    store = Scanned()
    hidden = "a hidden text of thirty-two letters"
    said = LogWriter(store).begin("Hello.", original=f'{{"hidden": "{hidden}"}}'.encode())
    forget(store, said)
    assert forms(hidden) in store.asked[0]
