"""Make a release: set the version, cut the changelog, build, check, commit and tag. Never pushes.

Usage: python tools/release/release.py VERSION [--dry-run]

Everything happens in a temporary worktree. The checkout changes at the end, if every check passed.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from email.parser import HeaderParser
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

sys.path.insert(0, str(Path(__file__).parents[2]))

from packaging.version import InvalidVersion, Version
from tools.release.dist import CHECKOUT, build_all, digest, version_of
from tools.release.try_install import try_wheel

NEWEST = "## [Unreleased]"
METADATA = {
    "Name": "unabridged",
    "License-Expression": "Apache-2.0",
    "Description-Content-Type": "text/markdown",
    "Requires-Python": ">=3.11",
}
_VERSION = re.compile(r'^version = "[^"]+"$', re.MULTILINE)


class ReleaseError(Exception):
    """The release cannot be made; nothing was changed."""


def with_version(project: str, version: str) -> str:
    """Return pyproject.toml with another version."""
    changed, count = _VERSION.subn(f'version = "{version}"', project)
    if count != 1:
        raise ReleaseError(f"pyproject.toml has {count} lines `version = …`, not one.")
    return changed


def cut_changelog(changelog: str, version: str, day: str) -> str:
    """Return the changelog with its unreleased part under a version."""
    before, mark, rest = changelog.partition(f"{NEWEST}\n")
    if not mark:
        raise ReleaseError(f"CHANGELOG.md has no section {NEWEST}.")
    if not rest.partition("\n## ")[0].strip():
        raise ReleaseError(f"CHANGELOG.md has nothing under {NEWEST}.")
    return f"{before}{NEWEST}\n\n## [{version}] - {day}\n{rest}"


def refuse(checkout: Path, version: str) -> None:
    """Refuse a version or a checkout that cannot be released.

    Raises:
        ReleaseError: The reason.
    """
    try:
        wanted, present = Version(version), Version(version_of(checkout))
    except InvalidVersion as error:
        raise ReleaseError(f"{error}. Use numbers such as 0.2.0 or 0.2.0rc1.") from None
    if str(wanted) != version:
        raise ReleaseError(f"Write the version as {wanted}.")
    tags = git(checkout, "tag", "--list", "v*").split()
    if f"v{version}" in tags:
        raise ReleaseError(f"The tag v{version} is there already.")
    if wanted < present or (wanted == present and tags):
        raise ReleaseError(f"{version} is not newer than {present}, the version of pyproject.toml.")
    if git(checkout, "status", "--porcelain").strip():
        raise ReleaseError("There are changes that are not committed. See: git status")


def metadata_faults(wheel: Path) -> Iterator[str]:
    """Yield what an index would refuse or show wrongly."""
    with ZipFile(wheel) as packed:
        (name,) = (each for each in packed.namelist() if each.endswith(".dist-info/METADATA"))
        found = HeaderParser().parsestr(packed.read(name).decode("utf-8"))
    for field, expected in METADATA.items():
        if found[field] != expected:
            yield f"{field} is {found[field]!r}, not {expected!r}."
    if not str(found.get_payload()).strip():
        yield "The description is empty."


def make(checkout: Path, version: str, *, dry_run: bool, target: Path) -> None:
    """Make a release, or try everything that making it needs.

    Raises:
        ReleaseError: It cannot be made; the checkout is unchanged.
    """
    refuse(checkout, version)
    with tempfile.TemporaryDirectory() as name:
        tree = Path(name) / "tree"
        git(checkout, "worktree", "add", "--quiet", "--detach", str(tree), "HEAD")
        try:
            commit = _prepared(tree, version)
            files = build_all(tree, target)
        finally:
            git(checkout, "worktree", "remove", "--force", str(tree))
    _check(list(files.values()))
    print(try_wheel(files["wheel"].resolve(), sys.executable))
    for path in files.values():
        print(f"{digest(path)}  {path.name}")
    if dry_run:
        print("Dry run: no commit, no tag. The checkout is unchanged.")
        return
    git(checkout, "merge", "--quiet", "--ff-only", commit)
    git(checkout, "tag", "--annotate", f"v{version}", "--message", f"Unabridged {version}")
    print(
        f"Committed and tagged v{version}. Nothing was pushed; to publish: git push --follow-tags"
    )


def _prepared(tree: Path, version: str) -> str:
    project, changelog = tree / "pyproject.toml", tree / "CHANGELOG.md"
    project.write_text(with_version(project.read_text("utf-8"), version), "utf-8")
    day = datetime.now(UTC).date().isoformat()
    changelog.write_text(cut_changelog(changelog.read_text("utf-8"), version, day), "utf-8")
    git(tree, "commit", "--quiet", "--all", "--message", f"Release {version}")
    return git(tree, "rev-parse", "HEAD").strip()


def _check(files: Sequence[Path]) -> None:
    faults = [fault for path in files if path.suffix == ".whl" for fault in metadata_faults(path)]
    if faults:
        raise ReleaseError("\n".join(faults))
    if find_spec("twine"):
        subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *files], check=True)
    else:
        print("twine is not installed: only our own checks of the metadata ran.")


def git(folder: Path, *words: str) -> str:
    """Run git, and return what it prints.

    Raises:
        ReleaseError: It failed.
    """
    ran = subprocess.run(
        ["git", *words],  # noqa: S607 - the git of the path
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise ReleaseError(f"git {' '.join(words)}: {ran.stderr.strip()}")
    return ran.stdout


def main() -> int:
    """Make the release that the arguments name."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("version")
    parser.add_argument("--dry-run", action="store_true", help="try everything, change nothing")
    parser.add_argument("--to", type=Path, default=CHECKOUT / "dist", metavar="FOLDER")
    asked = parser.parse_args()
    try:
        make(CHECKOUT, asked.version, dry_run=asked.dry_run, target=asked.to)
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
