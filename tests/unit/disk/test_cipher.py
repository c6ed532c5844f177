import io
import sys
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from unabridged.disk.cipher import CHUNK, AesGcm, is_sealed
from unabridged.errors import MissingExtraError, StoreDamagedError, StoreKeyError

KEY = bytes(range(32))


@given(st.binary(max_size=300), st.binary(max_size=9))
def test_what_is_sealed_opens_again(data, purpose):
    cipher = AesGcm(KEY)
    sealed = cipher.encrypt(data, purpose)
    assert is_sealed(sealed)
    assert cipher.decrypt(sealed, purpose) == data
    assert cipher.encrypt(data, purpose) != sealed


@pytest.mark.parametrize("size", [CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 7])
def test_long_pieces_open_again_and_lose_nothing_unnoticed(size):
    cipher = AesGcm(KEY)
    data = bytes(n % 251 for n in range(size))
    sealed = cipher.encrypt(data, b"p")
    assert cipher.decrypt(sealed, b"p") == data
    step = CHUNK + 16
    head = len(sealed) - size - 16 * max(1, -(-size // CHUNK))
    for cut in {head, head + step, len(sealed) - 1, len(sealed) - step}:
        if head <= cut < len(sealed):
            with pytest.raises(StoreDamagedError):
                cipher.decrypt(sealed[:cut], b"p")
    if size > 2 * CHUNK:
        first, second = sealed[head : head + step], sealed[head + step : head + 2 * step]
        swapped = sealed[:head] + second + first + sealed[head + 2 * step :]
        with pytest.raises(StoreDamagedError, match="part 1"):
            cipher.decrypt(swapped, b"p")


@given(st.data())
def test_no_flipped_bit_passes(data):
    cipher = AesGcm(KEY)
    sealed = bytearray(cipher.encrypt(b"a text that is hidden", b"here"))
    sealed[data.draw(st.integers(0, len(sealed) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises((StoreDamagedError, StoreKeyError)):
        cipher.decrypt(bytes(sealed), b"here")


def test_another_key_or_purpose_opens_nothing():
    sealed = AesGcm(KEY).encrypt(b"x", b"here")
    with pytest.raises(StoreKeyError, match="mark"):
        AesGcm(KEY[::-1]).decrypt(sealed, b"here")
    with pytest.raises(StoreDamagedError):
        AesGcm(KEY).decrypt(sealed, b"there")
    assert KEY.hex() not in AesGcm(KEY).identity


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    with pytest.raises(MissingExtraError, match="cryptography") as caught:
        AesGcm(KEY)
    assert "[encryption]'" in caught.value.hint


@given(st.lists(st.binary(max_size=90), max_size=6))
def test_a_stream_is_sealed_piece_by_piece(pieces):
    cipher, sealed = AesGcm(KEY), io.BytesIO()
    with cipher.sealing(sealed, b"p") as stream:
        for piece in pieces:
            stream.write(piece)
    assert cipher.decrypt(sealed.getvalue(), b"p") == b"".join(pieces)


def test_what_broke_off_does_not_open():
    cipher, sealed = AesGcm(KEY), io.BytesIO()
    with suppress(OSError), cipher.sealing(sealed, b"p") as stream:
        stream.write(bytes(3 * CHUNK))
        raise OSError("gone")
    with pytest.raises(StoreDamagedError):
        cipher.decrypt(sealed.getvalue(), b"p")
