r"""Plain data to bytes and back, losing nothing: also lone surrogates, which UTF-8 has no place for.

The bytes are JSON in UTF-8. Where a text holds lone surrogates (half of an emoji, as broken clients
send them), they are written as Python's ``surrogatepass`` writes them: three bytes each. They are
never written as ``\uD83D`` escapes, because two of those in a row read back as one character.
"""

import json
from typing import Any

import msgspec


def pack(value: Any) -> bytes:
    """Write plain data as bytes; a ``TypeError`` is raised for what JSON cannot hold."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "surrogatepass")


def unpack(data: bytes) -> Any:
    """Read what ``pack`` wrote; a ``ValueError`` is raised for anything else."""
    try:
        return msgspec.json.decode(data)
    except UnicodeDecodeError:
        return json.loads(data.decode("utf-8", "surrogatepass"))
