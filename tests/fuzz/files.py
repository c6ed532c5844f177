"""Targets: files of a home that hold conversations, or from which one is restored."""

import secrets
from contextlib import closing, contextmanager
from dataclasses import replace
from hashlib import blake2b
from shutil import rmtree

from tests.faults.bench import Bench, fill, little_is_much
from tests.fuzz.backups import member_replaced, members_of
from tests.fuzz.target import Subject, Target, WrongError, fresh_copy, no_drafts, refused, sign_of

from unabridged.disk.cipher import AesGcm
from unabridged.domain.scope import SpaceId
from unabridged.errors import UnabridgedError
from unabridged.factory.edited_files import adoption_of
from unabridged.home.backup import Safekeeping
from unabridged.home.recover import open_or_rescue
from unabridged.home.spaces import SpacesFolder
from unabridged.projections.search_index import segment_files
from unabridged.stores import reassemble
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.stores.sqlite.recover_rows import recover_rows
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_writes import make_record

SPACE = SpaceId("ada", "fuzz")
WORDS = "boxes to Oslo"


def _filled(place, store="sqlite", **changes):
    bench = Bench(place / "home", store, **changes)
    fill(bench)
    return bench


def _all_of(store):
    """Read everything that a store holds."""
    for session in store.sessions():
        store.recent(session.id, 1000)
    store.scan()
    store.counts()
    store.totals()
    return store.check()


@contextmanager
def space_file(place):
    """A space file: opened and checked, its rows recovered, and rescued as a home does it."""
    spaces = SpacesFolder(place / "home" / "spaces")
    with closing(spaces.open(SPACE)) as store:
        talk = LogWriter(store, "s1")
        for number in range(4):
            said = talk.say(f"question {number} " * 30, "answer " * (900 if number == 2 else 3))
        talk.regenerate(said, "another answer")
        store.put([make_record("r1", said.id)])
    path = spaces.path_of(SPACE)
    whole = path.read_bytes()
    work = place / "work"

    def attempt(data):
        rmtree(spaces.folder)
        rmtree(work, ignore_errors=True)
        spaces.folder.mkdir()
        work.mkdir()
        path.write_bytes(data)
        alone = work / "alone.db"
        alone.write_bytes(data)
        signs = sign_of(refused(_opened_alone, alone))
        signs += sign_of(refused(_rows_written, alone, work / "fresh.db"))
        store, account = open_or_rescue(spaces, SPACE, lambda *_: None)
        with closing(store):
            if account is not None and (flaws := _all_of(store)):
                raise WrongError(f"rescued, and not sound: {flaws[:3]}")
            word = "rescued" if account else "opened"
            if account is not None:
                LogWriter(store, "s2").say("hello", "yes")
        no_drafts(spaces.folder)
        return f"{word} {signs}"

    yield Subject([whole], attempt)


def _opened_alone(path):
    with closing(SqliteStore(path, SPACE, create=False)) as store:
        refused(_all_of, store)
        refused(store.records, "fact")
        refused(lambda: LogWriter(store, "s3").say("hello", "yes"))


def _rows_written(path, fresh):
    found = reassemble.assemble(recover_rows(path, ConnectionOptions()), str(path))
    with closing(SqliteStore(fresh, SPACE)) as store:
        reassemble.write(found, store)
        if flaws := store.check():
            raise WrongError(f"what was recovered is not sound: {flaws[:3]}")


def _in_home(place, bench, path, seeds, use):
    """Return a subject that replaces one file of a home, and uses the home."""
    base = place / "base"
    bench.home.rename(base)
    name = path.relative_to(bench.home)

    def attempt(data):
        fresh_copy(base, bench.home)
        path.write_bytes(data)
        try:
            return use(bench, path) or "used"
        finally:
            no_drafts(bench.home)

    return Subject([*seeds, (base / name).read_bytes()], attempt)


def _answers(bench, day=200):
    with bench.open(day) as memory:
        found = sorted(one.exchange.id for one in memory.search(WORDS))
        memory.record(memory.prepare("And what else?"), "Nothing else.")
    return found


@contextmanager
def segment(place, mend=False):
    """A file of the search index, under an index that follows the log and searches."""
    with little_is_much():
        bench = _filled(place)
        truth = _answers(bench, 150)
        path = max(bench.home.rglob("*.segment"), key=lambda each: each.stat().st_size)

        def use(bench, path):
            error = refused(segment_files.verify, path)
            refused(segment_files.load, path)
            if not mend and _answers(bench) != truth and error is None:
                raise WrongError("the damaged index gives other answers")
            return sign_of(error)

        subject = _in_home(place, bench, path, [], use)
        if not mend:
            yield subject
            return
        whole = subject.seeds[-1]
        stop = 16 + int.from_bytes(whole[12:16], "little")
        rest = whole[stop + 32 :]
        yield Subject([whole[16:stop]], lambda head: subject.attempt(_segment_of(head, rest)))


def _segment_of(head, rest):
    numbers = segment_files.FORMAT.to_bytes(4, "little") + len(head).to_bytes(4, "little")
    return segment_files.MAGIC + numbers + head + blake2b(head, digest_size=32).digest() + rest


