"""The recall blocks of a client's earlier messages: rendered again at the same messages.

A block is frozen with its exchange, so that the beginning of a client's list stays byte for byte the
same for the upstream's prompt cache. It is rendered from its manifest, without what was forgotten.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unabridged.context.manifest import as_shown, places_of
from unabridged.context.recall_block import PINNED, client_block, fact_block
from unabridged.context.render import exchange_blocks
from unabridged.context.types import EarlierBlock
from unabridged.domain.record import Record, RecordKind
from unabridged.ports import Store


@dataclass(frozen=True, slots=True)
class _Found:
    exchanges: Mapping[str, Any]
    facts: Mapping[str, Record]
    texts: Mapping[str, Mapping[str, Any]]


def earlier_blocks(
    store: Store, manifests: Mapping[str, Mapping[str, Any]], session: str | None
) -> dict[str, EarlierBlock]:
    """Render the blocks of exchanges again.

    Args:
        store: The space.
        manifests: The manifests of their contexts, by the exchange's id.
        session: Their session.
    """
    every = list(manifests.values())
    found = _Found(
        exchanges=store.get(dict.fromkeys(i["id"] for m in every for i in m["semantic"])),
        facts=named_facts(store, list(dict.fromkeys(i for m in every for i in _facts_of(m)))),
        texts={
            record.id: record.body
            for record in _records(
                store, RecordKind.OVERVIEW, (i for m in every for i in m["overviews"])
            )
        },
    )
    return {name: _block(manifest, found, session) for name, manifest in manifests.items()}


def client_manifests(store: Store, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """Return the manifests of those exchanges that clients began, by id."""
    records = store.records(RecordKind.CONTEXT, ids=ids) if ids else []
    found = {record.id: record.body["manifest"] for record in records}
    return {name: manifest for name, manifest in found.items() if "client" in manifest}


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
    pins = [(name, PINNED) for name in manifest["pins"]]
    told = [*pins, *((name, note) for name, note in manifest["facts"])]
    wanted = manifest["semantic"]
    named = [*(i for i, _ in told), *manifest["overviews"], *(i["id"] for i in wanted)]
    facts, texts, exchanges = found.facts, found.texts, found.exchanges
    recalled = [fact_block(facts[i].at, facts[i].body["text"], n) for i, n in told if i in facts]
    recalled += [texts[i]["block"] for i in manifest["overviews"] if i in texts]
    items = [i for i in wanted if i["id"] in exchanges]
    recalled += exchange_blocks(
        ((as_shown(exchanges[i["id"]], i), places_of(i), "brief" in i) for i in items), session
    )
    return EarlierBlock(
        text=client_block(recalled),
        exchanges=frozenset(i["id"] for i in items),
        facts=frozenset(i for i, _ in told if i in facts),
        missing=tuple(i for i in named if i not in facts and i not in texts and i not in exchanges),
    )
