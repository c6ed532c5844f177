"""Targets: every importer, by the registry of formats, and folders of older programs."""

import io
import lzma
from collections import Counter
from contextlib import contextmanager
from shutil import rmtree

from tests.faults.imports import admit, read
from tests.faults.making import FIXTURES
from tests.faults.migrating import pictured
from tests.fuzz.target import Subject, Target, WrongError, no_drafts
from tests.helpers.talker import Talker

from unabridged.domain.settings import Settings
from unabridged.errors import UnabridgedError
from unabridged.factory.home import Home
from unabridged.factory.migration import Migrations
from unabridged.migration import sources
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.formats import llm
from unabridged.transfer.formats.table import FORMATS

LARGEST = 200_000
"""Bytes of a fixture that is used; more only takes longer."""
AGAIN = 200
"""Inputs after which the memory that takes them is made again."""


def seeds_of(name):
    """Return the fixtures that a format reads."""
    return [
        data
        for data in _fixtures()
        if len(data) <= LARGEST and (name is None or _is_of(data, name))
    ]


def _fixtures():
    for path in sorted((FIXTURES / "imports").iterdir()):
        data = path.read_bytes()
        yield lzma.decompress(data) if path.suffix == ".xz" else data


def _is_of(data, name):
    try:
        with open_file(io.BytesIO(data)) as reader:
            return reader.format == name
    except UnabridgedError:
        return False


def _importer(name, store="memory"):
    @contextmanager
    def opened(place):
        settings = Settings(home=str(place), store=store)
        memories, count = [Talker.open(settings=settings)], [0]

        def attempt(data):
            count[0] += 1
            if count[0] % AGAIN == 0:
                memories.pop().close()
                memories.append(Talker.open(settings=settings))
            tally = Counter()
            for conversation in read(io.BytesIO(data), name, tally):
                admit(memories[0], conversation, tally)
            return " ".join(f"{key}:{min(n, 3)}" for key, n in sorted(tally.items()))

        try:
            yield Subject(seeds_of(name), attempt)
        finally:
            memories.pop().close()

    return opened


@contextmanager
def old_folder(place):
    """A folder of an older program: migrated whole, or refused with nothing left of it."""
    old, home = place / "old", place / "home"

    def attempt(data):
        for folder in (old, home):
            rmtree(folder, ignore_errors=True)
        (old / "chats").mkdir(parents=True)
        (old / "memory.json").write_bytes(data)
        (old / "chats" / "alpha_001_conversation.json").write_bytes(data)
        before = pictured(old)
        settings = Settings(home=str(home), json_files="none")
        try:
            done = Migrations(settings).migrate(old)
            if len(Home(settings).spaces()) != len(done.state.spaces):
                raise WrongError("migrated in part")
            Migrations(settings).roll_back()
        except UnabridgedError:
            if list(home.glob("spaces/*.db")):
                raise WrongError("refused, and migrated in part") from None
            raise
        finally:
            if pictured(old) != before:
                raise WrongError("changed the old folder")
            no_drafts(home)
        return f"{min(done.taken.conversations, 3)} {min(done.taken.requirements, 3)}"

    yield Subject([seed for name in sorted(sources.FORMATS) for seed in seeds_of(name)], attempt)


def _shape(name):
    return "binary" if name == llm.FORMAT.name else "json"


TARGETS = (
    *(Target(f"import-{each.name}", _shape(each.name), _importer(each.name)) for each in FORMATS),
    Target("import-detected", "json", _importer(None)),
    Target("old-folder", "json", old_folder),
)
