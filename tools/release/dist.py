"""Build wheel and sdist from the tracked files, twice, and check them.

Usage: python tools/release/dist.py [--to FOLDER]
"""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
CARRIED = (
    "unabridged/py.typed",
    "unabridged/embeddings/data/table.npy",
    "unabridged/embeddings/data/vocabulary.txt",
    "unabridged/stores/sqlite/schema.sql",
    "unabridged/profiles/story.toml",
    "unabridged/cli/data/clients.toml",
)
"""Files without which the package does not work: one of each kind of data."""

LICENCES = ("LICENSE", "NOTICE")
NOT_OURS = {"tests", "bench", "docs", "tools", "deploy", "requirements", ".venv", ".github"}
OLDEST = 315_532_800
"""1980-01-01 in seconds since 1970: a zip file holds nothing older."""


def build_all(checkout: Path, target: Path) -> dict[str, Path]:
    """Build both files into the folder, prove that they can be rebuilt, and return them by kind.

    Raises:
        SystemExit: Two builds differ, or a file has what it must not have.
    """
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        first = _build(_copied(checkout, work / "first"), work / "dist-1", commit_time(checkout))
        second = _build(_copied(checkout, work / "again"), work / "dist-2", commit_time(checkout))
        _unpack(first["sdist"], work / "unpacked")
        (inside,) = (work / "unpacked").iterdir()
        third = _build(inside, work / "dist-3", commit_time(checkout), only="wheel")
        faults = [*_differences(first, second), *_differences(third, first)]
        faults += content_faults(first["wheel"], first["sdist"])
        if faults:
            raise SystemExit("\n".join(faults))
        target.mkdir(parents=True, exist_ok=True)
        return {kind: Path(shutil.copy2(path, target)) for kind, path in first.items()}


def commit_time(checkout: Path) -> int:
    """Return when the newest commit was made, in seconds since 1970."""
    told = _git(checkout, "log", "-1", "--format=%ct").strip()
    return max(int(told or 0), OLDEST)


def content_faults(wheel: Path, sdist: Path) -> Iterator[str]:
    """Yield what is missing in the two files, and what must not be in them."""
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    with tarfile.open(sdist) as archive:
        sources = [name.partition("/")[2] for name in archive.getnames()]
    yield from (f"The wheel has no {each}." for each in CARRIED if each not in names)
    yield from (f"The sdist has no src/{each}." for each in CARRIED if f"src/{each}" not in sources)
    for licence in LICENCES:
        if not any(name.endswith(f".dist-info/licenses/{licence}") for name in names):
            yield f"The wheel has no {licence}."
        if licence not in sources:
            yield f"The sdist has no {licence}."
    for name in (*names, *sources):
        top = name.split("/")[0]
        if top in NOT_OURS or name.endswith((".pyc", ".db")):
            yield f"{name} must not be packed."


def _copied(checkout: Path, folder: Path) -> Path:
    for name in _git(checkout, "ls-files", "-z").split("\0"):
        if name and (checkout / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(checkout / name, folder / name)
    return folder


def _build(source: Path, target: Path, seconds: int, only: str = "") -> dict[str, Path]:
    kinds = [only] if only else ["wheel", "sdist"]
    asked = [word for kind in kinds for word in ("-t", kind)]
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", target, *asked],
        cwd=source,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(seconds)},
        capture_output=True,
        check=True,
    )
    endings = {"wheel": "*.whl", "sdist": "*.tar.gz"}
    return {kind: next(target.glob(endings[kind])) for kind in kinds}


def _unpack(sdist: Path, folder: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")


def _differences(some: dict[str, Path], others: dict[str, Path]) -> Iterator[str]:
    for kind, path in some.items():
        if digest(path) != digest(others[kind]):
            yield f"Two builds of the {kind} differ: {digest(path)}, {digest(others[kind])}."


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def version_of(checkout: Path) -> str:
    """Return the version, which only pyproject.toml has."""
    text = (checkout / "pyproject.toml").read_text("utf-8")
    return str(tomllib.loads(text)["project"]["version"])


def _git(checkout: Path, *words: str) -> str:
    ran = subprocess.run(
        ["git", *words],  # noqa: S607 - the git of the path
        cwd=checkout,
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout


def main() -> None:
    """Build what the arguments name, and print names, sizes and digests."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--to", type=Path, default=CHECKOUT / "dist", metavar="FOLDER")
    target: Path = parser.parse_args().to
    for path in build_all(CHECKOUT, target).values():
        print(f"{digest(path)}  {path.stat().st_size:>10,}  {path.name}")


if __name__ == "__main__":
    main()
