"""Settings from files, environment and arguments; the only reader of the environment.

The order, later ones override: defaults, ``<home>/config/unabridged.toml``, ``UNABRIDGED_*``
variables (one for each setting), arguments. A profile comes directly before the explicit settings
of the place that chose it, but never after variables: what is set explicitly for a shell counts
for more. If several places choose one, the last counts. Foreign variables are
used too: ``OLLAMA_HOST`` is Ollama's address, ``OPENAI_API_KEY`` is the key if ``openai_url`` is
set without a key, and ``ANTHROPIC_API_KEY`` if the upstream is Anthropic's without one.
"""

import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import platformdirs

from unabridged.config.file import not_toml, text_of
from unabridged.config.foreign_keys import foreign_keys
from unabridged.config.parse_settings import (
    LISTED,
    NAMES,
    SECRETS,
    checked,
    for_agent,
    for_model,
    in_file,
    known,
    nearest,
    shown,
    value_from,
    values_in,
)
from unabridged.config.profiles import profile_of
from unabridged.config.validate import check_together, is_address
from unabridged.disk.folders import check_home, private_folder
from unabridged.domain.scope import DEFAULT_NAME
from unabridged.domain.settings import Settings, model_key
from unabridged.errors import SettingError

__all__ = [
    "AGENTS",
    "FOLDERS",
    "MODELS",
    "NAMES",
    "PREFIX",
    "SECRETS",
    "LoadedSettings",
    "SettingRow",
    "colour_wanted",
    "describe",
    "file_of",
    "folder",
    "for_agent",
    "for_model",
    "home_of",
    "in_file",
    "known",
    "load",
    "ollama_address",
    "parse_file",
    "read",
    "shown",
    "source_of",
    "value_from",
    "variable",
    "variables",
    "with_overrides",
]

FOLDERS = "spaces memory chats conversations config logs knowledge cache backups imports".split()
PREFIX = "UNABRIDGED_"
AGENTS = "agents"
"""The table of the settings file with settings for single agents."""
MODELS = "models"
"""The table with settings for single models."""

_PROFILE = "profile "
"""The prefix of the source of a setting from a profile."""
_Layer = Mapping[str, tuple[Any, str]]
"""The settings of one place: name to value and source."""


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings with their sources.

    Attributes:
        settings: The settings; ``home`` is always an absolute path.
        sources: Name to ``default``, a file, a variable or ``argument``.
        path: The settings file, even if it does not exist.
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
    exact: Mapping[str, Any] | None = None,
    **overrides: Any,
) -> Settings:
    """Return the settings from one file and the environment; write nothing.

    Args:
        home: The home folder; None for ``$UNABRIDGED_HOME``, else the platform's data folder.
        environ: The environment.
        exact: Fields of ``Settings`` by name, for which None is an ordinary value.
        **overrides: Any field of ``Settings``; None means "not given".

    Raises:
        SettingError: A name is unknown or a value is not valid.
    """
    return read(home=home, environ=environ, exact=exact, **overrides).settings


def read(
    *,
    home: str | os.PathLike[str] | None = None,
    environ: Mapping[str, str] = os.environ,
    exact: Mapping[str, Any] | None = None,
    **overrides: Any,
) -> LoadedSettings:
    """Return the settings with their sources; otherwise as ``load``."""
    root, said = _find_home(home, environ)
    path = file_of(root)
    common, agents, models = _from_file(path)
    given = {**_given(overrides), **_said(exact or {}, "argument")}
    variables = _from_environment(environ)
    agent = {**common, **variables, **given}.get("agent", (DEFAULT_NAME, ""))[0]
    layers = [common, agents.get(agent, {}), variables, given]
    settled = {"home": (root, said), **_settled(layers, root, len(layers) - 2)}
    # What overrides the file; only models' tables, which few users have, need it.
    above = _settled([variables, given], root, 0) if models else {}
    settled |= foreign_keys(settled, environ)
    values = {name: value for name, (value, _) in settled.items()}
    sources = {name: settled[name][1] if name in settled else "default" for name in NAMES}
    values["models"] = _without(models, above)
    settings = Settings(**values)
    check_together(settings, sources)
    for model, layer in models.items():
        own = {name: where for name, (_, where) in layer.items() if name not in above}
        check_together(settings.for_model(model), {**sources, **own})
    return LoadedSettings(settings, MappingProxyType(sources), path)


