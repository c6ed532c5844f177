"""A sentence transformer as a folder: the files, and what stands in each.

The layout is that of the sentence-transformers library, so that a folder exported from elsewhere
serves as well as one of the hub: ``model.onnx`` (or ``onnx/model.onnx``), ``tokenizer.json``,
and where they are there ``config_sentence_transformers.json`` (``prompts``),
``1_Pooling/config.json`` and ``sentence_bert_config.json`` (``max_seq_length``).
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unabridged.embeddings.prompt_prefixes import NONE, Prompts
from unabridged.errors import SettingError
from unabridged.wire.lenient_json import mapping, number, text

MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"
PROMPTS = "config_sentence_transformers.json"
POOLING = "1_Pooling/config.json"
LENGTH = "sentence_bert_config.json"
LONGEST = 512
"""Tokens at once where a folder does not say: what nearly all of them were trained for."""
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Files:
    """A folder with a model, and how it is to be used.

    Attributes:
        longest: Tokens that it takes at once.
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
    model = _network(folder)
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


def is_model(folder: Path) -> bool:
    """Return whether a folder holds a network and a tokenizer."""
    return _network(folder) is not None and (folder / TOKENIZER).is_file()


def _network(folder: Path) -> Path | None:
    return next((p for p in (folder / MODEL, folder / "onnx" / MODEL) if p.is_file()), None)


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
            f"{path} cannot be read: {error}.", hint="Replace the file: export the model again."
        ) from error
