"""How far reading a whole space has come, so that it can stop anywhere and go on.

Exchanges are read in the order of their ids. An import may bring old ones behind the place that was
reached; so it is noted what was read, as a sum over the exchanges of a digest of their session, and
compared with the same sum over the space. Where they differ at the end, reading begins anew.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b

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


def _sum_of(counts: Mapping[str, int]) -> int:
    return sum(_number(session) * count for session, count in counts.items()) % _WRAP


def _number(session: str) -> int:
    digest = blake2b(session.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big")
