"""``unabridged export``."""

import sys
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, cast

import click

from unabridged.cli.format import count
from unabridged.cli.open_from_options import look_into, open_home, session_named
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.output import echo
from unabridged.errors import InputError, StoreError, TransferError
from unabridged.factory.file_transfer import outgoing_of
from unabridged.home.encryption import EXPORT, export_cipher
from unabridged.transfer.export import (
    FORMS,
    ExportFormat,
    Outgoing,
    OutputFolder,
    is_folder,
    make_folder,
    write_file,
)

_STDOUT = "-"


@dataclass
class _Report:
    """What was written."""

    format: str
    path: str
    exchanges: int = 0
    files: list[Path] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


@click.command(
    "export",
    epilog=example(
        "unabridged export -o everything.jsonl",
        "unabridged export --session 1 --format html -o tea.html",
        "unabridged export --format html -o pages/",
        "unabridged export --all -o backup/",
        "unabridged export --session 1 --format markdown | less",
    ),
)
@click.option(
    "--format",
    "name",
    type=click.Choice(list(FORMS)),
    default="jsonl",
    show_default=True,
    help=(
        "jsonl loses nothing; v3 is JSON of format 3.0, a file a model; markdown and html are to"
        " read; messages are lines of role, content and time."
    ),
)
@click.option(
    "-o",
    "--output",
    default=_STDOUT,
    metavar="PATH",
    help="Where to: a file, or a folder (FOLDER/); - is standard output.",
)
@click.option("--all", "everything", is_flag=True, help="Every space: one file each in a folder.")
@click.option(
    "--with",
    "extras",
    type=click.Choice(["contexts"]),
    multiple=True,
    help="In jsonl also what `why` needs: what was sent to models, and its ledgers.",
)
@click.option(
    "--encrypt", is_flag=True, help="Seal what is written with the key; `import` opens it with it."
)
@click.option("--force", is_flag=True, help="Write over files that are there.")
@common(*MEMORY, "session")
@invoked
def command(
    invocation: Invocation,
    name: str,
    output: str,
    extras: tuple[str, ...],
    *,
    everything: bool,
    encrypt: bool,
    force: bool,
) -> None:
    """Export conversations to files.

    Every session and branch is written, or the one session that --session names. In jsonl facts,
    requirements, readings and condensations go along, and `unabridged import` reads it back: then nothing is
    different. The other formats hold the current path of each session.
    """
    if everything and (output == _STDOUT or invocation.given("session")):
        raise InputError(
            "--all writes a folder with a file for each space.",
            hint="Name it with -o FOLDER, and leave --session away.",
        )
    report = _Report(name, output)
    form = _sealed(FORMS[name], invocation) if encrypt else FORMS[name]
    contexts = "contexts" in extras
    if everything:
        shelf = OutputFolder(Path(output), force)
        make_folder(shelf.folder)
        _all(invocation, report, form, shelf, contexts=contexts)
    else:
        space = look_into(invocation)
        wanted = session_named(invocation, space) if invocation.given("session") else None
        session = wanted.id if wanted else None
        outgoing = outgoing_of(space, session, contexts=contexts)
        _one(report, form, outgoing, force=force)
    _tell(invocation, report)


def _one(report: _Report, form: ExportFormat, outgoing: Outgoing, *, force: bool) -> None:
    path = Path(report.path)
    if report.path == _STDOUT:
        report.exchanges = form.write(outgoing, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    elif is_folder(path, report.path) and form.spread is not None:
        shelf = OutputFolder(path, force)
        make_folder(path)
        report.exchanges = form.spread(outgoing, shelf)
        report.files = shelf.written
    else:
        report.exchanges = write_file(path, lambda to: form.write(outgoing, to), force=force)
        report.files = [path]


def _sealed(form: ExportFormat, invocation: Invocation) -> ExportFormat:
    cipher = export_cipher(invocation.settings())

    def write(outgoing: Outgoing, stream: BinaryIO) -> int:
        with cipher.sealing(stream, EXPORT) as inner:
            return form.write(outgoing, cast("BinaryIO", inner))

    return replace(form, suffix=f"{form.suffix}.sealed", write=write, spread=None)


def _all(
    invocation: Invocation,
    report: _Report,
    form: ExportFormat,
    shelf: OutputFolder,
    *,
    contexts: bool,
) -> None:
    home = open_home(invocation)
    for info in home.spaces():
        if info.space is None or info.damaged:
            report.failed[info.path.name] = info.damaged
            continue
        name, parts = info.space, (info.space.user, info.space.agent, info.space.model)
        try:
            with closing(home.open(name)) as space:
                outgoing = outgoing_of(space, name=name, contexts=contexts)
                if form.spread is None:
                    file = shelf.name(parts, name.name, form.suffix)
                    report.exchanges += shelf.write(file, lambda to: form.write(outgoing, to))  # noqa: B023 - called at once
                else:
                    inner = OutputFolder(
                        shelf.folder / shelf.name(parts, name.name, ""), shelf.force
                    )
                    make_folder(inner.folder)
                    report.exchanges += form.spread(outgoing, inner)
                    report.files += inner.written
                    shelf.written.append(inner.folder)
        except StoreError as error:
            report.failed[name.name] = str(error)
    report.files += [path for path in shelf.written if path.is_file()]


def _tell(invocation: Invocation, report: _Report) -> None:
    written = report.path != _STDOUT
    if invocation.json and written:
        invocation.emit(report)
    elif written or sys.stderr.isatty():
        files = f" in {count(len(report.files), 'file')}" if len(report.files) > 1 else ""
        echo(f"{count(report.exchanges, 'exchange')} written{files}.", "dim", err=True)
    if report.failed:
        names = "; ".join(f"{name}: {reason}" for name, reason in report.failed.items())
        raise TransferError(
            f"Of {count(len(report.failed), 'space')} nothing was written: {names}",
            hint="Everything else was. `unabridged doctor` looks closer.",
        )
