"""Receipts: what a forgetting did, in figures, with a digest that shows whether one was changed."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, TypeVar

from unabridged.domain.forgetting import OutOfReach, Receipt
from unabridged.domain.record import Record, RecordKind
from unabridged.errors import NotFoundError

T = TypeVar("T")
LEAST_ID = 4
"""Characters of an id that are taken for its beginning."""
_TIMES = ("at", "done", "lifted")
_LISTS = ("ids", "repeats", "files", "notes")
_UNSIGNED = frozenset({"digest", "lifted"})


def named(found: Mapping[str, T], wanted: str, kind: str) -> T:
    """Return what an id, or the end or beginning of it, names.

    Raises:
        NotFoundError: Nothing has it, or several things.
    """
    near = [name for name in found if name == wanted]
    if not near and len(wanted) >= LEAST_ID:
        near = [name for name in found if name.startswith(wanted) or name.endswith(wanted)]
    if len(near) != 1:
        raise NotFoundError(
            f"{f'Several {kind}s fit' if near else f'There is no {kind}'} {wanted!r}.",
            hint=f"List them: unabridged {kind}s",
        )
    return found[near[0]]


def sealed(receipt: Receipt, key: bytes) -> Receipt:
    """A receipt with its digest: HMAC over BLAKE2b of its canonical JSON, cut to 256 bits."""
    return replace(receipt, digest=_digest(receipt, key))


def is_genuine(receipt: Receipt, key: bytes) -> bool:
    """Whether a receipt is what was written with this key."""
    return hmac.compare_digest(receipt.digest, _digest(receipt, key))


def _digest(receipt: Receipt, key: bytes) -> str:
    data = {name: value for name, value in to_data(receipt).items() if name not in _UNSIGNED}
    said = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hmac.new(key, said.encode("ascii"), hashlib.blake2b).hexdigest()[:64]


def to_data(receipt: Receipt) -> dict[str, Any]:
    """A receipt as plain data."""
    data: dict[str, Any] = {f.name: getattr(receipt, f.name) for f in fields(receipt)}
    for name in _TIMES:
        data[name] = data[name].isoformat() if data[name] else None
    for name in _LISTS:
        data[name] = list(data[name])
    data["records"] = dict(receipt.records)
    data["outside"] = outside_to_data(receipt.outside)
    return data


def from_data(data: Mapping[str, Any]) -> Receipt:
    """Read what ``to_data`` gave."""
    given = dict(data)
    for name in _TIMES:
        given[name] = datetime.fromisoformat(given[name]) if given[name] else None
    for name in _LISTS:
        given[name] = tuple(given[name])
    given["outside"] = outside_from_data(given["outside"])
    return Receipt(**given)


def outside_to_data(outside: OutOfReach) -> dict[str, Any]:
    """What was not reached, as plain data."""
    data = {"backups": list(outside.backups), "aside": list(outside.aside)}
    # Left away where there is none: receipts from before there were shares stay as they were sealed.
    return data | ({"shared": list(outside.shared)} if outside.shared else {})


def outside_from_data(data: Mapping[str, Any]) -> OutOfReach:
    """Read what ``outside_to_data`` gave."""
    named = (tuple(data["backups"]), tuple(data["aside"]), tuple(data.get("shared", ())))
    return OutOfReach(*named)


def record_of(receipt: Receipt) -> Record:
    """The record that keeps a receipt."""
    return Record(RecordKind.RECEIPT, receipt.id, receipt.done, to_data(receipt))


def receipt_of(record: Record) -> Receipt:
    """Read what ``record_of`` gave."""
    return from_data(record.body)
