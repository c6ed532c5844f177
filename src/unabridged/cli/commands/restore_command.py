"""``unabridged restore``."""

import click

from unabridged.cli.format import count
from unabridged.cli.open_from_options import open_safekeeping
from unabridged.cli.options import PLACE, Invocation, common, example, invoked
from unabridged.cli.output import echo
from unabridged.cli.parse_space import parse_space
from unabridged.cli.progress import Stages


@click.command(
    "restore",
    epilog=example(
        "unabridged restore default_default_1f2e-20260301T090000Z.zip",
        "unabridged restore memory.zip --as ann/yesterday",
        "unabridged restore memory.zip --replace",
    ),
)
@click.argument("file")
@click.option("--as", "renamed", metavar="USER/AGENT", help="Restore it under another name.")
@click.option("--replace", is_flag=True, help="Set what is there aside first, and say where.")
@click.option("--with-forgotten", is_flag=True, help="Also what was forgotten since.")
@common(*PLACE)
@invoked
def command(
    invocation: Invocation, file: str, renamed: str | None, *, replace: bool, with_forgotten: bool
) -> None:
    """Give back what a backup holds, never over what is there.

    FILE is a path, or a name in backups/ of the home. A space that is there already is left alone, and the command refuses, unless --replace sets it aside under another name; so it does where the backup would bring back what was forgotten since, unless --with-forgotten says so. Everything is unpacked and proved before anything changes; killed at any moment, each space is as it was or as it is in the backup. Of a whole home, settings are given back where there are none.
    """
    space = parse_space(renamed, invocation.settings().isolation) if renamed else None
    with Stages(quiet=invocation.json) as stages:
        done = open_safekeeping(invocation).restore(
            file,
            renamed=space,
            replace=replace,
            with_forgotten=with_forgotten,
            moved=stages.show,
        )
    if invocation.json:
        invocation.emit(done)
        return
    for one in done:
        if one.there:
            echo(f"{one.space.name} is there already, as it is in the backup.", "dim")
            continue
        echo(f"{one.space.name} is restored: {count(one.exchanges, 'exchange')}.")
        if one.quarantine:
            echo(f"What was there lies in {one.quarantine} now.")
