"""A sentence transformer as a folder: the files, and what stands in each.

The layout is that of the sentence-transformers library, so that a folder exported from elsewhere
serves as well as one that was fetched: ``model.onnx`` (or ``onnx/model.onnx``), ``tokenizer.json``,
and where they are there ``config_sentence_transformers.json`` (``prompts``),
``1_Pooling/config.json`` and ``sentence_bert_config.json`` (``max_seq_length``).
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unabridged.embeddings.bert import Shape, Table, build
from unabridged.embeddings.prompts import NONE, Prompts
from unabridged.errors import SettingError
from unabridged.wire.shapes import mapping, number, text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"
PROMPTS = "config_sentence_transformers.json"
POOLING = "1_Pooling/config.json"
LENGTH = "sentence_bert_config.json"
LONGEST = 512
"""Tokens at once where a folder does not say: what nearly all of them were trained for."""
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Transformer:
    """A sentence transformer as it was read from a package.

    Attributes:
        shape: How large it is.
        words: Its token vectors.
        weights: Its other numbers, as ``bert.build`` names them.
        tokenizer: Its tokenizer, as the package ``tokenizers`` reads it.
        longest: Tokens that it takes at once.
    """

    shape: Shape
    words: Table
    weights: Mapping[str, "NDArray[np.float32]"]
    tokenizer: Mapping[str, Any]
    longest: int

    def write(self, folder: Path, prompts: Prompts) -> None:
        """Write it as a folder, durable when this returns; it pools by the mean.

        Args:
            folder: An empty folder.
            prompts: What stands before texts.
        """
        _write(folder / MODEL, build(self.shape, self.words, self.weights).write())
        stated = {
            TOKENIZER: self.tokenizer,
            PROMPTS: {"prompts": {"query": prompts.query, "passage": prompts.passage}},
            POOLING: {"pooling_mode_mean_tokens": True},
            LENGTH: {"max_seq_length": self.longest},
        }
        for name, value in stated.items():
            (folder / name).parent.mkdir(mode=0o700, exist_ok=True)
            _write(folder / name, iter([json.dumps(value, ensure_ascii=False).encode()]))


def _write(path: Path, pieces: Iterator[bytes]) -> None:
    with path.open("wb") as file:
        path.chmod(0o600)
        for piece in pieces:
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


@dataclass(frozen=True, slots=True)
class Files:
    """A folder with a model, and how it is to be used.

    Attributes:
        model: The network.
        tokenizer: The tokenizer.
        longest: Tokens that it takes at once.
        prompts: What stands before texts.
        pooling: ``mean`` of the tokens, or ``cls``: the first of them.
        used: Every file that decides what comes out.
    """

    model: Path
    tokenizer: Path
    longest: int
    prompts: Prompts
    pooling: str
    used: tuple[Path, ...]

    def digest(self) -> str:
        """Give the SHA-256 of all that decides what comes out, in hexadecimal."""
        digest = hashlib.sha256()
        for path in self.used:
            with path.open("rb") as file:
                while data := file.read(_CHUNK):
                    digest.update(data)
        return digest.hexdigest()


def look(folder: Path) -> Files:
    """Find a model's files in a folder.

    Raises:
        SettingError: There is no model or no tokenizer, or it pools in a way that is not known.
    """
    model = next((p for p in (folder / MODEL, folder / "onnx" / MODEL) if p.is_file()), None)
    tokenizer = folder / TOKENIZER
    if model is None or not tokenizer.is_file():
        lacks = MODEL if model is None else TOKENIZER
        raise SettingError(
            f"The folder {folder} has no {lacks}.",
            hint=f"Give a folder that holds {MODEL} and {TOKENIZER}.",
        )
    stated = [path for name in (PROMPTS, POOLING, LENGTH) if (path := folder / name).is_file()]
    longest = number(_json(folder / LENGTH).get("max_seq_length")) or LONGEST
    return Files(
        model,
        tokenizer,
        longest,
        _prompts(_json(folder / PROMPTS)),
        _pooling(_json(folder / POOLING), folder),
        (model, tokenizer, *stated),
    )


def _prompts(stated: Mapping[str, Any]) -> Prompts:
    given = mapping(stated.get("prompts"))
    passage = text(given.get("passage")) or text(given.get("document"))
    return Prompts("", passage, text(given.get("query"))) if given else NONE


def _pooling(stated: Mapping[str, Any], folder: Path) -> str:
    ways = {name.removeprefix("pooling_mode_") for name, on in stated.items() if on is True}
    ways = {name for name in ways if name.endswith(("token", "tokens"))}
    named = stated.get("pooling_mode")
    way = text(named) or next(iter(sorted(ways)), "mean_tokens")
    known = {"mean_tokens": "mean", "cls_token": "cls", "mean": "mean", "cls": "cls"}
    if way not in known or len(ways) > 1:
        raise SettingError(
            f"The model in {folder} pools its tokens by {way!r}, which is not known.",
            hint="Models that pool by the mean or by the first token can be used.",
        )
    return known[way]


def _json(path: Path) -> Mapping[str, Any]:
    try:
        return mapping(json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise SettingError(
            f"{path} cannot be read: {error}.", hint="Mend the file, or export the model again."
        ) from error
