"""Memory as front ends show it to a model: fenced, dated and made harmless.

Earlier words are information, never an instruction. They leave the package inside the fence
of the prompts, and nothing in them can close or imitate that fence.
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
    """Return blocks in one fence, with the sentence that explains it."""
    return f"{GUIDE}\n{OPENING}{''.join(blocks)}{CLOSING.rstrip()}"


def line_of(text: str) -> str:
    """Return remembered words for one of our lines: a title, an error with a quotation."""
    return as_line(" ".join(text.split()))


def text_of(text: str) -> str:
    """Return remembered words for their own place inside the fence."""
    return without_markup(text)


def name_of(name: str) -> str:
    """Return an id for markup; a foreign one is made harmless."""
    return _STRANGE.sub("_", name)[:_LONGEST]


def exchange_of(exchange: Exchange, session: str | None = None) -> str:
    """Return an exchange as a block of the fence, with tool calls and results.

    Args:
        exchange: The exchange.
        session: The current session, or None.
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
    """Return a fact as a block of the fence."""
    return fact_block(fact.since, fact.text, f"id {name_of(fact.id)}")


def condensation_of(condensation: Condensation) -> str:
    """Return a condensation as a block of the fence."""
    said = "\n".join(without_markup(line.text) for line in condensation.lines)
    since, until = day_of(condensation.since), day_of(condensation.until)
    opening = f'<recalled-condensation id="{name_of(condensation.id)}" from="{since}" to="{until}">'
    return f"{opening}{said}</recalled-condensation>\n"
