"""Parses settings: their names, types and valid values."""

import difflib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from unabridged.config.validate import CHECKS, CHOICES
from unabridged.domain.settings import Settings
from unabridged.errors import SettingError

SECRETS = frozenset({"openai_key", "anthropic_key"})
NAMES = tuple(field.name for field in fields(Settings) if field.name != "models")
OWN = frozenset(
    "home user agent profile openai_key anthropic_key key encrypt checkpoint_file".split()
)
"""Settings for whose memory it is and its key; no profile may set them."""
SERVER = frozenset(
    {
        "listen",
        "hosts",
        "require_key",
        "max_body",
        "max_streams",
        "rate_limit",
        "log",
        "on_memory_error",
        "audit",
        "audit_days",
        "backup_verify_every",
    }
)
"""Settings of a whole server, whichever profile a request has."""
OF_MODEL = frozenset(
    "window window_max max_prompt_tokens fit memory_cap max_output max_turns verbosity tokenizer min_relevance "
    "immediate_share knowledge_share vivid_share summary_share contextual_share".split()
)
"""Settings that may differ by model."""

_TYPES: Mapping[str, Any] = get_type_hints(Settings)
_PERSONA = re.compile(r"[\w-]{1,200}")
_SPOKEN = {"yes": "true", "on": "true", "no": "false", "off": "false"}
"""The words for true and false."""
_PATHS = ("persona", "gguf", "json_path", "checkpoint_file")


LISTED = "List every setting: unabridged config"


def nearest(name: str, names: Sequence[str] = NAMES) -> str:
    """Return the most similar name, or an empty one."""
    return next(iter(difflib.get_close_matches(name, names, 1, 0.6)), "")


def known(name: str, where: str) -> None:
    """Check that there is a setting of that name.

    Raises:
        SettingError: There is none; the hint names the nearest.
    """
    if name not in NAMES:
        near = nearest(name)
        raise SettingError(
            f"{_at(where)}there is no setting {name!r}.",
            hint=f"Did you mean {near!r}?" if near else LISTED,
        )


def in_file(name: str, where: str) -> None:
    """Check that a settings file may hold the setting.

    Raises:
        SettingError: There is none of that name, or it is the home itself.
    """
    known(name, where)
    if name == "home":
        raise SettingError(
            f"{_at(where)}the home cannot be set inside the home.",
            hint="Use --home or UNABRIDGED_HOME.",
        )


def in_profile(name: str, where: str) -> None:
    """Check that a profile may hold the setting.

    Raises:
        SettingError: There is none of that name, or a profile must not set it.
    """
    known(name, where)
    if name in OWN | SERVER:
        whose = "a whole server" if name in SERVER else "the person and the home"
        raise SettingError(
            f"{_at(where)}{name} cannot be set by a profile; it is a setting of {whose}.",
            hint=f"Set it with: unabridged config set {name} VALUE",
        )


def for_model(name: str, where: str) -> None:
    """Check that a setting may differ by model.

    Raises:
        SettingError: There is none of that name, or it does not depend on the model.
    """
    in_file(name, where)
    if name not in OF_MODEL:
        raise SettingError(
            f"{where}: {name} cannot differ by model.",
            hint=f"Settings by model: {', '.join(sorted(OF_MODEL))}.",
        )


def for_agent(name: str, where: str) -> None:
    """Check that a setting may differ by agent.

    Raises:
        SettingError: There is none of that name, or it decides whose memory it is.
    """
    in_file(name, where)
    if name in {"agent", "user"}:
        raise SettingError(
            f"{where}: {name} cannot differ by agent.",
            hint=f"Set {name} for all, or use --{name}.",
        )


def _at(where: str) -> str:
    return f"{where}: " if where else ""


def checked(name: str, value: Any, where: str, *, strict: bool = True) -> Any:
    """Convert a value to the setting's type and check it."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    try:
        good = msgspec.convert(value, _TYPES[name], strict=strict)
    except (msgspec.ValidationError, UnicodeError):
        raise _wrong(name, value, where, _wanted(name), _meant(name, value)) from None
    if name in CHOICES and good not in CHOICES[name]:
        raise _wrong(name, value, where, _wanted(name), _meant(name, good))
    test, wanted = CHECKS.get(name, (None, ""))
    if test and good is not None and not test(good):
        raise _wrong(name, value, where, wanted)
    return good


def _meant(name: str, value: Any) -> str:
    near = difflib.get_close_matches(str(value), CHOICES.get(name, ()), 1)
    return f"Did you mean {str(near[0])!r}? " if near else ""


def _wanted(name: str) -> str:
    if name in CHOICES:
        return "one of " + ", ".join(CHOICES[name])
    words = {str: "text", bool: "yes or no", float: "a number", tuple[str, ...]: "a list of words"}
    return words.get(_TYPES[name], "a whole number")


def _wrong(name: str, value: Any, where: str, *hint: str) -> SettingError:
    wanted, *mean = hint
    what = "its value" if name in SECRETS else repr(value)
    return SettingError(
        f"{_at(where)}{name} cannot be {what}.", hint=f"{''.join(mean)}It takes {wanted}."
    )


def value_from(name: str, text: str, where: str = "config set") -> Any:
    """Read a setting's value from the text of a variable or of ``config set``.

    Lists are separated by commas; an empty text or ``auto`` means that the upstream decides a number.

    Raises:
        SettingError: The name is unknown or the value is not valid.
    """
    known(name, where)
    kind = _TYPES[name]
    if kind == tuple[str, ...]:
        return checked(name, [part.strip() for part in text.split(",") if part.strip()], where)
    if kind == (int | None):
        text = text.strip().replace("_", "").replace(",", "")
        if text.lower() in {"", "auto", "none"}:
            return None
    if kind is bool:
        text = _SPOKEN.get(text.strip().lower(), text)
    return checked(name, text, where, strict=False)


def values_in(table: Mapping[str, Any], path: Path, where: str) -> dict[str, Any]:
    """Check the settings of a table; its paths are relative to its file."""
    values = {}
    for name, value in table.items():
        in_file(name, where)
        values[name] = checked(name, value, where)
    for name in _PATHS:
        if values.get(name) and not (name == "persona" and is_persona_name(values[name], path)):
            values[name] = str(path.parent / Path(values[name]).expanduser())
    kind, _, named = values.get("key", "").partition(":")
    if kind == "file":
        values["key"] = f"file:{path.parent / Path(named).expanduser()}"
    return values


def is_persona_name(text: str, beside: Path) -> bool:
    """Return whether a text is a persona's name rather than a path.

    Args:
        text: The value of the setting.
        beside: The file that a path would be relative to.
    """
    return bool(_PERSONA.fullmatch(text)) and not (beside.parent / text).is_file()


def shown(name: str, value: Any) -> str:
    """Return a value as text for people; a secret is masked, None is ``auto``."""
    if name in SECRETS:
        return "(set, not shown)" if value else ""
    if value is None:
        return "auto"
    return ", ".join(value) if isinstance(value, tuple) else str(value)
