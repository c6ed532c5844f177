import gzip
import json
import os

import pytest

from unabridged.domain.results import SkippedRecord
from unabridged.errors import TransferError
from unabridged.transfer import find
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.find import Walk, candidates, merged, survey

LINE = {"role": "user", "content": "hello", "time": "2026-01-01T00:00:00Z"}
TEXT = json.dumps(LINE) + "\n"


def names(folder, **options):
    walk = Walk()
    return [str(path.relative_to(folder)) for path, _ in candidates(folder, walk, **options)], walk


def test_files_that_may_hold_conversations_are_found_by_the_end_of_their_names(tmp_path):
    for name in ("b.jsonl", "a/x.JSON", ".claude/s.jsonl", "c/logs.db", "photo.jpg", "noend"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(TEXT)
    (tmp_path / "empty.json").write_text("{}")
    found, _ = names(tmp_path)
    assert found == ["b.jsonl", ".claude/s.jsonl", "a/x.JSON", "c/logs.db"]


def test_links_pipes_and_folders_full_of_other_things_are_passed_by(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "far.jsonl").write_text(TEXT)
    root = tmp_path / "root"
    (root / "node_modules").mkdir(parents=True)
    (root / "node_modules" / "x.json").write_text(TEXT)
    (root / "home").mkdir()
    (root / "home" / "y.json").write_text(TEXT)
    (root / "link").symlink_to(outside)
    (root / "link.jsonl").symlink_to(outside / "far.jsonl")
    (root / "circle").symlink_to(root)
    os.mkfifo(root / "pipe.jsonl")
    assert names(root, besides=root / "home")[0] == []


def test_a_walk_ends_at_its_bounds(tmp_path, monkeypatch):
    monkeypatch.setattr(find, "MOST_ENTRIES", 3)
    monkeypatch.setattr(find, "DEEPEST", 2)
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    (deep / "x.jsonl").write_text(TEXT)
    found, walk = names(tmp_path)
    assert (found, walk.cut) == ([], False)
    for number in range(4):
        (tmp_path / f"{number}.jsonl").write_text(TEXT)
    found, walk = names(tmp_path)
    assert (len(found), walk.cut) == (3, True)


def test_a_folder_that_is_not_there_is_a_typed_error(tmp_path):
    with pytest.raises(TransferError) as raised:
        names(tmp_path / "missing")
    assert raised.value.hint


def test_a_survey_counts_what_is_there_and_what_is_known(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(TEXT + "{broken\n" + json.dumps({**LINE, "time": "2026-02-01T00:00:00Z"}))
    found = survey(path, 100, open_file, lambda conversation: 1)
    counts = (found.format, found.conversations, found.exchanges, found.held, found.failed)
    assert counts == ("jsonl", 1, 2, 1, 1)
    assert (str(found.first)[:10], str(found.last)[:10]) == ("2026-01-01", "2026-02-01")


@pytest.mark.parametrize(
    "data", [b"{}", b"[1, 2, 3, 4]", b"\xff\xfe\x00", b'{"messages": []}', b"PK\3\4x"]
)
def test_what_holds_no_conversation_is_none(tmp_path, data):
    path = tmp_path / "x.json"
    path.write_bytes(data)
    assert survey(path, len(data), open_file, lambda conversation: 0) is None


def test_a_file_that_breaks_off_says_so(tmp_path):
    path = tmp_path / "x.jsonl"
    own = b'{"format": "unabridged", "version": 1}\n'
    session = {
        "id": "s",
        "title": "",
        "created": "2026-01-01T00:00:00Z",
        "updated": "2026-01-01T00:00:00Z",
    }
    rest = json.dumps({"session": session}) + "\n" + json.dumps({"session": session}) + "\n"
    path.write_bytes(own + rest.encode() + b'{"format": "unabridged", "version": 99}\n')
    found = survey(path, 1, open_file, lambda conversation: 0)
    assert "version 99" in found.error


def test_unread_keeps_apart_what_it_held():
    assert SkippedRecord("line 1", "why", b"held") == SkippedRecord("line 1", "why")
    assert "held" not in repr(SkippedRecord("line 1", "why", b"held"))


def test_an_archive_and_the_file_in_it_are_one_find(tmp_path):
    plain, packed, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz", tmp_path / "c.jsonl"
    plain.write_text(TEXT)
    packed.write_bytes(gzip.compress(TEXT.encode()))
    other.write_text(json.dumps({**LINE, "content": "something else"}))
    found = [survey(path, 100, open_file, lambda _: 0) for path in (plain, packed, other)]
    first, second = merged(found)
    assert (first.path, first.copies) == (plain, [packed])
    assert (second.path, second.copies) == (other, [])
