import os
import stat

import pytest

from unabridged.disk import large_files
from unabridged.disk.large_files import writing
from unabridged.errors import StoreFullError, StoreReadOnlyError


def test_a_file_takes_its_place_whole(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with writing(path) as stream:
        stream.write(b"n" * 3_000_000)
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"n" * 3_000_000
    assert [p.name for p in tmp_path.iterdir()] == ["x"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 or os.name == "nt"


def test_what_breaks_off_leaves_the_old_one_and_nothing_else(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), writing(path) as stream:
        stream.write("no bytes")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("call", ["write", "fsync", "replace", "open"])
def test_a_full_disk_is_told(tmp_path, monkeypatch, call):
    def full(*_args, **_more):
        raise OSError(28, "No space left on device")

    path = tmp_path / "x"
    path.write_bytes(b"old")
    monkeypatch.setattr(large_files.os, call, full)
    with pytest.raises(StoreFullError), writing(path) as stream:
        stream.write(b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_a_folder_that_may_not_be_written_is_told(tmp_path, monkeypatch):
    def refused(*_args, **_more):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(large_files.os, "open", refused)
    with pytest.raises(StoreReadOnlyError), writing(tmp_path / "x"):
        pass
