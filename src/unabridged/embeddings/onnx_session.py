"""The runtime of transformers: a tokenizer and a network, loaded together.

The packages ``onnxruntime`` and ``tokenizers`` are the extra ``onnx``.
"""

import importlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unabridged.embeddings.transformer import Files
from unabridged.errors import MissingExtraError, SettingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PACKAGES = ("onnxruntime", "tokenizers")
EXTRA = "onnx"
_QUIET = 3
"""The log level of ``onnxruntime``: errors only."""


def need() -> None:
    """Check that the extra is installed, without loading it.

    Raises:
        MissingExtraError: One of its packages is not installed.
    """
    for package in PACKAGES:
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(package, EXTRA)


class Network:
    """A tokenizer and a network that reads its tokens, one text at a time.

    Texts never run together, so the result of one does not depend on others and needs no padding.

    The network takes ``input_ids`` and, if it likes, ``attention_mask`` and ``token_type_ids``.

    Raises:
        MissingExtraError: A package is not installed.
        SettingError: A file cannot be used.
    """

    def __init__(self, files: Files) -> None:
        need()
        self._session = _session(files.model)
        self._tokenizer = _tokenizer(files.tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(files.longest)  # the rest follows as further pieces
        self._longest = files.longest
        self._wanted = {given.name for given in self._session.get_inputs()}
        self.outputs = [made.name for made in self._session.get_outputs()]

    def windows(self, text: str) -> list[Any]:
        """Return the encodings of a text: as many as its length needs."""
        first = self._tokenizer.encode(text)
        return [first, *first.overflowing]

    def pair(self, question: str, text: str) -> list[Any]:
        """Return the encodings of a question with each piece of a text."""
        room = max(self._longest // 2, 1)
        asked = self._tokenizer.encode(question)
        if len(asked.ids) > room:  # a question is short; a long one is truncated, not the text
            question = question[: asked.offsets[room - 1][1]]
        self._tokenizer.enable_truncation(self._longest, strategy="only_second")
        try:
            first = self._tokenizer.encode(question, text)
        finally:
            self._tokenizer.enable_truncation(self._longest)
        return [first, *first.overflowing]

    def run(self, encoding: Any, output: str) -> "NDArray[np.float32]":
        """Run one encoding.

        Returns:
            The output without its first dimension, which counts texts.
        """
        import numpy as np  # noqa: PLC0415 - slow to import

        known = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        given = {name: np.array([known[name]], np.int64) for name in self._wanted}
        made: NDArray[np.float32] = self._session.run([output], given)[0][0]
        return made


def _session(path: Path) -> Any:
    onnxruntime: Any = importlib.import_module("onnxruntime")  # an extra, without types

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # with more threads, vectors may differ in the last digits
    options.inter_op_num_threads = 1
    options.log_severity_level = _QUIET
    options.enable_cpu_mem_arena = False  # texts differ in length: an arena keeps the largest
    try:
        session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        # onnxruntime raises a separate class for each status, without a common base.
        raise SettingError(
            f"{path} cannot be loaded: {str(error).splitlines()[0]}",
            hint="Use a model that onnxruntime can run, or download it again.",
        ) from error
    strange = {one.name for one in session.get_inputs()} - _KNOWN
    if strange:
        raise SettingError(
            f"{path} needs unknown inputs: {', '.join(sorted(strange))}.",
            hint="Export the model for sentence embeddings, or as a cross-encoder.",
        )
    return session


_KNOWN = {"input_ids", "attention_mask", "token_type_ids"}


def _tokenizer(path: Path) -> Any:
    import tokenizers  # noqa: PLC0415 - an extra, and slow to import

    try:
        return tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:
        # The package raises plain ``Exception``.
        raise SettingError(
            f"{path} cannot be read: {error}.",
            hint="Use the tokenizer.json of the model, or download it again.",
        ) from error


def weighted(parts: "Sequence[tuple[NDArray[np.float32], int]]") -> "NDArray[np.float32]":
    """Return the weighted mean of vectors."""
    import numpy as np  # noqa: PLC0415 - slow to import

    vectors, counts = zip(*parts, strict=True)
    mean: NDArray[np.float32] = np.average(np.stack(vectors), axis=0, weights=counts)
    return mean
