"""The recall blocks of a client's earlier messages: rendered again at the same messages.

A block is frozen with its exchange, so that the beginning of a client's list stays byte for byte the
same for the upstream's prompt cache. It is rendered from its manifest, without what was forgotten,
and without what the one who asks now may not recall: the block may be from a wider key or setting.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from unabridged.context.manifest import as_shown, places_of
from unabridged.context.recall_block import PINNED, client_block, fact_block
from unabridged.context.render import exchange_blocks
from unabridged.context.types import EarlierBlock
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.record import Record, RecordKind
from unabridged.knowledge.statements import PERSON
from unabridged.log.record_watch import RecordWatch
from unabridged.ports import Store


@dataclass(frozen=True, slots=True)
class Reach:
    """What may be recalled.

    Attributes:
        only: The only session to recall from, or None for the whole space.
        closed: Whether pins and facts are out of reach too.
    """

    only: str | None = None
    closed: bool = False


EVERYTHING = Reach()
MOST_MANIFESTS = 8_192
BLOCK = ("pins", "facts", "overviews", "semantic")
"""What of a manifest its block is rendered from."""


def block_in(manifest: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return what the block of a manifest is rendered from; None if it has none."""
    block = {name: manifest[name] for name in BLOCK}
    return block if any(block.values()) else None


@dataclass(frozen=True, slots=True)
class _Found:
    exchanges: Mapping[str, Exchange]
    pins: Mapping[str, Record]
    facts: Mapping[str, Record]
    texts: Mapping[str, Mapping[str, Any]]


def earlier_blocks(
    store: Store,
    manifests: Mapping[str, Mapping[str, Any]],
    session: str | None,
    reach: Reach = EVERYTHING,
) -> dict[str, EarlierBlock]:
    """Render the blocks of exchanges again.

    Args:
        store: The space.
        manifests: The manifests of their contexts, by the exchange's id.
        session: Their session.
        reach: What may be recalled now.
    """
    every = list(manifests.values())
    facts = named_facts(store, list(dict.fromkeys(i for m in every for i in _facts_of(m))))
    found = _Found(
        exchanges=store.get(dict.fromkeys(i["id"] for m in every for i in m["semantic"])),
        pins=facts,
        facts=facts,
        texts={
            record.id: record.body
            for record in _records(
                store, RecordKind.OVERVIEW, (i for m in every for i in m["overviews"])
            )
        },
    )
    found = found if reach == EVERYTHING else _within(store, found, reach)
    return {name: _block(manifest, found, session) for name, manifest in manifests.items()}


def _within(store: Store, found: _Found, reach: Reach) -> _Found:
    only = reach.only
    if only is None:  # closed, and nothing is known about the session
        return _Found(found.exchanges, {}, {}, {})
    sources = store.get({name for record in found.facts.values() for name in record.exchanges})

    def is_near(record: Record) -> bool:
        if not record.exchanges:
            return record.body.get("by") == PERSON
        return all(n in sources and sources[n].session == only for n in record.exchanges)

    return _Found(
        exchanges={name: e for name, e in found.exchanges.items() if e.session == only},
        pins={} if reach.closed else found.pins,
        facts={} if reach.closed else {n: r for n, r in found.facts.items() if is_near(r)},
        texts={},
    )


class ClientManifests:
    """The manifests of exchanges that clients began: the ids of their blocks.

    Those of complete exchanges never change, and are cached, since a client sends its whole list
    each time. A forgetting clears the cache.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._watch = RecordWatch(store, RecordKind.TOMBSTONE, RecordKind.RECEIPT)
        self._lock = Lock()
        self._version = -1
        self._known: dict[str, Mapping[str, Any] | None] = {}

    def of(self, exchanges: Iterable[Exchange]) -> dict[str, Mapping[str, Any]]:
        """Return the manifests of those exchanges that clients began, by id."""
        given = list(exchanges)
        version = self._watch.version()
        with self._lock:
            if version != self._version or len(self._known) > MOST_MANIFESTS:
                self._version, self._known = version, {}
            known = {one.id: self._known[one.id] for one in given if one.id in self._known}
        wanted = [one.id for one in given if one.id not in known]
        records = self._store.records(RecordKind.CONTEXT, ids=wanted) if wanted else ()
        read = {record.id: _blocks_of(record) for record in records}
        complete = {e.id for e in given if e.state is ExchangeState.COMPLETE and e.id not in known}
        with self._lock:
            if version == self._version:
                self._known |= {name: read.get(name) for name in complete}
        found = {**known, **read}
        return {name: manifest for name, manifest in found.items() if manifest is not None}


def _blocks_of(record: Record) -> Mapping[str, Any] | None:
    manifest = record.body["manifest"]
    return {name: manifest[name] for name in ("client", *BLOCK)} if "client" in manifest else None


def named_facts(store: Store, ids: Sequence[str]) -> dict[str, Record]:
    """Return facts and requirements by their ids."""
    found = {record.id: record for record in _records(store, RecordKind.FACT, ids)}
    others = [name for name in ids if name not in found]
    return found | {r.id: r for r in _records(store, RecordKind.REQUIREMENT, others)}


def _records(store: Store, kind: RecordKind, ids: Iterable[str]) -> Sequence[Record]:
    names = list(dict.fromkeys(ids))
    return store.records(kind, ids=names) if names else ()


def _facts_of(manifest: Mapping[str, Any]) -> list[str]:
    return [*manifest["pins"], *(name for name, _ in manifest["facts"])]


def _block(manifest: Mapping[str, Any], found: _Found, session: str | None) -> EarlierBlock:
    wanted, texts, exchanges = manifest["semantic"], found.texts, found.exchanges
    pins = [(found.pins[i], PINNED) for i in manifest["pins"] if i in found.pins]
    told = [*pins, *((found.facts[i], n) for i, n in manifest["facts"] if i in found.facts)]
    named = [*_facts_of(manifest), *manifest["overviews"], *(i["id"] for i in wanted)]
    there = {record.id for record, _ in told}
    recalled = [fact_block(record.at, record.body["text"], note) for record, note in told]
    recalled += [texts[i]["block"] for i in manifest["overviews"] if i in texts]
    items = [i for i in wanted if i["id"] in exchanges]
    recalled += exchange_blocks(
        ((as_shown(exchanges[i["id"]], i), places_of(i), "brief" in i) for i in items), session
    )
    return EarlierBlock(
        text=client_block(recalled),
        exchanges=frozenset(i["id"] for i in items),
        facts=frozenset(there),
        missing=tuple(i for i in named if i not in there and i not in texts and i not in exchanges),
    )
