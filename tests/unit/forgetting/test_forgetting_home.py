"""What forgetting needs of a home: its key, and what it names as out of reach."""

import os
import stat
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.domain.results import SkippedRecord
from unabridged.domain.scope import SpaceId
from unabridged.errors import NotFoundError, StoreError
from unabridged.factory.home import Home
from unabridged.home.backup import Safekeeping
from unabridged.home.forgetting import KEY_FILE, outside
from unabridged.home.key_source import new_key
from unabridged.home.verify import seal, verify
from unabridged.transfer.unreadable import SEALED, Aside

SECRET = "My cousin Xylophonia lives behind the old brewery in Ulaanbaatar."


def opened(home, **more):
    return Talker.open(home, **{"upstream": "quote", **more})


def say(memory, text=SECRET):
    context = memory.prepare(text)
    memory.record(context, "I see.")
    return context.id


def forget(memory, *ids):
    return memory.space.forgetting.execute(memory.space.forgetting.plan(ids))


def test_the_key_is_made_when_it_is_needed_for_its_owner_only(tmp_path):
    home = tmp_path / "home"
    key = home / "config" / KEY_FILE
    with opened(home) as memory:
        gone = say(memory)
        say(memory, "Something else altogether was said.")
        assert not memory.space.forgetting.was_forgotten(SECRET)
        assert not key.exists()
        forget(memory, gone)
    assert len(key.read_bytes()) == 32
    if os.name != "nt":
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
    files = [p for p in home.rglob("*") if p.is_file() and p != key]
    assert not any(key.read_bytes() in path.read_bytes() for path in files)
    with opened(home) as memory:
        assert memory.space.forgetting.was_forgotten(SECRET)
        assert not memory.space.forgetting.keys_missing


def test_without_its_key_nothing_is_recognised_and_that_is_said(tmp_path):
    home = tmp_path / "home"
    with opened(home) as memory:
        receipt = forget(memory, say(memory))
    (home / "config" / KEY_FILE).unlink()
    with opened(home) as memory:
        assert memory.space.forgetting.keys_missing
        assert not memory.space.forgetting.was_forgotten(SECRET)
        assert memory.space.forgetting.is_genuine(receipt) is None
    (home / "config" / KEY_FILE).write_bytes(b"short")
    with opened(home) as memory, pytest.raises(StoreError, match="does not contain a key"):
        memory.space.forgetting.was_forgotten(SECRET)


def test_a_key_of_the_settings_is_used_and_the_older_one_still_recognises(tmp_path):
    home, other = tmp_path / "home", "Quite another saying, about mountains and snow."
    with opened(home) as memory:
        forget(memory, say(memory))
    new_key(str(tmp_path / "key"))
    settings = {"key": f"file:{tmp_path / 'key'}"}
    with opened(home) as memory:
        chosen = memory.space.settings
    list(seal(replace(chosen, **settings)))
    with opened(home, **settings) as memory:
        assert memory.space.forgetting.was_forgotten(SECRET)
        receipt = forget(memory, say(memory, other))
        assert memory.space.forgetting.was_forgotten(other)
        assert memory.space.forgetting.is_genuine(receipt)


def test_backups_that_may_hold_it_are_named(tmp_path):
    home = tmp_path / "home"
    with opened(home) as memory:
        gone = say(memory)
        settings, space = memory.space.settings, store_of(memory).space
    with opened(home, agent="other") as memory:
        say(memory)
        other = memory.space.settings
    made, _ = Safekeeping(settings).backup()
    unrelated, _ = Safekeeping(other).backup()
    every, _ = Safekeeping(settings).backup_all()
    (home / "backups" / "old-folder.tar").write_bytes(b"what a migration kept")
    (home / "spaces" / "default_default_x.db.damaged-1").write_bytes(b"")
    names = [f"backups/{Path(one.path).name}" for one in (made, every)]
    with opened(home) as memory:
        late = replace(memory.get(gone), at=datetime.now(UTC) + timedelta(days=9))
        plan = memory.space.forgetting.plan([gone])
        assert set(plan.outside.backups) == {*names, "backups/old-folder.tar"}
        assert f"backups/{Path(unrelated.path).name}" not in plan.outside.backups
        assert memory.space.forgetting.execute(plan).outside == plan.outside
    assert outside(settings, space, [late]).backups == ()


def test_a_backup_made_before_it_was_said_is_not_named(tmp_path):
    home = tmp_path / "home"
    with opened(home) as memory:
        first = say(memory, "Quite another saying, about mountains and snow.")
        settings = memory.space.settings
    made, _ = Safekeeping(settings).backup()
    with opened(home) as memory:
        gone = say(memory)
        plan = memory.space.forgetting.plan
        assert plan([gone]).outside.backups == ()
        assert plan([first]).outside.backups == (f"backups/{Path(made.path).name}",)
        assert plan([first, gone]).outside.backups == (f"backups/{Path(made.path).name}",)


def test_a_backup_of_the_same_day_that_cannot_be_read_may_hold_it(tmp_path):
    home = tmp_path / "home"
    with opened(home) as memory:
        say(memory, "Quite another saying, about mountains and snow.")
        settings = memory.space.settings
    made, _ = Safekeeping(settings).backup()
    with zipfile.ZipFile(made.path) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(made.path, "w") as archive:
        for name, data in held.items():
            archive.writestr(name, b"encrypted" if name.endswith(".db") else data)
    with opened(home) as memory:
        plan = memory.space.forgetting.plan([say(memory)])
        assert plan.outside.backups == (f"backups/{Path(made.path).name}",)


@pytest.mark.parametrize(
    ("raw", "is_named"),
    [
        ("import os  # nothing of it", False),
        (SECRET, True),
        ('{"text": "He said:\\n\\"My cousin Xylophonia lives behind the old brewery"}', True),
    ],
)
def test_unread_records_are_named_if_they_hold_its_words(tmp_path, raw, is_named):
    aside = Aside("a.jsonl")
    aside.add(SkippedRecord("line 1", "no JSON", raw=raw.encode()))
    (tmp_path / "home" / "imports").mkdir(parents=True)
    path = aside.write(tmp_path / "home" / "imports", datetime.now(UTC))
    sealed = path.with_name(f"b{SEALED}")
    sealed.write_bytes(b"\0\1 sealed")
    with opened(tmp_path / "home") as memory:
        named = memory.space.forgetting.plan([say(memory)]).outside.aside
    assert named == ((f"imports/{path.name}",) if is_named else ()) + (f"imports/{sealed.name}",)


def test_a_space_that_is_forgotten_leaves_a_receipt_and_an_anchor_that_knows(tmp_path):
    home = tmp_path / "home"
    more = {"checkpoint_file": str(tmp_path / "anchor")}
    with opened(home, **more) as memory:
        ids = [say(memory, f"{SECRET} Number {number}.") for number in range(4)]
        settings, space = memory.space.settings, store_of(memory).space
        forget(memory, *ids[1:3])
    assert [proof.flaws for proof in verify(settings)] == [()]
    root = Home(settings)
    with pytest.raises(NotFoundError):
        root.plan_forgetting([SpaceId("nobody", "at all")])
    (plan,) = root.plan_forgetting([space])
    assert (plan.exchanges, plan.sessions) == (2, 1)
    receipt = root.forget(plan)
    assert root.receipts() == [receipt]
    assert root.spaces() == []
    assert [proof.flaws for proof in verify(settings) if proof.flaws] == []
    with opened(home, **more) as memory:
        say(memory)
        assert memory.stats().exchanges == 1
        assert memory.space.log.check() == []
