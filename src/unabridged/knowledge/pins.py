"""Pinned facts: the user asked for them in every prompt."""

from datetime import datetime

from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import Pin
from unabridged.errors import EmptyMessageError, NotFoundError
from unabridged.knowledge.facts import Facts
from unabridged.ports import Store


def pin_words(store: Store, pin_id: str, text: str, at: datetime) -> Pin:
    """Pin a text of the user.

    Raises:
        EmptyMessageError: The text is empty.
    """
    words = text.strip()
    if not words:
        raise EmptyMessageError("There is nothing to remember.", hint="Give a text.")
    return _put(store, Pin(pin_id, words, at))


def pin_exchange(store: Store, pin_id: str, exchange: Exchange, at: datetime) -> Pin:
    """Pin the user's message of an exchange.

    Raises:
        EmptyMessageError: The user's message is empty.
    """
    words = exchange.user.text.strip()
    if not words:
        raise EmptyMessageError(
            "That message has no text.", hint="Pin another exchange, or a text."
        )
    return _put(store, Pin(pin_id, words, at, exchange.id))


def _put(store: Store, pin: Pin) -> Pin:
    drawn = (pin.exchange,) if pin.exchange else ()
    body = {"text": pin.text, "pinned": True, "exchange": pin.exchange}
    store.put([Record(RecordKind.FACT, pin.id, pin.at, body, drawn)])
    return pin


def pinned(facts: Facts) -> list[Pin]:
    """Return every pin, the oldest first."""
    return [Pin(fact.id, fact.text, fact.since, fact.exchange) for fact in facts.pinned()]


def unpin(facts: Facts, wanted: str) -> Pin:
    """Remove a pin by its id, the beginning of its id, or its number in the list (from 1).

    The text stays stored, so that the prompts that carried it can be rendered again.

    Raises:
        NotFoundError: No pin matches.
    """
    pins = pinned(facts)
    matches = [pin for pin in pins if pin.id.startswith(wanted)]
    if wanted.isdecimal() and 1 <= int(wanted) <= len(pins):
        matches = [pins[int(wanted) - 1]]
    if len(matches) != 1:
        raise NotFoundError(
            f"There is no pin {wanted!r}.", hint="Give its number, or its id from the list of pins."
        )
    facts.unpin(matches[0].id)
    return matches[0]
