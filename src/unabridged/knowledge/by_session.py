"""The statements of one session only, as if no other had ever existed."""

from collections.abc import Iterable

from unabridged.knowledge.statements import PERSON, Statement
from unabridged.ports import Store

PAGE = 500
"""Exchanges that are looked up at once."""


class SessionsByStatement:
    """Finds the sessions of statements."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._of: dict[str, str] = {}

    def within(self, statements: Iterable[Statement], session: str) -> list[Statement]:
        """Return the statements of a session, and those that a person stated."""
        every = list(statements)
        unknown = {s.exchange for s in every if s.exchange} - self._of.keys()
        names = sorted(name for name in unknown if name)
        for start in range(0, len(names), PAGE):
            found = self._store.get(names[start : start + PAGE])
            self._of |= {name: exchange.session for name, exchange in found.items()}
        return [s for s in every if self._is_within(s, session)]

    def _is_within(self, statement: Statement, session: str) -> bool:
        if statement.exchange is None:
            return statement.by == PERSON
        return self._of.get(statement.exchange) == session
