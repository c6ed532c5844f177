"""What changed in a log since a revision: what caches and projections follow."""

from collections.abc import Mapping
from dataclasses import dataclass

from unabridged.domain.exchange import Exchange
from unabridged.domain.record import RecordKind


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed in a log since a revision.

    Attributes:
        revision: The log's revision now: one counter of the space, one more for each write
            transaction. It is stored with the space.
        written: The exchanges that were begun, extended or imported, in the order of their last
            change; those of one transaction in the order of their numbers.
        numbers: The number of each of them, in the same order. A number is given once and never
            changes, so that it orders exchanges and breaks ties.
        erased: The exchanges that were erased.
        moved: The exchanges whose parent changed because the old one was erased. Their descendants
            are not listed.
        embedded: The exchanges of which vectors were stored.
        sessions: The sessions whose header changed. One that was removed is not listed, since its id
            may be words of a person: it went with the last of its exchanges.
        kinds: The kinds of records that were put or deleted.
        full: Whether this is everything in the log, because the difference is not known: a follower
            starts from scratch.
    """

    revision: int
    written: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    erased: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    embedded: tuple[str, ...] = ()
    sessions: frozenset[str] = frozenset()
    kinds: frozenset[RecordKind] = frozenset()
    full: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """Exchanges that one transaction wrote, as the log gives them from its revision on.

    Attributes:
        revision: The log's revision after it.
        exchanges: The exchanges, whole, by id.
    """

    revision: int
    exchanges: Mapping[str, Exchange]
