"""Plain message lines out: role, content, time, session. What every other program can read.

It keeps the words of the current path only; ``unabridged.write_jsonl`` is what loses nothing.
"""

from collections.abc import Iterable
from typing import BinaryIO

import msgspec

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Role
from unabridged.domain.results import Transcript
from unabridged.transfer.current_path import current_path

_HALVES = "replace"


def write_messages(conversations: Iterable[Transcript], stream: BinaryIO) -> int:
    """Write a message a line.

    Returns:
        How many messages were written.
    """
    count = 0
    for conversation in conversations:
        for exchange in current_path(conversation):
            count += _exchange(exchange, conversation, stream)
    return count


def _exchange(exchange: Exchange, conversation: Transcript, stream: BinaryIO) -> int:
    count = 0
    for message in exchange.messages:
        if message.role not in (Role.USER, Role.ASSISTANT) or not message.text:
            continue
        line = {
            "role": message.role.value,
            "content": message.text.encode("utf-8", _HALVES).decode(),
            "time": message.at.isoformat(),
            "session": conversation.session.id,
            "id": message.id,
        }
        if exchange.model and message.role is Role.ASSISTANT:
            line["model"] = exchange.model
        stream.write(msgspec.json.encode(line) + b"\n")
        count += 1
    return count
