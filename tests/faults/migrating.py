"""SIGKILL at every operation of a migration and of going back; old or new works, never neither.

A folder of four old programs is migrated in a child process, which is killed before its n-th
operation on the disk (SQLite's too: ``layers``), the operations being gone through evenly. After
each kill: the old folder is byte for byte what it was; a home that is opened has none of the new
spaces, or all of them with every exchange. Then it is repeated to its end. Going back likewise, after
something was said in the new spaces and something changed in the old folder: at any moment the old
folder is restored or the new spaces are whole; in the end the folder is byte for byte what it was,
what was said since is in a file that can be imported, and what had changed is kept.

    python -m tests.faults.migrating --count 500 [--seed 0] [--store sqlite|files]
"""

import json
import os
import shutil
import signal
import sys
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from tests.faults.bench import quick_folder
from tests.faults.figures import arguments, tell
from tests.faults.layers import Layer
from tests.helpers.space_digests import digest_of

from unabridged.domain.results import Transcript
from unabridged.domain.settings import Settings
from unabridged.errors import UnabridgedError
from unabridged.factory.home import Home
from unabridged.factory.migration import Migrations
from unabridged.home.open_spaces import spaces_of
from unabridged.testing.log_writer import LogWriter
from unabridged.transfer.detect_format import open_file

FIXTURES = Path(__file__).parents[1] / "fixtures" / "imports"
FILES = {
    "memory.json": "workspaceai-v1.json",
    "memory/qwen2-5-7b.json": "workspaceai-v3.json",
    "chats/alpha_001_conversation.json": "dana-memory.json",
    "conversations/bob/sessions.json": "reqvibe-sessions.json",
}
SINCE = "I moved to Rome while the new memory was in use."


@dataclass
class Tally:
    """What came of the kills."""

    kills: int = 0
    neither: int = 0
    old_changed: int = 0
    unequal: int = 0
    since_lost: int = 0
    unrepeatable: int = 0
    phases: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)

    @property
    def failed(self) -> bool:
        """Whether a must was missed."""
        return bool(
            self.neither or self.old_changed or self.unequal or self.since_lost or self.unrepeatable
        )


def old_folder(folder: Path) -> None:
    """Make an old folder: four programs, something else, an empty folder, a link."""
    for name, fixture in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(FIXTURES / fixture, folder / name)
    (folder / "notes.bin").write_bytes(bytes(range(256)) * 40)
    (folder / "empty").mkdir()
    (folder / "link").symlink_to("notes.bin")
    (folder / "memory.json").chmod(0o640)


def pictured(folder: Path) -> dict[str, object]:
    """Everything in a folder, byte for byte."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = ("link", str(path.readlink()))
        elif path.is_dir():
            found[name] = "folder"
        else:
            found[name] = (path.stat().st_mode & 0o777, path.read_bytes())
    return found


class Trial:
    """One place with an old folder and a home."""

    def __init__(self, root: Path, store: str) -> None:
        self.root, self.old, self.home = root, root / "old", root / "home"
        self.settings = Settings(
            home=str(self.home), json_files="agent" if store == "files" else "none"
        )

    def migrations(self) -> Migrations:
        """What migrates here."""
        return Migrations(self.settings)

    def spaces(self) -> dict[str, str]:
        """The spaces of the home by name, each with the digest of its exchanges; opens the home."""
        found = {}
        folder = spaces_of(self.settings)
        for info in Home(self.settings).spaces():
            assert info.space is not None, info.damaged
            store = folder.open(info.space, create=False)
            found[info.space.name] = digest_of(store).exchanges.text
            store.close()
        return found

    def talk(self) -> None:
        """Say something in a new space."""
        folder = spaces_of(self.settings)
        space = min(info.space for info in Home(self.settings).spaces() if info.space)
        store = folder.open(space, create=False)
        LogWriter(store, "since").say(SINCE, "How is it there?")
        store.close()

    def copy(self, root: Path) -> "Trial":
        """The same in another place; states name the folder, so they are written anew."""
        shutil.copytree(self.root, root, symlinks=True)
        other = Trial(root, self.settings.store)
        for path in (other.home / "config" / "migrations").glob("2*.json"):
            data = json.loads(path.read_bytes())
            path.write_text(json.dumps({**data, "folder": str(other.old)}))
        return other


def operations(trial: Trial, work: Callable[[], object]) -> int:
    """Count the operations of a piece of work."""
    count = 0

    def hook(_kind: str, _name: str) -> int:
        nonlocal count
        count += 1
        return 0

    with Layer(trial.root, hook):
        work()
    return count


def killed_at(trial: Trial, work: Callable[[], object], place: int) -> bool:
    """Do a piece of work in a child that is killed before an operation; False where it ended first."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            return True
        assert os.WEXITSTATUS(status) == 0, "the child failed"
        return False
    left = place

    def hook(_kind: str, _name: str) -> int:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    try:
        with Layer(trial.root, hook):
            work()
        os._exit(0)
    except BaseException:  # noqa: BLE001 - a child ends here, whatever happened
        traceback.print_exc()
        os._exit(1)


