"""Output: JSON for programs, text for people; errors go to standard error."""

import dataclasses
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

import click

from unabridged.cli.paint import coloured, columns, paint
from unabridged.cli.terminal_text import safe, wrap
from unabridged.errors import UnabridgedError

_HALVES = re.compile("[\ud800-\udfff]")


def plain(value: Any) -> Any:
    """Return a value as plain data for JSON."""
    for kind, give in _PLAIN.items():
        if isinstance(value, kind):
            return give(value)
    return _fields(value) if dataclasses.is_dataclass(value) else value


def _fields(value: Any) -> dict[str, Any]:
    from unabridged.domain import exchange, message  # noqa: PLC0415 - slow, and help needs none of it

    if isinstance(value, message.Message):
        parts = [message.part_to_dict(part) for part in value.parts]
        said = {"role": value.role.value, "text": value.text, "parts": parts}
        return {**said, "at": plain(value.at), "id": value.id}
    names = (field.name for field in dataclasses.fields(value) if not field.metadata)
    data = {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, exchange.Exchange):
        data |= {"text": value.answer.text if value.answer else "", "message": value.user.text}
    return data


_PLAIN: Mapping[type, Callable[[Any], Any]] = {
    Enum: lambda value: value.value,
    str: str,
    datetime: datetime.isoformat,
    Path: str,
    Mapping: lambda value: {str(key): plain(item) for key, item in value.items()},
    Iterable: lambda value: [plain(item) for item in value],
}


def dumps(value: Any, *, indent: int | None = 2) -> str:
    """Return JSON; lone surrogates, which no encoding can hold, are escaped."""
    text = json.dumps(plain(value), ensure_ascii=False, indent=indent)
    return _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def echo(text: str = "", style: str = "", *, err: bool = False, end: bool = True) -> None:
    """Write a line for people; in colour if the terminal shows it.

    A remark, which is styled or goes to standard error, is broken between words on a terminal.
    """
    stream = sys.stderr if err else sys.stdout
    lines = [text]
    if (style or err) and end and "\x1b" not in text and stream.isatty():
        lines = wrap(text, columns(), breaks=False)
    for line in lines:
        click.echo(paint(line, style), err=err, nl=end, color=coloured(stream))


def echo_lines(lines: Iterable[str]) -> None:
    """Write lines for people, as they are laid out."""
    for line in lines:
        echo(line)


def echo_json(value: Any, *, indent: int | None = 2) -> None:
    """Write JSON to standard output."""
    click.echo(dumps(value, indent=indent))


def echo_error(error: UnabridgedError, *, as_json: bool) -> None:
    """Write an error and its hint to standard error."""
    if as_json:
        data = {"error": str(error), "hint": error.hint, "kind": type(error).__name__}
        click.echo(dumps(data, indent=None), err=True)
        return
    for head, style, said in (("error:", "bad", str(error)), ("hint:", "accent", error.hint)):
        if said:
            text = f"{head} {safe(said)}"
            lines = wrap(text, columns(), breaks=False) if sys.stderr.isatty() else [text]
            echo(paint(head, style) + lines[0].removeprefix(head), err=True)
            for line in lines[1:]:
                echo(line, err=True)
