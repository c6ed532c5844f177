"""The pins of a space: what every prompt carries, because the user said so."""

from unabridged.domain.arguments import checks_arguments
from unabridged.domain.exchange import Exchange
from unabridged.domain.results import Pin
from unabridged.knowledge import pins as pins_of
from unabridged.knowledge.facts import Facts
from unabridged.ports import Clock, Store


@checks_arguments
class Pins:
    """What every prompt of one space carries."""

    def __init__(self, store: Store, clock: Clock, facts: Facts) -> None:
        self._store = store
        self._clock = clock
        self._facts = facts

    def all(self) -> list[Pin]:
        """Return every pin, the oldest first."""
        return pins_of.pinned(self._facts)

    def add(self, text: str) -> Pin:
        """Pin words.

        Raises:
            EmptyMessageError: There are none.
        """
        return pins_of.pin_words(self._store, self._clock.new_id(), text, self._clock.now())

    def add_exchange(self, exchange: Exchange) -> Pin:
        """Pin what the user said in an exchange.

        Raises:
            EmptyMessageError: The user's message has no words.
        """
        return pins_of.pin_exchange(self._store, self._clock.new_id(), exchange, self._clock.now())

    def remove(self, wanted: str) -> Pin:
        """Take a pin off, by its id or its number in the list.

        Raises:
            NotFoundError: There is none, or several.
        """
        return pins_of.unpin(self._facts, wanted)
