import os
import shutil
import stat
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from tests.helpers.talker import Talker

from unabridged.domain.settings import Settings
from unabridged.factory.home import diagnose
from unabridged.home.cleanup import look_after

NOW = datetime.now(UTC)


def found(home, *, repair=False, now=NOW):
    return {f.topic: f for f in look_after(home, now, repair=repair)}


@pytest.fixture
def home(tmp_path):
    with Talker.open(tmp_path / "home", upstream="quote", user="ann") as memory:
        memory.record(memory.prepare("hello"), "hi")
    return tmp_path / "home"


def test_a_fresh_home_is_in_order(home):
    seen = found(home)
    assert all(f.ok is not False for f in seen.values())
    assert seen["rights"].ok
    assert "none yet" in seen["backups"].text


@pytest.mark.skipif(os.name == "nt", reason="POSIX rights")
def test_rights_that_are_too_wide_are_found_and_mended(home):
    (path,) = (home / "spaces").glob("*.db")
    path.chmod(0o644)
    (home / "spaces").chmod(0o755)
    seen = found(home)["rights"]
    assert seen.ok is False
    assert "2 files or folders" in seen.text
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert found(home, repair=True)["rights"].ok
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((home / "spaces").stat().st_mode) == 0o700


def test_drafts_are_removed_when_nobody_writes_them_any_more(home):
    folder = home / "spaces" / ".x.db.1234.part"
    folder.mkdir(0o700)
    draft = home / "spaces" / ".x.db.1234.new"
    draft.touch(0o600)
    assert "leftovers" not in found(home)
    later = NOW + timedelta(hours=2)
    assert "2 drafts" in found(home, now=later)["leftovers"].text
    assert draft.exists()
    assert "leftovers" not in found(home, now=later, repair=True)
    assert not draft.exists()
    assert not folder.exists()


def test_what_was_set_aside_or_stopped_is_said(home):
    (home / "spaces" / "a.db.damaged-1").touch(0o600)
    (home / "spaces" / "a.db.salvaged").touch(0o600)
    seen = found(home)
    assert "1 files" in seen["set aside"].text
    assert "a.db.salvaged" in seen["leftovers"].text


def test_sizes_have_units(home, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=67_215_020_032))
    assert found(home)["disk"].text == "67.2 GB free"
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=5_000_000))
    assert (found(home)["disk"].ok, found(home)["disk"].text) == (False, "5.0 MB free")


def test_doctor_writes_nothing_without_repair(home):
    def state():
        files = (p for p in home.rglob("*") if p.is_file() and "cache" not in p.parts)
        return {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in files}

    with Talker.open(home, upstream="quote", user="ann") as memory:
        memory.begin(memory.prepare("a question that awaits its answer"))
    settings = Settings(home=str(home), ollama_url="http://127.0.0.1:9")
    before = state()
    topics = {f.topic for f in diagnose(settings)}
    assert {"space ann/default", "disk", "backups", "rights"} <= topics
    assert {p: d for p, (d, _) in state().items()} == {p: d for p, (d, _) in before.items()}