@contextmanager
def segment_header(place):
    """The header of such a file, with the digest that belongs to it."""
    with segment(place, mend=True) as subject:
        yield subject


@contextmanager
def index_manifest(place):
    """The manifest of the index, with the digest that belongs to it."""
    with little_is_much():
        bench = _filled(place)
        path = next(bench.home.rglob("manifest"))

        def use(bench, path):
            _answers(
                bench
            )  # others, if it lists other files: whoever can write digests may do that

        subject = _in_home(place, bench, path, [], use)

        def attempt(body):
            return subject.attempt(blake2b(body, digest_size=16).digest() + body)

        yield Subject([subject.seeds[-1][16:]], attempt)


@contextmanager
def _json_home(place, layout, wanted):
    bench = _filled(place, "files", json_files=layout)
    path = wanted(bench)
    with bench.open() as memory:
        before = {one.id for one in memory.space.log.scan(None, 1000)}

    def use(bench, path):
        word = "kept"
        if not path.name.startswith("."):
            adoption = adoption_of(bench.settings, path)
            error = refused(lambda: adoption.take(adoption.view()))
            word = sign_of(error) if error else "adopted"
        with bench.open(200) as memory:
            error = refused(lambda: memory.record(memory.prepare("And Turin?"), "Far."))
            after = {one.id for one in memory.space.log.scan(None, 1000)}
        if not before <= after:
            raise WrongError("a file took exchanges from the log")
        return f"{word} {sign_of(error)}"

    yield _in_home(place, bench, path, [], use)


def _largest(bench):
    files = [each for each in bench.home.rglob("*.json") if each.parent != bench.home / "config"]
    return max(files, key=lambda each: each.stat().st_size)


def json_model(place):
    """A readable file of a model, edited: adopted, and followed."""
    return _json_home(place, "model", _largest)


def json_agent(place):
    """A readable file of an agent."""
    return _json_home(place, "agent", _largest)


def json_user(place):
    """A readable file of a user."""
    return _json_home(place, "user", _largest)


def json_state(place):
    """The state of the readable files."""

    def wanted(bench):
        found = [
            each
            for each in bench.home.rglob("*")
            if each.is_file() and b'"generation"' in each.read_bytes()[:400]
        ]
        return found[0]

    return _json_home(place, "model", wanted)


@contextmanager
def backup(place, member=""):
    """A backup: verified, and restored into an empty home."""
    bench = _filled(place)
    Safekeeping(bench.settings).backup(output=place / "made.zip")
    whole = (place / "made.zip").read_bytes()
    path, target = place / "given.zip", place / "target"
    keeping = Safekeeping(replace(bench.settings, home=str(target)))

    def attempt(data):
        path.write_bytes(member_replaced(whole, member, data) if member else data)
        rmtree(target, ignore_errors=True)
        first = refused(keeping.verify, str(path))
        try:
            keeping.restore(str(path))
        except UnabridgedError:
            if list(target.rglob("*.db")):
                raise WrongError("refused, and half restored") from None
            raise
        finally:
            no_drafts(place)
        if first is not None:
            raise WrongError(f"restored, and refused before: {first}")
        return "restored"

    yield Subject([members_of(whole)[member] if member else whole], attempt)


def backup_manifest(place):
    """The manifest in a backup, in a zip file that is otherwise sound."""
    return backup(place, "manifest.json")


@contextmanager
def sealed(place):
    """A sealed piece, and a stream of one."""
    cipher = AesGcm(bytes(range(32)))
    plain = [b"", b"short", secrets.token_bytes(70_000)]

    def attempt(data):
        found = cipher.decrypt(data, b"fuzz")
        if found not in plain:
            raise WrongError("what was changed was opened")
        return "opened"

    yield Subject([cipher.encrypt(each, b"fuzz") for each in plain], attempt)


@contextmanager
def encrypted_home(place):
    """A file of the index, next to an encrypted store: sealed."""
    cipher = AesGcm(bytes(range(32)))
    with little_is_much():
        bench = _filled(place)
        source = next(bench.home.rglob("*.segment"))
        loaded = segment_files.load(source)
        name = segment_files.write(place / "sealed", loaded, cipher)
        path = place / "sealed" / name
        whole = path.read_bytes()
        del loaded

        def attempt(data):
            path.write_bytes(data)
            segment_files.verify(path, cipher)
            segment_files.load(path, cipher)
            if data != whole:
                raise WrongError("what was changed was opened")
            return "opened"

        yield Subject([whole], attempt)


TARGETS = (
    Target("space", "binary", space_file),
    Target("index-segment", "binary", segment),
    Target("index-header", "json", segment_header),
    Target("index-manifest", "json", index_manifest),
    Target("json-model", "json", json_model),
    Target("json-agent", "json", json_agent),
    Target("json-user", "json", json_user),
    Target("json-state", "json", json_state),
    Target("backup", "binary", backup),
    Target("backup-manifest", "json", backup_manifest),
    Target("sealed", "binary", sealed),
    Target("sealed-segment", "binary", encrypted_home),
)
