"""The reranker that is none: it leaves the order as retrieval found it."""

from collections.abc import Sequence


class NoReranker:
    """Looks at nothing; what retrieval found stays in its order."""

    @property
    def identity(self) -> str:
        return "none"

    @property
    def depth(self) -> int:
        return 0

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:  # noqa: ARG002 - the port's
        return [0.0] * len(texts)
