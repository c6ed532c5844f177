"""Checks of the messages that callers pass."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Protocol

from unabridged.domain.arguments import checked
from unabridged.domain.chat import Usage
from unabridged.domain.context import Context
from unabridged.domain.exchange import QUOTING, Exchange, ExchangeState
from unabridged.domain.message import Image, Message, Part, Role, Text
from unabridged.errors import EmptyMessageError, InputError
from unabridged.space.space import Space
from unabridged.turn.prepare import parts_of
from unabridged.wire.any_message import FORMS, one_message, read_messages, read_reply
from unabridged.wire.incoming_message import IncomingMessage

ROUND = "Store calls and results together: conversation.record_tools(context, [call, *results])."


class MakesMessages(Protocol):
    """Makes messages of the log: a space, or the client of one."""

    def message(self, role: Role, parts: Sequence[Part]) -> Message:
        """Return a message with a fresh id and the time."""
        ...


def question_parts(message: object, images: Sequence[str]) -> list[Part]:
    """Return the parts of the message to answer.

    Raises:
        EmptyMessageError: It is empty.
        InputError: It is not a user message.
    """
    if isinstance(message, str):
        return parts_of(str.__str__(message), images)
    read = one_message(message)
    said = [part for part in read.parts if isinstance(part, Text | Image)]
    parts: list[Part] = [*said, *(Image(uri) for uri in images)]
    if not read.text.strip() and not any(isinstance(part, Image) for part in parts):
        raise EmptyMessageError("The message is empty.", hint="Add some content.")
    return parts


def answer_of(
    space: MakesMessages, reply: object, usage: Usage | None, state: ExchangeState | str | None
) -> tuple[Message | None, Usage | None, ExchangeState]:
    """Return an answer, its usage and its state.

    Raises:
        InputError: It is not an answer.
    """
    read = read_reply(reply)
    message = stored_form(space, read.message) if read.message and read.message.parts else None
    if message is not None and message.role is not Role.ASSISTANT:
        raise InputError(
            f"The answer has the role {message.role.value!r}.",
            hint="Use a string, or a message of the role assistant.",
        )
    if message is not None and message.calls:
        names = ", ".join(call.name for call in message.calls)
        raise InputError(f"This reply calls tools ({names}); it is not the answer.", hint=ROUND)
    if state is None:
        cut = read.finish == "length"
        state = ExchangeState.INCOMPLETE if cut else ExchangeState.COMPLETE
    for name, tokens in asdict(usage).items() if usage else ():
        checked(f"usage.{name}", tokens, int | None)
    return message, usage or read.usage, ExchangeState(state)


def tool_round(space: MakesMessages, messages: object, exchange: Exchange | None) -> list[Message]:
    """Return the messages of a tool round: calls and results. Results may follow in a later round.

    Args:
        space: The space.
        messages: As the caller gave them.
        exchange: The exchange that they belong to, as stored so far.

    Raises:
        InputError: A result has no call, or it is not a round.
    """
    told = [stored_form(space, one) for one in read_messages(listed(messages), Role.ASSISTANT)]
    if not told or any(one.role not in (Role.ASSISTANT, Role.TOOL) for one in told):
        raise InputError("This is not a tool round.", hint=ROUND)
    known = [*(exchange.messages if exchange else ()), *told]
    calls = {call.id: call.name for one in known for call in one.calls}
    results = {result.call_id: result.name for one in known for result in one.results}
    if lone := [call for call in results if call not in calls]:
        name = lone[0] or results[lone[0]]
        raise InputError(f"{name!r} is a tool result without its call.", hint=ROUND)
    if not calls:
        raise InputError("This round calls no tool.", hint=ROUND)
    return told


def listed(messages: object) -> list[object]:
    """Return several messages as a list; one message is a list of one.

    Raises:
        InputError: It is not a list of messages.
    """
    single = isinstance(messages, str | Message | IncomingMessage)
    if single or hasattr(messages, "keys") or hasattr(messages, "model_dump"):
        return [messages]
    if not isinstance(messages, Iterable) or isinstance(messages, bytes | bytearray):
        raise InputError(
            f"A value of the type {type(messages).__name__} is not a list of messages.", hint=FORMS
        )
    return list(messages)


def stored_form(space: MakesMessages, read: Message | IncomingMessage) -> Message:
    """Return a message with an id and a time; one that has them stays as it is."""
    return read if isinstance(read, Message) else space.message(read.role, read.parts)


def own_context(space: Space, context: Context) -> Context:
    """Return a context whose answer comes from outside; refuse one of another memory.

    If the memory itself would have answered with quotations, the model is unknown: the answer is
    somebody else's, and must be found like any other.

    Raises:
        InputError: It was prepared for another user or agent.
    """
    theirs, ours = context.scope, space.scope
    if (theirs.user, theirs.agent) != (ours.user, ours.agent):
        raise InputError(
            f"This context was prepared in the memory of {theirs.user}/{theirs.agent}, "
            f"not in that of {ours.user}/{ours.agent}.",
            hint="Record it with the memory that prepared it.",
        )
    return answered_outside(context)


def answered_outside(context: Context) -> Context:
    """Return a context without the name of the quoting model, which does not answer it."""
    if context.scope.model != QUOTING:
        return context
    return replace(context, scope=replace(context.scope, model=None))
