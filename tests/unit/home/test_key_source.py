import base64
import os
import stat

import keyring
import keyring.backend
import keyring.errors
import pytest

from unabridged import config
from unabridged.domain.encryption_key import EncryptionKey
from unabridged.domain.settings import Settings
from unabridged.errors import InputError, MissingExtraError, SettingError, StoreError
from unabridged.home.key_source import new_key, person_key


class Ring(keyring.backend.KeyringBackend):
    """A keyring in memory, under keyring's own interface."""

    priority = 1

    def __init__(self, *, locked=False):
        super().__init__()
        self.held = {}
        self.locked = locked

    def get_password(self, service, username):
        if self.locked:
            raise keyring.errors.KeyringLocked("locked")
        return self.held.get((service, username))

    def set_password(self, service, username, password):
        self.held[service, username] = password


@pytest.fixture
def ring():
    before = keyring.get_keyring()
    keyring.set_keyring(held := Ring())
    yield held
    keyring.set_keyring(before)


def test_no_key_is_none():
    assert person_key(Settings()) is None


def test_a_file(tmp_path):
    path = tmp_path / "key"
    old = os.umask(0)
    try:
        made = new_key(str(path))
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert person_key(Settings(key=f"file:{path}")) == made
    assert new_key(str(tmp_path / "other")) != made


def test_a_key_is_never_written_over(tmp_path):
    path = tmp_path / "key"
    made = new_key(str(path))
    with pytest.raises(InputError) as caught:
        new_key(str(path))
    assert caught.value.hint
    assert person_key(Settings(key=f"file:{path}")) == made


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(StoreError) as caught:
        new_key(str(tmp_path / "no" / "key"))
    assert caught.value.hint


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o660, 0o644, 0o610])
def test_a_file_that_others_can_read_is_refused(tmp_path, mode):
    path = tmp_path / "key"
    new_key(str(path))
    path.chmod(mode)
    with pytest.raises(SettingError, match="Others can read the key") as caught:
        person_key(Settings(key=f"file:{path}"))
    assert "chmod 600" in caught.value.hint


def test_a_folder_is_no_key(tmp_path):
    with pytest.raises(SettingError):
        person_key(Settings(key=f"file:{tmp_path}"))


@pytest.mark.parametrize("content", [b"", b"00" * 31, b"00" * 33, b"\xff" * 64, b"zz" * 32])
def test_what_is_no_key(tmp_path, content):
    path = tmp_path / "key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(SettingError) as caught:
        person_key(Settings(key=f"file:{path}"))
    assert "64 hexadecimal digits" in caught.value.hint


def test_a_key_that_is_not_there(tmp_path):
    with pytest.raises(SettingError) as caught:
        person_key(Settings(key=f"file:{tmp_path / 'none'}"))
    assert "unabridged key new" in caught.value.hint


def test_a_variable(monkeypatch):
    secret = bytes(range(32))
    settings = Settings(key="env:MY_KEY")
    for text in (secret.hex(), f" {secret.hex().upper()}\n", base64.b64encode(secret).decode()):
        monkeypatch.setenv("MY_KEY", text)
        assert person_key(settings) == EncryptionKey(secret)
    monkeypatch.setenv("MY_KEY", "not a key")
    with pytest.raises(SettingError) as caught:
        person_key(settings)
    assert "not a key" not in str(caught.value) + caught.value.hint
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(SettingError, match="MY_KEY"):
        person_key(settings)


def test_the_keyring(ring):
    with pytest.raises(SettingError) as caught:
        person_key(Settings(key="keyring"))
    assert "key new keyring" in caught.value.hint
    made = new_key("keyring")
    assert person_key(Settings(key="keyring")) == made
    with pytest.raises(InputError):
        new_key("keyring")
    assert person_key(Settings(key="keyring")) == made


def test_a_keyring_that_is_locked(ring):
    ring.locked = True
    with pytest.raises(SettingError, match="locked") as caught:
        person_key(Settings(key="keyring"))
    assert caught.value.hint


def test_a_keyring_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "keyring", None)
    with pytest.raises(MissingExtraError) as caught:
        person_key(Settings(key="keyring"))
    assert caught.value.extra == "keyring"


def test_a_relative_file_of_the_settings_file_lies_beside_it(tmp_path):
    path = config.file_of(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text('key = "file:secret"\n', "utf-8")
    assert config.load(home=tmp_path).key == f"file:{path.parent / 'secret'}"
    path.write_text('key = "env:SECRET"\n', "utf-8")
    assert config.load(home=tmp_path).key == "env:SECRET"


def test_purposes_have_keys_of_their_own():
    key, other = EncryptionKey(bytes(32)), EncryptionKey(bytes(31) + b"\1")
    drawn = {key.for_("chain"), key.for_("tombstone"), key.for_("mark"), other.for_("chain")}
    assert len(drawn) == 4
    assert all(len(one) == 32 for one in drawn)
    assert key.for_("chain") == EncryptionKey(bytes(32)).for_("chain")
    assert key.mark != other.mark
    assert len(key.mark) == 8
    assert "00" not in repr(key)
    with pytest.raises(ValueError, match="32 bytes"):
        EncryptionKey(b"short")
