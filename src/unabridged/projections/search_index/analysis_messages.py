"""What goes through the pipes of the process that analyses: texts there, arrays back."""

from collections.abc import Iterable, Iterator, Sequence
from struct import Struct
from typing import IO, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from unabridged.index.indexed_exchange import Vectors, Words
from unabridged.retrieval.analyze import AnalyzedExchange, Texts

_LENGTH = Struct("<Q")
_encode = msgspec.msgpack.Encoder().encode
_KINDS: Sequence[Any] = (np.uint64, np.uint8, np.uint8, np.uint16, np.int8, np.float32, np.uint8)


def write_frame(stream: IO[bytes], data: bytes) -> None:
    """Write one message, whole."""
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes:
    """Read one message.

    Raises:
        EOFError: The stream ended; within a message or before one.
    """
    (length,) = _LENGTH.unpack(_read(stream, _LENGTH.size))
    return _read(stream, length)


def _read(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data


def pack_texts(given: Iterable[Texts]) -> bytes:
    """Pack the texts of exchanges; lone surrogates are kept."""
    return _encode([[text.encode("utf-8", "surrogatepass") for text in texts] for texts in given])


def unpack_texts(data: bytes) -> list[Texts]:
    """Return what ``pack_texts`` packed."""
    packed = msgspec.msgpack.decode(data, type=list[tuple[bytes, bytes, bytes]])
    return [(_text(user), _text(answer), _text(tools)) for user, answer, tools in packed]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def pack_results(made: Sequence[AnalyzedExchange], dimension: int) -> bytes:
    """Pack what was read of exchanges, all with vectors."""
    vectors = [one.vectors for one in made if one.vectors is not None]
    if len(vectors) < len(made):
        raise ValueError("an exchange without vectors")
    columns: list[list[NDArray[Any]]] = [
        [one.words.keys for one in made],
        [one.words.user for one in made],
        [one.words.answer for one in made],
        [one.pieces for one in made],
        [one.codes for one in vectors],
        [one.scales for one in vectors],
        [one.sides for one in vectors],
    ]
    counts = [list(map(len, columns[at])) for at in (0, 3, 4)]
    return _encode((dimension, counts, [np.concatenate(each).tobytes() for each in columns]))


def unpack_results(data: bytes) -> list[AnalyzedExchange]:
    """Return what ``pack_results`` packed."""
    dimension, counts, columns = msgspec.msgpack.decode(
        data, type=tuple[int, tuple[list[int], list[int], list[int]], list[bytes]]
    )
    arrays = [np.frombuffer(each, kind) for each, kind in zip(columns, _KINDS, strict=True)]
    arrays[4] = arrays[4].reshape(-1, dimension)
    words, pieces, vectors = counts
    columns_of_each = [
        _cut(array, held)
        for array, held in zip(arrays, (words, words, words, pieces, *[vectors] * 3), strict=True)
    ]
    return [
        AnalyzedExchange(Words(keys, user, answer), found, Vectors(codes, scales, sides))
        for keys, user, answer, found, codes, scales, sides in zip(*columns_of_each, strict=True)
    ]


def _cut(array: NDArray[Any], counts: Iterable[int]) -> Iterator[NDArray[Any]]:
    start = 0
    for count in counts:
        yield array[start : start + count]
        start += count
