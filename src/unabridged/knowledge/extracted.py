"""What was drawn from an exchange and is not stored yet; word for word, or not at all."""

from dataclasses import dataclass, replace

from unabridged.domain.exchange import Exchange
from unabridged.domain.fact import SELF
from unabridged.knowledge.statements import Statement, derived_id


@dataclass(frozen=True, slots=True)
class ExtractedStatement:
    """A statement before it is tied to its exchange.

    Attributes:
        attribute: What of the subject.
        value: What it is.
        quote: The words that say so.
        text: As people and prompts read it; empty to take the quote.
        subject: Whom it is about.
        place: Where in the message the quote begins.
        corrects: Whether it says itself that it takes the place of what was said before.
    """

    attribute: str
    value: str
    quote: str
    text: str = ""
    subject: str = SELF
    place: int = 0
    corrects: bool = False


def tied(drawn: ExtractedStatement, exchange: Exchange, by: str) -> Statement | None:
    """Tie what was drawn to the exchange; None where its words do not stand there, word for word."""
    if not drawn.quote.strip() or drawn.quote not in exchange.user.text:
        return None
    statement = Statement(
        id="",
        text=drawn.text or drawn.quote,
        since=exchange.at,
        subject=drawn.subject,
        attribute=drawn.attribute,
        value=drawn.value,
        quote=drawn.quote,
        exchange=exchange.id,
        by=by,
        place=drawn.place,
        corrects=drawn.corrects,
    )
    return replace(statement, id=derived_id(statement))
