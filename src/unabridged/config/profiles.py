"""Profiles: named sets of settings as data, built-in and the user's.

A profile is a TOML file: ``title``, ``about``, a table ``settings``, and optionally ``extends``
(its base profile), ``seed`` (the design that it comes from) and a table ``reasons``. The built-in
ones are in ``unabridged/profiles``, the user's in ``<home>/config/profiles``.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from unabridged.config.file import not_toml, text_of
from unabridged.config.parse_settings import in_profile, nearest, values_in
from unabridged.errors import SettingError

SUFFIX = ".toml"
_BUNDLED = Path(__file__).parent.parent / "profiles"
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_TEXTS = ("title", "about", "seed", "extends")
_TABLES = ("settings", "reasons")


@dataclass(frozen=True, slots=True)
class Profile:
    """A named set of settings.

    Attributes:
        title: A title of one line.
        about: Its purpose and effect.
        seed: The design that it comes from, or empty.
        extends: Its base profile, or empty.
        values: Its settings, including those of its base.
        reasons: Setting to reason, if the file has one.
        origins: Setting to the name of the profile that sets it: itself or a base.
        path: Its file; None for a built-in one.
    """

    name: str
    title: str
    about: str
    values: Mapping[str, Any]
    reasons: Mapping[str, str]
    origins: Mapping[str, str]
    seed: str = ""
    extends: str = ""
    path: Path | None = None


def own_folder(home: str | os.PathLike[str]) -> Path:
    """Return the folder of the user's profiles, even if it does not exist."""
    return Path(home) / "config" / "profiles"


def names(home: str | os.PathLike[str]) -> list[str]:
    """Return the names of all profiles, built-in first; skip files with invalid names."""
    files = (path for path in own_folder(home).glob(f"*{SUFFIX}") if path.is_file())
    own = sorted(path.stem for path in files if _NAME.fullmatch(path.stem))
    bundled = [path.stem for path in sorted(_BUNDLED.glob(f"*{SUFFIX}"))]
    return [*bundled, *(name for name in own if name not in bundled)]


def check_new(name: str, home: str | os.PathLike[str]) -> None:
    """Check the name of a new profile.

    Raises:
        SettingError: The name is invalid or taken.
    """
    if not _NAME.fullmatch(name):
        raise SettingError(
            f"Invalid name of a profile: {name!r}.",
            hint="Use up to 64 lower-case letters, digits, - and _, with a letter or digit first.",
        )
    if name in names(home):
        raise SettingError(f"The profile {name!r} exists already.", hint="Choose another name.")


def profile_of(name: str, home: str | os.PathLike[str]) -> Profile:
    """Return a profile.

    Raises:
        SettingError: There is none with that name, or its file has an invalid value.
    """
    return _read(name, Path(home), ())


def _read(name: str, home: Path, under: tuple[str, ...]) -> Profile:
    if name in under:
        raise SettingError(
            f"The profile {name} extends itself: {' > '.join((*under, name))}.",
            hint="Remove `extends` from one of them.",
        )
    path = _path_of(name, home, under)
    own = path.parent != _BUNDLED
    where = str(path) if own else f"profile {name}"
    parsed = _parsed(path, where)
    base = _read(parsed["extends"], home, (*under, name)) if parsed.get("extends") else _NOTHING
    for setting in (*parsed.get("settings", {}), *parsed.get("reasons", {})):
        in_profile(setting, where)
    said = values_in(parsed.get("settings", {}), path, where)
    return Profile(
        name=name,
        title=parsed.get("title") or base.title,
        about=(parsed.get("about") or base.about).strip(),
        seed=parsed.get("seed") or base.seed,
        extends=parsed.get("extends", ""),
        values=MappingProxyType({**base.values, **said}),
        reasons=MappingProxyType({**_kept(base, said), **parsed.get("reasons", {})}),
        origins=MappingProxyType({**base.origins, **dict.fromkeys(said, name)}),
        path=path if own else None,
    )


def _kept(base: Profile, said: Mapping[str, Any]) -> dict[str, str]:
    # The reasons of a base for settings that the profile does not change.
    return {setting: why for setting, why in base.reasons.items() if setting not in said}


def _path_of(name: str, home: Path, under: tuple[str, ...]) -> Path:
    asked = f"the profile {under[-1]} extends" if under else "the setting profile names"
    bundled, own = (folder / f"{name}{SUFFIX}" for folder in (_BUNDLED, own_folder(home)))
    if not _NAME.fullmatch(name) or not (bundled.is_file() or own.is_file()):
        every = names(home)
        near = nearest(name.lower(), every)
        raise SettingError(
            f"There is no profile {name!r}, which {asked}.",
            hint=(f"Did you mean {near!r}? " if near else "") + f"Use one of {', '.join(every)}.",
        )
    if bundled.is_file() and own.is_file():
        raise SettingError(
            f"{own} has the name of a built-in profile.",
            hint=f'Rename it, and begin it with: extends = "{name}"',
        )
    return own if own.is_file() else bundled


def _parsed(path: Path, where: str) -> dict[str, Any]:
    try:
        parsed = tomllib.loads(text_of(path))
    except (ValueError, RecursionError) as error:  # an integer of 5,000 digits is a ValueError
        raise not_toml(path, error) from error
    for key, value in parsed.items():
        if key not in _TEXTS + _TABLES:
            _refuse_key(key, where)
        kind, wanted = (str, "text in quotes") if key in _TEXTS else (dict, f"a table: [{key}]")
        if not isinstance(value, kind):
            raise SettingError(f"{where}: {key} cannot be {value!r}.", hint=f"Use {wanted}.")
    for setting, why in parsed.get("reasons", {}).items():
        if not isinstance(why, str):
            raise SettingError(
                f"{where}: the reason for {setting} is not a text.", hint="Write it in quotes."
            )
    return parsed


def _refuse_key(key: str, where: str) -> None:
    near = nearest(key, _TEXTS + _TABLES)
    hint = f"Did you mean {near!r}? " if near else ""
    raise SettingError(
        f"{where}: a profile has no key {key!r}.",
        hint=f"{hint}Put settings into the table [settings].",
    )


_NOTHING = Profile("", "", "", MappingProxyType({}), MappingProxyType({}), MappingProxyType({}))
