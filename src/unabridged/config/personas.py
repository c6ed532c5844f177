"""Personas: texts that say who answers, by a name or by the path of a file."""

import os
from pathlib import Path

from unabridged.config.values import is_persona_name, nearest
from unabridged.domain.settings import Settings
from unabridged.errors import SettingError

SUFFIXES = (".txt", ".md")
_BUNDLED = Path(__file__).parent.parent / "profiles" / "personas"


def own_folder(home: str | os.PathLike[str]) -> Path:
    """Give the folder of a person's own personas, whether it is there or not."""
    return Path(home) / "config" / "personas"


def personas(home: str | os.PathLike[str]) -> dict[str, Path]:
    """Give every persona's file by its name; a person's own stands before the program's."""
    found: dict[str, Path] = {}
    for folder in (_BUNDLED, own_folder(home)):
        for path in sorted(folder.glob("*")):
            if path.suffix in SUFFIXES:
                found[path.stem] = path
    return dict(sorted(found.items()))


def persona_text(settings: Settings) -> str:
    """Give the text of the persona that the settings name; empty where they name none.

    Raises:
        SettingError: There is none of that name, or its file cannot be read.
    """
    if not settings.persona:
        return ""
    if is_persona_name(settings.persona, Path("unabridged.toml")):
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
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(
            f"The persona {name} cannot be read: {error}.",
            hint="Give the path of a text file in UTF-8, or the name of a persona.",
        ) from error


def _unknown(name: str, every: list[str]) -> SettingError:
    near = nearest(name, every)
    mean = f"Did you mean {near!r}? " if near else ""
    return SettingError(
        f"There is no persona {name!r}.",
        hint=f"{mean}There are {', '.join(every)}; a path names a file of your own.",
    )
