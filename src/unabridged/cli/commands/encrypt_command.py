"""``unabridged encrypt``."""

from dataclasses import replace

import click

from unabridged import config
from unabridged.cli.options import PLACE, Invocation, common, example, invoked
from unabridged.cli.output import echo
from unabridged.cli.settings_file import write_setting
from unabridged.home.encryption import encrypt_home, left_readable, need_key


@click.command(
    "encrypt",
    epilog=example(
        "unabridged key new ~/unabridged.key",
        "unabridged config set key file:~/unabridged.key",
        "unabridged key seal",
        "unabridged encrypt",
    ),
)
@click.option("--off", is_flag=True, help="Make everything readable again.")
@common(*PLACE)
@invoked
def command(invocation: Invocation, *, off: bool) -> None:
    """Encrypt every space of the home, or make it readable again.

    Whatever is stored from then on is encrypted, too. Each file is written anew beside the old one, looked at, and put in its place; the old bytes are overwritten as far as the disk does so (flash memory may keep copies of its own). Stop it whenever you like: each file is whole, and a second run goes on. Backups and exports that were made before stay as they are; other files that stay readable are listed.
    """
    settings = invocation.settings()
    need_key(replace(settings, encrypt=not off))
    write_setting(settings.home, "encrypt", "false" if off else "true")
    done = []
    for step in encrypt_home(settings, encrypted=not off):
        done.append(step)
        if not invocation.json:
            what = "readable" if off else "encrypted"
            echo(f"{step.path.name}: {f'{what} now' if step.changed else f'was {what}'}")
    left = [] if off else left_readable(settings)
    if invocation.json:
        invocation.emit({"encrypt": not off, "files": done, "left_readable": left})
        return
    echo(f"encrypt is {'off' if off else 'on'} in {config.file_of(settings.home)}.", "dim")
    if left:
        echo(
            "These stay readable: set aside, not imported, or JSON files that were written before; "
            "remove them:",
            "warn",
            err=True,
        )
    for path in left:
        echo(f"  {path}", "warn", err=True)
