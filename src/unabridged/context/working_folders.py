"""The working folders of sessions: what was said in the same folder is recalled first."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unabridged.domain.context import Context
from unabridged.domain.record import Record, RecordKind
from unabridged.ports import Store

if TYPE_CHECKING:  # a list of sessions needs no search
    from unabridged.retrieval.relevance import Relevance

OTHER_FOLDER = 0.7
"""What remains of the evidence of an exchange whose session has another folder than the request."""


def folders(store: Store, sessions: Sequence[str]) -> dict[str, str]:
    """Return the folders of those of the sessions that have one."""
    records = store.records(RecordKind.FOLDER, ids=sessions) if sessions else ()
    return {record.id: record.body["folder"] for record in records}


def folder_records(store: Store, context: Context) -> tuple[Record, ...]:
    """Return the record of a session's folder if a request names one that is not stored yet."""
    session, folder = context.scope.session, _named(context.manifest)
    if session is None or not folder or folders(store, [session]).get(session) == folder:
        return ()
    body = {"folder": folder}
    return (Record(RecordKind.FOLDER, session, context.at, body, (context.id,)),)


def _named(manifest: Mapping[str, Any]) -> str:
    return str(manifest.get("client", {}).get("folder", ""))


def nearest_first(
    store: Store, found: Sequence["Relevance"], folder: str, floor: float
) -> "list[Relevance]":
    """Return evidence with less of it where the session is of another folder, best first.

    Args:
        store: The space.
        found: The evidence, best first.
        folder: The folder of the request; empty changes nothing.
        floor: The evidence below which nothing is recalled.
    """
    if not folder or not found:
        return list(found)
    known = folders(store, list(dict.fromkeys(one.exchange.session for one in found)))

    def weighed(one: "Relevance") -> "Relevance":
        near = known.get(one.exchange.session, folder) == folder
        return one if near else replace(one, score=OTHER_FOLDER * one.score)

    kept = (one for one in map(weighed, found) if one.score >= floor)
    return sorted(kept, key=lambda one: -one.score)
