"""``unabridged recover``."""

from pathlib import Path

import click

from unabridged.cli.open_from_options import open_safekeeping
from unabridged.cli.options import PLACE, Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.parse_space import parse_space
from unabridged.cli.progress import Stages
from unabridged.cli.views.recovery import missing_lines, recovery_lines, taken
from unabridged.domain.backup_results import Recovery
from unabridged.errors import InputError


@click.command(
    "recover",
    epilog=example(
        "unabridged recover default/default",
        "unabridged recover old/space.db",
        "unabridged recover old/space.db --into ann/default",
    ),
)
@click.argument("what")
@click.option("--into", metavar="USER/AGENT", help="Write what is in a FILE into this space.")
@common(*PLACE)
@invoked
def command(invocation: Invocation, what: str, into: str | None) -> None:
    """Take everything that is whole out of a damaged file, and say what is missing.

    WHAT is a space, written USER/AGENT, or a file. A space whose file is damaged gets a new one with all that is whole, and the damaged one is set aside, never deleted. Of a file it is only said what could be taken out of it, unless --into names a space to write it to; what that holds stays.

    Every row carries a digest, so that nothing is taken for true that was not written so. Commands that write to a space (chat, ask, import) do this by themselves when they find it damaged on opening, and say so; commands that only read change nothing. A file that was tampered with is salvaged by this command only.
    """
    safe = open_safekeeping(invocation)
    file = Path(what)
    with Stages(quiet=invocation.json) as stages:
        if file.is_file():
            space = parse_space(into, invocation.settings().isolation) if into else None
            found: Recovery | None = safe.recover_file(file, space, stages.show)
        elif into:
            raise InputError(f"{what} is no file.", hint="--into is for files; leave it out.")
        else:
            found = safe.recover(parse_space(what, invocation.settings().isolation), stages.show)
    if invocation.json:
        invocation.emit({"sound": found is None, "recovery": found, "into": into})
        return
    if found is None:
        echo(f"{what} is sound, every row of it; nothing was changed.")
    elif not file.is_file():
        echo_lines(recovery_lines(found))
    else:
        echo_lines([taken(found), *missing_lines(found)])
        echo(f"It is in {into} now." if into else "Nothing was written; --into USER/AGENT does.")
