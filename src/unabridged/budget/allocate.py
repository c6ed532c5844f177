"""Divide a window: the fixed parts, this message, the answer, then memory, then the reserve."""

from collections.abc import Mapping
from dataclasses import dataclass

from unabridged.budget.window_shares import (
    LEAST_ANSWER_SHARE,
    LEAST_ANSWER_TOKENS,
    LEAST_WINDOW,
    MARGIN_SHARE,
    SHARES,
    WindowShares,
)
from unabridged.domain.budget import Budget, Mode, Verbosity
from unabridged.errors import PromptTooLargeError, SettingError


@dataclass(frozen=True, slots=True)
class _Fixed:
    """The parts that cannot give way, in tokens."""

    system: int
    tools: int
    message: int
    margin: int

    @property
    def total(self) -> int:
        return self.system + self.tools + self.message + self.margin

    @property
    def prompt(self) -> int:
        return self.system + self.tools + self.message


def allocate(  # noqa: PLR0913 - the parts of a window are nine, all by keyword
    *,
    window: int,
    mode: Mode,
    verbosity: Verbosity,
    complexity: float,
    system_tokens: int,
    tool_tokens: int,
    message_tokens: int,
    margin_share: float = MARGIN_SHARE,
    max_prompt_tokens: int | None = None,
    memory_cap: int | None = None,
) -> Budget:
    """Divide a window into whole tokens that add up to it exactly (design, section 5).

    A system prompt, tools or a message larger than their share take from the reserve, then from
    memory, then from the reserve's floor, and last from the answer, down to the least answer.

    ``max_prompt_tokens`` takes from memory only. Where system prompt, tools and message alone
    exceed it, they are sent all the same, since nothing of them may be cut; memory is then 0.
    ``memory_cap`` takes from memory likewise. What either of them takes is the part ``unused``.

    Args:
        window: Tokens that prompt and answer may take together; at least 512.
        mode: Chooses the shares.
        verbosity: How far the answer's share grows.
        complexity: 0 to 1, of the message; values outside are taken as the nearer end.
        system_tokens: The system prompt as counted.
        tool_tokens: The tool definitions as counted.
        message_tokens: This message and the template's overhead as counted.
        margin_share: The safety margin's share of the window, 0 to 1.
        max_prompt_tokens: The most tokens that the prompt shall take, or None.
        memory_cap: The most tokens that memory shall take, or None.

    Raises:
        PromptTooLargeError: What must be sent, a least answer and the margin exceed the window.
        SettingError: The window is smaller than 512 tokens.
    """
    shares = SHARES[mode]
    complexity = min(1.0, max(0.0, complexity))
    fixed = _Fixed(system_tokens, tool_tokens, message_tokens, round(margin_share * window))
    _check_fits(fixed, shares, window)
    room = window - fixed.total
    answer = min(_wanted_answer(shares, verbosity, complexity, window), room)
    floor = round(shares.reserve_floor * window)
    memory = max(0, min(_memory_cap(shares, fixed, window), room - answer - floor))
    bounds = {"max_prompt_tokens": max_prompt_tokens, "memory_cap": memory_cap}
    if max_prompt_tokens is not None:
        bounds["max_prompt_tokens"] = max(0, max_prompt_tokens - fixed.prompt)
    allowed, bound = _bounded(memory, bounds)
    return Budget(
        window=window,
        system=fixed.system,
        tools=fixed.tools,
        message=fixed.message,
        answer=answer,
        memory=allowed,
        margin=fixed.margin,
        reserve=room - answer - memory,
        unused=memory - allowed,
        complexity=complexity,
        bound=bound,
    )


def _check_fits(fixed: _Fixed, shares: WindowShares, window: int) -> None:
    if window < LEAST_WINDOW:
        raise SettingError(
            f"A window of {window:,} tokens is too small to hold a conversation.",
            hint=f"Set a window of at least {LEAST_WINDOW} tokens.",
        )
    least = least_answer(window)
    if fixed.total + least > window:
        raise PromptTooLargeError(
            fixed.total + least, window, hint=_what_helps(fixed, shares, window)
        )


def _bounded(memory: int, bounds: Mapping[str, int | None]) -> tuple[int, str]:
    bound = ""
    for name, most in bounds.items():
        if most is not None and most < memory:
            memory, bound = most, name
    return memory, bound


def least_answer(window: int) -> int:
    """Tokens that an answer needs to be worth asking for, in a window."""
    return min(LEAST_ANSWER_TOKENS, round(LEAST_ANSWER_SHARE * window))


def _wanted_answer(
    shares: WindowShares, verbosity: Verbosity, complexity: float, window: int
) -> int:
    low = shares.answer_low
    return round((low + complexity * (shares.answer_high[verbosity] - low)) * window)


def _memory_cap(shares: WindowShares, fixed: _Fixed, window: int) -> int:
    spared = max(0, round(shares.system * window) - fixed.system)
    spared += max(0, round(shares.tools * window) - fixed.tools)
    return round(shares.memory_cap * window) + spared


def _what_helps(fixed: _Fixed, shares: WindowShares, window: int) -> str:
    ways = ["a larger window"]
    if fixed.system > shares.system * window:
        ways.append("a shorter system prompt")
    if fixed.tools > shares.tools * window:
        ways.append("fewer tools")
    if fixed.message > window // 4:
        ways.append("a shorter message, or the same in several messages")
    over = ", or ".join(ways)
    return f"What would help: {over}. Nothing was sent and nothing was cut."
