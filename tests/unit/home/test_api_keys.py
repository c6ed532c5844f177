import os
import stat
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from unabridged.disk.atomic_write import write_whole
from unabridged.domain.permissions import Grant, Right
from unabridged.errors import (
    InputError,
    KeyRefusedError,
    NameRefusedError,
    NotFoundError,
    SettingError,
    StoreDamagedError,
    StoreFormatError,
)
from unabridged.home import api_keys as module
from unabridged.home.api_keys import ApiKeys

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def test_a_key_is_shown_once_and_kept_as_a_digest(home):
    grant = Grant("phone", user="ann", rights=frozenset({Right.CHAT}), expires=NOW + DAY)
    key, secret = ApiKeys(home).create(grant, NOW)
    path = home / "config" / "keys.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert secret.startswith(f"unb_{key.id}_")
    assert len(secret.removeprefix(f"unb_{key.id}_")) == 43  # 256 bits in base64url
    for file in (home / "config").iterdir():
        assert secret[-43:] not in file.read_text()
    assert secret not in repr(key)
    assert key.digest not in repr(key)
    found = ApiKeys(home).grant_of(secret, NOW)
    assert found.grant == replace(grant, id=key.id)


def test_two_keys_are_never_the_same(home):
    access = ApiKeys(home)
    secrets = {access.create(Grant(f"k{n}"), NOW)[1] for n in range(20)}
    assert len(secrets) == 20
    assert [key.grant.name for key in ApiKeys(home).every()] == [f"k{n}" for n in range(20)]


def _wrong(secret, key):
    other = "A" if secret[-1] != "A" else "B"
    return [
        "",
        "x",
        "unb_",
        "ollama",
        secret[:-1],
        secret + "x",
        secret[:-1] + other,
        secret.upper(),
        secret.removeprefix("unb_"),
        f"unb_{key.id}_",
        f"unb_{key.id}_{key.digest}",
        key.digest,
        f"unb_0000000000_{secret[-43:]}",
        "unb_" + "x" * 100_000,
        "unb_\udcff_é",
    ]


def test_what_is_no_key_opens_nothing(home):
    access = ApiKeys(home)
    key, secret = access.create(Grant("k"), NOW)
    for wrong in _wrong(secret, key):
        with pytest.raises(KeyRefusedError) as refused:
            access.grant_of(wrong, NOW)
        assert len(wrong) < 5 or wrong not in f"{refused.value} {refused.value.hint}"


def test_a_key_ends_to_the_moment(home):
    access = ApiKeys(home)
    _, secret = access.create(Grant("k", expires=NOW + DAY), NOW)
    assert access.grant_of(secret, NOW + DAY - timedelta(microseconds=1))
    with pytest.raises(KeyRefusedError, match="expired"):
        access.grant_of(secret, NOW + DAY)
    assert not access.usable(NOW + DAY)
    assert access.closed


def test_a_revoked_key_opens_nothing_in_another_process_either(home):
    running, other = ApiKeys(home), ApiKeys(home)
    _, secret = other.create(Grant("k"), NOW)
    assert running.grant_of(secret, NOW)
    revoked = other.revoke("k", NOW + DAY)
    assert revoked.revoked == NOW + DAY
    with pytest.raises(KeyRefusedError, match="revoked"):
        running.grant_of(secret, NOW)
    assert running.closed, "no route opens again because a key was revoked"
    with pytest.raises(NotFoundError):
        other.revoke("k", NOW)
    again, _ = other.create(Grant("k"), NOW)
    assert other.revoke(again.id, NOW).id == again.id


def test_a_name_is_taken_until_its_key_is_revoked(home):
    access = ApiKeys(home)
    access.create(Grant("k"), NOW)
    with pytest.raises(NameRefusedError):
        access.create(Grant("k"), NOW)
    access.revoke("k", NOW)
    access.create(Grant("k"), NOW)


