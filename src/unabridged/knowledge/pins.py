"""Pinned facts: what every prompt carries, because the user said so."""

from datetime import datetime

from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.views import Pin
from unabridged.errors import EmptyMessageError
from unabridged.ports import Store


def pin_words(store: Store, pin_id: str, text: str, at: datetime) -> Pin:
    """Pin words that the user gives.

    Raises:
        EmptyMessageError: There are none.
    """
    words = text.strip()
    if not words:
        raise EmptyMessageError("There is nothing to remember.", hint="Write /remember and a text.")
    return _put(store, Pin(pin_id, words, at))


def pin_exchange(store: Store, pin_id: str, exchange: Exchange, at: datetime) -> Pin:
    """Pin what the user said in an exchange.

    Raises:
        EmptyMessageError: The user's message has no words.
    """
    words = exchange.user.text.strip()
    if not words:
        raise EmptyMessageError("That message has no words.", hint="Pin another, or /remember.")
    return _put(store, Pin(pin_id, words, at, exchange.id))


def _put(store: Store, pin: Pin) -> Pin:
    """Store a pin, and give it back."""
    drawn = (pin.exchange,) if pin.exchange else ()
    body = {"text": pin.text, "pinned": True, "exchange": pin.exchange}
    store.put([Record(RecordKind.FACT, pin.id, pin.at, body, drawn)])
    return pin
