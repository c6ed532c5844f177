"""Reads the header of a GGUF file: its key-value pairs.

Format: ggml-org/ggml docs/gguf.md, versions 2 and 3, little endian. Only the beginning is read,
so it takes milliseconds for any model.
"""

import mmap
import struct
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from unabridged.errors import SettingError

_MAGIC = b"GGUF"
_STRING, _ARRAY = 8, 9
_SCALARS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_TEMPLATE = b"tokenizer.chat_template" + struct.pack("<I", _STRING)
_HEADER_BYTES = 1 << 26
"""The most bytes of the pairs: the largest vocabularies take about 10 MB."""
_MOST_TEXT = 1 << 24
"""The most bytes of one text; more means damage."""


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """The header of a model file.

    Attributes:
        name: The model's name, or the file's.
        family: Its architecture: ``llama``, ``qwen2`` …
        trained_window: Tokens that it was trained for, or None if unknown.
        tools: Whether its chat template has a place for tools.
    """

    name: str
    family: str
    trained_window: int | None
    tools: bool


def read_header(path: Path) -> GgufHeader:
    """Read a model file's header.

    Raises:
        SettingError: There is no such file, or it is not a GGUF file.
    """
    try:
        with path.open("rb") as file:
            values = _pairs(file, {"general.architecture", "general.name"}, ".context_length")
            template = _template(file)
    except FileNotFoundError as error:
        raise SettingError(
            f"There is no file {path}.", hint="Use the path of a GGUF file."
        ) from error
    except (OSError, ValueError, struct.error) as error:
        raise SettingError(
            f"{path} cannot be read as a GGUF model: {error}.",
            hint="Fetch the file again, or use another one.",
        ) from error
    family = str(values.get("general.architecture", ""))
    window = values.get(f"{family}.context_length")
    return GgufHeader(
        name=str(values.get("general.name") or path.stem),
        family=family,
        trained_window=window if isinstance(window, int) and window > 0 else None,
        tools="tools" in template,
    )


def _template(file: BinaryIO) -> str:
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        place = data.find(_TEMPLATE, 0, _HEADER_BYTES)
        if place < 0:
            return ""
        file.seek(place + len(_TEMPLATE))
        return _text(file)


def _pairs(file: BinaryIO, names: Collection[str], ending: str) -> dict[str, object]:
    if file.read(4) != _MAGIC:
        raise ValueError("it does not begin with GGUF")
    version, _tensors, count = struct.unpack("<IQQ", file.read(20))
    if version not in (2, 3):
        raise ValueError(f"version {version} of the format is unknown")
    found: dict[str, object] = {}
    for _ in range(count):
        key = _text(file)
        (kind,) = struct.unpack("<I", file.read(4))
        wanted = key in names or key.endswith(ending)
        value = _value(file, kind, keep=wanted)
        if wanted:
            found[key] = value
        if len(found) > len(names):
            break
    return found


def _text(file: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", file.read(8))
    if length > _MOST_TEXT:
        raise ValueError("a text in it has no end")
    data = file.read(length)
    if len(data) < length:
        raise ValueError("it ends too early")
    return data.decode("utf-8", "replace")


def _value(file: BinaryIO, kind: int, *, keep: bool) -> object:
    if kind == _STRING:
        return _text(file)
    if kind == _ARRAY:
        inner, count = struct.unpack("<IQ", file.read(12))
        if inner in _SCALARS and not keep:
            file.seek(struct.calcsize("<" + _SCALARS[inner]) * count, 1)
            return None
        for _ in range(count):
            _value(file, inner, keep=False)
        return None
    code = _SCALARS.get(kind)
    if code is None:
        raise ValueError(f"a value in it has the unknown type {kind}")
    (value,) = struct.unpack("<" + code, file.read(struct.calcsize("<" + code)))
    return value
