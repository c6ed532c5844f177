"""``unabridged key``."""

import click

from unabridged.cli.options import PLACE, Invocation, common, example, invoked
from unabridged.cli.output import echo
from unabridged.errors import SettingError
from unabridged.wiring.keys import KEYRING, key_of, new_key


@click.group(
    "key", epilog=example("unabridged key new ~/unabridged.key", "unabridged key show-mark")
)
def command() -> None:
    """Make the key that digests and encryption use, or show its mark.

    With a key, nobody without it can change what is stored unnoticed. Keep a copy of it in another place: what was sealed or encrypted with it needs it for ever.
    """


@command.command("new", epilog=example("unabridged key new ~/unabridged.key"))
@click.argument("place")
@common(*PLACE)
@invoked
def new_command(invocation: Invocation, place: str) -> None:
    """Make a random key.

    PLACE is a file that is not there yet, or the word keyring for the system's keyring.
    """
    key = new_key(place)
    setting = KEYRING if place == KEYRING else f"file:{place.removeprefix('file:')}"
    if invocation.json:
        invocation.emit({"key": setting, "mark": key.mark})
        return
    echo(f"A new key is made; its mark is {key.mark}. Use it with:")
    echo(f"  unabridged config set key {setting}")
    echo("Keep a copy of it in another place.", "dim")


@command.command("show-mark", epilog=example("unabridged key show-mark"))
@common(*PLACE)
@invoked
def show_mark_command(invocation: Invocation) -> None:
    """Show by what the key of the settings is recognised; it tells nothing of the key."""
    settings = invocation.settings()
    key = key_of(settings)
    if key is None:
        raise SettingError(
            "The settings name no key.", hint="Make one with: unabridged key new FILE"
        )
    if invocation.json:
        invocation.emit({"key": settings.key, "mark": key.mark})
        return
    echo(key.mark)
