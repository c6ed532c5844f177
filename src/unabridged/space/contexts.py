"""The contexts of a space: what was sent for each exchange, explained and restored."""

from collections import OrderedDict
from threading import Lock

from unabridged.context.restore_context import restore_context
from unabridged.context.why import account
from unabridged.domain.arguments import checks_arguments
from unabridged.domain.context import Context
from unabridged.domain.record import RecordKind
from unabridged.domain.results import ContextReport, WindowPart
from unabridged.domain.scope import Scope
from unabridged.ports import Store

KEPT = 256
"""Contexts of unfinished exchanges that are kept in memory."""


@checks_arguments
class Contexts:
    """What was sent to models from one space."""

    def __init__(self, store: Store, scope: Scope) -> None:
        self._store = store
        self._scope = scope
        self._lock = Lock()
        self._kept: OrderedDict[str, Context] = OrderedDict()

    def why(self, context: str | None = None) -> ContextReport:
        """Explain a past context, the last by default, and render it again.

        Raises:
            NotFoundError: There is no such context.
        """
        return account(self._store, context)

    def tokens(self) -> list[WindowPart]:
        """Return the window of the last context, part by part.

        Raises:
            NotFoundError: Nothing was said yet.
        """
        ledger = self.why().ledger
        return [WindowPart(p, n, n / ledger.window) for p, n in ledger.parts.items()]

    def last_memory(self) -> int | None:
        """Return the tokens that memory had in the last context; None before the first."""
        newest = self._store.records(RecordKind.CONTEXT, newest=1)
        if not newest:
            return None
        return int(newest[0].body["manifest"]["ledger"]["budget_available"])

    def restore(self, exchange: str) -> Context:
        """Return the context that an exchange was begun with, byte for byte.

        Raises:
            NotFoundError: It, or its context, is not there.
        """
        with self._lock:
            context = self._kept.get(exchange)
        if context is None:
            context = restore_context(self._store, self._scope, exchange)
        self.keep(context)
        return context

    def keep(self, context: Context) -> None:
        """Keep a context whose exchange may continue, so that it need not be read again."""
        with self._lock:
            self._kept[context.id] = context
            self._kept.move_to_end(context.id)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)

    def release(self, context: str) -> None:
        """Keep a context no longer: its exchange has its answer."""
        with self._lock:
            self._kept.pop(context, None)
