"""Receipts: the figures of a forgetting, with a digest that shows changes."""

import hashlib
import hmac
import json
from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

import msgspec

from unabridged.domain.forgetting import OutOfReach, Receipt
from unabridged.domain.record import Record, RecordKind
from unabridged.errors import NotFoundError

T = TypeVar("T")
LEAST_ID = 4
"""Characters of the shortest beginning of an id."""
_TIMES = ("at", "done", "lifted")
_LISTS = ("ids", "repeats", "files", "notes")
_UNSIGNED = frozenset({"digest", "lifted"})


def named(found: Mapping[str, T], wanted: str, kind: str, command: str) -> T:
    """Return a value by its id, or the end or beginning of it.

    Raises:
        NotFoundError: There is none, or several.
    """
    near = [name for name in found if name == wanted]
    if not near and len(wanted) >= LEAST_ID:
        near = [name for name in found if name.startswith(wanted) or name.endswith(wanted)]
    if len(near) != 1:
        raise NotFoundError(
            f"{f'Several {kind}s match' if near else f'There is no {kind}'} {wanted!r}.",
            hint=f"List them: unabridged {command}",
        )
    return found[near[0]]


def sealed(receipt: Receipt, key: bytes) -> Receipt:
    """Return a receipt with its digest: HMAC over BLAKE2b of its JSON, cut to 256 bits."""
    return replace(receipt, digest=_digest(receipt, key))


def without_backups(receipt: Receipt, rewritten: Collection[str], key: bytes) -> Receipt:
    """Return a receipt that no longer names backups that were rewritten, with its digest."""
    left = tuple(name for name in receipt.outside.backups if name not in rewritten)
    return sealed(replace(receipt, outside=replace(receipt.outside, backups=left)), key)


def is_genuine(receipt: Receipt, key: bytes) -> bool:
    """Return whether a receipt was written with this key and is unchanged."""
    return hmac.compare_digest(receipt.digest, _digest(receipt, key))


def _digest(receipt: Receipt, key: bytes) -> str:
    data = {name: value for name, value in to_data(receipt).items() if name not in _UNSIGNED}
    said = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hmac.new(key, said.encode("ascii"), hashlib.blake2b).hexdigest()[:64]


def to_data(receipt: Receipt) -> dict[str, Any]:
    """Return a receipt as plain data."""
    data: dict[str, Any] = {f.name: getattr(receipt, f.name) for f in fields(receipt)}
    for name in _TIMES:
        data[name] = data[name].isoformat() if data[name] else None
    for name in _LISTS:
        data[name] = list(data[name])
    data["given"] = [list(one) for one in receipt.given]
    data["records"] = dict(receipt.records)
    data["outside"] = outside_to_data(receipt.outside)
    return data


def from_data(data: Mapping[str, Any]) -> Receipt:
    """Read the data that ``to_data`` made.

    Raises:
        ValueError: It is other data.
    """
    return msgspec.convert(data, Receipt)


def outside_to_data(outside: OutOfReach) -> dict[str, Any]:
    """Return what was not reached, as plain data."""
    data = {"backups": list(outside.backups), "aside": list(outside.aside)}
    # Omitted if empty: receipts from before shares existed keep their digest.
    return data | ({"shared": list(outside.shared)} if outside.shared else {})


def record_of(receipt: Receipt) -> Record:
    """Return the record that stores a receipt."""
    return Record(RecordKind.RECEIPT, receipt.id, receipt.done, to_data(receipt))


def receipt_of(record: Record) -> Receipt:
    """Read the record that ``record_of`` made."""
    return from_data(record.body)
