"""The journal of forgetting, in ids and figures only, so that it is finished after a kill."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import msgspec

from unabridged.domain.forgetting import ForgetPlan, OutOfReach
from unabridged.domain.record import Record, RecordKind
from unabridged.ports import Store

BEGUN = "forgetting-"
"""The prefix of the id of a record of unfinished work."""


@dataclass(frozen=True, slots=True)
class ForgetJournal:
    """The work of a forgetting; every step can be repeated.

    Attributes:
        id: The id of the plan and of the receipt.
        exchanges: The ids of the exchanges to remove.
        facts: The ids of the facts to withdraw.
        given: Kind and id of records to remove although they have no source exchange.
        titles: The ids of the sessions whose title is cleared.
        pins: Statements that inherit a pin.
        sources: Exchanges from which requirements are extracted again.
        condensed: Sessions that are condensed again, with their previous levels.
        periods: Months that are condensed again.
        bytes: Bytes of the text of the messages.
        records: Removed records, by kind.
        repeats: The ids of what repeats the text elsewhere.
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
    """Return the work of a plan."""
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
    """Return the record that stores unfinished work."""
    body = msgspec.to_builtins(work)
    del body["id"], body["at"]
    return Record(RecordKind.PROGRESS, BEGUN + work.id, work.at, body)


def begun(store: Store) -> list[ForgetJournal]:
    """Return the unfinished work, the oldest first."""
    return [
        msgspec.convert(
            {**record.body, "id": record.id.removeprefix(BEGUN), "at": record.at}, ForgetJournal
        )
        for record in store.records(RecordKind.PROGRESS)
        if record.id.startswith(BEGUN)
    ]
