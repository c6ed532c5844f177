"""Exports requirements as Markdown, CSV and JSON, and imports JSON.

The fields are those of a Volere snow card (Robertson and Robertson, *Mastering the Requirements
Process*, 2012), with the source of each.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

from unabridged.domain.control_characters import escape_controls, without_controls
from unabridged.domain.fact import FactChange, Requirement
from unabridged.errors import TransferError
from unabridged.wire.json_api import to_plain

_LABELS = {
    "type": "Type",
    "priority": "Priority",
    "rationale": "Rationale",
    "fit_criterion": "Fit criterion",
    "originator": "Originator",
    "satisfaction": "Customer satisfaction",
    "dissatisfaction": "Customer dissatisfaction",
    "conflicts": "Conflicts",
    "quote": "Quote",
    "exchange": "Exchange",
    "by": "Drawn by",
}
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Characters that begin a formula in spreadsheets, after spaces too (OWASP, *CSV Injection*)."""
FORMAT = "unabridged-requirements"


def to_markdown(requirements: Iterable[Requirement]) -> str:
    """Return requirements as Markdown, with a section for each."""
    parts = ["# Requirements\n"]
    for each in requirements:
        mark = " (withdrawn)" if each.withdrawn else ""
        parts.append(f"## {each.id}{mark}\n\n{_escaped(each.text)}\n")
        rows = [(label, _cell(getattr(each, name))) for name, label in _LABELS.items()]
        steps = [f"{c.at:%Y-%m-%d %H:%M} {c.what} by {c.by}" for c in each.history]
        rows.append(("History", "; ".join(steps)))
        parts.append("\n".join(f"- {label}: {_escaped(v)}" for label, v in rows if v) + "\n")
    return "\n".join(parts)


def to_csv(requirements: Iterable[Requirement]) -> str:
    """Return requirements as CSV (RFC 4180), a column for each field; no cell is a formula."""
    names = [field.name for field in fields(Requirement)]
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(names)
    for each in requirements:
        writer.writerow([_guarded(_cell(getattr(each, name))) for name in names])
    return stream.getvalue()


def to_json(requirements: Iterable[Requirement]) -> str:
    """Return requirements as JSON for ``from_json``."""
    rows = [to_plain(each) for each in requirements]
    data = {"format": FORMAT, "requirements": rows}
    return escape_controls(json.dumps(data, ensure_ascii=False, indent=2))


def from_json(text: str) -> list[Requirement]:
    """Read requirements from JSON of ``to_json``.

    Raises:
        TransferError: It is different data.
    """
    try:
        data = json.loads(text)
        rows = data["requirements"] if isinstance(data, Mapping) else data
        return [_from_dict(row) for row in rows]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TransferError(
            f"Cannot read these requirements: {error}.",
            hint="Use a file from: unabridged requirements export --format json",
        ) from error


def _from_dict(row: Mapping[str, Any]) -> Requirement:
    known = {field.name for field in fields(Requirement)}
    given = {name: value for name, value in row.items() if name in known}
    given["at"] = datetime.fromisoformat(given["at"])
    given["conflicts"] = tuple(map(str, given.get("conflicts", ())))
    given["history"] = tuple(
        FactChange(datetime.fromisoformat(c["at"]), str(c["by"]), str(c["what"]), str(c["text"]))
        for c in given.get("history", ())
    )
    if not isinstance(given["text"], str) or not isinstance(given["id"], str):
        raise TypeError("a requirement needs an id and a text")
    return Requirement(**given)


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else ""
        case datetime():
            return value.isoformat()
        case tuple():
            return "; ".join(map(_step, value))
        case _:
            return str(value)


def _step(value: object) -> str:
    return (
        f"{value.at.isoformat()} {value.what} by {value.by}"
        if isinstance(value, FactChange)
        else str(value)
    )


def _guarded(cell: str) -> str:
    begins = cell.startswith(("\t", "\r", "\n")) or cell.lstrip().startswith(_FORMULA)
    return without_controls(f"'{cell}" if begins else cell)


def _escaped(text: str) -> str:
    line = without_controls(" ".join(text.split()))
    for mark in ("\\", "<", "*", "_", "`", "[", "#"):
        line = line.replace(mark, "\\" + mark)
    return line
