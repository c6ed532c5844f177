"""``unabridged export``."""

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, cast

import click

from unabridged.cli.format import count
from unabridged.cli.open_from_options import look_into, open_home, session_named
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo, output_stream
from unabridged.cli.plain_command import plain_command
from unabridged.domain.control_characters import escape_controls, without_controls
from unabridged.domain.results import Transcript
from unabridged.errors import InputError, StoreError, TransferError
from unabridged.factory.file_transfer import outgoing_of
from unabridged.home.encryption import EXPORT, export_cipher
from unabridged.transfer.export import (
    FORMS,
    ExportFormat,
    Outgoing,
    OutputFolder,
    make_folder,
    write_export,
)

_STDOUT = "-"
_WITH_BRANCHES = frozenset({"markdown", "messages"})


_ENDINGS = {"md": "markdown", "htm": "html"}


class _FormName(click.Choice[str]):
    """A format by its name, or by an ending of its files: md."""

    def convert(  # type: ignore[explicit-override]  # typing.override came with 3.12
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        return super().convert(_ENDINGS.get(str(value), value), param, ctx)


@dataclass
class _Report:
    """The result of an export.

    Attributes:
        left_out: Exchanges on other branches, which the format leaves out.
    """

    format: str
    path: str
    exchanges: int = 0
    left_out: int = 0
    files: list[Path] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


@plain_command(
    "export",
    "unabridged export -o everything.jsonl",
    "unabridged export --session 1 --format html -o tea.html",
    "unabridged export --format markdown -o notes/",
    "unabridged export --all -o backup/",
    "unabridged export --session 1 --format markdown | less",
    options=(*MEMORY, "session"),
    audit="export",
)
@click.option(
    "--format",
    "name",
    type=_FormName(list(FORMS)),
    default="jsonl",
    show_default=True,
    help=(
        "jsonl loses nothing; markdown and html are for reading; messages are lines of role,"
        " content and time; v3 is JSON of format 3.0, one file per model."
    ),
)
@click.option(
    "-o",
    "--output",
    default=_STDOUT,
    metavar="PATH",
    help="A file, or a folder (FOLDER/) for one file per conversation; - is standard output.",
)
@click.option(
    "--all", "everything", is_flag=True, help="Export every space, each to a file in a folder."
)
@click.option(
    "--with",
    "extras",
    type=click.Choice(["contexts"]),
    multiple=True,
    help="Include in jsonl the contexts sent to models and their ledgers, for `why`.",
)
@click.option(
    "--branches",
    is_flag=True,
    help="Write all branches in markdown and messages, not only the current path.",
)
@click.option("--encrypt", is_flag=True, help="Encrypt with the key; `import` decrypts with it.")
@click.option("--force", is_flag=True, help="Replace existing files.")
def command(
    invocation: Invocation,
    name: str,
    output: str,
    extras: tuple[str, ...],
    *,
    branches: bool,
    everything: bool,
    encrypt: bool,
    force: bool,
) -> None:
    """Export conversations to files.

    Export every session, or the one that --session names. The format jsonl has every branch, facts,
    requirements, annotations and condensations; `unabridged import` reads it back without a
    difference. The format html has every branch; the others have the current path of each session,
    and markdown and messages all branches with --branches.
    """
    if everything and (output == _STDOUT or invocation.given("session")):
        raise InputError(
            "--all writes a folder with a file for each space.",
            hint="Name it with -o FOLDER, and omit --session.",
        )
    if branches and name not in _WITH_BRANCHES:
        raise InputError(
            f"--branches does not change the format {name}.",
            hint="Use it with markdown or messages.",
        )
    if encrypt and output == _STDOUT and sys.stdout.isatty():
        raise InputError(
            "An encrypted export is not text for a terminal.", hint="Name a file with -o FILE."
        )
    report = _Report(name, output)
    form = _sealed(FORMS[name], invocation) if encrypt else FORMS[name]
    contexts = "contexts" in extras
    if everything:
        shelf = OutputFolder(Path(output), force)
        make_folder(shelf.folder)
        _all(invocation, report, form, shelf, contexts=contexts, branches=branches)
    else:
        space = look_into(invocation)
        wanted = session_named(invocation, space) if invocation.given("session") else None
        session = wanted.id if wanted else None
        outgoing = outgoing_of(space, session, contexts=contexts)
        _one(report, form, replace(outgoing, branches=branches), force=force)
    _tell(invocation, report)


def _one(report: _Report, form: ExportFormat, outgoing: Outgoing, *, force: bool) -> None:
    held = 0

    def conversations() -> Iterator[Transcript]:
        nonlocal held
        for conversation in outgoing.conversations():
            held += len(conversation.exchanges)
            yield conversation

    counted = replace(outgoing, conversations=conversations)
    if report.path == _STDOUT:
        with output_stream(_shown(form)) as stream:
            report.exchanges = form.write(counted, stream)
    else:
        written = write_export(form, counted, report.path, force=force)
        report.exchanges, report.files = written.exchanges, list(written.files)
    report.left_out = held - report.exchanges


def _shown(form: ExportFormat) -> Callable[[str], str]:
    # On a terminal. JSON stays the same JSON; a page or Markdown gets signs for what is not shown.
    return escape_controls if form.suffix.startswith(".json") else without_controls


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
    branches: bool,
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
                outgoing = replace(outgoing, branches=branches)
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
    written, invocation.count = report.path != _STDOUT, report.exchanges
    if invocation.json and written:
        invocation.emit(report)
    elif written or sys.stderr.isatty():
        files = f" to {count(len(report.files), 'file')}" if len(report.files) > 1 else ""
        echo(f"Exported {count(report.exchanges, 'exchange')}{files}.", "dim", err=True)
        if report.left_out:
            echo(_left_out(report), "dim", err=True)
    if report.failed:
        names = "; ".join(f"{name}: {reason}" for name, reason in report.failed.items())
        raise TransferError(
            f"Could not export {count(len(report.failed), 'space')}: {names}",
            hint="Everything else is exported. For details: unabridged doctor",
        )


def _left_out(report: _Report) -> str:
    left = count(report.left_out, "exchange")
    verb = "is" if report.left_out == 1 else "are"
    way = "--branches, or " if report.format in _WITH_BRANCHES else ""
    return f"{left} on other branches {verb} not in it; to include all, use {way}--format jsonl."
