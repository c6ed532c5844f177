"""The store of files under a key and an anchor: what is noticed, and what is not doubted."""

import shutil
from dataclasses import replace

import pytest
from tests.opened import count_from

from unabridged.domain.chain import Signet
from unabridged.domain.key import Key
from unabridged.domain.record import RecordKind
from unabridged.domain.scope import Space
from unabridged.errors import StoreDamagedError, StoreKeyError, StoreTamperedError
from unabridged.stores.anchor import Anchor
from unabridged.stores.files import FilesStore
from unabridged.stores.files.folder import FilesFolder
from unabridged.stores.files.names import Place
from unabridged.stores.guard import Guard
from unabridged.testing.stores_writing import make_record
from unabridged.testing.talk import Talk

SPACE = Space("ada", "tests")
KEY = Key(bytes(range(32)))
KEYED = Guard(Signet(KEY.for_("chain"), KEY.mark))


@pytest.fixture(params=["model", "agent", "user"])
def layout(request):
    return request.param


@pytest.fixture
def opened(tmp_path, layout):
    def call(guard=KEYED, **more):
        (tmp_path / "home").mkdir(exist_ok=True)
        place = Place(tmp_path / "home", "space", "space.json")
        return FilesStore(place, SPACE, layout=layout, guard=guard, **more)

    return call


def say(store, *sessions):
    for session in sessions:
        Talk(store, session).say("hello", "hi")
    store.close()


def files(tmp_path):
    return {p.name: p.read_bytes() for p in (tmp_path / "home").iterdir() if p.is_file()}


def put_back(tmp_path, older, names):
    for name in names:
        (tmp_path / "home" / name).write_bytes(older[name])


def test_an_honest_life_is_never_doubted(opened, tmp_path):
    guard = replace(KEYED, anchor=Anchor(tmp_path / "anchor", KEYED.signet))
    store = opened(guard)
    talk = Talk(store)
    one, two = talk.say("one", "1"), talk.say("two", "2")
    talk.regenerate(two, "zwei")
    Talk(store, "s2").say("hello", "hi")
    store.put([make_record("a", one.id), make_record("b")])
    store.close()
    store = opened(guard)
    header = store.session("s2")
    store.amend(replace(header, archived=header.updated), header.head)
    assert store.check() == []
    store.forget([one.id])
    store.drop(RecordKind.FACT, ["b"])
    store.close()
    store = opened(guard)
    assert store.check() == []
    assert store.sealed().mark == KEY.mark
    store.close()


def test_an_older_file_put_back_is_noticed(opened, tmp_path):
    say(opened(), "s1", "s2")
    older = files(tmp_path)
    store = opened()
    talk = Talk(store, "s1")
    talk.header, talk.parent = store.session("s1"), store.recent("s1", 1)[0].id
    count_from(talk, 5)
    talk.say("more", "yes")
    store.close()
    changed = [n for n, data in files(tmp_path).items() if n in older and older[n] != data]
    seal = "space.seal.json"
    assert seal in changed
    for name in set(changed) - {seal}:
        now = files(tmp_path)
        put_back(tmp_path, older, [name])
        with pytest.raises(StoreDamagedError) as caught:
            opened().close()
        assert caught.value.hint
        put_back(tmp_path, now, [name])
    put_back(tmp_path, older, [seal])
    with pytest.raises(StoreTamperedError):
        opened().close()
    (tmp_path / "home" / seal).unlink()
    with pytest.raises(StoreKeyError, match="not sealed"):
        opened().close()


def test_everything_put_back_is_noticed_by_an_anchor_only(opened, tmp_path):
    guard = replace(KEYED, anchor=Anchor(tmp_path / "anchor", KEYED.signet))
    say(opened(guard), "s1")
    shutil.copytree(tmp_path / "home", tmp_path / "older")
    say(opened(guard), "s2")
    shutil.rmtree(tmp_path / "home")
    shutil.copytree(tmp_path / "older", tmp_path / "home")
    with pytest.raises(StoreTamperedError, match="anchor"):
        opened(guard)
    store = opened()
    assert len(store.scan()) == 1
    store.close()
    store = opened(replace(guard, adopts=True))
    store.reseal()
    store.close()
    say(opened(guard), "s3")


def test_what_a_crash_left_unanchored_is_no_tampering(opened, tmp_path):
    guard = replace(KEYED, anchor=Anchor(tmp_path / "anchor", KEYED.signet))
    say(opened(guard), "s1")
    before = (tmp_path / "anchor").read_bytes()
    say(opened(guard), "s2")
    (tmp_path / "anchor").write_bytes(before)
    say(opened(guard), "s3")


def test_a_space_without_seal_is_sealed_when_asked(opened):
    say(opened(Guard()), "s1")
    with pytest.raises(StoreKeyError, match="not sealed") as caught:
        opened()
    assert "key seal" in caught.value.hint
    store = opened(replace(KEYED, adopts=True))
    store.reseal()
    store.close()
    say(opened(), "s2")


def test_without_the_key_it_is_read_but_not_written(opened, tmp_path):
    say(opened(), "s1")
    before = files(tmp_path)
    store = opened(Guard())
    assert len(store.scan()) == 1
    with pytest.raises(StoreKeyError, match=KEY.mark):
        Talk(store, "s2").begin("hello")
    assert len(store.scan()) == 1
    store.close()
    after = files(tmp_path)
    assert {n: d for n, d in after.items() if ".log-" not in n} == {
        n: d for n, d in before.items() if ".log-" not in n
    }
    say(opened(), "s2")
    other = Key(bytes(32))
    with pytest.raises(StoreKeyError, match=KEY.mark):
        opened(Guard(Signet(other.for_("chain"), other.mark)))


def test_without_key_and_anchor_there_is_no_seal(opened, tmp_path):
    say(opened(Guard()), "s1")
    assert not list((tmp_path / "home").glob("*.seal.json"))


def test_a_renamed_space_keeps_its_seal(tmp_path, layout):
    guard = replace(KEYED, anchor=Anchor(tmp_path / "anchor", KEYED.signet))
    folder = FilesFolder(tmp_path / "home", layout=layout, guard=guard)
    say(folder.open(SPACE), "s1")
    folder.rename(SPACE, Space("eve", "tests"))
    say(folder.open(Space("eve", "tests"), create=False), "s2")
    folder.rename(Space("eve", "tests"), SPACE)
    store = folder.open(SPACE, create=False)
    assert len(store.scan()) == 2
    store.close()
    assert len(list((tmp_path / "home").rglob("*.seal.json"))) == 1
    folder.set_aside(SPACE)
    say(folder.open(SPACE), "s5")
    folder.open(SPACE, create=False).close()