def forward(base: Trial, place: int, root: Path, expected: dict[str, str], tally: Tally) -> None:
    """Kill a migration, and look."""
    trial = base.copy(root)
    before = pictured(trial.old)
    if not killed_at(trial, lambda: trial.migrations().migrate(trial.old), place):
        return
    tally.kills += 1
    if pictured(trial.old) != before:
        tally.old_changed += 1
    spaces = trial.spaces()
    tally.phases["new" if spaces else "old"] += 1
    if spaces not in ({}, expected):
        tally.neither += 1
        tally.wrong[f"half of the spaces are there after operation {place}"] += 1
        return
    if not spaces:
        try:
            trial.migrations().migrate(trial.old)
        except UnabridgedError as error:
            tally.unrepeatable += 1
            tally.wrong[f"repeated after operation {place}: {error}"] += 1
            return
    if trial.spaces() != expected or [s.phase for s in trial.migrations().list()][-1] != "done":
        tally.unrepeatable += 1
        tally.wrong[f"not whole when it was repeated after operation {place}"] += 1
        return
    trial.migrations().roll_back()
    if pictured(trial.old) != before or trial.spaces():
        tally.unequal += 1


def backward(base: Trial, place: int, root: Path, old: dict[str, object], tally: Tally) -> None:
    """Kill a going back, and look."""
    trial = base.copy(root)
    changed, new = pictured(trial.old), trial.spaces()
    if not killed_at(trial, lambda: trial.migrations().roll_back(), place):
        return
    tally.kills += 1
    spaces, now = trial.spaces(), pictured(trial.old)
    tally.phases["back, old" if now == old else "back, new"] += 1
    if now != old and spaces != new:
        tally.neither += 1
        tally.wrong[f"neither after operation {place} of going back"] += 1
    state = trial.migrations().roll_back(trial.migrations().list()[-1].id)
    if pictured(trial.old) != old or trial.spaces():
        tally.unequal += 1
        tally.wrong[f"not as it was, going back after operation {place}"] += 1
    if not _holds_since(trial, state.id) or not _kept(trial, state.id, changed):
        tally.since_lost += 1
        tally.wrong[f"something of after the migration is gone: operation {place}"] += 1


def _holds_since(trial: Trial, migration: str) -> bool:
    """Whether what was said since can be imported."""
    folder = trial.home / "backups" / "migrations" / migration
    for path in folder.glob("said-since-*.jsonl"):
        with open_file(path) as reader:
            if any(
                SINCE in exchange.text
                for item in reader
                if isinstance(item, Transcript)
                for exchange in item.exchanges
            ):
                return True
    return False


def _kept(trial: Trial, migration: str, changed: dict[str, object]) -> bool:
    """Whether what had changed in the old folder is kept."""
    path = trial.home / "backups" / "migrations" / migration / "changed.zip"
    with zipfile.ZipFile(path) as packed:
        held = {packed.read(name) for name in packed.namelist()}
    return all(said[1] in held for said in changed.values() if isinstance(said[1], bytes))


def changed_folder(folder: Path) -> None:
    """Let the old program go on beside: a file grows, one goes, one comes."""
    with (folder / "memory.json").open("a") as stream:
        stream.write("\n\n")
    (folder / "chats/alpha_001_conversation.json").unlink()
    (folder / "memory/new.json").write_text("[]")
    shutil.rmtree(folder / "empty")


def run(count: int, store: str) -> Tally:
    """Kill so many times, half of them while going back."""
    root, tally = quick_folder("migrating"), Tally()
    fresh = Trial(root / "fresh", store)
    old_folder(fresh.old)
    fresh.home.mkdir()
    done = fresh.copy(root / "done")
    steps = operations(done, lambda: done.migrations().migrate(done.old))
    expected = done.spaces()
    assert len(expected) == 3
    old = pictured(done.old)
    done.talk()
    changed_folder(done.old)
    going = done.copy(root / "going")
    back = operations(going, lambda: going.migrations().roll_back())
    for number in range(count):
        place = root / f"trial{number}"
        if number % 2:
            backward(done, number * back // count, place, old, tally)
        else:
            forward(fresh, number * steps // count, place, expected, tally)
        shutil.rmtree(place)
    shutil.rmtree(root)
    return tally


def main() -> int:
    """Run and tell."""
    chosen, begun = arguments(__doc__, 500), perf_counter()
    tally = run(chosen.count, chosen.store)
    figures = {
        name: getattr(tally, name) for name in ("kills", "neither", "old_changed", "unequal")
    }
    return tell(
        "migration",
        chosen,
        begun,
        failed=tally.failed or tally.kills < chosen.count * 0.95,
        **figures,
        since_lost=tally.since_lost,
        unrepeatable=tally.unrepeatable,
        phases=dict(tally.phases),
        wrong=dict(tally.wrong.most_common(5)),
    )


if __name__ == "__main__":
    sys.exit(main())
