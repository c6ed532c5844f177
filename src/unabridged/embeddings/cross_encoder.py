"""A cross-encoder: a network that reads a question and a text together, and scores them."""

import math
import threading
from collections.abc import Sequence
from pathlib import Path

from unabridged.embeddings.onnx_session import Network, need
from unabridged.embeddings.transformer import look

DEPTH = 20
"""How many candidates are scored: a pair costs about as much as embedding both texts."""
_DIGEST_SIGNS = 12


class CrossEncoder:
    """A reranker from a folder with ``model.onnx`` and ``tokenizer.json``.

    The network's first output is one number for each pair, before the sigmoid, as in exports of the
    sentence-transformers library. A long text is read in pieces, and the best score counts.

    Raises:
        MissingExtraError: The extra ``onnx`` is not installed.
        SettingError: The folder has no usable model.
    """

    def __init__(self, folder: Path, *, depth: int = DEPTH) -> None:
        need()
        self._files = look(folder)
        self._name = folder.resolve().name
        self._depth = depth
        self._network: Network | None = None
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        return f"onnx:{self._name}@{self._files.digest()[:_DIGEST_SIGNS]}"

    @property
    def depth(self) -> int:
        return self._depth

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        return [self._score(question, text) if text.strip() else 0.0 for text in texts]

    def _score(self, question: str, text: str) -> float:
        with self._lock:
            network = self._loaded()
            pieces = network.pair(question, text)
        made = (network.run(piece, network.outputs[0]) for piece in pieces)
        return max(_sigmoid(float(found.reshape(-1)[-1])) for found in made)

    def _loaded(self) -> Network:
        if self._network is None:
            self._network = Network(self._files)
        return self._network


def _sigmoid(number: float) -> float:
    grown = math.exp(-abs(number))
    return 1 / (1 + grown) if number >= 0 else grown / (1 + grown)
