"""Find and repair records of facts and requirements that hold a field of a wrong type."""

from collections.abc import Iterator

from unabridged.domain.record import Record, RecordKind
from unabridged.knowledge import requirement_records, statements
from unabridged.ports import Store

_KINDS = {
    RecordKind.FACT: ("fact", statements.is_damaged),
    RecordKind.REQUIREMENT: ("requirement", requirement_records.is_damaged),
}


def damaged_records(store: Store) -> list[str]:
    """Return a line for each record with a field of a wrong type."""
    return [
        f"the {_KINDS[record.kind][0]} {record.id} has a field that cannot be read"
        for record in _damaged(store)
    ]


def repair_records(store: Store) -> int:
    """Write the records again with the fields that can be read; return how many there were."""
    found = list(_damaged(store))
    facts = [record for record in found if record.kind is RecordKind.FACT]
    cards = [record for record in found if record.kind is RecordKind.REQUIREMENT]
    news = [statements.to_record(each) for each in statements.read(facts).values()]
    news += [requirement_records.to_record(each) for each in requirement_records.read(cards)]
    if news:
        store.put(news)
    return len(found)


def _damaged(store: Store) -> Iterator[Record]:
    for kind, (_, is_damaged) in _KINDS.items():
        yield from (record for record in store.records(kind) if is_damaged(record))
