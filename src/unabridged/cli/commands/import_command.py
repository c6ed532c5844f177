"""``unabridged import``."""

from functools import partial
from pathlib import Path

import click

from unabridged.cli.import_files import take_all
from unabridged.cli.import_find import ALL, NONE, choose
from unabridged.cli.open_from_options import open_space
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.clock import SystemClock
from unabridged.errors import InputError
from unabridged.home.encryption import unsealing
from unabridged.transfer.detect_format import known, open_file, titles
from unabridged.transfer.find import PLACES

_HELP = f"""Import conversations from other programs.

Reads, packed or not: {"; ".join(titles())}. A - stands for standard input. What is here already is
passed over, so an import that was interrupted is resumed by repeating it. Where a file names no model,
exchanges have none, unless --model says which it was. What could not be read is listed with its
reason and kept aside in the folder "imports" of the home. The exit code is 7 where a file could not be
read at all.

With --find, files of all these forms are looked for below a folder, whatever they are called, and
listed with what they hold; then say which to take over: asked, with --pick or with --all. Links are
not followed. Programs keep conversations in {", ".join(PLACES)}; nothing is searched unasked.
"""


@click.command(
    "import",
    help=_HELP,
    epilog=example(
        "unabridged import conversations.json --dry-run",
        "unabridged import chatgpt-export.zip",
        "unabridged import --find ~/.claude/projects --all",
        "unabridged export | unabridged import - --user ann",
    ),
)
@click.argument("files", nargs=-1, metavar="[FILE...]")
@click.option("--dry-run", is_flag=True, help="Only count what is there; nothing is stored.")
@click.option("--find", "folder", metavar="DIR", help="Look for files below this folder.")
@click.option("--pick", metavar="NUMBERS", help="Of what --find lists, take over these: 1,3-5.")
@click.option("--all", "pick", flag_value=ALL, help="Take over all that --find finds.")
@click.option("--format", "form", metavar="NAME", help=f"Instead of looking: {known()}.")
@common(*MEMORY, "model")
@invoked
def command(
    invocation: Invocation,
    files: tuple[str, ...],
    folder: str | None,
    pick: str | None,
    *,
    form: str | None,
    dry_run: bool,
) -> None:
    """Take over conversations; what is said of it is ``_HELP``, which names the formats."""
    _check(files, folder, pick)
    _check_model(invocation)
    opener = partial(open_file, format=form, model=invocation.given("model"))
    opener = partial(opener, unseal=unsealing(invocation.settings()))
    if folder is None:
        space = None if dry_run else open_space(invocation, recover=True)
        take_all(invocation, files, space, opener, SystemClock().now())
        return
    home = invocation.settings().home
    there = Path(home).is_dir()
    space = open_space(invocation, recover=not dry_run) if there or not dry_run else None
    chosen = choose(invocation, Path(folder), space, opener, NONE if dry_run else pick)
    if chosen:
        take_all(invocation, chosen, space, opener, SystemClock().now())


def _check_model(invocation: Invocation) -> None:
    settings = invocation.settings()
    if "model" in settings.isolation and not settings.model:
        raise InputError(
            "Each model has a memory of its own here, and none is named.",
            hint="Name it with --model. `unabridged migrate FOLDER` gives each model what is its own.",
        )


def _check(files: tuple[str, ...], folder: str | None, pick: str | None) -> None:
    if folder is None and pick:
        raise InputError("--pick and --all choose among what --find finds.", hint="Add --find DIR.")
    if bool(files) == (folder is not None):
        raise InputError(
            "Name files, or a folder with --find.", hint="See: unabridged import --help"
        )
