"""Writes a small neural network as an ONNX file: no package is needed for it.

Fields and numbers as in onnx/onnx.proto (IR version 10); protocol buffers as their documentation
gives the wire format: a key of field number and wire type, then a varint, four bytes, or a length
and so many bytes.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

IR_VERSION = 10
OPSET = 21
MICROSOFT = "com.microsoft"
"""The domain of the operators that onnxruntime has beside ONNX's own."""
_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "float16": 10}
_FLOAT, _INT, _STRING = 1, 2, 3
_VARINT, _BYTES, _FOUR = 0, 2, 5

Value = int | float | str
Size = int | str
"""A fixed length, or the name of one that the input decides."""


def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1  # negative numbers are written in two's complement of 64 bits
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _number(place: int, value: int) -> bytes:
    return _varint(place << 3 | _VARINT) + _varint(value)


def _bytes(place: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(place << 3 | _BYTES) + _varint(len(data)) + data


def _attribute(name: str, value: Value) -> bytes:
    if isinstance(value, float):
        body = _varint(2 << 3 | _FOUR) + struct.pack("<f", value) + _number(20, _FLOAT)
    elif isinstance(value, int):
        body = _number(3, value) + _number(20, _INT)
    else:
        body = _bytes(4, value) + _number(20, _STRING)
    return _bytes(5, _bytes(1, name) + body)


def _value(place: int, name: str, kind: int, sizes: Sequence[Size]) -> bytes:
    shape = b"".join(
        _bytes(1, _number(1, size) if isinstance(size, int) else _bytes(2, size)) for size in sizes
    )
    tensor = _number(1, kind) + _bytes(2, shape)
    return _bytes(place, _bytes(1, name) + _bytes(2, _bytes(1, tensor)))


@dataclass
class Graph:
    """A network that grows node by node.

    Every method that adds a node gives the name of what it computes, to be handed to the next.

    Attributes:
        name: What it is called.
    """

    name: str
    _parts: list[bytes] = field(default_factory=list)
    _counted: int = 0

    def input(self, name: str, kind: str, sizes: Sequence[Size]) -> str:
        """Add an input.

        Args:
            name: Its name.
            kind: The type of its numbers, as numpy calls it.
            sizes: Its shape.
        """
        self._parts.append(_value(11, name, _TYPES[kind], sizes))
        return name

    def output(self, name: str, sizes: Sequence[Size]) -> None:
        """Say that something computed, of type float32, is an output."""
        self._parts.append(_value(12, name, _TYPES["float32"], sizes))

    def constant(self, array: "NDArray[np.generic]") -> str:
        """Add numbers that never change."""
        name = self._new()
        dims = b"".join(_number(1, size) for size in array.shape)
        kind = _number(2, _TYPES[array.dtype.name])
        tensor = dims + kind + _bytes(8, name) + _bytes(9, array.tobytes())
        self._parts.append(_bytes(5, tensor))
        return name

    def node(
        self,
        kind: str,
        *inputs: str,
        domain: str = "",
        output: str = "",
        **attributes: Value,
    ) -> str:
        """Add a node with one output.

        Args:
            kind: The operator.
            *inputs: Names of what it takes; empty for an optional one that is left out.
            domain: The operator's domain; empty for ONNX's own.
            output: What to call its output; a fresh name where empty.
            **attributes: The operator's settings.
        """
        return self.split(kind, *inputs, domain=domain, outputs=(output,), **attributes)[0]

    def split(
        self,
        kind: str,
        *inputs: str,
        domain: str = "",
        outputs: Sequence[str],
        **attributes: Value,
    ) -> list[str]:
        """Add a node with several outputs; otherwise as ``node``."""
        names = [output or self._new() for output in outputs]
        body = b"".join(_bytes(1, name) for name in inputs)
        body += b"".join(_bytes(2, name) for name in names)
        body += _bytes(4, kind) + b"".join(_attribute(*pair) for pair in attributes.items())
        self._parts.append(_bytes(1, body + (_bytes(7, domain) if domain else b"")))
        return names

    def write(self) -> Iterator[bytes]:
        """Give the file, piece by piece, so that large weights are not copied once more."""
        opsets = _bytes(8, _number(2, OPSET))
        opsets += _bytes(8, _bytes(1, MICROSOFT) + _number(2, 1))
        yield _number(1, IR_VERSION) + _bytes(2, "unabridged") + opsets
        named = _bytes(2, self.name)
        length = len(named) + sum(map(len, self._parts))
        yield _varint(7 << 3 | _BYTES) + _varint(length)
        yield named
        yield from self._parts

    def _new(self) -> str:
        self._counted += 1
        return f"t{self._counted}"
