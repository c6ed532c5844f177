"""``unabridged import``."""

from functools import partial
from pathlib import Path

import click

from unabridged.cli.import_files import FileImport
from unabridged.cli.import_find import ALL, NONE, choose
from unabridged.cli.open_from_options import open_space
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.plain_command import plain_command
from unabridged.clock import SystemClock
from unabridged.errors import InputError
from unabridged.home.encryption import unsealing
from unabridged.transfer.detect_format import known, open_file, titles
from unabridged.transfer.find import PLACES

_HELP = f"""Import conversations from other programs.

Reads, packed or not: {"; ".join(titles())}. Use - for standard input. Conversations that are
stored already are skipped, so repeating an interrupted import continues it. Use --model for files
that name no model. Unreadable records are listed and kept in the folder "imports" of the home; then
the exit code is 7, and everything else is imported.

With --find, search a folder for such files by their content and list them; then choose with --pick,
--all or when asked. Links are not followed. Programs keep conversations in {", ".join(PLACES)}.
"""


@plain_command(
    "import",
    "unabridged import conversations.json --dry-run",
    "unabridged import chatgpt-export.zip",
    "unabridged import --find ~/.claude/projects --all",
    "unabridged export | unabridged import - --user ann",
    options=(*MEMORY, "model"),
    about=_HELP,
    audit="import",
)
@click.argument("files", nargs=-1, metavar="[FILE...]")
@click.option("--dry-run", is_flag=True, help="Only count what would be new; store nothing.")
@click.option("--find", "folder", metavar="DIR", help="Look for files below this folder.")
@click.option("--pick", metavar="NUMBERS", help="Import these of what --find lists: 1,3-5.")
@click.option("--all", "pick", flag_value=ALL, help="Import everything that --find finds.")
@click.option(
    "--format", "form", metavar="NAME", help=f"Name the format instead of detecting it: {known()}."
)
def command(
    invocation: Invocation,
    files: tuple[str, ...],
    folder: str | None,
    pick: str | None,
    *,
    form: str | None,
    dry_run: bool,
) -> None:
    """Import conversations; the help is ``_HELP``, which names the formats."""
    _check(files, folder, pick)
    _check_model(invocation)
    opener = partial(open_file, format=form, model=invocation.given("model"))
    opener = partial(opener, unseal=unsealing(invocation.settings()))
    exists = Path(invocation.settings().home).is_dir()
    space = open_space(invocation, recover=not dry_run) if exists or not dry_run else None
    if folder is not None:
        files = tuple(choose(invocation, Path(folder), space, opener, NONE if dry_run else pick))
    if files:
        imported = FileImport(invocation, space, opener, SystemClock().now(), dry_run=dry_run)
        imported.run(files)


def _check_model(invocation: Invocation) -> None:
    settings = invocation.settings()
    if "model" in settings.isolation and not settings.model:
        raise InputError(
            "Each model has its own memory here, and no model is named.",
            hint="Name it with --model, or use `unabridged migrate FOLDER` for files of several models.",
        )


def _check(files: tuple[str, ...], folder: str | None, pick: str | None) -> None:
    if folder is None and pick:
        raise InputError("--pick and --all need --find.", hint="Add --find DIR.")
    if bool(files) == (folder is not None):
        raise InputError(
            "Name files, or a folder with --find.", hint="See: unabridged import --help"
        )
