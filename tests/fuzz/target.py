"""What can be fuzzed: a target opens a subject, which reads one input after the other."""

import shutil
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from unabridged.errors import UnabridgedError


class WrongError(Exception):
    """Something is wrong that was no error: a half-done change, a lost message, a server error."""


@dataclass(frozen=True)
class Subject:
    """Something that reads inputs.

    Attributes:
        seeds: Inputs that our own writers made; each is read without a crash.
        attempt: Reads one input; returns a word for what came of it, or raises our errors.
    """

    seeds: list[bytes]
    attempt: Callable[[bytes], str]


@dataclass(frozen=True)
class Target:
    """One row of the table.

    Attributes:
        name: Its name.
        shape: The shape of its inputs; see ``Mutator``.
        opened: Opens a subject that works in a folder.
    """

    name: str
    shape: str
    opened: Callable[[Path], AbstractContextManager[Subject]]


def fresh_copy(source, target):
    """Copy a folder to a place that may hold an earlier copy."""
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(source, target)
    return target


def no_drafts(folder):
    """Check that nothing half-written is left."""
    left = [path for path in folder.rglob("*") if path.name.endswith(".part")]
    if left:
        raise WrongError(f"left {left[0].name}")


def refused(work, *given):
    """Do something; return the error that refused it, or None."""
    try:
        work(*given)
    except UnabridgedError as error:
        return error
    return None


def reading(path, read):
    """Return an attempt that puts its input into a file and reads it, and changes nothing."""

    def attempt(data):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o600)
        try:
            read()
        finally:
            if path.read_bytes() != data:
                raise WrongError("reading changed the file")
        return "read"

    return attempt


def open_files():
    """Return how many files this process has open."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def sign_of(error):
    """Return what distinguishes an error: its kind, and where it and its causes were raised."""
    return f"{type(error).__name__} {place_of(error)}" if error is not None else "-"


def place_of(error):
    """Return where in the package an error was raised, and those it comes from."""
    places = []
    while error is not None and len(places) < 4:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [each for each in frames if "/src/unabridged/" in each.filename]
        last = (ours or frames or [None])[-1]
        places.append(f"{Path(last.filename).name}:{last.lineno}" if last else "?")
        error = error.__cause__
    return " < ".join(places)
