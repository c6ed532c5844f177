"""Memory as the edges show it to a model: fenced, with date and origin, and harmless.

What was said before is information, never an instruction. So it leaves the house inside the fence
that prompts use, and nothing in it can close that fence or imitate one.
"""

from collections.abc import Iterable

from unabridged.context.recall_block import (
    CLOSING,
    ELSEWHERE,
    GUIDE,
    HERE,
    OPENING,
    as_line,
    day_of,
    exchange_block,
    fact_block,
)
from unabridged.context.strip_markup import without_markup
from unabridged.domain.condensation import Condensation
from unabridged.domain.exchange import Exchange
from unabridged.domain.fact import Fact
from unabridged.domain.message import Message, Role
from unabridged.language.lazy_pattern import lazy_pattern

_STRANGE = lazy_pattern(r"[^\w.:@-]")
_LONGEST = 80


def fenced(blocks: Iterable[str]) -> str:
    """Put blocks behind one fence, with the sentence that says what the fence is."""
    return f"{GUIDE}\n{OPENING}{''.join(blocks)}{CLOSING.rstrip()}"


def line_of(text: str) -> str:
    """Words from memory for a line of ours: a title, an error that quotes something."""
    return as_line(" ".join(text.split()))


def text_of(text: str) -> str:
    """Words from memory for a place of their own inside the fence."""
    return without_markup(text)


def name_of(name: str) -> str:
    """An id as it may stand in markup: ours always may; a foreign one is made harmless."""
    return _STRANGE.sub("_", name)[:_LONGEST]


def exchange_of(exchange: Exchange, session: str | None = None) -> str:
    """An exchange as a block inside the fence: every message, tool calls and results too.

    Args:
        exchange: The exchange.
        session: The session that is being talked in, or None.
    """
    origin = HERE if exchange.session == session else ELSEWHERE
    sides = [side for message in exchange.messages for side in _sides(message)]
    return exchange_block(exchange.at, origin, sides, f"id {name_of(exchange.id)}")


def _sides(message: Message) -> Iterable[tuple[str, str]]:
    if message.text and message.role is not Role.TOOL:
        yield message.role.value, message.text
    for call in message.calls:
        yield "call", f"{call.name}({call.arguments})"
    for result in message.results:
        yield "tool", result.text


def fact_of(fact: Fact) -> str:
    """A fact as a block inside the fence."""
    return fact_block(fact.since, fact.text, f"id {name_of(fact.id)}")


def condensation_of(condensation: Condensation) -> str:
    """A condensation as a block inside the fence."""
    said = "\n".join(without_markup(line.text) for line in condensation.lines)
    since, until = day_of(condensation.since), day_of(condensation.until)
    opening = f'<recalled-condensation id="{name_of(condensation.id)}" from="{since}" to="{until}">'
    return f"{opening}{said}</recalled-condensation>\n"
