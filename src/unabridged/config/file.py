"""The settings file as text: read with care, written whole."""

from pathlib import Path

from unabridged.disk.atomic_write import write_whole
from unabridged.errors import SettingError


def text_of(path: Path) -> str:
    """Read the settings file; one that is not there is empty.

    Raises:
        SettingError: It is not UTF-8, or cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")  # editors of Windows begin files with a mark
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise not_toml(path, error) from error
    except OSError as error:
        raise SettingError(
            f"{path} cannot be read: {error.strerror or error}.",
            hint="Make the file readable, or name another home with --home.",
        ) from error


def write_text(path: Path, text: str) -> None:
    """Write the settings file whole, durable when it returns, readable by its owner only.

    Raises:
        StoreError: As ``disk.durable.write_whole`` says; the file is as it was.
    """
    write_whole(path, text.encode())


def not_toml(path: Path, error: Exception) -> SettingError:
    """Say that a file is no TOML."""
    return SettingError(
        f"{path} is not valid TOML: {error}.",
        hint="Correct that line, or move the file away to begin with the defaults.",
    )
