"""``unabridged export``."""

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Protocol

import click

from unabridged.cli.opening import open_memory
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.output import echo
from unabridged.cli.words import count
from unabridged.domain.views import Conversation
from unabridged.errors import InputError, TransferError
from unabridged.transfer.markdown import write_markdown
from unabridged.transfer.messages import write_messages
from unabridged.transfer.unabridged import write_jsonl


class Writer(Protocol):
    """Writes conversations into a stream and gives the number of exchanges."""

    def __call__(self, conversations: Iterable[Conversation], stream: BinaryIO) -> int:
        """Write."""
        ...


WRITERS: Mapping[str, Writer] = {
    "jsonl": write_jsonl,
    "messages": write_messages,
    "markdown": write_markdown,
}


@click.command(
    "export",
    epilog=example(
        "unabridged export -o everything.jsonl",
        "unabridged export --session 1 --format markdown | less",
    ),
)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(WRITERS)),
    default="jsonl",
    show_default=True,
    help="jsonl loses nothing; messages are lines of role, content and time; markdown is to read.",
)
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to; - is standard output.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@common(*MEMORY, "session")
@invoked
def command(invocation: Invocation, form: str, output: str, *, force: bool) -> None:
    """Write the conversations out.

    Every session and branch is written, or the one session that --session names. `unabridged import` reads jsonl back, and then nothing is different.
    """
    memory = open_memory(invocation)
    wanted = memory.session.id if invocation.given("session") and memory.session else None
    chosen = (one for one in memory.conversations() if wanted in {None, one.session.id})
    writer = WRITERS[form]
    if output == "-":
        exchanges = writer(chosen, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    else:
        exchanges = _write(writer, chosen, Path(output), force=force)
    if invocation.json and output != "-":
        invocation.emit({"exchanges": exchanges, "format": form, "path": output})
    elif output != "-" or sys.stderr.isatty():
        echo(f"{count(exchanges, 'exchange')} written.", "dim", err=True)


def _write(
    writer: Writer, conversations: Iterator[Conversation], path: Path, *, force: bool
) -> int:
    """Write a file whole or not at all, readable by its owner only."""
    if path.exists() and not force:
        raise InputError(f"{path} is there already.", hint="Name another file, or add --force.")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _unwritable(path, error) from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            exchanges = writer(conversations, stream)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)
    return exchanges


def _unwritable(path: Path, error: OSError) -> TransferError:
    return TransferError(
        f"{path} cannot be written: {error.strerror or error}.",
        hint="Name a file in a folder that you may write to, with -o.",
    )
