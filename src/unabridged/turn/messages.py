"""Messages as callers give them: OpenAI-style dicts, or our own types."""

from collections.abc import Mapping, Sequence
from typing import Any

from unabridged.domain.message import Message
from unabridged.space.space import Space
from unabridged.wire import openai
from unabridged.wire.incoming_message import IncomingMessage


def drafts_from(messages: Sequence[IncomingMessage | Mapping[str, Any]]) -> list[IncomingMessage]:
    """Return messages without ids and times.

    Raises:
        InputError: A dict is no message.
    """
    given = list(messages)
    wires = [one for one in given if not isinstance(one, IncomingMessage)]
    if len(wires) == len(given):
        return list(openai.drafts(wires))
    return [one if isinstance(one, IncomingMessage) else openai.drafts([one])[0] for one in given]


def messages_from(space: Space, messages: Sequence[Message | Mapping[str, Any]]) -> list[Message]:
    """Return messages with fresh ids and the time; those that have them stay as they are.

    Raises:
        InputError: A dict is no message.
    """
    given = list(messages)
    drafts = iter(openai.drafts([one for one in given if not isinstance(one, Message)]))
    made: list[Message] = []
    for one in given:
        if isinstance(one, Message):
            made.append(one)
        else:
            draft = next(drafts)
            made.append(space.message(draft.role, draft.parts))
    return made
