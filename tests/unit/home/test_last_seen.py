"""How far the files of spaces were when a home used them last: tests/integration/test_put_back.py."""

import shutil
from contextlib import closing, suppress

import pytest

from unabridged.domain.scope import SpaceId
from unabridged.errors import StoreOlderError
from unabridged.home import replace_file
from unabridged.home.spaces import SpacesFolder
from unabridged.stores.integrity_policy import IntegrityPolicy
from unabridged.stores.last_seen import NOTED_WRITES, LastSeen
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.chain_setup import renew_generation
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.stores.sqlite.open_file import exclusive
from unabridged.testing.log_writer import LogWriter

SPACE = SpaceId("ada", "tests")


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def seen(home):
    return LastSeen(home)


@pytest.fixture
def spaces(home, seen):
    access = ConnectionOptions(guard=IntegrityPolicy(seen=seen))
    return SpacesFolder(home / "spaces", access=access)


@pytest.fixture
def older(spaces, tmp_path):
    """A copy of the file with one exchange of two."""
    with closing(spaces.open(SPACE)) as store:
        LogWriter(store, "one").say("first", "yes")
    shutil.copyfile(spaces.path_of(SPACE), tmp_path / "older.db")
    with closing(spaces.open(SPACE)) as store:
        LogWriter(store, "two").say("second", "yes")
    return tmp_path / "older.db"


def noted(spaces, seen):
    return seen.recall(spaces.path_of(SPACE)).checkpoint.number


def test_an_open_file_is_noted_now_and_then_and_when_it_is_closed(spaces, seen):
    with closing(spaces.open(SPACE)) as store:
        talk = LogWriter(store, "one")
        talk.say("first", "yes")
        assert noted(spaces, seen) == 0
        for number in range(NOTED_WRITES):
            talk.say(f"question {number}", "yes")
        before = noted(spaces, seen)
        assert before > 0
        talk.say("last", "yes")
        messages = store.totals().messages
    assert noted(spaces, seen) == messages > before


def test_two_that_write_in_turns_are_never_doubted(spaces):
    with closing(spaces.open(SPACE)) as one, closing(spaces.open(SPACE)) as other:
        for number in range(NOTED_WRITES):
            for store, name in ((one, "one"), (other, "other")):
                LogWriter(store, f"{name} {number}").say("first", "yes")
                spaces.open(SPACE).close()
    spaces.open(SPACE).close()


def killed(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize("step", ["before it is staged", "before it has its name", "after it"])
def test_a_restore_that_was_killed_leaves_a_file_that_opens(spaces, seen, older, monkeypatch, step):
    path = spaces.path_of(SPACE)
    draft = path.parent / "draft"
    shutil.copyfile(older, draft)
    with exclusive(draft, spaces.access) as connection:
        seen.expect(path, renew_generation(connection))
    if step != "before it is staged":
        with monkeypatch.context() as patched:
            if step == "before it has its name":
                patched.setattr(replace_file, "give_name", killed)
            with suppress(KeyboardInterrupt):
                replace_file.replace(draft, path, ".restored", 1.0)
    with closing(spaces.open(SPACE)) as store:
        assert store.totals().exchanges == (2 if step == "before it is staged" else 1)
        LogWriter(store, "three").say("third", "yes")
    spaces.open(SPACE).close()
    shutil.copyfile(older, path)
    with pytest.raises(StoreOlderError):
        spaces.open(SPACE)


def test_files_elsewhere_are_not_noted(spaces, seen, older, home):
    files = sorted((home / "config" / "seen").iterdir())
    SqliteStore(older, SPACE, access=spaces.access).close()
    assert sorted((home / "config" / "seen").iterdir()) == files
