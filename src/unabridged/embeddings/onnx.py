"""A sentence transformer on this machine, through onnxruntime."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from unabridged.embeddings.onnx_session import Network, need, weighted
from unabridged.embeddings.prompt_prefixes import NONE, prompts_of
from unabridged.embeddings.transformer import look
from unabridged.embeddings.vectors import unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

WHOLE = "sentence_embedding"
"""The output of networks with built-in pooling."""
_DIGEST_SIGNS = 12


class OnnxEmbedder:
    """A sentence transformer from a folder (its layout: ``transformer.look``).

    It is loaded at its first text. A text too long for the network is read in pieces, whose vectors
    are averaged by length.

    Args:
        name: Its name; empty for the folder's name. If the folder has no prompts, this name selects
            those of the model's family.

    Raises:
        MissingExtraError: The extra ``onnx`` is not installed.
        SettingError: The folder has no usable model.
    """

    def __init__(self, folder: Path, name: str = "") -> None:
        need()
        self._files = look(folder)
        self._name = name or folder.resolve().name
        stated = self._files.prompts
        self._prompts = prompts_of(self._name) if stated == NONE else stated
        self._identity = ""
        self._dimension = 0
        self._network: Network | None = None
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        if not self._identity:
            digest = self._files.digest()[:_DIGEST_SIGNS]
            self._identity = self._prompts.marked(f"onnx:{self._name}@{digest}")
        return self._identity

    @property
    def dimension(self) -> int:
        if not self._dimension:
            self._dimension = len(self._vector("dimension"))
        return self._dimension

    @property
    def instant(self) -> bool:
        return False

    def embed(self, texts: Sequence[str]) -> "Floats":
        return self._vectors(texts, self._prompts.passage)

    def embed_query(self, text: str) -> "Floats":
        vector: Floats = self._vectors([text], self._prompts.query)[0]
        return vector

    def known(self, text: str) -> float:  # noqa: ARG002 - the port's
        return 1.0

    def close(self) -> None:
        with self._lock:
            self._network = None

    def _vectors(self, texts: Sequence[str], before: str) -> "Floats":
        import numpy as np  # noqa: PLC0415 - slow to import

        out = np.zeros((len(texts), self.dimension), np.float32)
        for place, text in enumerate(texts):
            if text.strip():
                out[place] = self._vector(before + text)
        return unit(out)

    def _vector(self, text: str) -> "Floats":
        network = self._loaded()
        with self._lock:  # the tokenizer is configured again for each text
            windows = network.windows(text)
        output = WHOLE if WHOLE in network.outputs else network.outputs[0]
        return weighted([(self._pooled(network.run(w, output)), len(w.ids)) for w in windows])

    def _pooled(self, made: "Floats") -> "Floats":
        if made.ndim == 1:
            return made
        if self._files.pooling == "cls":
            first: Floats = made[0]
            return first
        mean: Floats = made.mean(axis=0)
        return mean

    def _loaded(self) -> Network:
        with self._lock:
            if self._network is None:
                self._network = Network(self._files)
            return self._network
