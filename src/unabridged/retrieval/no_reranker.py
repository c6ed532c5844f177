"""The reranker that is none: it leaves the order as retrieval found it."""

from collections.abc import Sequence


class NoReranker:
    """Looks at nothing; what retrieval found stays in its order."""

    @property
    def identity(self) -> str:
        """``none``."""
        return "none"

    @property
    def depth(self) -> int:
        """0: it is never asked."""
        return 0

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:  # noqa: ARG002 - the port's
        """The same for every text, so that asking it changes no order either."""
        return [0.0] * len(texts)
