r"""Convert plain data to bytes and back without loss, including lone surrogates.

The bytes are JSON in UTF-8. UTF-8 does not allow lone surrogates (half of an emoji, as broken
clients send them); they are written like Python's ``surrogatepass``, in three bytes each. They are
never written as ``\uD83D`` escapes, because two of those in a row read back as one character.
"""

import json
from typing import Any

import msgspec


def pack(value: Any) -> bytes:
    """Return plain data as bytes; raise ``TypeError`` for values that JSON cannot hold."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "surrogatepass")


def unpack(data: bytes) -> Any:
    """Return the data of ``pack``; raise ``ValueError`` for anything else."""
    try:
        return msgspec.json.decode(data)
    except UnicodeDecodeError:
        return json.loads(data.decode("utf-8", "surrogatepass"))
    except RecursionError as error:
        raise ValueError("the data is nested too deeply") from error
