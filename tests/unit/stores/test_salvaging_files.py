import os
import signal
import subprocess
import sys
import time

import pytest

from unabridged.domain.record import RecordKind
from unabridged.domain.scope import Space
from unabridged.errors import StoreEditedError
from unabridged.stores.files.folder import FilesFolder, files_of
from unabridged.stores.files.names import LAYOUTS
from unabridged.stores.files.rescuing import open_or_rescue, rescue, salvaged_json
from unabridged.stores.files.salvaging import salvage
from unabridged.stores.salvaging import assemble
from unabridged.testing.stores_writing import make_record
from unabridged.testing.talk import Talk

SPACE = Space("ada", "kept", "m")


@pytest.fixture(params=LAYOUTS)
def spaces(request, tmp_path):
    return FilesFolder(tmp_path / "files", layout=request.param)


def fill(spaces, count=6, odd="\ud83d"):
    store = spaces.open(SPACE)
    for name in ("s1", "s2"):
        talk = Talk(store, name)
        said = [talk.say(f'question {n} "of" {odd} a bicycle', "answer") for n in range(count)]
        talk.regenerate(said[-1], "another")
        store.put([make_record(f"of {name}", said[0].id)])
    truth = everything(store)
    store.close()
    return truth


def everything(store):
    return store.scan(), store.sessions(), store.records(RecordKind.FACT)


def found_in(spaces):
    found = assemble(salvage(spaces.place_of(SPACE), spaces.layout), "x")
    return sorted((x for _, some in found.conversations for x in some), key=lambda x: x.id), found


def readable(spaces):
    return [p for p in files_of(spaces.place_of(SPACE)) if ".log-" not in p.name]


def companion(spaces):
    (path,) = (p for p in files_of(spaces.place_of(SPACE)) if ".log-" in p.name)
    return path


def test_all_is_in_the_companion(spaces):
    truth = fill(spaces)
    for path in readable(spaces):
        path.write_bytes(b"{")
    got, found = found_in(spaces)
    assert got == truth[0]
    assert [session for session, _ in found.conversations] == sorted(truth[1], key=lambda s: s.id)
    assert sorted(found.records, key=lambda r: r.id) == truth[2]
    assert found.account.lost == 0


def test_all_that_was_said_is_in_the_readable_files(spaces):
    truth = fill(spaces)
    companion(spaces).unlink()
    got, found = found_in(spaces)
    assert got == truth[0]
    assert [session for session, _ in found.conversations] == sorted(truth[1], key=lambda s: s.id)
    path = readable(spaces)[-1]
    path.write_bytes(path.read_bytes()[:-2])  # no JSON any more
    assert found_in(spaces)[0] == truth[0]


def test_what_does_not_fit_its_digest_is_not_taken(spaces):
    truth = fill(spaces, odd="")
    for path in (*readable(spaces), companion(spaces)):
        path.write_bytes(path.read_bytes().replace(b"question 3", b"question 4"))
    got, found = found_in(spaces)
    lost = {one.exchange for one in found.account.missing}
    assert len(lost) == 2
    whole = [x for x in truth[0] if "question 3" not in x.user.text]
    assert [x.id for x in got] == [x.id for x in whole]
    assert [x.text for x in got] == [x.text for x in whole]


def test_damage_on_opening_is_set_aside_and_gone_on_with(spaces):
    truth = fill(spaces)
    path = readable(spaces)[-1]
    cut = path.read_bytes()[:200]
    path.write_bytes(cut)
    store, account = open_or_rescue(spaces, SPACE)
    assert everything(store) == truth
    assert store.check() == []
    Talk(store, "s3").say("and on", "it goes")
    store.close()
    assert path.with_name(f"{path.name}.damaged-1").read_bytes() == cut
    assert account.exchanges == 14
    assert account.path.endswith(".damaged-1")
    store, account = open_or_rescue(spaces, SPACE)
    assert account is None
    assert store.totals().exchanges == 15
    store.close()


def test_what_was_edited_by_hand_is_not_taken_for_damage(spaces):
    fill(spaces)
    path = readable(spaces)[0]
    path.write_bytes(path.read_bytes().replace(b"question 3", b"question 4"))
    with pytest.raises(StoreEditedError):
        open_or_rescue(spaces, SPACE)
    assert not list(spaces.folder.rglob("*.damaged-*"))


def test_a_sound_space_is_left_alone(spaces):
    fill(spaces)
    assert rescue(spaces, SPACE) is None


def test_a_single_file_tells_its_layout(spaces):
    truth = fill(spaces)
    found = salvaged_json(readable(spaces)[0])
    assert sorted(x.id for _, some in found.conversations for x in some) == [x.id for x in truth[0]]


CODE = """
import sys, pathlib
from unabridged.domain.scope import Space
from unabridged.stores.files.folder import FilesFolder
from unabridged.stores.files.rescuing import open_or_rescue
spaces = FilesFolder(pathlib.Path(sys.argv[1]), layout=sys.argv[2])
print("ready", flush=True)
open_or_rescue(spaces, Space("ada", "kept", "m"))[0].close()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX signals")
@pytest.mark.slow
def test_a_kill_leaves_the_old_or_the_new(spaces):
    truth = fill(spaces)
    path = readable(spaces)[-1]
    whole = path.read_bytes()
    for turn in range(6):
        path.write_bytes(whole[:200])
        command = [sys.executable, "-c", CODE, str(spaces.folder), spaces.layout]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline() == "ready\n"
        time.sleep(turn * 0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        store, _ = open_or_rescue(spaces, SPACE)
        assert everything(store) == truth
        store.close()
        assert list(path.parent.glob(f"{path.name}.damaged-*"))
