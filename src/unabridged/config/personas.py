"""Personas: texts that say who answers, by a name or by the path of a file.

A file is text (``.txt``, ``.md``), or JSON (``.json``) as programs with roles keep one: an object of
which one key holds the text, whatever else it has.
"""

import os
from pathlib import Path
from typing import Any

import msgspec

from unabridged.config.parse_settings import is_persona_name, nearest
from unabridged.domain.settings import Settings
from unabridged.errors import SettingError

SUFFIXES = (".json", ".md", ".txt")
"""Of two files of one name in a folder, the later kind holds."""
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
"""The keys under which a role's text stands in JSON; the first that holds text counts."""
_BUNDLED = Path(__file__).parent.parent / "profiles" / "personas"


def own_folder(home: str | os.PathLike[str]) -> Path:
    """Give the folder of a person's own personas, whether it is there or not."""
    return Path(home) / "config" / "personas"


def personas(home: str | os.PathLike[str]) -> dict[str, Path]:
    """Give every persona's file by its name; a person's own stands before the program's."""
    found: dict[str, Path] = {}
    for folder in (_BUNDLED, own_folder(home)):
        for suffix in SUFFIXES:
            found |= {path.stem: path for path in sorted(folder.glob(f"*{suffix}"))}
    return dict(sorted(found.items()))


def persona_text(settings: Settings) -> str:
    """Give the text of the persona that the settings name; empty where they name none.

    Raises:
        SettingError: There is none of that name, or its file cannot be read.
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
    """Give the text of the persona of a name.

    Raises:
        SettingError: There is none of that name, or its file cannot be read.
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
            hint="Give the path of a text file in UTF-8, or the name of a persona.",
        ) from error
    return _of_role(text, path) if path.suffix == ".json" else text


def _of_role(text: str, path: Path) -> str:
    keys = ", ".join(ROLE_KEYS)
    try:
        role: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise SettingError(
            f"{path} is not JSON: {error}.", hint="Correct it, or name a text file (.txt or .md)."
        ) from error
    if not isinstance(role, dict):
        raise SettingError(
            f"{path} holds no role: it is not an object of JSON.",
            hint=f"Put the text under one of these keys: {keys}.",
        )
    for key in ROLE_KEYS:
        if isinstance(words := role.get(key), str) and words.strip():
            return words.strip()
    raise SettingError(
        f"{path} holds no text for a role: it has {', '.join(map(str, role)) or 'nothing'}.",
        hint=f"Put the text under one of these keys: {keys}.",
    )


def _unknown(name: str, every: list[str]) -> SettingError:
    near = nearest(name, every)
    mean = f"Did you mean {near!r}? " if near else ""
    return SettingError(
        f"There is no persona {name!r}.",
        hint=f"{mean}There are {', '.join(every)}; a path names a file of your own.",
    )
