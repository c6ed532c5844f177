"""Write plain message lines that every program can read: role, content, time, session.

They hold text only; the format ``jsonl`` loses nothing.
"""

from collections.abc import Iterable
from typing import BinaryIO

import msgspec

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Role
from unabridged.domain.results import Transcript
from unabridged.transfer.current_path import current_path

_HALVES = "replace"


def write_messages(
    conversations: Iterable[Transcript], stream: BinaryIO, *, branches: bool = False
) -> int:
    """Write one message per line: those of the current path, or of all branches.

    Returns:
        The number of exchanges written.
    """
    count = 0
    for conversation in conversations:
        path = conversation.exchanges if branches else current_path(conversation)
        count += len(path)
        for exchange in path:
            _exchange(exchange, conversation, stream)
    return count


def _exchange(exchange: Exchange, conversation: Transcript, stream: BinaryIO) -> None:
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
