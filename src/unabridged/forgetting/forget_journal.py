"""A forgetting that was begun, in ids and figures only, so that it is finished after a kill."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import msgspec

from unabridged.domain.forgetting import ForgetPlan, OutOfReach
from unabridged.domain.record import Record, RecordKind
from unabridged.ports import Store

BEGUN = "forgetting-"
"""What the id of the record of work that was begun starts with."""


@dataclass(frozen=True, slots=True)
class ForgetJournal:
    """What is to be done; every step of it can be done again.

    Attributes:
        id: That of the plan, and of the receipt.
        exchanges: The ids of the exchanges that go.
        facts: The ids of the facts that are taken back.
        given: Kind and id of records that are removed though no exchange says them.
        titles: The ids of the sessions whose title is cleared.
        pins: Statements that take over a pin.
        sources: Exchanges that requirements are drawn from again.
        condensed: Sessions that are condensed again, with the levels that they had.
        periods: Months that are condensed again.
        bytes: Bytes of the words of the messages.
        records: Records that go, by kind.
        repeats: The ids of what says it elsewhere.
    """

    id: str
    at: datetime
    what: str
    exchanges: tuple[str, ...]
    facts: tuple[str, ...]
    given: tuple[tuple[str, str], ...]
    titles: tuple[str, ...]
    pins: tuple[str, ...]
    sources: tuple[str, ...]
    condensed: Mapping[str, tuple[str, ...]]
    periods: tuple[str, ...]
    messages: int
    bytes: int
    records: Mapping[str, int]
    sessions: int
    staying: int
    repeats: tuple[str, ...]
    outside: OutOfReach


def work_of(plan: ForgetPlan) -> ForgetJournal:
    """Return the work that a plan comes to."""
    records: dict[str, int] = {}
    for one in (*plan.going, *plan.given):
        records[one.kind.value] = records.get(one.kind.value, 0) + 1
    return ForgetJournal(
        id=plan.id,
        at=plan.at,
        what=plan.what,
        exchanges=tuple(exchange.id for exchange in plan.exchanges),
        facts=tuple(fact.id for fact in plan.facts),
        given=tuple((one.kind.value, one.id) for one in plan.given),
        titles=tuple(session.id for session in plan.titles),
        pins=plan.pins,
        sources=plan.sources,
        condensed=plan.condensed,
        periods=plan.periods,
        messages=len(plan.messages),
        bytes=sum(len(m.text.encode("utf-8", "surrogatepass")) for m in plan.messages),
        records=records,
        sessions=len(plan.sessions),
        staying=len(plan.staying),
        repeats=tuple(repeat.id for repeat in plan.repeats),
        outside=plan.outside,
    )


def record_of(work: ForgetJournal) -> Record:
    """Return the record that keeps work while it is under way."""
    body = msgspec.to_builtins(work)
    del body["id"], body["at"]
    return Record(RecordKind.PROGRESS, BEGUN + work.id, work.at, body)


def begun(store: Store) -> list[ForgetJournal]:
    """Return the work that was begun and not finished, the oldest first."""
    return [
        msgspec.convert(
            {**record.body, "id": record.id.removeprefix(BEGUN), "at": record.at}, ForgetJournal
        )
        for record in store.records(RecordKind.PROGRESS)
        if record.id.startswith(BEGUN)
    ]
