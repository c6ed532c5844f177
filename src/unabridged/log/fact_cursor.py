"""How far reading a whole space has come, so that it can stop anywhere and go on.

Exchanges are read in the order of their ids. An import may bring old ones behind the place that was
reached; so it is noted what was read, as a sum over the exchanges of a digest of their session, and
compared with the same sum over the space. Where they differ at the end, reading begins anew.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol

from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record, RecordKind
from unabridged.ports import Clock, Store

_WRAP = 1 << 64


def read_on(
    store: Store,
    clock: Clock,
    work: tuple[str, str],
    limit: int,
    learn: Callable[[Sequence[Exchange]], bool],
) -> int:
    """Read at most so many exchanges that were not read yet.

    Two processes may do it at once: what they learn is the same, and at worst is read twice.

    Args:
        store: The space.
        clock: The time.
        work: The name of the work, and its version; under another version all is read anew.
        limit: At most so many exchanges.
        learn: Learns from exchanges, and says whether it could; doing it twice must add nothing.

    Returns:
        How many were read; 0 when nothing waits, or nothing could be learnt.
    """
    name, version = work
    held = store.records(RecordKind.PROGRESS, ids=[name])
    body: Mapping[str, object] = held[0].body if held else {}
    after, total = None, 0
    if body.get("version") == version:
        after, total = str(body["after"]) or None, int(str(body["sum"]), 16)
    page = store.scan(after, limit)
    if not page and total != _sum_of(store.counts()):
        after, total = None, 0
        page = store.scan(None, limit)
    if not page or not learn(page):
        return 0
    for exchange in page:
        total = (total + _number(exchange.session)) % _WRAP
    after = page[-1].id
    done = {"version": version, "after": after, "sum": f"{total:x}"}
    store.put([Record(RecordKind.PROGRESS, name, clock.now(), done)])
    return len(page)


def waits(store: Store, work: tuple[str, str]) -> bool:
    """Whether anything was not read yet.

    Args:
        store: The space.
        work: The name of the work, and its version.
    """
    name, version = work
    held = store.records(RecordKind.PROGRESS, ids=[name])
    body: Mapping[str, object] = held[0].body if held else {}
    counts = store.counts()
    if body.get("version") != version:
        return any(counts.values())
    return int(str(body["sum"]), 16) != _sum_of(counts)


def passed_over(store: Store, clock: Clock, gone: Sequence[Exchange]) -> None:
    """Take what was forgotten out of the sums, so that the rest is not read anew for it.

    Args:
        store: The space.
        clock: The time.
        gone: What was forgotten.
    """
    changed = []
    for record in store.records(RecordKind.PROGRESS):
        body = record.body
        if "sum" not in body or not body.get("after"):
            continue
        read = [exchange for exchange in gone if exchange.id <= str(body["after"])]
        total = (int(str(body["sum"]), 16) - sum(_number(e.session) for e in read)) % _WRAP
        changed.append(
            Record(RecordKind.PROGRESS, record.id, clock.now(), {**body, "sum": f"{total:x}"})
        )
    store.put(changed)


class Asked(Protocol):
    """What draws with a model."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    @property
    def note(self) -> str:
        """Why the model is asked no more; empty while it answers."""
        ...


@dataclass(frozen=True, slots=True)
class Drawing:
    """How something is drawn from exchanges; doing it twice must add nothing.

    Attributes:
        learn: Draws as it was asked for.
        by_rules: Draws by the rules alone.
        asked: The model that ``learn`` asks, or None.
    """

    learn: Callable[[Sequence[Exchange]], object]
    by_rules: Callable[[Sequence[Exchange]], object]
    asked: Asked | None = None


def draw_on(store: Store, clock: Clock, work: tuple[str, str], limit: int, drawing: Drawing) -> int:
    """Draw from at most so many exchanges; where the model fails, the rules go on alone.

    Args:
        store: The space.
        clock: The time.
        work: The name of the work, and its version, for the rules; a model has its own.
        limit: At most so many exchanges.
        drawing: How it is drawn.

    Returns:
        How many exchanges were looked at; 0 when nothing waits.
    """
    asked, (name, version) = drawing.asked, work

    def learn(page: Sequence[Exchange]) -> bool:
        drawing.learn(page)
        return asked is None or not asked.note

    def learn_by_rules(page: Sequence[Exchange]) -> bool:
        drawing.by_rules(page)
        return True

    if asked is None:
        return read_on(store, clock, work, limit, learn)
    if not asked.note:
        looked = read_on(store, clock, (f"{name} {asked.name}", version), limit, learn)
        if not asked.note:
            return looked
    return read_on(store, clock, work, limit, learn_by_rules)


def _sum_of(counts: Mapping[str, int]) -> int:
    return sum(_number(session) * count for session, count in counts.items()) % _WRAP


def _number(session: str) -> int:
    digest = blake2b(session.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big")
