"""Divide a window: the fixed parts, this message, the answer, then memory, then the reserve.

Shares are of the window, from 0 to 1.

A system prompt, tools or a message larger than their share take from the reserve, then from memory,
then from the reserve's floor, and last from the answer, down to the least answer.

``max_prompt_tokens`` takes from memory only. If system prompt, tools and message alone exceed it,
they are still sent, since nothing of them may be cut; memory is then 0. For a client's request it
bounds what memory adds to it. ``memory_cap`` also takes
from memory only. What these limits take is the part ``unused``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from unabridged.domain.budget import Budget, Mode, Verbosity
from unabridged.errors import PromptTooLargeError, SettingError

LEAST_WINDOW = 512
"""Tokens of the smallest window that is divided."""

MARGIN_SHARE = 0.05
"""The safety margin before calibration has proved a smaller one."""

ANSWER_LOW = 0.15
"""The answer's share at complexity 0."""

RESERVE_FLOOR = 0.02
"""What the reserve keeps before memory takes its part."""


@dataclass(frozen=True, slots=True)
class WindowShares:
    """The shares of one mode.

    Attributes:
        system: The expected share of the system prompt.
        tools: The expected share of the tool definitions.
        answer_high: The answer's share at complexity 1, by verbosity.
        memory_cap: The most that memory takes while system prompt and tools stay within their
            shares.
    """

    system: float
    tools: float
    answer_high: Mapping[Verbosity, float]
    memory_cap: float


SHARES: Mapping[Mode, WindowShares] = MappingProxyType(
    {
        Mode.TOOLS: WindowShares(
            system=0.03,
            tools=0.06,
            answer_high={
                Verbosity.CONCISE: 0.25,
                Verbosity.BALANCED: 0.35,
                Verbosity.DETAILED: 0.45,
            },
            memory_cap=0.60,
        ),
        Mode.CHAT: WindowShares(
            system=0.006,
            tools=0.0,
            answer_high={
                Verbosity.CONCISE: 0.20,
                Verbosity.BALANCED: 0.25,
                Verbosity.DETAILED: 0.30,
            },
            memory_cap=0.80,
        ),
    }
)

LEAST_ANSWER_TOKENS = 256
"""Tokens that an answer needs to be worth asking for …"""

LEAST_ANSWER_SHARE = 0.10
"""… or this share of the window, if that is less."""


@dataclass(frozen=True, slots=True)
class _Fixed:
    """The parts that cannot shrink, in tokens."""

    system: int
    tools: int
    message: int
    history: int
    margin: int

    @property
    def total(self) -> int:
        return self.prompt + self.margin

    @property
    def prompt(self) -> int:
        return self.system + self.tools + self.message + self.history


def allocate(  # noqa: PLR0913 - a window has nine parts, all by keyword
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
    history_tokens: int | None = None,
) -> Budget:
    """Divide a window into whole tokens that add up to it exactly.

    Args:
        window: Tokens that prompt and answer may take together; at least 512.
        mode: Chooses the shares.
        verbosity: How far the answer's share grows.
        complexity: 0 to 1, of the message; values outside are clamped.
        system_tokens: The system prompt.
        tool_tokens: The tool definitions.
        message_tokens: This message and the template's overhead.
        margin_share: The safety margin's share of the window, 0 to 1.
        max_prompt_tokens: The most tokens of the prompt, or None.
        memory_cap: The most tokens of memory, or None.
        history_tokens: What a client sent before this message; ``max_prompt_tokens`` then bounds
            only what memory adds, and the margin yields to the request. None without a client.

    Raises:
        PromptTooLargeError: What must be sent, a least answer and the margin exceed the window.
        SettingError: The window is smaller than 512 tokens.
    """
    shares = SHARES[mode]
    complexity = min(1.0, max(0.0, complexity))
    margin = round(margin_share * window)
    fixed = _Fixed(system_tokens, tool_tokens, message_tokens, history_tokens or 0, margin)
    if history_tokens is not None:
        fixed = _yielding(fixed, window)
    _check_fits(fixed, shares, window)
    room = window - fixed.total
    answer = min(_wanted_answer(shares, verbosity, complexity, window), room)
    floor = round(RESERVE_FLOOR * window)
    memory = max(0, min(_memory_cap(shares, fixed, window), room - answer - floor))
    if max_prompt_tokens is not None and history_tokens is None:
        max_prompt_tokens = max(0, max_prompt_tokens - fixed.prompt)
    bounds = {"max_prompt_tokens": max_prompt_tokens, "memory_cap": memory_cap}
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
        history=fixed.history,
    )


def _yielding(fixed: _Fixed, window: int) -> _Fixed:
    spare = window - fixed.prompt - least_answer(window)
    return replace(fixed, margin=max(0, min(fixed.margin, spare)))


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
    """Return the tokens that an answer needs to be worth asking for."""
    return min(LEAST_ANSWER_TOKENS, round(LEAST_ANSWER_SHARE * window))


def output_limit(
    *,
    window: int,
    prompt: int,
    margin: int,
    cap: int | None = None,
    hosted: bool = False,
    asked: int | None = None,
) -> int | None:
    """Return ``num_predict`` or ``max_tokens`` for a request, at least 1; None to send no limit.

    The answer's share of the budget is room kept free, not a limit: the answer may use all that the
    prompt leaves.

    Args:
        window: Tokens that prompt and answer may take together.
        prompt: Planned tokens of the prompt.
        margin: Tokens kept for counting errors.
        cap: The most that the model can produce, or None if unknown.
        hosted: Whether the server is a hosted one, which refuses limits above its cap.
        asked: The limit that the caller set; it is passed on unchanged.
    """
    if asked is not None:
        return asked
    if cap is None and hosted:
        return None
    room = max(1, window - prompt - margin)
    return room if cap is None else min(room, cap)


def _wanted_answer(
    shares: WindowShares, verbosity: Verbosity, complexity: float, window: int
) -> int:
    more = complexity * (shares.answer_high[verbosity] - ANSWER_LOW)
    return round((ANSWER_LOW + more) * window)


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
