"""SIGKILL while a home is encrypted, made readable again, or its key changed.

After each kill every space must open with the old key or the new one, hold every exchange that was
acknowledged, and take another one. In the end the home is encrypted once more, whole, and no file of it
may hold a word that can be read.

    python -m tests.faults.rekeying --count 300 [--seed 0]

It needs the SQLite that encrypts, and finds it where `make setup` puts it.
"""

import json
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from time import perf_counter, sleep

from tests.faults.figures import arguments, skip, tell
from tests.helpers.talker import Talker

from unabridged.domain.settings import Settings
from unabridged.errors import StoreKeyError
from unabridged.home.encryption import admit_key, encrypt_home, retire_keys
from unabridged.home.key_source import new_key, secrets_of
from unabridged.stores.sqlite.connection import can_encrypt

BESIDE = Path(sys.prefix) / "sqlite3mc"
"""Where the SQLite that encrypts lies."""
USERS = ("ann", "ben", "cleo")
SECRET = "Zanzibarholzwurm"
LONGEST = 0.12
"""Seconds after which a program is killed at the latest."""


def main() -> int:
    """Kill as often as asked."""
    chosen = arguments(__doc__, 300)
    if not can_encrypt():
        if not BESIDE.is_dir() or os.environ.get("PYTHONPATH", "").startswith(str(BESIDE)):
            return skip("kill while re-keying", chosen, "the SQLite that encrypts is not there")
        path = os.pathsep.join([str(BESIDE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
        os.execve(
            sys.executable,
            [sys.executable, "-m", "tests.faults.rekeying", *sys.argv[1:]],
            {**os.environ, "PYTHONPATH": path},
        )
    begun = perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        say(
            Settings(home=f"{folder}/warm", upstream="quote")
        )  # what is imported now, no fork imports
        figures = kill_often(Path(folder), chosen.count, Random(chosen.seed))
    failed = bool(figures["lost"] or figures["unreadable"] or figures["words_left"])
    return tell("kill while re-keying", chosen, begun, failed=failed, **figures)


def kill_often(folder: Path, count: int, rng: Random) -> dict[str, object]:
    """Kill a program that works on a home, again and again."""
    for name in ("key0", "key1"):
        new_key(str(folder / name))
    settings = Settings(home=str(folder / "home"), key=f"file:{folder / 'key0'}", upstream="quote")
    said = dict.fromkeys(USERS, 0)
    figures = {"kills": 0, "finished": 0, "lost": 0, "unreadable": 0, "worst_seconds": 0.0}
    for _ in range(5):
        look(settings, said, figures)
    while figures["kills"] < count:
        hit = killed(job(settings, folder, rng), rng.uniform(0, LONGEST))
        figures["kills" if hit else "finished"] += 1
        settings = opening(settings, folder)
        look(settings, said, figures)
    answer(lambda: [*encrypt_home(replace(settings, encrypt=True), encrypted=True)] and None)
    look(replace(settings, encrypt=True), said, figures)
    data = b"".join(p.read_bytes() for p in (folder / "home").rglob("*") if p.is_file())
    return {**figures, "words_left": data.count(SECRET.encode())}


def job(settings: Settings, folder: Path, rng: Random) -> Callable[[], None]:
    """What the next program does."""
    kind = rng.choice(["encrypt", "decrypt", "change"])
    other = "key1" if settings.key.endswith("key0") else "key0"

    def work() -> None:
        if kind == "change":
            admit_key(settings, f"file:{folder / other}")
            retire_keys(replace(settings, key=f"file:{folder / other}"))
        else:
            on = kind == "encrypt"
            for _ in encrypt_home(replace(settings, encrypt=on), encrypted=on):
                pass

    return work


def opening(settings: Settings, folder: Path) -> Settings:
    """The settings with the key that opens the home."""
    try:
        secrets_of(settings)
    except StoreKeyError:
        other = "key1" if settings.key.endswith("key0") else "key0"
        settings = replace(settings, key=f"file:{folder / other}")
        secrets_of(settings)
    return settings


def look(settings: Settings, said: dict[str, int], figures: dict[str, object]) -> None:
    """Open every space, count, and say one thing more; in a process of its own."""
    for user, before in said.items():
        found = answer(lambda user=user: say(replace(settings, user=user)))
        if found is None:
            figures["unreadable"] += 1
            continue
        figures["lost"] += max(0, before + 1 - found["exchanges"])
        figures["worst_seconds"] = round(max(figures["worst_seconds"], found["seconds"]), 3)
        said[user] = found["exchanges"]


def say(settings: Settings) -> dict[str, object]:
    """Open a space, say something, and count what is there."""
    begun = perf_counter()
    with Talker.open(settings=settings) as memory:
        seconds = perf_counter() - begun
        memory.record(memory.prepare(f"A word about {SECRET}, please."), f"{SECRET}, it is.")
        return {"exchanges": memory.stats().exchanges, "seconds": seconds}


def killed(work: Callable[[], None], after: float) -> bool:
    """Fork a program, kill it after so many seconds; tell whether it was still at work."""
    child = os.fork()
    if not child:
        try:
            work()
        except BaseException:  # noqa: BLE001 - a forked process must not go on in the parent's code
            traceback.print_exc()
        finally:
            os._exit(0)
    sleep(after)
    done, _ = os.waitpid(child, os.WNOHANG)
    if not done:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return not done


def answer(work: Callable[[], object]) -> dict[str, object] | None:
    """Do something in a forked process; give what it gives, or None where it failed."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(theirs, json.dumps(work()).encode())
        except BaseException:  # noqa: BLE001 - see above
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else None


if __name__ == "__main__":
    sys.exit(main())
