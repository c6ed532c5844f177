"""BERT's encoder as an ONNX graph with weights of 8 bits.

The network is that of Devlin et al., "BERT" (2018): embeddings, then layers of attention and of two
dense steps with GELU, each added to its input and normalised. Its operators are onnxruntime's own
(ContribOperators.md): ``GatherBlockQuantized`` looks up token vectors of 4 or 8 bits,
``DynamicQuantizeMatMul`` multiplies in whole numbers. One text runs at a time, so its vector does
not depend on others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unabridged.embeddings.graph import MICROSOFT, Graph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

BLOCK = 32
"""Numbers of a token's vector that share a scale."""
MOST = 63
"""The largest weight. With 7 bits no processor's 16-bit sums overflow (2 * 255 * 63 < 2^15), so
that all give the same vectors; processors without VNNI would saturate with 8."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How large a network is.

    Attributes:
        layers: Its layers.
        heads: Attention heads in each.
        width: Numbers for a token.
        epsilon: Keeps the normalisation from dividing by nothing.
    """

    layers: int
    heads: int
    width: int
    epsilon: float = 1e-12


@dataclass(frozen=True, slots=True)
class Table:
    """Token vectors in blocks.

    Attributes:
        data: Shape (tokens, bytes): each number plus half its range, the first of two in the low
            half of a byte where they have 4 bits.
        scales: Shape (tokens, blocks): a number is ``(data - half) * scale``.
        bits: 4 or 8.
    """

    data: "NDArray[np.uint8]"
    scales: "Floats"
    bits: int


def table_of(vectors: "Floats") -> Table:
    """Write token vectors, shape (tokens, width), with 8 bits."""
    import numpy as np  # noqa: PLC0415 - slow to import

    blocks = vectors.reshape(len(vectors), -1, BLOCK)
    scales = np.maximum(np.abs(blocks).max(axis=2), 1e-12) / 127
    data = (np.rint(blocks / scales[:, :, None]) + 128).astype(np.uint8)
    return Table(data.reshape(vectors.shape), scales.astype(np.float32), 8)


class _Builder:
    """Adds the parts of the network to a graph.

    Args:
        shape: How large it is.
        words: Its token vectors.
        weights: Its other numbers.
    """

    def __init__(self, shape: Shape, words: Table, weights: Mapping[str, "Floats"]) -> None:
        self.graph = Graph("bert")
        self._shape = shape
        self._words = words
        self._weights = weights

    def embedded(self, ids: str) -> str:
        """Add the sum of the embeddings of token, position and type, normalised."""
        import numpy as np  # noqa: PLC0415 - slow to import

        graph = self.graph
        word = graph.node(
            "GatherBlockQuantized",
            graph.constant(self._words.data),
            ids,
            graph.constant(self._words.scales),
            domain=MICROSOFT,
            gather_axis=0,
            quantize_axis=1,
            block_size=BLOCK,
            bits=self._words.bits,
        )
        length = graph.node("Shape", ids, start=1, end=2)
        zero, one = (graph.constant(np.array([n], np.int64)) for n in (0, 1))
        places = graph.constant(self._weights["positions"])
        place = graph.node("Slice", places, zero, length, zero, one)
        place = graph.node("Unsqueeze", place, zero)
        return self.added(word, place, "start")

    def times(self, given: str, name: str) -> str:
        """Add a dense step: a matrix of 7 bits with a scale for each output, and a bias."""
        import numpy as np  # noqa: PLC0415 - slow to import

        matrix = self._weights[name]
        scales = (np.maximum(np.abs(matrix).max(axis=1), 1e-12) / MOST).astype(np.float32)
        whole = np.rint(matrix / scales[:, None]).astype(np.int8)
        return self.graph.node(
            "DynamicQuantizeMatMul",
            given,
            self.graph.constant(np.ascontiguousarray(whole.T)),
            self.graph.constant(scales),
            "",
            self.graph.constant(self._weights[f"{name}.bias"]),
            domain=MICROSOFT,
        )

    def added(self, given: str, more: str, name: str, output: str = "") -> str:
        """Add two things and normalise them."""
        return self.graph.node(
            "SkipLayerNormalization",
            given,
            more,
            self.graph.constant(self._weights[f"{name}.scale"]),
            self.graph.constant(self._weights[f"{name}.shift"]),
            domain=MICROSOFT,
            output=output,
            epsilon=self._shape.epsilon,
        )

    def layer(self, given: str, number: int, output: str) -> str:
        """Add one layer."""
        graph, name = self.graph, str(number)
        three = self.times(given, f"{name}.attend")
        parts = graph.split("Split", three, outputs=("", "", ""), axis=2, num_outputs=3)
        heads = self._shape.heads
        seen = graph.node("MultiHeadAttention", *parts, domain=MICROSOFT, num_heads=heads)
        met = self.added(given, self.times(seen, f"{name}.join"), f"{name}.met")
        wide = graph.node("Gelu", self.times(met, f"{name}.widen"), domain=MICROSOFT)
        return self.added(met, self.times(wide, f"{name}.narrow"), f"{name}.out", output)


def build(shape: Shape, words: Table, weights: Mapping[str, "Floats"]) -> Graph:
    """Build the network: ``input_ids`` (1, length) in, ``last_hidden_state`` out.

    Args:
        shape: How large it is.
        words: Its token vectors.
        weights: ``positions`` (with the type's embedding added), ``start.scale``,
            ``start.shift``; for each layer the matrices ``0.attend`` (query, key and value
            stacked), ``0.join``, ``0.widen`` and ``0.narrow``, whose rows are outputs, each with
            its ``.bias``; ``0.met.scale``, ``0.met.shift``, ``0.out.scale``, ``0.out.shift``.
    """
    builder = _Builder(shape, words, weights)
    state = builder.embedded(builder.graph.input("input_ids", "int64", (1, "length")))
    for number in range(shape.layers):
        last = number == shape.layers - 1
        state = builder.layer(state, number, "last_hidden_state" if last else "")
    builder.graph.output(state, (1, "length", shape.width))
    return builder.graph
