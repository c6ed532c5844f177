import gc
import os
import stat

import numpy as np
import pytest

from unabridged.errors import StoreDamagedError, StoreError, StoreFormatError, StoreFullError
from unabridged.index.indexed_exchange import (
    IndexedExchange,
    Vectors,
    count_words,
    key_of,
    quantise,
)
from unabridged.index.segment import build
from unabridged.projections.search_index import segment_files as segments

TEXTS = ["the cat sat", "a dog ran to the cat", "green tea", "tea for two", ""]


def made(dimension=8, count=5):
    rng = np.random.default_rng(7)
    entries = []
    for place, text in enumerate(TEXTS[:count]):
        codes, scales = quantise(rng.standard_normal((2, dimension)).astype(np.float32))
        vectors = Vectors(codes, scales, np.array([1, 2], dtype=np.uint8)) if dimension else None
        words = count_words(map(key_of, text.split()), map(key_of, text.split()[:1]))
        pieces = np.array([place, place + 7], dtype=np.uint16)
        entries.append(
            IndexedExchange(place, 1, place - 1, 1e9 + place, place, words, pieces, vectors)
        )
    return build(entries, "made" if dimension else "", dimension)


@pytest.mark.parametrize(("dimension", "count"), [(8, 5), (0, 5), (0, 0), (70, 1)])
def test_what_is_written_is_read(tmp_path, dimension, count):
    segment = made(dimension, count)
    name = segments.write(tmp_path / "index", segment)
    path = tmp_path / "index" / name
    segments.verify(path)
    loaded = segments.load(path)
    assert (loaded.embedder, loaded.dimension, loaded.centres) == (
        segment.embedder,
        segment.dimension,
        segment.centres,
    )
    assert loaded.arrays.keys() == segment.arrays.keys()
    for key, array in segment.arrays.items():
        assert loaded.arrays[key].dtype == array.dtype
        assert np.array_equal(loaded.arrays[key], array), key
        assert not array.size or loaded.arrays[key].ctypes.data % 64 == 0
        assert not array.size or not loaded.arrays[key].flags.writeable


@pytest.mark.skipif(os.name == "nt", reason="modes of Unix")
def test_only_the_owner_may_read(tmp_path):
    name = segments.write(tmp_path / "index", made())
    assert stat.S_IMODE((tmp_path / "index").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "index" / name).stat().st_mode) == 0o600


def test_nothing_unfinished_is_left_and_no_name_comes_twice(tmp_path):
    names = {segments.write(tmp_path, made()) for _ in range(3)}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert len(names) == 3


def test_a_removed_file_can_be_read_as_long_as_it_is_mapped(tmp_path):
    path = tmp_path / segments.write(tmp_path, made())
    loaded = segments.load(path)
    if segments.remove(path):
        assert not path.exists()
    assert np.array_equal(loaded.places, np.arange(5))
    del loaded
    gc.collect()
    assert segments.remove(path)


def test_a_released_segment_can_still_be_read(tmp_path):
    made_here = made()
    loaded = segments.load(tmp_path / segments.write(tmp_path, made_here))
    assert np.array_equal(loaded.places, np.arange(5))
    segments.release(loaded)
    segments.release(made_here)
    for key, array in made_here.arrays.items():
        assert np.array_equal(loaded.arrays[key], array)


def test_every_changed_byte_is_noticed(tmp_path):
    path = tmp_path / segments.write(tmp_path, made())
    whole = path.read_bytes()
    _, spans = layout(path)
    covered = {at for start, stop in spans for at in range(start, stop)}
    rng = np.random.default_rng(1)
    for at in rng.choice(len(whole), 150, replace=False).tolist():
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x40]) + whole[at + 1 :])
        if at in covered:
            with pytest.raises((StoreDamagedError, StoreFormatError)) as caught:
                segments.verify(path)
            assert caught.value.hint
        else:
            segments.verify(path)


def layout(path):
    """The header's end, and the bytes that mean something."""
    mapped = segments._mapped(path)
    header = segments._header(path, mapped)
    stop = 16 + int.from_bytes(mapped[12:16], "little") + 32
    spans = [(0, stop)]
    for array in header.arrays:
        size = int(np.prod(array.shape)) * np.dtype(array.kind).itemsize
        spans.append((array.start, array.start + size))
    return stop, spans


@pytest.mark.parametrize("keep", [0, 5, 15, 40, 300, 2000, -1])
def test_a_cut_off_file_is_damaged(tmp_path, keep):
    path = tmp_path / segments.write(tmp_path, made())
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(StoreDamagedError, match="damaged"):
        segments.load(path)


def test_a_missing_file_is_damaged(tmp_path):
    with pytest.raises(StoreDamagedError):
        segments.load(tmp_path / "no.segment")


def test_a_newer_format_is_told_apart_from_damage(tmp_path):
    path = tmp_path / segments.write(tmp_path, made())
    whole = path.read_bytes()
    path.write_bytes(whole[:8] + (2).to_bytes(4, "little") + whole[12:])
    with pytest.raises(StoreFormatError, match="format 2"):
        segments.load(path)


def test_a_full_disk_leaves_nothing(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(segments.os, "fsync", full)
    with pytest.raises(StoreFullError):
        segments.write(tmp_path, made())
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_a_store_error(tmp_path):
    (tmp_path / "file").write_text("here")
    with pytest.raises(StoreError) as caught:
        segments.write(tmp_path / "file" / "index", made())
    assert caught.value.hint
