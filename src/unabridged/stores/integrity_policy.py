"""How a store proves its content, and the fields of a message that it proves."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from unabridged.domain.hash_chain import MacKey
from unabridged.domain.message import Message, part_to_dict
from unabridged.stores.checkpoint_file import CheckpointFile
from unabridged.stores.json_codec import pack
from unabridged.stores.last_seen import LastSeen


@dataclass(frozen=True, slots=True)
class IntegrityPolicy:
    """How a store proves its content.

    Attributes:
        anchor: Stores checkpoints outside the store; None for none.
        seen: What the home last saw of each file; None for files elsewhere.
        now: Returns the time for a later seal; None leaves the time out.
        strict: Whether to refuse a store that is not sealed under the key; copies are accepted.
        adopts: Whether to seal a store that was not sealed under the key. By default it is refused:
            whoever removes the seals of a file must not get new ones.
    """

    mac_key: MacKey = field(default_factory=MacKey)
    anchor: CheckpointFile | None = None
    seen: LastSeen | None = None
    now: Callable[[], datetime] | None = None
    strict: bool = True
    adopts: bool = False


def fields_of(message: Message) -> tuple[bytes, ...]:
    """Return the proved fields of a message: those that forgetting never changes."""
    return fields_from(
        message.id,
        message.role,
        message.at.isoformat(),
        message.tokens,
        message.tokenizer,
        parts=pack([part_to_dict(part) for part in message.parts]),
    )


def fields_from(*plain: str | int | None, parts: bytes) -> tuple[bytes, bytes]:
    """Return them from id, role, time in ISO 8601, tokens, tokenizer and packed parts."""
    return pack(plain), parts
