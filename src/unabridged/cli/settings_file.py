"""Writes single settings into the settings file, leaving the rest of the file as it is."""

import json
import os
import re
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from unabridged import config
from unabridged.errors import SettingError


def write_setting(home: str | os.PathLike[str], name: str, text: str | None) -> Path:
    """Write one setting into the settings file, leaving the rest of the file as it is.

    Args:
        home: The home folder.
        name: The setting.
        text: Its value as ``config.value_from`` reads it; None removes it from the file.

    Returns:
        The file's path.

    Raises:
        SettingError: The name, the value or the file cannot be used.
    """
    config.in_file(name, "config set")
    value = None if text is None else config.value_from(name, text)
    path = config.file_of(home)
    wanted = {key: kept for key, kept in config.parse_file(path).items() if key != name}
    if value is not None:
        wanted[name] = list(value) if isinstance(value, tuple) else value
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    start, end = _place(lines, name)
    lines[start:end] = [] if value is None else [f"{name} = {_toml(value)}"]
    text = "".join(line + "\n" for line in lines)
    if tomllib.loads(text) != wanted:
        raise SettingError(
            f"{path} has a form that cannot be changed safely from here.",
            hint=f"Set {name} in the file with an editor.",
        )
    _write(config.folder(home, "config") / path.name, text)
    return path


def _place(lines: list[str], name: str) -> tuple[int, int]:
    """Give the lines that hold a setting: from and until; the end of the file where none does."""
    for start, line in enumerate(lines):
        if not re.match(rf"""\s*["']?{name}["']?\s*=""", line):
            continue
        for end in range(start + 1, len(lines) + 1):
            try:
                tomllib.loads("\n".join(lines[start:end]))
            except tomllib.TOMLDecodeError:
                continue  # a list over several lines: its end comes later
            return start, end
    return len(lines), len(lines)


def _toml(value: Any) -> str:
    """Write a value as TOML. Its basic strings are JSON's, but for DEL."""
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(part) for part in value) + "]"
    if isinstance(value, str):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def _write(path: Path, text: str) -> None:
    """Write a small file whole or not at all, readable by its owner only."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with open(handle, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123 - a descriptor
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except OSError as error:
        raise SettingError(
            f"{path} cannot be written: {error.strerror or error}.",
            hint="Make its folder writable, or name another home with --home.",
        ) from error
