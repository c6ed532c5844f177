"""``unabridged recover``."""

from pathlib import Path

import click

from unabridged.cli.open_from_options import open_safekeeping
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.parse_space import parse_space
from unabridged.cli.plain_command import plain_command
from unabridged.cli.progress import Stages
from unabridged.cli.views.recovery import missing_lines, recovery_lines, taken
from unabridged.domain.backup_results import Recovery
from unabridged.errors import InputError


@plain_command(
    "recover",
    "unabridged recover default/default",
    "unabridged recover old/space.db",
    "unabridged recover old/space.db --into ann/default",
)
@click.argument("what")
@click.option("--into", metavar="USER/AGENT", help="Write the intact data of a file to this space.")
def command(invocation: Invocation, what: str, into: str | None) -> None:
    """Recover everything intact from a damaged file.

    WHAT is a space (USER/AGENT) or a file. A damaged space gets a new file with all intact data; the damaged file is set aside, never deleted. For a file, the command only reports what is intact, unless --into names a space to add it to. It lists what is missing.

    Every row has a digest, so that only data that Unabridged wrote is recovered. Commands that write to a space (chat, ask, import) recover it themselves if they find it damaged, and report it; commands that read change nothing. Only this command recovers a file that another program changed.
    """
    safe = open_safekeeping(invocation)
    file = Path(what)
    with Stages(quiet=invocation.json) as stages:
        if file.is_file():
            space = parse_space(into, invocation.settings().isolation) if into else None
            found: Recovery | None = safe.recover_file(file, space, stages.show)
        elif into:
            raise InputError(f"{what} is not a file.", hint="Remove --into; it is for files.")
        else:
            found = safe.recover(parse_space(what, invocation.settings().isolation), stages.show)
    if invocation.json:
        invocation.emit({"sound": found is None, "recovery": found, "into": into})
        return
    if found is None:
        echo(f"No damage found: every row of {what} is intact. Nothing was changed.")
    elif not file.is_file():
        echo_lines(recovery_lines(found))
    else:
        echo_lines([taken(found), *missing_lines(found)])
        echo(
            f"Added it to {into}."
            if into
            else "Nothing was written. Add it to a space: --into USER/AGENT"
        )
