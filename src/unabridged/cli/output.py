"""What goes out: JSON for programs, text for people; errors on the other stream."""

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

from unabridged.cli.paint import coloured, paint
from unabridged.cli.terminal_text import safe
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, part_to_dict
from unabridged.errors import UnabridgedError

_HALVES = re.compile("[\ud800-\udfff]")


def plain(value: Any) -> Any:
    """Give a value as plain data that JSON can hold."""
    for kind, give in _PLAIN.items():
        if isinstance(value, kind):
            return give(value)
    if dataclasses.is_dataclass(value):
        names = (field.name for field in dataclasses.fields(value) if not field.metadata)
        return {name: plain(getattr(value, name)) for name in names}
    return value


def _message_data(message: Message) -> dict[str, Any]:
    return {
        "role": message.role.value,
        "text": message.text,
        "parts": [part_to_dict(part) for part in message.parts],
        "at": plain(message.at),
        "id": message.id,
    }


_PLAIN: Mapping[type, Callable[[Any], Any]] = {
    Message: _message_data,
    Enum: lambda value: value.value,
    str: str,
    datetime: datetime.isoformat,
    Path: str,
    Mapping: lambda value: {str(key): plain(item) for key, item in value.items()},
    Iterable: lambda value: [plain(item) for item in value],
}


def exchange_data(exchange: Exchange) -> dict[str, Any]:
    """Give an exchange for JSON, with the words of both sides at hand."""
    answer = exchange.answer
    return {**plain(exchange), "text": answer.text if answer else "", "message": exchange.user.text}


def dumps(value: Any, *, indent: int | None = 2) -> str:
    """Write JSON. Lone halves of characters, which no encoding carries, are escaped."""
    text = json.dumps(plain(value), ensure_ascii=False, indent=indent)
    return _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def echo(text: str = "", style: str = "", *, err: bool = False, end: bool = True) -> None:
    """Write a line for people; colour only where a terminal shows it."""
    stream = sys.stderr if err else sys.stdout
    click.echo(paint(text, style), err=err, nl=end, color=coloured(stream))


def echo_lines(lines: Iterable[str]) -> None:
    """Write lines for people."""
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
    echo(f"{paint('error:', 'bad')} {safe(str(error))}", err=True)
    if error.hint:
        echo(f"{paint('hint:', 'accent')} {safe(error.hint)}", err=True)