def with_overrides(
    settings: Settings,
    *,
    home: str | os.PathLike[str] | None = None,
    environ: Mapping[str, str] = os.environ,
    **overrides: Any,
) -> Settings:
    """Return settings that a program made, checked, with arguments that count for more.

    No file is read, and of the environment only where the home is if nothing names one.

    Args:
        settings: Every choice.
        home: The home folder; None for that of the settings, else as for ``load``.
        environ: The environment.
        **overrides: Any field of ``Settings``; None means "not given".

    Raises:
        SettingError: A name is unknown or a value cannot be used.
    """
    where = "Settings"
    own = {name: checked(name, getattr(settings, name), where) for name in NAMES}
    root, _ = _find_home(home if home is not None else own["home"], environ)
    given = _given(overrides)
    settled = _settled([_said(own, where), given], root)
    values = {name: value for name, (value, _) in settled.items()}
    models = {
        model_key(model): _said(values_in(table, file_of(root), f"{where}, model {model}"), where)
        for model, table in settings.models.items()
    }
    chosen = Settings(**{**values, "home": root, "models": _without(models, given)})
    check_together(chosen, {name: source for name, (_, source) in settled.items()})
    return chosen


def _without(models: Mapping[str, _Layer], above: _Layer) -> Mapping[str, Mapping[str, Any]]:
    own = {
        model: {name: value for name, (value, _) in layer.items() if name not in above}
        for model, layer in models.items()
    }
    return MappingProxyType(own)


def _given(overrides: Mapping[str, Any]) -> _Layer:
    layer = {}
    for name, value in overrides.items():
        if value is not None:
            known(name, "")
            layer[name] = (checked(name, value, ""), "argument")
    return layer


def _settled(
    layers: Sequence[_Layer], home: str, highest: int | None = None
) -> dict[str, tuple[Any, str]]:
    # ``highest``: the layer before which a profile comes at the latest, whoever chose it.
    last = max((n for n, layer in enumerate(layers) if "profile" in layer), default=-1)
    place = last if highest is None else min(last, highest)
    settled: dict[str, tuple[Any, str]] = {}
    for n, layer in enumerate(layers):
        if n == place and (name := layers[last]["profile"][0]):
            profile = profile_of(name, home)
            settled |= {k: (value, _PROFILE + name) for k, value in profile.values.items()}
        settled |= layer
    words = settled.get("system", ("", ""))
    if words[0] and _of_profile(settled.get("persona")) and not _of_profile(words):
        del settled["persona"]  # a profile's prompt must not hide the user's
    return settled


def _of_profile(said: tuple[Any, str] | None) -> bool:
    return said is not None and said[1].startswith(_PROFILE)


def home_of(
    home: str | os.PathLike[str] | None = None, environ: Mapping[str, str] = os.environ
) -> Path:
    """Return the absolute home folder without reading any settings."""
    return Path(_find_home(home, environ)[0])


def describe(reading: LoadedSettings) -> list[SettingRow]:
    """Return every setting as text with its source; secrets are masked.

    With a model, the settings of that model are included.
    """
    settings = reading.settings.for_model(reading.settings.model)
    return [
        SettingRow(name, shown(name, getattr(settings, name)), source_of(reading, name))
        for name in NAMES
    ]


def source_of(reading: LoadedSettings, name: str) -> str:
    """Return the source of a setting for the given model."""
    model = reading.settings.model
    if name in reading.settings.models.get(model_key(model), {}):
        return f"{reading.path}, model {model}"
    return reading.sources[name]


