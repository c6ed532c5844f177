"""What was written lately, for who follows a store."""

from itertools import count

MOST = 65_536
"""Writes that are remembered; then everything is read anew."""
_EPOCHS = count(1)


class News:
    """The exchanges that were begun or extended, in order; see ``ports.SupportsNews``."""

    def __init__(self) -> None:
        self.start_over()

    def start_over(self) -> None:
        """Let no mark that was given before tell anything any more."""
        self._epoch = next(_EPOCHS)
        self._written: list[str] = []

    def add(self, exchange: str) -> None:
        """An exchange was begun or extended."""
        if len(self._written) >= MOST:
            self.start_over()
        self._written.append(exchange)

    def since(self, mark: tuple[int, int] | None) -> tuple[tuple[int, int], list[str] | None]:
        """The mark of now, and what was written since another; None where that is not known."""
        now = self._epoch, len(self._written)
        if mark is None or mark[0] != self._epoch:
            return now, None
        return now, list(dict.fromkeys(self._written[mark[1] :]))
