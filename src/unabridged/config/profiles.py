"""Profiles: named sets of settings, the program's and a person's own.

A profile is a TOML file: ``title``, ``about``, a table ``settings``, and optionally ``extends`` (its
base profile), ``seed`` (the design that it comes from) and a table ``reasons``. The program's are in
``unabridged/profiles``, a person's in ``<home>/config/profiles``.
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
        extends: Its base profile, or empty.
        values: Its settings, including those of its base.
        reasons: Reasons by setting, if the file has them.
        origins: By setting, the profile that sets it: this one or a base.
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
    """Return the folder of a person's own profiles, whether it exists or not."""
    return Path(home) / "config" / "profiles"


def names(home: str | os.PathLike[str]) -> list[str]:
    """Return the names of profiles: the program's, then the person's own."""
    files = (path for path in own_folder(home).glob(f"*{SUFFIX}") if path.is_file())
    own = sorted(path.stem for path in files if _NAME.fullmatch(path.stem))
    bundled = [path.stem for path in sorted(_BUNDLED.glob(f"*{SUFFIX}"))]
    return [*bundled, *(name for name in own if name not in bundled)]


def check_new(name: str, home: str | os.PathLike[str]) -> None:
    """Check the name of a new profile.

    Raises:
        SettingError: The name is not valid, or taken.
    """
    if not _NAME.fullmatch(name):
        raise SettingError(
            f"A profile cannot be called {name!r}.",
            hint="Use up to 64 small letters, digits, - and _, with a letter or digit first.",
        )
    if name in names(home):
        raise SettingError(f"There is a profile {name!r} already.", hint="Choose another name.")


def profile_of(name: str, home: str | os.PathLike[str]) -> Profile:
    """Read a profile.

    Raises:
        SettingError: There is none of that name, or its file is not valid.
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
    # A base's reasons hold for settings that are not overridden.
    return {setting: why for setting, why in base.reasons.items() if setting not in said}


def _path_of(name: str, home: Path, under: tuple[str, ...]) -> Path:
    asked = f"the profile {under[-1]} extends" if under else "the setting profile names"
    bundled, own = (folder / f"{name}{SUFFIX}" for folder in (_BUNDLED, own_folder(home)))
    if not _NAME.fullmatch(name) or not (bundled.is_file() or own.is_file()):
        every = names(home)
        near = nearest(name.lower(), every)
        raise SettingError(
            f"There is no profile {name!r}, which {asked}.",
            hint=(f"Did you mean {near!r}? " if near else "") + f"Known: {', '.join(every)}.",
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
                f"{where}: the reason for {setting} is not text.", hint="Write it in quotes."
            )
    return parsed


def _refuse_key(key: str, where: str) -> None:
    near = nearest(key, _TEXTS + _TABLES)
    hint = f"Did you mean {near!r}? " if near else ""
    raise SettingError(
        f"{where}: a profile has no key {key!r}.",
        hint=f"{hint}Put settings in the table [settings].",
    )


_NOTHING = Profile("", "", "", MappingProxyType({}), MappingProxyType({}), MappingProxyType({}))
