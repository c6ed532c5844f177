"""What a store proves its content by, and the fields of a message that are proved."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from unabridged.domain.hash_chain import MacKey
from unabridged.domain.message import Message, part_to_dict
from unabridged.stores.checkpoint_file import CheckpointFile
from unabridged.stores.json_codec import pack


@dataclass(frozen=True, slots=True)
class IntegrityPolicy:
    """What a store proves its content by.

    Attributes:
        anchor: What remembers outside the store how far it has come; None for nothing.
        now: Tells the time at which a store is sealed later; None leaves it out.
        strict: Whether a store that is not sealed under the key is refused; copies are not.
        adopts: Whether a store that was not sealed under the key is sealed with it now. Without
            it that is refused: who strips the seals of a file must not get them again.
    """

    mac_key: MacKey = field(default_factory=MacKey)
    anchor: CheckpointFile | None = None
    now: Callable[[], datetime] | None = None
    strict: bool = True
    adopts: bool = False


def fields_of(message: Message) -> tuple[bytes, ...]:
    """Give what was said, for its promise: all of a message that no forgetting changes."""
    return fields_from(
        message.id,
        message.role,
        message.at.isoformat(),
        message.tokens,
        message.tokenizer,
        parts=pack([part_to_dict(part) for part in message.parts]),
    )


def fields_from(*plain: str | int | None, parts: bytes) -> tuple[bytes, bytes]:
    """Return the same from id, role, time in ISO 8601, tokens, tokenizer, and the packed parts."""
    return pack(plain), parts
