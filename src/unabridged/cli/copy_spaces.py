"""Copies spaces between stores, homes and files: ``unabridged spaces copy``."""

from dataclasses import replace
from pathlib import Path

from unabridged import config
from unabridged.cli.format import count
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo
from unabridged.cli.parse_space import parse_space
from unabridged.cli.progress import counted
from unabridged.errors import InputError
from unabridged.factory.copy_stores import CopiedSpace, End, copy_between

STORES = ("sqlite",)
_FILE = "file"
_DIGITS = 16


def copy_spaces(
    invocation: Invocation, source: tuple[str, str | None], target: tuple[str, str | None]
) -> None:
    """Copy spaces and show what was copied.

    Args:
        invocation: The call.
        source: The space to copy, as people write it, and its home; None for this one.
        target: The target, likewise.
    """
    origin, other = _end(invocation, *source), _end(invocation, *target)
    with counted(quiet=invocation.json) as moved:
        invocation.answer_each(
            copy_between(origin, other, moved), _tell, "There is no space to copy."
        )


def _end(invocation: Invocation, text: str, home: str | None) -> End:
    settings = invocation.settings()
    if home is not None:
        settings = config.load(home=home)
    kind, found, rest = text.partition(":")
    if found and kind == _FILE:
        if not rest:
            raise InputError("file: has no path.", hint="Write file:PATH.")
        return End(settings, file=Path(rest).expanduser())
    if found and kind in STORES:
        settings, text = replace(settings, store=kind), rest
    return End(settings, parse_space(text, settings.isolation) if text else None)


def _tell(one: CopiedSpace) -> None:
    parts = [f"{count(one.exchanges, 'exchange')} and {count(one.records, 'record')} copied"]
    if one.vectors:
        parts.append(f"vectors of {count(one.vectors, 'exchange')}")
    if one.passed_over:
        parts.append(f"{one.passed_over:,} skipped because they were forgotten there")
    if one.more:
        parts.append(f"{one.more:,} more there")
    equal = "equal" if one.equal else "every exchange is equal, headers or records differ"
    echo(f"{one.source} → {one.target}: {', '.join(parts)}.")
    echo(f"  Compared: {equal}; digest {one.digest[:_DIGITS]}", "dim")
