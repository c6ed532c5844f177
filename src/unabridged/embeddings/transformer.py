"""The folder of a sentence transformer: its files and their settings.

The layout is that of the sentence-transformers library, so that an exported folder works like one
of the hub: ``model.onnx`` (or ``onnx/model.onnx``), ``tokenizer.json``, and optionally
``config_sentence_transformers.json`` (``prompts``), ``1_Pooling/config.json`` and
``sentence_bert_config.json`` (``max_seq_length``).
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
"""Tokens at once by default: the training length of nearly all models."""
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Files:
    """A folder with a model and its settings.

    Attributes:
        longest: The most tokens at once.
        pooling: ``mean`` of the tokens, or ``cls``: the first of them.
        used: The files that determine its vectors.
    """

    model: Path
    tokenizer: Path
    longest: int
    prompts: Prompts
    pooling: str
    used: tuple[Path, ...]

    def digest(self) -> str:
        """Return the SHA-256 of everything that determines the vectors, in hexadecimal."""
        digest = hashlib.sha256()
        for path in self.used:
            with path.open("rb") as file:
                while data := file.read(_CHUNK):
                    digest.update(data)
        return digest.hexdigest()


def look(folder: Path) -> Files:
    """Find a model's files in a folder.

    Raises:
        SettingError: There is no model or no tokenizer, or its pooling is unknown.
    """
    model = _network(folder)
    tokenizer = folder / TOKENIZER
    if model is None or not tokenizer.is_file():
        lacks = MODEL if model is None else TOKENIZER
        raise SettingError(
            f"The folder {folder} has no {lacks}.",
            hint=f"Use a folder with {MODEL} and {TOKENIZER}.",
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
    """Return whether a folder has a network and a tokenizer."""
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
            f"The model in {folder} has the unknown pooling {way!r}.",
            hint="Use a model that pools by the mean or by the first token.",
        )
    return known[way]


def _json(path: Path) -> Mapping[str, Any]:
    try:
        return mapping(json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise SettingError(
            f"{path} cannot be read: {error}.", hint="Correct the file, or export the model again."
        ) from error
