"""Reads all-MiniLM-L6-v2 (Apache-2.0) out of the files that packages carry.

Weights come as safetensors: eight bytes of a header's length, the header as JSON with each tensor's
type, shape and place, then the tensors. Names are those of Hugging Face's ``BertModel``.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from unabridged.embeddings.bert import Shape, table_of
from unabridged.embeddings.transformer import Transformer
from unabridged.errors import UpstreamBrokenError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

SHAPE = Shape(layers=6, heads=12, width=384)
LONGEST = 256
"""Tokens that the model was made for: ``max_seq_length`` of its card."""
_DENSE = (
    ("join", "attention.output.dense"),
    ("widen", "intermediate.dense"),
    ("narrow", "output.dense"),
)
_NORMS = (("met", "attention.output.LayerNorm"), ("out", "output.LayerNorm"))


def read(weights: Path, tokenizer: Path) -> Transformer:
    """Read the model.

    Args:
        weights: ``model.safetensors``.
        tokenizer: ``tokenizer.json``.

    Raises:
        UpstreamBrokenError: The files are not that model's.
    """
    try:
        found = safetensors(weights)
        named = _named(found)
        words = table_of(found["embeddings.word_embeddings.weight"])
        rules = json.loads(tokenizer.read_text("utf-8"))
    except (KeyError, ValueError) as error:
        raise UpstreamBrokenError(
            f"{weights.name} is not all-MiniLM-L6-v2: {error}.", hint="Fetch the package again."
        ) from error
    rules["padding"] = rules["truncation"] = None
    return Transformer(SHAPE, words, named, rules, LONGEST)


def safetensors(path: Path) -> dict[str, "Floats"]:
    """Read the float32 tensors of a file of that format.

    Raises:
        ValueError: It is none.
    """
    import numpy as np  # noqa: PLC0415 - slow to import

    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    start = 8 + length
    return {
        name: np.frombuffer(
            data[start + row["data_offsets"][0] : start + row["data_offsets"][1]], "<f4"
        )
        .reshape(row["shape"])
        .astype(np.float32)
        for name, row in header.items()
        if name != "__metadata__" and row["dtype"] == "F32"
    }


def _named(found: Mapping[str, "Floats"]) -> dict[str, "Floats"]:
    """Name the tensors as ``bert.build`` wants them."""
    import numpy as np  # noqa: PLC0415 - slow to import

    types = found["embeddings.token_type_embeddings.weight"]
    named = {"positions": found["embeddings.position_embeddings.weight"] + types[0]}
    named["start.scale"] = found["embeddings.LayerNorm.weight"]
    named["start.shift"] = found["embeddings.LayerNorm.bias"]
    for layer in range(SHAPE.layers):
        theirs = f"encoder.layer.{layer}"
        heads = [f"{theirs}.attention.self.{part}" for part in ("query", "key", "value")]
        named[f"{layer}.attend"] = np.concatenate([found[f"{name}.weight"] for name in heads])
        named[f"{layer}.attend.bias"] = np.concatenate([found[f"{name}.bias"] for name in heads])
        for our, their in _DENSE:
            named[f"{layer}.{our}"] = found[f"{theirs}.{their}.weight"]
            named[f"{layer}.{our}.bias"] = found[f"{theirs}.{their}.bias"]
        for our, their in _NORMS:
            named[f"{layer}.{our}.scale"] = found[f"{theirs}.{their}.weight"]
            named[f"{layer}.{our}.shift"] = found[f"{theirs}.{their}.bias"]
    return named
