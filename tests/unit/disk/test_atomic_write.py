import os
import stat

import pytest

from unabridged.disk import atomic_write
from unabridged.disk.folders import check_home, private_folder
from unabridged.disk.locks import locked
from unabridged.errors import SettingError, StoreBusyError, StoreError, StoreFullError


@pytest.fixture(params=[0o000, 0o022, 0o777])
def umask(request):
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("umask")
def test_what_is_written_is_for_its_owner_only_whatever_the_umask(tmp_path):
    private_folder(tmp_path / "a" / "b")
    atomic_write.write_whole(tmp_path / "a" / "b" / "file", b"x")
    assert [mode(tmp_path / n) for n in ("a", "a/b", "a/b/file")] == [0o700, 0o700, 0o600]


def test_a_failed_write_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    path = tmp_path / "file"
    atomic_write.write_whole(path, b"old")
    for name, error, wanted in (
        ("write", OSError(28, "full"), StoreFullError),
        ("fsync", OSError(5, "broken"), StoreError),
        ("replace", OSError(5, "broken"), StoreError),
    ):
        with monkeypatch.context() as m:
            m.setattr(atomic_write.os, name, lambda *_, error=error: (_ for _ in ()).throw(error))
            with pytest.raises(wanted):
                atomic_write.write_whole(path, b"new")
        assert path.read_bytes() == b"old"
        assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_what_does_not_pass_the_check_never_takes_the_old_ones_place(tmp_path, monkeypatch):
    path = tmp_path / "file"
    atomic_write.write_whole(path, b"old")
    real = atomic_write.write_new
    monkeypatch.setattr(atomic_write, "write_new", lambda draft, data: real(draft, data[:-1]))
    with pytest.raises(StoreError, match="cannot be used"):
        atomic_write.write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_lock_is_held_by_one(tmp_path):
    with (
        locked(tmp_path / "lock", 1),
        pytest.raises(StoreBusyError, match="locked"),
        locked(tmp_path / "lock", 0.05),
    ):
        pass
    with locked(tmp_path / "lock", 0.05):
        assert mode(tmp_path / "lock") == 0o600


def test_a_home_that_leads_elsewhere_is_refused(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    check_home(tmp_path / "real")
    check_home(tmp_path / "missing")
    with pytest.raises(SettingError, match="symbolic link") as caught:
        check_home(tmp_path / "link")
    assert str(tmp_path / "real") in caught.value.hint


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_home_of_another_user_is_refused(tmp_path):
    os.chown(tmp_path, 12345, -1)
    with pytest.raises(SettingError, match="another user"):
        check_home(tmp_path)
