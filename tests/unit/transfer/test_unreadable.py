import base64
import json
import stat
from datetime import UTC, datetime

import pytest

from unabridged.domain.results import SkippedRecord
from unabridged.domain.settings import Settings
from unabridged.errors import StoreReadOnlyError
from unabridged.home.encryption import sealer, unsealing
from unabridged.home.key_source import new_key
from unabridged.transfer import unreadable
from unabridged.transfer.unreadable import Aside

AT = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


def test_what_could_not_be_read_is_kept_as_it_was_for_its_owner_only(tmp_path):
    kept = Aside("/home/ann/My Chats!.jsonl")
    kept.add(SkippedRecord("line 1", "no JSON", "{brökën".encode()))
    kept.add(SkippedRecord("line 2", "not UTF-8", b"\xff\xfe"))
    kept.add(SkippedRecord("line 3", "system message"))
    path = kept.write(tmp_path, AT)
    assert path.name.startswith("20260304T050607Z-My-Chats-.jsonl-")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    first, second = map(json.loads, path.read_text().splitlines())
    assert first == {
        "file": "/home/ann/My Chats!.jsonl",
        "where": "line 1",
        "reason": "no JSON",
        "raw": "{brökën",
    }
    assert base64.b64decode(second["raw_base64"]) == b"\xff\xfe"
    assert (kept.kept, kept.left) == (2, 0)


def test_the_same_twice_is_kept_once(tmp_path):
    paths = set()
    for hour in (1, 2):
        kept = Aside("x")
        kept.add(SkippedRecord("line 1", "why", b"raw"))
        paths.add(kept.write(tmp_path, AT.replace(hour=hour)))
    assert len(paths) == len(list(tmp_path.iterdir())) == 1


def test_nothing_to_keep_writes_nothing(tmp_path):
    assert Aside("x").write(tmp_path, AT) is None
    assert list(tmp_path.iterdir()) == []


def test_no_more_is_kept_than_the_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(unreadable, "MOST", 1000)
    kept = Aside("-")
    for number in range(10):
        kept.add(SkippedRecord(f"line {number}", "why", b"x" * 200))
    path = kept.write(tmp_path, AT)
    assert (kept.kept, kept.left) == (3, 7)
    assert path.stat().st_size <= 1000
    assert "-stdin-" in path.name


def test_a_folder_that_is_gone_is_a_typed_error(tmp_path):
    kept = Aside("x")
    kept.add(SkippedRecord("line 1", "why", b"raw"))
    with pytest.raises(Exception, match="cannot be used") as raised:
        kept.write(tmp_path / "gone", AT)
    assert raised.value.hint
    assert not isinstance(raised.value, StoreReadOnlyError)


def test_names_and_reasons_of_any_characters_can_be_written(tmp_path):
    kept = Aside("\ud800/../../..")
    kept.add(SkippedRecord("\udfff", "\ud800", b"\xed\xa0\x80"))
    path = kept.write(tmp_path, AT)
    assert path.parent == tmp_path


def test_what_is_kept_can_be_sealed_and_opened_as_exports_are(tmp_path):
    settings = Settings(home=str(tmp_path), key=f"file:{tmp_path / 'key'}")
    new_key(settings.key)
    kept = Aside("x")
    kept.add(SkippedRecord("line 1", "why", b"secret"))
    path = kept.write(tmp_path, AT, sealer(settings))
    assert path.name.endswith(".unread.jsonl.sealed")
    assert b"secret" not in path.read_bytes()
    with path.open("rb") as stream:
        assert b'"secret"' in unsealing(settings)(stream).read()
