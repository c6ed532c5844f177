"""Values that a server keeps between two calls: prepared contexts and plans to forget."""

import threading
from collections import OrderedDict
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from unabridged.domain.context import Context
from unabridged.domain.forgetting import ForgetPlan
from unabridged.ports import Clock

Value = TypeVar("Value")
MOST = 256
"""Values of each kind; beyond that, the oldest is dropped."""
LASTS = timedelta(minutes=30)
"""How long a value is kept."""


class PendingValues(Generic[Value]):
    """The newest values by owner and id, for half an hour.

    Args:
        clock: The time.
        most: The number of values to keep.
    """

    def __init__(self, clock: Clock, most: int = MOST) -> None:
        self._clock = clock
        self._most = most
        self._lock = threading.Lock()
        self._values: OrderedDict[tuple[str, ...], tuple[datetime, Value]] = OrderedDict()

    def put(self, owner: tuple[str, ...], name: str, value: Value) -> None:
        """Keep a value."""
        now = self._clock.now()
        with self._lock:
            self._values[(*owner, name)] = (now, value)
            self._values.move_to_end((*owner, name))
            while self._values:
                at, _ = next(iter(self._values.values()))
                if len(self._values) <= self._most and now - at <= LASTS:
                    break
                self._values.popitem(last=False)

    def get(self, owner: tuple[str, ...], name: str) -> Value | None:
        """Return a value; None if it is no longer kept."""
        with self._lock:
            at, value = self._values.get((*owner, name), (None, None))
        if at is None or self._clock.now() - at > LASTS:
            return None
        return value

    def drop(self, owner: tuple[str, ...], name: str) -> None:
        """Drop a value."""
        with self._lock:
            self._values.pop((*owner, name), None)


class Pending:
    """The values that one server keeps between two calls.

    Attributes:
        contexts: Prepared contexts, by id.
        plans: Plans to forget, by id.
    """

    def __init__(self, clock: Clock) -> None:
        self.contexts: PendingValues[Context] = PendingValues(clock)
        self.plans: PendingValues[ForgetPlan] = PendingValues(clock, 32)
