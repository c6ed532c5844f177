"""Personas: texts that describe who answers, by a name or by the path of a file.

A file is text (``.txt``, ``.md``), or JSON (``.json``) as programs with roles store one: an object
with the text under one key.
"""

import os
from pathlib import Path
from typing import Any

import msgspec

from unabridged.config.parse_settings import is_persona_name, nearest
from unabridged.domain.settings import Settings
from unabridged.errors import SettingError

SUFFIXES = (".json", ".md", ".txt")
"""Suffixes of files; of two with one name in a folder, the later suffix counts."""
ROLE_KEYS = (
    "system_prompt",
    "systemPrompt",
    "system",
    "prompt",
    "instructions",
    "persona",
    "content",
    "text",
    "description",
)
"""The keys of a role's text in JSON; the first with a text counts."""
_BUNDLED = Path(__file__).parent.parent / "profiles" / "personas"


def own_folder(home: str | os.PathLike[str]) -> Path:
    """Return the folder of the user's personas, even if it does not exist."""
    return Path(home) / "config" / "personas"


def personas(home: str | os.PathLike[str]) -> dict[str, Path]:
    """Return every persona's file by name; the user's override the built-in ones."""
    found: dict[str, Path] = {}
    for folder in (_BUNDLED, own_folder(home)):
        for suffix in SUFFIXES:
            found |= {path.stem: path for path in sorted(folder.glob(f"*{suffix}"))}
    return dict(sorted(found.items()))


def persona_text(settings: Settings) -> str:
    """Return the text of the configured persona; empty if there is none.

    Raises:
        SettingError: There is none with that name, or its file cannot be read.
    """
    if not settings.persona:
        return ""
    if is_persona_name(settings.persona, Path("unabridged.toml")) or (
        settings.persona in personas(settings.home)  # a name of several words
        and not Path(settings.persona).exists()
    ):
        return persona_of(settings.persona, settings.home)
    return _text(settings.persona, Path(settings.persona).expanduser())


def persona_of(name: str, home: str | os.PathLike[str]) -> str:
    """Return the text of a persona.

    Raises:
        SettingError: There is none with that name, or its file cannot be read.
    """
    every = personas(home)
    if name not in every:
        raise _unknown(name, list(every))
    return _text(name, every[name])


def _text(name: str, path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
    except (OSError, ValueError) as error:
        raise SettingError(
            f"The persona {name!r} cannot be read: {error}.",
            hint="Use the path of a text file in UTF-8, or the name of a persona.",
        ) from error
    return _of_role(text, path) if path.suffix == ".json" else text


def _of_role(text: str, path: Path) -> str:
    keys = ", ".join(ROLE_KEYS)
    try:
        role: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise SettingError(
            f"{path} is not JSON: {error}.",
            hint="Correct it, or use a text file that ends in .txt or .md.",
        ) from error
    if not isinstance(role, dict):
        raise SettingError(
            f"{path} contains no role: it is not a JSON object.",
            hint=f"Put the text under one of these keys: {keys}.",
        )
    for key in ROLE_KEYS:
        if isinstance(words := role.get(key), str) and words.strip():
            return words.strip()
    raise SettingError(
        f"{path} has no text for a role: it has {', '.join(map(str, role)) or 'nothing'}.",
        hint=f"Put the text under one of these keys: {keys}.",
    )


def _unknown(name: str, every: list[str]) -> SettingError:
    near = nearest(name, every)
    mean = f"Did you mean {near!r}? " if near else ""
    return SettingError(
        f"There is no persona {name!r}.",
        hint=f"{mean}Use one of {', '.join(every)}, or the path of your file.",
    )
