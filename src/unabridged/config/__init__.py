"""Settings from files, environment and arguments; the only reader of the environment.

Defaults yield to ``<home>/config/unabridged.toml``, that to ``UNABRIDGED_*`` variables (one for each
setting), those to arguments. Two variables of others are honoured: ``OLLAMA_HOST`` says where
Ollama listens, and ``OPENAI_API_KEY`` is the key where an ``openai_url`` was named and no key.
"""

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_type_hints
from urllib.parse import urlsplit

import msgspec
import platformdirs

from unabridged.config.file import not_toml, text_of
from unabridged.config.rules import CHECKS, CHOICES, check_together, is_address
from unabridged.disk.folders import check_home, private_folder
from unabridged.domain.scope import DEFAULT_NAME
from unabridged.domain.settings import Settings
from unabridged.errors import SettingError

FOLDERS = "spaces memory chats conversations config logs knowledge cache backups imports".split()
PREFIX = "UNABRIDGED_"
AGENTS = "agents"
"""The table of the settings file under which each agent may have settings of its own."""
SECRETS = frozenset({"openai_key"})
NAMES = tuple(field.name for field in fields(Settings))

_TYPES: Mapping[str, Any] = get_type_hints(Settings)
_PATHS = ("persona", "gguf", "custom_filepath", "anchor")


@dataclass(frozen=True, slots=True)
class Reading:
    """Settings, and where each came from.

    Attributes:
        settings: The settings; ``home`` is always an absolute path.
        sources: Name to ``default``, a file, a variable or ``argument``.
        path: The file that was read, or would be if it were there.
    """

    settings: Settings
    sources: Mapping[str, str]
    path: Path


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting as ``unabridged config`` shows it; a secret's value is masked."""

    name: str
    value: str
    source: str


def load(
    *,
    home: str | os.PathLike[str] | None = None,
    environ: Mapping[str, str] = os.environ,
    **overrides: Any,
) -> Settings:
    """Give the settings. Reads one file and the environment; writes nothing.

    Args:
        home: The home folder; None for ``$UNABRIDGED_HOME``, else the platform's data folder.
        environ: The environment.
        **overrides: Any field of ``Settings``; None stands for "not given".

    Raises:
        SettingError: A name is unknown or a value cannot be used.
    """
    return read(home=home, environ=environ, **overrides).settings


def read(
    *,
    home: str | os.PathLike[str] | None = None,
    environ: Mapping[str, str] = os.environ,
    **overrides: Any,
) -> Reading:
    """Give the settings with where each came from; otherwise as ``load``."""
    values: dict[str, Any] = {}
    sources = dict.fromkeys(NAMES, "default")
    values["home"], sources["home"] = _find_home(home, environ)
    path = file_of(values["home"])
    common, agents = _from_file(path)
    given = _from_environment(environ)
    for name, value in overrides.items():
        if value is not None:
            known(name, "the argument")
            given[name] = (_checked(name, value, "the argument"), "argument")
    for name, value in common.items():
        values[name], sources[name] = value, str(path)
    agent = given["agent"][0] if "agent" in given else values.get("agent", DEFAULT_NAME)
    for name, value in agents.get(agent, {}).items():
        values[name], sources[name] = value, f"{path}, agent {agent}"
    for name, (value, source) in given.items():
        values[name], sources[name] = value, source
    key = environ.get("OPENAI_API_KEY", "")
    if key and values.get("openai_url") and not values.get("openai_key"):
        values["openai_key"], sources["openai_key"] = key, "$OPENAI_API_KEY"
    settings = Settings(**values)
    check_together(settings, sources)
    return Reading(settings, MappingProxyType(sources), path)


def home_of(
    home: str | os.PathLike[str] | None = None, environ: Mapping[str, str] = os.environ
) -> Path:
    """Give the absolute home folder without reading any settings."""
    return Path(_find_home(home, environ)[0])


def describe(reading: Reading) -> list[SettingRow]:
    """Give every setting as text, with where it came from; secrets are masked."""
    return [
        SettingRow(name, shown(name, getattr(reading.settings, name)), reading.sources[name])
        for name in NAMES
    ]


def shown(name: str, value: Any) -> str:
    """Write a value as people read it; a secret is masked, None is ``auto``."""
    if name in SECRETS:
        return "(set, not shown)" if value else ""
    if value is None:
        return "auto"
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def variable(name: str, environ: Mapping[str, str] = os.environ) -> str:
    """Give a variable that a setting names (``key = env:NAME``); empty where it is not set."""
    return environ.get(name, "")


