import struct

import pytest

from unabridged.errors import MissingExtraError, SettingError
from unabridged.models import gguf
from unabridged.models.gguf_header import read_header


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key, kind, value):
    return text(key) + struct.pack("<I", kind) + value


def file(path, *pairs, version=3):
    head = b"GGUF" + struct.pack("<IQQ", version, 0, len(pairs))
    path.write_bytes(head + b"".join(pairs))
    return path


PAIRS = (
    pair("general.architecture", 8, text("llama")),
    pair("some.flags", 9, struct.pack("<IQ", 5, 3) + struct.pack("<3i", 1, 2, 3)),
    pair("some.words", 9, struct.pack("<IQ", 8, 2) + text("a") + text("b")),
    pair("some.float", 6, struct.pack("<f", 1.5)),
    pair("llama.context_length", 4, struct.pack("<I", 8192)),
    pair("general.name", 8, text("Little Model")),
)


def test_a_header_is_read(tmp_path):
    found = read_header(file(tmp_path / "m.gguf", *PAIRS))
    assert (found.name, found.family, found.trained_window) == ("Little Model", "llama", 8192)
    assert not found.tools


@pytest.mark.parametrize(
    ("template", "tools"), [("{% if tools %}", True), ("{{ messages }}", False)]
)
def test_the_template_says_whether_it_knows_tools(tmp_path, template, tools):
    pairs = (*PAIRS, pair("tokenizer.chat_template", 8, text(template)))
    assert read_header(file(tmp_path / "m.gguf", *pairs)).tools is tools


def test_what_it_does_not_say_stays_open(tmp_path):
    found = read_header(file(tmp_path / "m.gguf", version=2))
    assert (found.name, found.family, found.trained_window) == ("m", "", None)


def test_every_cut_is_said(tmp_path):
    whole = file(tmp_path / "m.gguf", *PAIRS).read_bytes()
    for length in range(0, len(whole) - 4, 7):
        part = tmp_path / "part.gguf"
        part.write_bytes(whole[:length])
        with pytest.raises(SettingError) as caught:
            read_header(part)
        assert caught.value.hint


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04 a zip, no model",
        b"GGUF" + struct.pack("<IQQ", 9, 0, 0),
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 60),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + pair("k", 77, b"\0" * 8),
    ],
)
def test_what_is_no_gguf_is_said(tmp_path, data):
    path = tmp_path / "m.gguf"
    path.write_bytes(data)
    with pytest.raises(SettingError, match=r"m\.gguf"):
        read_header(path)


def test_a_missing_file_and_a_missing_extra(tmp_path, monkeypatch):
    with pytest.raises(SettingError, match="no file"):
        gguf.GgufModel(tmp_path / "nothing.gguf")
    monkeypatch.setattr(gguf, "installed", lambda: False)
    with pytest.raises(MissingExtraError, match="xllamacpp"):
        gguf.GgufModel(file(tmp_path / "m.gguf", *PAIRS))


def test_abilities_come_from_the_file_without_loading_it(tmp_path, monkeypatch):
    monkeypatch.setattr(gguf, "installed", lambda: True)
    able = gguf.GgufModel(file(tmp_path / "little.gguf", *PAIRS)).abilities()
    assert (able.model, able.trained_window, able.family) == ("little", 8192, "llama")
