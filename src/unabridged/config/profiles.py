"""Profiles: named sets of settings as data, the program's and a person's own.

A profile is a TOML file: ``title``, ``about``, a table ``settings``, and optionally ``extends`` (the
profile that it stands on), ``seed`` (the design that it comes from) and a table ``reasons``. The
program's lie in ``unabridged/profiles``, a person's in ``<home>/config/profiles``.
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
        title: What it is, in a line.
        about: Whom it is for, and what it does.
        seed: The design that it comes from, or empty.
        extends: The profile that it stands on, or empty.
        values: Its settings, those of the profile that it stands on included.
        reasons: Setting to why it is so, where the file says.
        origins: Setting to the name of the profile that sets it: its own, or one that it stands on.
        path: Its file; None for one of the program's.
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
    """Give the folder of a person's own profiles, whether it is there or not."""
    return Path(home) / "config" / "profiles"


def names(home: str | os.PathLike[str]) -> list[str]:
    """Name every profile: the program's, then the person's own; a file with no such name is none."""
    files = (path for path in own_folder(home).glob(f"*{SUFFIX}") if path.is_file())
    own = sorted(path.stem for path in files if _NAME.fullmatch(path.stem))
    bundled = [path.stem for path in sorted(_BUNDLED.glob(f"*{SUFFIX}"))]
    return [*bundled, *(name for name in own if name not in bundled)]


def check_new(name: str, home: str | os.PathLike[str]) -> None:
    """Check that a profile may be given a name.

    Raises:
        SettingError: It cannot have it, or there is one of that name.
    """
    if not _NAME.fullmatch(name):
        raise SettingError(
            f"A profile cannot be called {name!r}.",
            hint="Take small letters, digits, - and _, at most 64, a letter or digit first.",
        )
    if name in names(home):
        raise SettingError(f"There is a profile {name!r} already.", hint="Choose another name.")


def profile_of(name: str, home: str | os.PathLike[str]) -> Profile:
    """Read a profile.

    Raises:
        SettingError: There is none of that name, or something in its file cannot be used.
    """
    return _read(name, Path(home), ())


def _read(name: str, home: Path, under: tuple[str, ...]) -> Profile:
    if name in under:
        raise SettingError(
            f"The profile {name} is based on itself: {' > '.join((*under, name))}.",
            hint="Take `extends` out of one of them.",
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
    # The reasons of a base for what is not said otherwise.
    return {setting: why for setting, why in base.reasons.items() if setting not in said}


def _path_of(name: str, home: Path, under: tuple[str, ...]) -> Path:
    asked = f"the profile {under[-1]} extends" if under else "the setting profile names"
    bundled, own = (folder / f"{name}{SUFFIX}" for folder in (_BUNDLED, own_folder(home)))
    if not _NAME.fullmatch(name) or not (bundled.is_file() or own.is_file()):
        every = names(home)
        near = nearest(name.lower(), every)
        raise SettingError(
            f"There is no profile {name!r}, which {asked}.",
            hint=(f"Did you mean {near!r}? " if near else "") + f"There are {', '.join(every)}.",
        )
    if bundled.is_file() and own.is_file():
        raise SettingError(
            f"{own} has the name of one of the program's own profiles.",
            hint=f'Give it another name, and begin it with: extends = "{name}"',
        )
    return own if own.is_file() else bundled


def _parsed(path: Path, where: str) -> dict[str, Any]:
    try:
        parsed = tomllib.loads(text_of(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise not_toml(path, error) from error
    for key, value in parsed.items():
        if key not in _TEXTS + _TABLES:
            _refuse_key(key, where)
        kind, wanted = (str, "text in quotes") if key in _TEXTS else (dict, f"a table: [{key}]")
        if not isinstance(value, kind):
            raise SettingError(f"{where}: {key} cannot be {value!r}.", hint=f"It is {wanted}.")
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
        f"{where}: a profile has no {key!r}.",
        hint=f"{hint}Settings belong in the table [settings].",
    )


_NOTHING = Profile("", "", "", MappingProxyType({}), MappingProxyType({}), MappingProxyType({}))