def variables(prefix: str, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Give the variables of another standard, such as ``OTEL_``; empty ones count as unset."""
    return {name: value for name, value in environ.items() if name.startswith(prefix) and value}


def file_of(home: str | os.PathLike[str]) -> Path:
    """Give the path of the settings file of a home, whether it is there or not."""
    return Path(home) / "config" / "unabridged.toml"


def folder(home: str | os.PathLike[str], name: str) -> Path:
    """Give a folder of the home, made on first use: the home and the folder with mode 0700.

    Args:
        home: The home folder.
        name: One of ``FOLDERS``.

    Raises:
        SettingError: The folder cannot be made or written to, or the home is not the user's own.
    """
    if name not in FOLDERS:
        raise ValueError(f"{name!r} is no folder of the home")
    root = Path(home)
    path = root / name
    check_home(root)
    try:
        private_folder(path)
    except OSError as error:
        raise SettingError(
            f"The home folder {root} cannot be used: {error.strerror or error}.",
            hint="Name a folder that you may write to, with --home or UNABRIDGED_HOME.",
        ) from error
    return path


def value_from(name: str, text: str, where: str = "config set") -> Any:
    """Read a setting's value from text, as environment variables and ``config set`` give it.

    Lists are separated by commas; an empty text or ``auto`` leaves a number to the upstream.

    Raises:
        SettingError: The name is unknown or the value cannot be used.
    """
    known(name, where)
    kind = _TYPES[name]
    if kind == tuple[str, ...]:
        return _checked(name, [part.strip() for part in text.split(",") if part.strip()], where)
    if kind == (int | None):
        text = text.strip().replace("_", "").replace(",", "")
        if text.lower() in {"", "auto", "none"}:
            return None
    return _checked(name, text, where, strict=False)


def _find_home(home: str | os.PathLike[str] | None, environ: Mapping[str, str]) -> tuple[str, str]:
    """Give the absolute home and where it came from."""
    if home is not None and os.fspath(home):
        named, source = os.fspath(home), "argument"
    elif environ.get(f"{PREFIX}HOME"):
        named, source = environ[f"{PREFIX}HOME"], f"${PREFIX}HOME"
    else:
        named = platformdirs.user_data_dir("unabridged", appauthor=False)
        source = "default"
    if "\0" in named:
        raise SettingError(
            "The home folder's name holds a NUL character.", hint="Name another folder."
        )
    return str(Path(named).expanduser().absolute()), source


def parse_file(path: Path) -> dict[str, Any]:
    """Read the settings file as TOML, its values unchecked; one that is not there is empty.

    Raises:
        SettingError: It is no TOML or cannot be read.
    """
    try:
        return tomllib.loads(text_of(path))
    except tomllib.TOMLDecodeError as error:
        raise not_toml(path, error) from error


def _from_file(path: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Read the file: what holds for every agent, and by name what holds for one."""
    parsed = parse_file(path)
    tables = parsed.pop(AGENTS, {})
    if not isinstance(tables, dict) or not all(isinstance(t, dict) for t in tables.values()):
        raise SettingError(
            f"{path}: {AGENTS} is no table of tables.",
            hint=f'Write [{AGENTS}."NAME"] above what holds for the agent NAME.',
        )
    common = _values_in(parsed, path, str(path))
    for agent, table in tables.items():
        where = f"{path}, agent {agent}"
        for name in table:
            for_agent(name, where)
    return common, {a: _values_in(t, path, f"{path}, agent {a}") for a, t in tables.items()}


def _values_in(table: Mapping[str, Any], path: Path, where: str) -> dict[str, Any]:
    values = {}
    for name, value in table.items():
        in_file(name, where)
        values[name] = _checked(name, value, where)
    for name in _PATHS:
        if values.get(name):
            values[name] = str(path.parent / Path(values[name]).expanduser())
    kind, _, named = values.get("key", "").partition(":")
    if kind == "file":
        values["key"] = f"file:{path.parent / Path(named).expanduser()}"
    return values


def _from_environment(environ: Mapping[str, str]) -> dict[str, tuple[Any, str]]:
    """Read the variables that are set: name to value and source. Empty ones count as unset."""
    values: dict[str, tuple[Any, str]] = {}
    if environ.get("OLLAMA_HOST", "").strip():
        values["ollama_url"] = (ollama_address(environ["OLLAMA_HOST"]), "$OLLAMA_HOST")
    for variable in sorted(environ):
        if not variable.startswith(PREFIX) or not environ[variable]:
            continue
        name = variable.removeprefix(PREFIX).lower()
        if name not in NAMES:
            near = _nearest(name)
            raise SettingError(
                f"The environment has {variable}, which is no setting.",
                hint=f"Did you mean {PREFIX}{near.upper()}?" if near else _LISTED,
            )
        if name != "home":
            values[name] = (value_from(name, environ[variable], f"${variable}"), f"${variable}")
    return values


_REACHED = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - read, never bound


def ollama_address(text: str) -> str:
    """Read ``OLLAMA_HOST`` as Ollama does (``envconfig.Host`` in its source).

    ``host``, ``host:port``, ``:port``, ``http://host`` (port 80), ``https://host`` (443) and
    addresses that mean "every interface" for a server, which a client reaches on its own machine.

    Raises:
        SettingError: It is no address.
    """
    text = text.strip().strip("\"'")
    scheme, found, rest = text.partition("://")
    scheme, rest = (scheme, rest) if found else ("http", text)
    port = {"http": 80, "https": 443}.get(scheme) if found else 11434
    rest = rest.rstrip("/")
    if rest.count(":") > 1 and not rest.startswith("["):
        rest = f"[{rest}]"  # a bare IPv6 address
    where = f"{scheme}://" + ("127.0.0.1" + rest if rest.startswith(":") else rest)
    if not is_address(where):
        raise SettingError(
            f"OLLAMA_HOST is no address: {text!r}.", hint="Write it as 127.0.0.1:11434."
        )
    parts = urlsplit(where)
    host = _REACHED.get(parts.hostname or "", parts.hostname or "")
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{parts.port or port}{parts.path}"


_LISTED = "`unabridged config` lists every setting."


def _nearest(name: str) -> str:
    return next(iter(difflib.get_close_matches(name, NAMES, 1, 0.6)), "")


def known(name: str, where: str) -> None:
    """Check that there is a setting of that name.

    Raises:
        SettingError: There is none; the hint names the nearest.
    """
    if name not in NAMES:
        near = _nearest(name)
        raise SettingError(
            f"{where}: there is no setting {name!r}.",
            hint=f"Did you mean {near!r}?" if near else _LISTED,
        )


def in_file(name: str, where: str) -> None:
    """Check that a settings file may hold the setting.

    Raises:
        SettingError: There is none of that name, or it is the home itself.
    """
    known(name, where)
    if name == "home":
        raise SettingError(
            f"{where}: the home cannot be set inside the home.",
            hint="Use --home or UNABRIDGED_HOME.",
        )


def for_agent(name: str, where: str) -> None:
    """Check that a setting may be another one for one agent.

    Raises:
        SettingError: There is none of that name, or it says whose memory it is.
    """
    in_file(name, where)
    if name in {"agent", "user"}:
        raise SettingError(
            f"{where}: {name} cannot be another one for one agent.",
            hint=f"Set {name} for all, or give it with --{name}.",
        )


def _checked(name: str, value: Any, where: str, *, strict: bool = True) -> Any:
    """Convert a value to the setting's type and check it."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    try:
        good = msgspec.convert(value, _TYPES[name], strict=strict)
    except msgspec.ValidationError:
        raise _wrong(name, value, where, _wanted(name)) from None
    if name in CHOICES and good not in CHOICES[name]:
        near = difflib.get_close_matches(str(good), CHOICES[name], 1)
        mean = f"Did you mean {near[0]!r}? " if near else ""
        raise _wrong(name, value, where, _wanted(name), mean)
    test, wanted = CHECKS.get(name, (None, ""))
    if test and good is not None and not test(good):
        raise _wrong(name, value, where, wanted)
    return good


def _wanted(name: str) -> str:
    """Say what a setting takes."""
    if name in CHOICES:
        return "one of " + ", ".join(CHOICES[name])
    words = {str: "text", bool: "yes or no", float: "a number", tuple[str, ...]: "a list of words"}
    return words.get(_TYPES[name], "a whole number")


def _wrong(name: str, value: Any, where: str, *hint: str) -> SettingError:
    wanted, *mean = hint
    what = "its value" if name in SECRETS else repr(value)
    return SettingError(
        f"{where}: {name} cannot be {what}.", hint=f"{''.join(mean)}It takes {wanted}."
    )


def colour_wanted(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a terminal shall be written to in colour (https://no-color.org, ``TERM=dumb``)."""
    return not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
