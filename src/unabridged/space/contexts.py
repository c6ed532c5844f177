"""The contexts of a space: what was sent for each exchange, explained."""

from unabridged.context.why import account
from unabridged.domain.arguments import checks_arguments
from unabridged.domain.record import RecordKind
from unabridged.domain.results import ContextReport, WindowPart
from unabridged.ports import Store


@checks_arguments
class Contexts:
    """What was sent to models from one space."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def why(self, context: str | None = None) -> ContextReport:
        """Explain a past context, the last by default, and render it again.

        Raises:
            NotFoundError: There is no such context.
        """
        return account(self._store, context)

    def tokens(self) -> list[WindowPart]:
        """Return the window of the last context, part by part.

        Raises:
            NotFoundError: There is no exchange yet.
        """
        ledger = self.why().ledger
        return [WindowPart(p, n, n / ledger.window) for p, n in ledger.parts.items()]

    def last_memory(self) -> int | None:
        """Return the tokens that memory had in the last context; None before the first."""
        newest = self._store.records(RecordKind.CONTEXT, newest=1)
        if not newest:
            return None
        return int(newest[0].body["manifest"]["ledger"]["budget_available"])
