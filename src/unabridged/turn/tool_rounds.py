"""Tool rounds for the model: made harmless, within the window. They are stored whole."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from unabridged.budget.allocate import least_answer
from unabridged.context.render import harmless
from unabridged.domain.message import Message, Role, ToolCall, ToolResult
from unabridged.errors import PromptTooLargeError

STOPPED = "[stopped before it gave a result]"
LEFT_OUT = "[left out: this result takes {tokens:,} tokens and the window has {room:,} left]"


def stopped(call: ToolCall) -> ToolResult:
    """Return the result of a call that was stopped or never ran."""
    return ToolResult(call.id, call.name, STOPPED, failed=True)


def rounds_of(messages: Sequence[Message]) -> list[list[Message]]:
    """Return rounds one by one: each begins with what the assistant said."""
    rounds: list[list[Message]] = []
    for message in messages:
        if message.role is Role.ASSISTANT or not rounds:
            rounds.append([])
        rounds[-1].append(message)
    return rounds


def within(
    told: Sequence[Message],
    room: int,
    before: Sequence[Message],
    weigh: Callable[[Sequence[Message]], int],
    window: int,
) -> tuple[list[Message], list[str]]:
    """Return a round as it is sent.

    A result that does not fit the window is left out whole, never cut; a line reports it.

    Args:
        told: The message with the calls, then those with the results, as stored.
        room: Tokens that the window has for all rounds and the answer.
        before: The rounds that were sent before.
        weigh: Counts messages.
        window: Tokens that prompt and answer may take together.

    Returns:
        The messages to send, and notes for a person.

    Raises:
        PromptTooLargeError: Not even the calls fit.
    """
    sent = [harmless(message) for message in told]
    left = room - least_answer(window) - weigh(before)
    sizes = [weigh([message]) for message in sent]
    spare = left - sum(sizes)
    notes: list[str] = []
    for i in sorted(range(1, len(sent)), key=lambda i: -sizes[i]):
        if spare >= 0:
            break
        line = _left_out(sent[i], sizes[i], max(0, left))
        saved = sizes[i] - weigh([line])
        if saved > 0:
            sent[i], spare = line, spare + saved
            name = line.results[0].name
            notes.append(
                f"The result of {name} takes {sizes[i]:,} tokens: the model did not get it."
            )
    if spare < 0:
        raise PromptTooLargeError(
            window - spare,
            window,
            hint="Ask for less at once; the results of the tools are stored.",
        )
    return sent, notes


def _left_out(message: Message, tokens: int, room: int) -> Message:
    text = LEFT_OUT.format(tokens=tokens, room=room)
    return replace(message, parts=tuple(replace(r, text=text) for r in message.results))
