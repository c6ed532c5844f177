"""``unabridged copy``."""

from dataclasses import replace
from pathlib import Path

import click

from unabridged import config
from unabridged.cli.format import count
from unabridged.cli.options import PLACE, Invocation, common, example, invoked
from unabridged.cli.output import echo
from unabridged.cli.parse_space import parse_space
from unabridged.cli.progress import counted
from unabridged.errors import InputError
from unabridged.factory.copy_stores import CopiedSpace, End, copy_between

STORES = ("sqlite",)
_FILE = "file"
_DIGITS = 16


@click.command(
    "copy",
    epilog=example(
        "unabridged copy ann/default ann/archive",
        "unabridged copy sqlite: sqlite: --to-home /mnt/stick/memory",
        "unabridged copy ann/default file:ann.db",
        "unabridged copy file:ann.db sqlite:ann/default",
    ),
)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--from-home", metavar="FOLDER", help="The home of FROM, instead of this one.")
@click.option("--to-home", metavar="FOLDER", help="The home of TO, instead of this one.")
@common(*PLACE)
@invoked
def command(
    invocation: Invocation,
    source: str,
    target: str,
    from_home: str | None,
    to_home: str | None,
) -> None:
    """Copy spaces from one store to another, and compare them.

    FROM and TO are [STORE:][SPACE]: the store is sqlite (else that of the settings), a space is
    USER/AGENT[/MODEL]; without one every space is copied, under its own name. file:PATH is a single SQLite
    file. FROM is only read. What TO holds already stays; copying again goes on where it stopped and
    adds nothing twice. Both are read again afterwards, and must give the same digest.
    """
    ends = [_end(invocation, text, home) for text, home in ((source, from_home), (target, to_home))]
    done: list[CopiedSpace] = []
    with counted(quiet=invocation.json) as moved:
        for one in copy_between(ends[0], ends[1], moved):
            done.append(one)
            if not invocation.json:
                _tell(one)
    if invocation.json:
        invocation.emit(done)
    elif not done:
        echo("There is no space to copy.", "dim")


def _end(invocation: Invocation, text: str, home: str | None) -> End:
    settings = invocation.settings()
    if home is not None:
        settings = config.load(home=home)
    kind, found, rest = text.partition(":")
    if found and kind == _FILE:
        if not rest:
            raise InputError("file: names no file.", hint="Write file:PATH.")
        return End(settings, file=Path(rest).expanduser())
    if found and kind in STORES:
        settings, text = replace(settings, store=kind), rest
    return End(settings, parse_space(text, settings.isolation) if text else None)


def _tell(one: CopiedSpace) -> None:
    parts = [f"{count(one.exchanges, 'exchange')} and {count(one.records, 'record')} new"]
    if one.vectors:
        parts.append(f"vectors of {one.vectors:,}")
    if one.passed_over:
        parts.append(f"{one.passed_over:,} forgotten there before, and left out")
    if one.more:
        parts.append(f"{one.more:,} besides")
    equal = "equal" if one.equal else "every exchange is equal; headers or records differ"
    echo(f"{one.source} → {one.target}: {', '.join(parts)}.")
    echo(f"  Compared: {equal}; digest {one.digest[:_DIGITS]}", "dim")
