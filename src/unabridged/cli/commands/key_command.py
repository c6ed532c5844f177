"""``unabridged key``."""

from dataclasses import replace
from pathlib import Path

import click

from unabridged.cli.commands.verify_command import show
from unabridged.cli.options import PLACE, Invocation, common, example, invoked
from unabridged.cli.paint import paint
from unabridged.cli.settings_file import write_setting
from unabridged.errors import SettingError
from unabridged.home.encryption import admit_key, retire_keys
from unabridged.home.key_source import KEYRING, new_key, person_key
from unabridged.home.verify import seal


@click.group(
    "key", epilog=example("unabridged key new ~/unabridged.key", "unabridged key show-mark")
)
def command() -> None:
    """Make the key that digests and encryption use, change it, or show its mark.

    With a key, nobody without it can change what is stored unnoticed. Keep a copy of it in another place: what was sealed or encrypted with it needs it for ever.

    The API keys that `unabridged serve` asks for are another thing: `unabridged keys`.
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
    path = Path(place.removeprefix("file:")).expanduser().absolute()
    setting = KEYRING if place == KEYRING else f"file:{path}"
    invocation.answer(
        {"key": setting, "mark": key.mark},
        f"A new key is made; its mark is {key.mark}. Use it with:",
        f"  unabridged config set key {setting}",
        "What is stored already is then sealed with it, once, by:",
        "  unabridged key seal",
        paint("Keep a copy of it in another place.", "dim"),
    )


@command.command("change", epilog=example("unabridged key change file:~/new.key"))
@click.argument("place")
@common(*PLACE)
@invoked
def change_command(invocation: Invocation, place: str) -> None:
    """Keep the home's secrets under another key: file:PATH, env:NAME or keyring.

    What is encrypted stays as it is: only the small box that holds its secrets is written anew. Both keys open it until the setting names the new one, so nothing is lost when this is stopped. Whoever has the old key and an old copy of the box can still read; against that, copy everything into a new home.
    """
    reading = invocation.reading()
    kind, _, name = place.partition(":")
    if kind == "file":
        place = f"file:{Path(name).expanduser().absolute()}"
    mark = admit_key(reading.settings, place)
    if reading.sources["key"].startswith(("$", "argument")):
        note = f"Name the new key from now on ({place}), then: unabridged key retire"
    else:
        write_setting(reading.settings.home, "key", place)
        retire_keys(replace(reading.settings, key=place))
        note = "The old key opens nothing any more."
    invocation.answer(
        {"key": place, "mark": mark, "note": note},
        f"The secrets of this home are kept under the key with the mark {mark}. {note}",
    )


@command.command("retire", epilog=example("unabridged key retire"))
@common(*PLACE)
@invoked
def retire_command(invocation: Invocation) -> None:
    """Let only the present key open the secrets of the home."""
    mark = retire_keys(invocation.settings())
    invocation.answer({"mark": mark}, f"Only the key with the mark {mark} opens them now.")


@command.command("seal", epilog=example("unabridged key seal"))
@common(*PLACE)
@invoked
def seal_command(invocation: Invocation) -> None:
    """Seal what was stored before the key was set with it; needed once.

    Each space is verified first, and refused where something does not fit. What was changed before, with every digest made anew, is sealed with the rest: nobody can tell any more. Until a space is sealed it is refused, so that nobody who takes its seals away gets them anew.
    """
    found = list(seal(invocation.settings()))
    if invocation.json:
        invocation.emit(found)
    else:
        for proof in found:
            show(proof)
    if any(proof.flaws for proof in found):
        raise click.exceptions.Exit(1)


@command.command("show-mark", epilog=example("unabridged key show-mark"))
@common(*PLACE)
@invoked
def show_mark_command(invocation: Invocation) -> None:
    """Show by what the key of the settings is recognised; it tells nothing of the key."""
    settings = invocation.settings()
    key = person_key(settings)
    if key is None:
        raise SettingError(
            "The settings name no key.", hint="Make one with: unabridged key new FILE"
        )
    invocation.answer({"key": settings.key, "mark": key.mark}, key.mark)