@pytest.mark.parametrize(
    ("grant", "error"),
    [
        (Grant(""), NameRefusedError),
        (Grant("a\nb"), NameRefusedError),
        (Grant("k", user=""), NameRefusedError),
        (Grant("k", agent="x" * 201), NameRefusedError),
        (Grant("k", session="\x00"), NameRefusedError),
        (Grant("k", rights=frozenset()), InputError),
        (Grant("k", expires=NOW), InputError),
    ],
)
def test_keys_that_make_no_sense_are_refused_and_nothing_is_written(home, grant, error):
    access = ApiKeys(home)
    with pytest.raises(error):
        access.create(grant, NOW)
    assert not access.closed
    assert not (home / "config" / "keys.json").exists()


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", StoreDamagedError),
        (b"{}", StoreDamagedError),
        (b'{"format": 1, "keys": [{"id": "x"}]}', StoreDamagedError),
        (b'{"format": 2, "keys": []}', StoreFormatError),
        (b"\xff", StoreDamagedError),
    ],
)
def test_a_damaged_file_opens_nothing(home, data, error):
    access = ApiKeys(home)
    _, secret = access.create(Grant("k"), NOW)
    write_whole(home / "config" / "keys.json", data)
    for ask in (lambda: access.grant_of(secret, NOW), lambda: access.closed, access.every):
        with pytest.raises(error):
            ask()
    with pytest.raises(error):
        access.create(Grant("other"), NOW)
    assert (home / "config" / "keys.json").read_bytes() == data


def test_a_key_whose_fields_were_taken_out_is_not_widened(home):
    access = ApiKeys(home)
    access.create(Grant("k", user="ann"), NOW)
    path = home / "config" / "keys.json"
    write_whole(path, path.read_bytes().replace(b'"user": "ann",', b""))
    with pytest.raises(StoreDamagedError):
        access.every()


@pytest.mark.skipif(os.name == "nt", reason="rights of files are another thing there")
def test_files_that_others_could_change_or_read_are_refused(home):
    access = ApiKeys(home)
    access.create(Grant("k"), NOW)
    access.token()
    (home / "config" / "keys.json").chmod(0o620)
    with pytest.raises(SettingError, match="0620"):
        ApiKeys(home).every()
    (home / "config" / "server-token").chmod(0o640)
    with pytest.raises(SettingError, match="0640"):
        access.token()


def test_the_token_is_made_once(home):
    token = ApiKeys(home).token()
    assert token.startswith("unbtoken_")
    assert len(token) == len("unbtoken_") + 43
    assert ApiKeys(home).token() == token
    path = home / "config" / "server-token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text("nothing\n")
    with pytest.raises(SettingError):
        ApiKeys(home).token()
    path.unlink()
    assert ApiKeys(home).token() != token


def test_uses_are_kept_by_the_hour(home):
    access = ApiKeys(home)
    key, _ = access.create(Grant("k"), NOW)
    before = (home / "config" / "keys.json").read_bytes()
    assert access.note_use(key, NOW)
    access.keep_uses()
    assert not access.note_use(key, NOW + timedelta(minutes=59))
    assert access.note_use(key, NOW + module.USE_EVERY)
    assert ApiKeys(home).every()[0].used == NOW
    access.keep_uses()
    assert ApiKeys(home).every()[0].used == NOW + module.USE_EVERY
    assert (home / "config" / "keys.json").read_bytes() == before
    (home / "config" / "key-uses.json").write_bytes(b"{")
    assert ApiKeys(home).every()[0].used is None


def test_keys_that_vanish_under_a_server_leave_it_closed(home):
    access = ApiKeys(home)
    key, secret = access.create(Grant("phone"), NOW)
    path = home / "config" / "keys.json"
    assert access.closed
    held = path.read_bytes()
    path.unlink()
    for look in (lambda: access.closed, lambda: access.grant_of(secret, NOW)):
        with pytest.raises(StoreDamagedError, match="missing"):
            look()
    assert not ApiKeys(home).closed
    write_whole(path, held)
    assert access.grant_of(secret, NOW).id == key.id
