"""Output: JSON for programs, text for people; errors go to standard error.

Only this module writes to the terminal, and all text passes through ``write``, which takes ``Safe``.
"""

import dataclasses
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, BinaryIO, cast

import click

from unabridged.cli.paint import coloured, columns, paint
from unabridged.cli.terminal_text import Safe, safe, wrap
from unabridged.domain.control_characters import escape_controls
from unabridged.errors import UnabridgedError


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
    """Return JSON; what controls a terminal, and lone surrogates, are escaped."""
    return escape_controls(json.dumps(plain(value), ensure_ascii=False, indent=indent))


def write(text: Safe, *, err: bool = False, end: bool = True) -> None:
    """Write text, without its colours if the terminal shows none."""
    stream = sys.stderr if err else sys.stdout
    click.echo(text, err=err, nl=end, color=coloured(stream))


def write_controls(sequence: Safe) -> None:
    """Write a control sequence of ours to the terminal."""
    sys.stdout.write(sequence)
    sys.stdout.flush()


def overwrite(text: str, *, err: bool = False) -> None:
    """Write a line over the current one, and stay in it; it must be as wide."""
    write(Safe("\r" + safe(text)), err=err, end=False)


def echo(text: str = "", style: str = "", *, err: bool = False, end: bool = True) -> None:
    """Write a line for people, made safe; in colour if the terminal shows it.

    A remark, which is styled or goes to standard error, is broken between words on a terminal.
    """
    stream = sys.stderr if err else sys.stdout
    lines: Iterable[str] = [safe(text)]
    if (style or err) and end and "\x1b" not in safe(text) and stream.isatty():
        lines = wrap(text, columns(), breaks=False)
    for line in lines:
        write(paint(line, style), err=err, end=end)


def echo_raw(text: str, *, end: bool = False) -> None:
    """Write text as it is to a program or file; a terminal gets it made safe."""
    if sys.stdout.isatty():
        echo(text, end=end)
    else:
        click.echo(text, nl=end)


@contextmanager
def output_stream(shown: Callable[[str], str]) -> Iterator[BinaryIO]:
    """Give a stream of bytes to standard output.

    Args:
        shown: Changes the text for a terminal; a program or file gets the bytes as they are.
    """
    if sys.stdout.isatty():
        whole = io.BytesIO()
        yield whole
        write(Safe(shown(whole.getvalue().decode("utf-8", "replace"))), end=False)
    else:
        yield cast("BinaryIO", sys.stdout.buffer)
    flush()


def prompt(question: str, *, err: bool = False) -> str:
    """Ask for a line; return it, empty if only Enter was pressed."""
    answer: str = click.prompt(safe(question), "", show_default=False, prompt_suffix=" ", err=err)
    return answer


def flush() -> None:
    """Write out what standard output still buffers."""
    sys.stdout.flush()


def echo_lines(lines: Iterable[str]) -> None:
    """Write lines for people, as they are laid out."""
    for line in lines:
        echo(line)


def echo_json(value: Any, *, indent: int | None = 2) -> None:
    """Write JSON to standard output."""
    write(safe(dumps(value, indent=indent)))


def echo_error(error: UnabridgedError, *, as_json: bool) -> None:
    """Write an error and its hint to standard error."""
    if as_json:
        data = {"error": str(error), "hint": error.hint, "kind": type(error).__name__}
        write(safe(dumps(data, indent=None)), err=True)
        return
    for head, style, said in (("error:", "bad", str(error)), ("hint:", "accent", error.hint)):
        if said:
            text = safe(f"{head} {said}")
            lines = wrap(text, columns(), breaks=False) if sys.stderr.isatty() else [text]
            echo(paint(head, style) + lines[0].removeprefix(head), err=True)
            for line in lines[1:]:
                echo(line, err=True)
