"""``unabridged key``."""

from dataclasses import replace
from pathlib import Path

import click

from unabridged import config
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo
from unabridged.cli.paint import paint
from unabridged.cli.plain_command import PlainGroup
from unabridged.cli.settings_file import write_setting
from unabridged.cli.views.proofs import show_proofs
from unabridged.errors import SettingError
from unabridged.home.encryption import (
    admit_key,
    encrypt_home,
    left_readable,
    need_key,
    retire_keys,
)
from unabridged.home.key_source import KEYRING, new_key, person_key
from unabridged.home.verify import seal

command = PlainGroup(
    "key",
    """Manage the key that seals and encrypts what is stored.

    Without the key, nobody can change what is stored unnoticed, or read what is encrypted. Keep a copy of it in another place: everything sealed or encrypted with it needs it forever.

    API keys of `unabridged serve` are something else: see `unabridged keys`.
    """,
    "unabridged key new ~/unabridged.key",
    "unabridged key encrypt",
    "unabridged key show-mark",
)


@command.sub("new", "unabridged key new ~/unabridged.key")
@click.argument("place")
def new_command(invocation: Invocation, place: str) -> None:
    """Create a random key.

    PLACE is a new file, or the word keyring for the keyring of the system.
    """
    key = new_key(place)
    path = Path(place.removeprefix("file:")).expanduser().absolute()
    setting = KEYRING if place == KEYRING else f"file:{path}"
    invocation.answer(
        {"key": setting, "mark": key.mark},
        f"Created a key with the mark {key.mark}. Use it:",
        f"  unabridged config set key {setting}",
        "Then seal what is already stored, once:",
        "  unabridged key seal",
        paint("Keep a copy of the key in another place.", "dim"),
    )


@command.sub("change", "unabridged key change file:~/new.key", audit="key.change")
@click.argument("place")
def change_command(invocation: Invocation, place: str) -> None:
    """Protect the home's secrets with another key: file:PATH, env:NAME or keyring.

    Encrypted files stay as they are; only the small file with their secrets is written again. Both keys open it until the setting names the new one, so that an interruption loses nothing. A person with the old key and an old copy of that file can still read; to prevent that, copy everything into a new home (`unabridged spaces copy`).
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
        note = "The old key no longer opens anything."
    invocation.answer(
        {"key": place, "mark": mark, "note": note},
        f"Changed the key of this home to the one with the mark {mark}. {note}",
    )


@command.sub("retire", "unabridged key retire", audit="key.retire")
def retire_command(invocation: Invocation) -> None:
    """Stop accepting every key but the current one."""
    mark = retire_keys(invocation.settings())
    invocation.answer({"mark": mark}, f"Retired every key but the one with the mark {mark}.")


@command.sub("seal", "unabridged key seal", audit="key.seal")
def seal_command(invocation: Invocation) -> None:
    """Seal what was stored before the key was set; needed once.

    Each space is verified first, and refused if something does not match. A change that was made before sealing, with every digest computed again, can no longer be detected. A space that is not sealed is refused, so that nobody can remove its seals and get new ones.
    """
    show_proofs(invocation, seal(invocation.settings()))


@command.sub("show-mark", "unabridged key show-mark")
def show_mark_command(invocation: Invocation) -> None:
    """Show the mark that identifies the configured key; it reveals nothing about the key."""
    settings = invocation.settings()
    key = person_key(settings)
    if key is None:
        raise SettingError("No key is configured.", hint="Create one: unabridged key new FILE")
    invocation.answer({"key": settings.key, "mark": key.mark}, key.mark)


@command.sub(
    "encrypt",
    "unabridged key new ~/unabridged.key",
    "unabridged config set key file:~/unabridged.key",
    "unabridged key seal",
    "unabridged key encrypt",
    audit="key.encrypt",
)
def encrypt_command(invocation: Invocation) -> None:
    """Encrypt every space of the home, and everything stored from now on.

    Each file is written again, checked, and put in place of the old one, whose bytes are overwritten as far as the disk does so (flash memory may keep copies). You can interrupt it: each file is whole, and the next run continues. Backups and exports made before stay as they are; other files that stay readable are listed.
    """
    _set_encryption(invocation, encrypted=True)


@command.sub("decrypt", "unabridged key decrypt", audit="key.decrypt")
def decrypt_command(invocation: Invocation) -> None:
    """Make every space of the home readable again, without the key."""
    _set_encryption(invocation, encrypted=False)


def _set_encryption(invocation: Invocation, *, encrypted: bool) -> None:
    settings = invocation.settings()
    need_key(replace(settings, encrypt=encrypted))
    write_setting(settings.home, "encrypt", "true" if encrypted else "false")
    done = []
    state = "encrypted" if encrypted else "readable"
    for step in encrypt_home(settings, encrypted=encrypted):
        done.append(step)
        if not invocation.json:
            echo(f"{step.path.name}: {state if step.changed else f'already {state}'}")
    left = left_readable(settings) if encrypted else []
    file = config.file_of(settings.home)
    invocation.answer(
        {"encrypt": encrypted, "files": done, "left_readable": left},
        paint(f"Set encrypt = {'true' if encrypted else 'false'} in {file}.", "dim"),
    )
    if left and not invocation.json:
        why = "These files stay readable (set aside, not imported, or old JSON files). Delete them:"
        echo(why, "warn", err=True)
        for path in left:
            echo(f"  {path}", "warn", err=True)
