import secrets
from dataclasses import replace

import pytest

from unabridged.domain.encryption_key import EncryptionKey
from unabridged.domain.settings import Settings
from unabridged.errors import StoreDamagedError, StoreKeyError
from unabridged.home.key_source import box_places, key_of, new_key, person_key, secrets_of
from unabridged.home.keyring_file import add_slot, keep_slot, make_box, open_box

ONE, TWO = EncryptionKey(bytes(32)), EncryptionKey(bytes(range(32)))


@pytest.fixture
def places(tmp_path):
    return (tmp_path / "config" / "box.json", tmp_path / "spaces" / "box.json")


def test_only_the_key_opens_it_and_the_secrets_stand_nowhere(places):
    assert open_box(places, ONE) is None
    made = make_box(places, ONE)
    assert open_box(places, ONE) == made
    with pytest.raises(StoreKeyError, match=TWO.mark):
        open_box(places, TWO)
    for place in places:
        text = place.read_text("ascii")
        for secret in (made.digests, made.files, ONE):
            assert secret.secret.hex() not in text
        assert place.stat().st_mode & 0o777 == 0o600


def test_another_key_is_admitted_and_the_old_one_retired(places):
    made = make_box(places, ONE)
    add_slot(places, ONE, TWO)
    assert open_box(places, ONE) == open_box(places, TWO) == made
    keep_slot(places, TWO)
    assert open_box(places, TWO) == made
    with pytest.raises(StoreKeyError):
        open_box(places, ONE)
    with pytest.raises(StoreKeyError):
        keep_slot(places, ONE)


def test_one_copy_is_enough_and_the_next_change_writes_both(places):
    made = make_box(places, ONE)
    for place in places:
        place.write_bytes(place.read_bytes()[:-30])
        assert open_box(places, ONE) == made
        keep_slot(places, ONE)
        assert open_box([place], ONE) == made
        place.unlink()
        assert open_box(places, ONE) == made
        keep_slot(places, ONE)
        assert open_box([place], ONE) == made
    for place in places:
        place.write_bytes(b"{}")
    with pytest.raises(StoreDamagedError, match="cannot be read"):
        open_box(places, ONE)


def test_no_changed_byte_of_a_slot_passes(places):
    make_box(places, ONE)
    before = places[0].read_bytes()
    places[1].unlink()
    rng = secrets.SystemRandom()
    for _ in range(300):
        data = bytearray(before)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        places[0].write_bytes(bytes(data))
        try:
            held = open_box(places, ONE)
        except (StoreDamagedError, StoreKeyError):
            continue
        places[0].write_bytes(before)
        assert held == open_box(places, ONE), "only spaces may change"


def test_a_home_has_one_box_and_its_digests_stay_when_the_key_changes(tmp_path):
    new_key(str(tmp_path / "key"))
    new_key(str(tmp_path / "new"))
    settings = Settings(home=str(tmp_path / "home"), key=f"file:{tmp_path / 'key'}")
    first = key_of(settings)
    assert key_of(settings) == first
    assert first != person_key(settings)
    later = replace(settings, key=f"file:{tmp_path / 'new'}")
    with pytest.raises(StoreKeyError):
        key_of(later)
    add_slot(box_places(settings), person_key(settings), person_key(later))
    assert key_of(later) == first


def test_a_lost_box_is_never_made_anew_beside_what_it_opens(tmp_path):
    new_key(str(tmp_path / "key"))
    settings = Settings(home=str(tmp_path / "home"), key=f"file:{tmp_path / 'key'}")
    secrets_of(settings)
    for place in box_places(settings):
        place.unlink()
    header = bytes(range(16)) + bytes.fromhex("1000020220402020")
    (tmp_path / "home" / "spaces" / "a.db").write_bytes(header)
    with pytest.raises(StoreKeyError, match="is missing") as caught:
        secrets_of(settings)
    assert "backup" in caught.value.hint
