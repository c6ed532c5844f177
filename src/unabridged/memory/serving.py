"""Serving: what a heard request sends to the model, and what becomes of the answer.

The same steps as a turn's, in pieces, since between them a server passes the answer on.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from unabridged.budget.allocate import least_answer
from unabridged.dialogue.reply import Reply
from unabridged.dialogue.rounds import within
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.hearing import Heard, Wishes
from unabridged.domain.message import Message, Part, Reasoning, Role, Text
from unabridged.errors import ContextRefusedError
from unabridged.memory.facade import Memory

__all__ = ["Reply", "Sent", "keep", "ready", "shorter"]


@dataclass(frozen=True, slots=True)
class Sent:
    """What is sent to the model for one request.

    Attributes:
        context: The context that the exchange was begun with.
        messages: The prompt with the rounds behind it.
        max_output: The limit of the answer in tokens, or None.
        stored: Whether the answer is recorded.
        rounds: The messages behind the user's, as sent.
        notes: What a person should know: a tool's result that did not fit.
    """

    context: Context
    messages: tuple[Message, ...]
    max_output: int | None
    stored: bool
    rounds: tuple[Message, ...] = ()
    notes: tuple[str, ...] = ()


def ready(
    memory: Memory,
    heard: Heard,
    wishes: Wishes,
    stage: Callable[[str], AbstractContextManager[object]] = nullcontext,
) -> Sent:
    """Make what is sent, and store what the client said; when it returns, that is durable.

    Args:
        memory: The memory that heard it.
        heard: The request.
        wishes: What the client wants beside.
        stage: Entered around ``prepare`` and ``begin``, to measure them.

    Raises:
        HeadMovedError: Another writer was faster; hear it again.
        PromptTooLargeError: What must be sent does not fit. The user's message is not stored then,
            results of tools are.
    """
    known = heard.open
    with stage("prepare"):
        context = memory.thawed(known.id) if known else memory.prepare_heard(heard, wishes)
    if heard.stored:
        with stage("begin"):
            if known is None:
                memory.begin(context)
            if heard.new_rounds:
                memory.step(context, heard.new_rounds)
    return _sent(memory, context, heard.rounds, stored=heard.stored)


def shorter(memory: Memory, sent: Sent, refusal: ContextRefusedError) -> Sent:
    """Make it anew with what a refusal for length taught.

    A prompt that is frozen, since a tool loop is on, stays as it is: the answer's limit gives way.

    Raises:
        ContextRefusedError: The refusal, where nothing can be made shorter.
        PromptTooLargeError: What must be sent does not fit the window that the server has.
    """
    if sent.rounds:
        return _less(sent, refusal)
    if not sent.stored:
        raise refusal
    return _sent(memory, memory.prepare_again(sent.context, refusal), (), stored=sent.stored)


def _less(sent: Sent, refusal: ContextRefusedError) -> Sent:
    """The same with a lower limit of the answer."""
    if refusal.window is None or refusal.prompt_tokens is None or sent.max_output is None:
        raise refusal
    room = refusal.window - refusal.prompt_tokens
    if not least_answer(refusal.window) <= room < sent.max_output:
        raise refusal
    return replace(sent, max_output=room)


def _sent(memory: Memory, context: Context, rounds: Sequence[Message], *, stored: bool) -> Sent:
    """The prompt with rounds that fit what it leaves."""
    room = context.ledger.window - context.ledger.prompt_tokens - context.budget.margin
    told: list[Message] = []
    notes: list[str] = []
    for group in _groups(rounds):
        fitting, said = within(group, room, [*told], memory.weigh, context)
        told += fitting
        notes += said
    limit = context.max_output
    if limit is not None and told:
        limit = min(limit, max(1, room - memory.weigh(told)))
    messages = (*context.prompt, *told)
    return Sent(context, messages, limit, stored, tuple(told), tuple(notes))


def _groups(rounds: Sequence[Message]) -> list[list[Message]]:
    """Rounds one by one: each begins with what the assistant said."""
    groups: list[list[Message]] = []
    for message in rounds:
        if message.role is Role.ASSISTANT or not groups:
            groups.append([])
        groups[-1].append(message)
    return groups


def keep(memory: Memory, sent: Sent, reply: Reply, *, broken: bool = False) -> Exchange | None:
    """Store what came; when it returns, that is durable.

    Args:
        memory: The memory.
        sent: What was sent.
        reply: What came of it.
        broken: Whether it broke off.

    Returns:
        The exchange as stored; None where the request is not to be recorded.
    """
    if not sent.stored:
        return None
    if broken:
        reply.calls.clear()
    parts = _continued(sent, reply.parts)
    message = memory.message(Role.ASSISTANT, parts) if parts else None
    if message is not None and message.calls:
        return memory.step(sent.context, [message])
    usage = None if sent.rounds else reply.usage
    state = _state(sent, reply, broken=broken)
    return memory.record(sent.context, message, state=state, usage=usage)


def _continued(sent: Sent, parts: list[Part]) -> list[Part]:
    """The parts of an answer whose beginning the client gave, with that beginning."""
    last = sent.rounds[-1] if sent.rounds else None
    if last is None or last.role is not Role.ASSISTANT or last.calls:
        return parts
    said = [part.text for part in parts if isinstance(part, Text)]
    thought = [part for part in parts if isinstance(part, Reasoning)]
    called = [part for part in parts if not isinstance(part, Text | Reasoning)]
    return [*thought, Text(last.text + "".join(said)), *called]


def _state(sent: Sent, reply: Reply, *, broken: bool) -> ExchangeState:
    """How far the exchange came."""
    came = bool("".join(reply.text)) or bool(sent.rounds)
    if broken or not reply.parts:
        return ExchangeState.INCOMPLETE if came else ExchangeState.UNANSWERED
    return ExchangeState.INCOMPLETE if reply.finish == "length" else ExchangeState.COMPLETE
