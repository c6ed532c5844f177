"""How many tokens an exchange takes in each form in which it can go into a prompt."""

from collections.abc import Sequence
from datetime import UTC, datetime

from unabridged.budget.count import Counter
from unabridged.context.recall_block import CLOSING, ELSEWHERE, OPENING, exchange_block
from unabridged.context.render import (
    BRIEFS_CLOSING,
    BRIEFS_OPENING,
    brief_lines,
    history_messages,
    recalled_block,
)
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Role

Places = Sequence[tuple[int, int]]
_ANY_DAY = datetime(2026, 11, 21, 12, 34, tzinfo=UTC)
"""Every date takes the same tokens, so that the markup is counted once."""


def in_history(exchange: Exchange, counter: Counter, places: Places = ()) -> int:
    """Tokens of an exchange as messages of this session, their template included."""
    return sum(counter.message(message) for message in history_messages(exchange, places))


def in_fence(exchange: Exchange, counter: Counter, places: Places = ()) -> int:
    """Tokens of an exchange inside the fence.

    A whole one is priced by the counts that are stored with its messages and the markup around.
    """
    if places:
        return counter.text(recalled_block(exchange, None, places))
    said = [m for _, m in exchange.spoken]
    markup = exchange_block(_ANY_DAY, ELSEWHERE, [(m.role.value, "") for m in said])
    return counter.text(markup) + sum(map(counter.parts, said))


def in_brief(exchange: Exchange, counter: Counter, places: Places) -> int:
    """Tokens of a few sentences of an exchange in the block that short excerpts share."""
    return counter.text(brief_lines(exchange, places))


def briefs_frame(counter: Counter) -> int:
    """Tokens of that block itself."""
    return counter.text(BRIEFS_OPENING) + counter.text(BRIEFS_CLOSING)


def fence_frame(counter: Counter) -> int:
    """Tokens of the fence itself."""
    return counter.text(OPENING) + counter.text(CLOSING)


def sides(exchange: Exchange, counter: Counter) -> tuple[int, int]:
    """Tokens of the user's side and of the other, tool calls and results included."""
    user = sum(counter.message(m) for m in exchange.messages if m.role is Role.USER)
    rest = sum(counter.message(m) for m in exchange.messages if m.role is not Role.USER)
    return user, rest