def variable(name: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the variable of a setting (``key = env:NAME``); empty if it is not set."""
    return environ.get(name, "")


def variables(prefix: str, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables of another standard, such as ``OTEL_``; empty ones count as unset."""
    return {name: value for name, value in environ.items() if name.startswith(prefix) and value}


def file_of(home: str | os.PathLike[str]) -> Path:
    """Return the path of the settings file of a home, even if it does not exist."""
    return Path(home) / "config" / "unabridged.toml"


def folder(home: str | os.PathLike[str], name: str) -> Path:
    """Return one of the ``FOLDERS`` of a home; create both with mode 0700 if needed.

    Raises:
        SettingError: The folder cannot be created or written, or the home belongs to another user.
    """
    if name not in FOLDERS:
        raise ValueError(f"{name!r} is not a folder of the home")
    root = Path(home)
    path = root / name
    check_home(root)
    try:
        private_folder(path)
    except OSError as error:
        raise SettingError(
            f"The home folder {root} cannot be used: {error.strerror or error}.",
            hint="Choose a writable folder with --home or UNABRIDGED_HOME.",
        ) from error
    return path


def _find_home(home: str | os.PathLike[str] | None, environ: Mapping[str, str]) -> tuple[str, str]:
    if home is not None and os.fspath(home):
        named, source = os.fspath(home), "argument"
    elif environ.get(f"{PREFIX}HOME"):
        named, source = environ[f"{PREFIX}HOME"], f"${PREFIX}HOME"
    else:
        named = platformdirs.user_data_dir("unabridged", appauthor=False)
        source = "default"
    if "\0" in named:
        raise SettingError(
            "The home folder's name contains a NUL character.",
            hint="Choose another folder with --home or UNABRIDGED_HOME.",
        )
    return str(Path(named).expanduser().absolute()), source


def parse_file(path: Path) -> dict[str, Any]:
    """Return the settings file as TOML, unchecked; empty if there is none.

    Raises:
        SettingError: It is not valid TOML, or cannot be read.
    """
    try:
        return tomllib.loads(text_of(path))
    except (ValueError, RecursionError) as error:  # an integer of 5,000 digits is a ValueError
        raise not_toml(path, error) from error


def _from_file(path: Path) -> tuple[_Layer, dict[str, _Layer], dict[str, _Layer]]:
    parsed = parse_file(path)
    agents = _tables(parsed, AGENTS, path, for_agent)
    models = _tables(parsed, MODELS, path, for_model)
    common = _said(values_in(parsed, path, str(path)), str(path))
    return common, agents, {model_key(name): layer for name, layer in models.items()}


def _tables(
    parsed: dict[str, Any], kind: str, path: Path, check: Callable[[str, str], None]
) -> dict[str, _Layer]:
    tables = parsed.pop(kind, {})
    one = kind.removesuffix("s")
    if not isinstance(tables, dict) or not all(isinstance(t, dict) for t in tables.values()):
        raise SettingError(
            f"{path}: {kind} is not a table of tables.",
            hint=f'Write [{kind}."NAME"] above the settings of the {one} NAME.',
        )
    layers = {}
    for holder, table in tables.items():
        where = f"{path}, {one} {holder}"
        for name in table:
            check(name, where)
        layers[holder] = _said(values_in(table, path, where), where)
    return layers


def _said(values: Mapping[str, Any], where: str) -> _Layer:
    return {name: (value, where) for name, value in values.items()}


def _from_environment(environ: Mapping[str, str]) -> _Layer:
    values: dict[str, tuple[Any, str]] = {}
    if environ.get("OLLAMA_HOST", "").strip():
        values["ollama_url"] = (ollama_address(environ["OLLAMA_HOST"]), "$OLLAMA_HOST")
    for variable in sorted(environ):
        if not variable.startswith(PREFIX) or not environ[variable]:
            continue
        name = variable.removeprefix(PREFIX).lower()
        if name not in NAMES:
            near = nearest(name)
            raise SettingError(
                f"The environment variable {variable} is not a setting.",
                hint=f"Did you mean {PREFIX}{near.upper()}?" if near else LISTED,
            )
        if name != "home":
            values[name] = (value_from(name, environ[variable], f"${variable}"), f"${variable}")
    return values


_REACHED = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - read, never bound


def ollama_address(text: str) -> str:
    """Return the address in ``OLLAMA_HOST``, read as Ollama does (``envconfig.Host``).

    It accepts ``host``, ``host:port``, ``:port``, ``http://host`` (port 80), ``https://host`` (443),
    and addresses for "every interface", which a client reaches on its own machine.

    Raises:
        SettingError: It is not an address.
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
            f"OLLAMA_HOST is not an address: {text!r}.", hint="Write it as 127.0.0.1:11434."
        )
    parts = urlsplit(where)
    host = _REACHED.get(parts.hostname or "", parts.hostname or "")
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{parts.port or port}{parts.path}"


def colour_wanted(environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether to write colour to a terminal (https://no-color.org, ``TERM=dumb``)."""
    return not environ.get("NO_COLOR") and not is_dumb_terminal(environ)


def is_dumb_terminal(environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether the terminal lacks control sequences (``TERM=dumb``)."""
    return environ.get("TERM") == "dumb"
