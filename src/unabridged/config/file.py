"""The settings file as text: read with checks, written whole."""

from pathlib import Path

from unabridged.disk.atomic_write import write_whole
from unabridged.errors import SettingError


def text_of(path: Path) -> str:
    """Return the settings file; empty if there is none.

    Raises:
        SettingError: It is not UTF-8, or cannot be read.
    """
    try:
        return path.read_text(
            encoding="utf-8-sig"
        )  # Windows editors begin files with a byte order mark
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise not_toml(path, error) from error
    except OSError as error:
        raise SettingError(
            f"{path} cannot be read: {error.strerror or error}.",
            hint="Make the file readable, or choose another home with --home.",
        ) from error


def write_text(path: Path, text: str) -> None:
    """Write the settings file durably, readable by its owner only.

    Raises:
        StoreError: As ``disk.durable.write_whole``; the file is unchanged.
    """
    write_whole(path, text.encode())


def not_toml(path: Path, error: Exception) -> SettingError:
    """Return the error of a file that is not TOML."""
    return SettingError(
        f"{path} is not valid TOML: {error}.",
        hint="Correct that line, or move the file away to start with the defaults.",
    )
