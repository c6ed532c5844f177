"""Write single settings to the settings file; the rest of the file stays as it is."""

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

from unabridged import config
from unabridged.config.file import text_of, write_text
from unabridged.config.profiles import profile_of
from unabridged.errors import SettingError

Holder = tuple[str, str]
"""The agent or model of a setting: ``agents`` or ``models``, and the name."""


def write_setting(
    home: str | os.PathLike[str], name: str, text: str | None, holder: Holder | None = None
) -> Path:
    """Write one setting to the settings file; the rest of the file stays as it is.

    Args:
        home: The home folder.
        name: The setting.
        text: Its value as ``config.value_from`` reads it; None removes it from the file.
        holder: The agent or model that it is for; None for all.

    Returns:
        The file's path.

    Raises:
        SettingError: The name, the value or the file is invalid.
        StoreError: The file cannot be written; it is unchanged.
    """
    check = _CHECKS[holder[0] if holder else ""]
    check(name, "config set")
    value = None if text is None else config.value_from(name, text)
    if name == "profile" and value:
        profile_of(value, home)
    path = config.file_of(home)
    wanted = _with(config.parse_file(path), name, value, holder)
    lines = text_of(path).splitlines()
    start, end = _place(lines, name, *_region(lines, holder, missing=value is not None))
    lines[start:end] = [] if value is None else [f"{name} = {_toml(value)}"]
    text = "".join(line + "\n" for line in lines)
    if _without_empty(tomllib.loads(text)) != _without_empty(wanted):
        raise SettingError(
            f"{path} has a format that this command cannot change safely.",
            hint=f"Set {name} in the file with an editor.",
        )
    write_text(config.folder(home, "config") / path.name, text)
    return path


_CHECKS = {"": config.in_file, config.AGENTS: config.for_agent, config.MODELS: config.for_model}


def _with(parsed: dict[str, Any], name: str, value: Any, holder: Holder | None) -> dict[str, Any]:
    table = parsed
    if holder is not None:
        kind, named = holder
        table = parsed.setdefault(kind, {}).setdefault(named, {})
    table.pop(name, None)
    if value is not None:
        table[name] = list(value) if isinstance(value, tuple) else value
    return parsed


def _without_empty(parsed: dict[str, Any]) -> dict[str, Any]:
    kept = dict(parsed)
    for kind in (config.AGENTS, config.MODELS):
        held = {name: table for name, table in kept.pop(kind, {}).items() if table}
        kept |= {kind: held} if held else {}
    return kept


def _region(lines: list[str], holder: Holder | None, *, missing: bool) -> tuple[int, int]:
    heads = [n for n, line in enumerate(lines) if re.match(r"\s*\[", line)]
    ends = [*heads[1:], len(lines)] if heads else []
    if holder is None:
        return 0, (heads or [len(lines)])[0]
    for head, end in zip(heads, ends, strict=True):
        if _names(lines[head], holder):
            return head + 1, end
    if missing:
        lines += [*([""] if lines else []), f"[{holder[0]}.{_toml(holder[1])}]"]
    return len(lines), len(lines)


def _names(line: str, holder: Holder) -> bool:
    try:
        return tomllib.loads(line) == {holder[0]: {holder[1]: {}}}
    except tomllib.TOMLDecodeError:  # a line of a list
        return False


def _place(lines: list[str], name: str, first: int, last: int) -> tuple[int, int]:
    for start in range(first, last):
        if not re.match(rf"""\s*["']?{name}["']?\s*=""", lines[start]):
            continue
        for end in range(start + 1, last + 1):
            try:
                tomllib.loads("\n".join(lines[start:end]))
            except tomllib.TOMLDecodeError:
                continue  # a list over several lines: its end comes later
            return start, end
    while last > first and not lines[last - 1].strip():
        last -= 1  # an empty line stays between tables
    return last, last


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(part) for part in value) + "]"
    if isinstance(value, str):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value).lower() if isinstance(value, bool) else repr(value)
