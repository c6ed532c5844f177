"""The common part of embedders that use a server.

One request has many texts. If the server refuses a text for its length, it gets two halves, whose
vectors are averaged by length. So no text is cut off.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from unabridged.embeddings.prompt_prefixes import Prompts
from unabridged.embeddings.vectors import checked, unit
from unabridged.errors import ContextRefusedError, UpstreamBrokenError
from unabridged.net.http import HttpUpstream

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

Ask = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Returns the server's vectors: one for each text, in order."""

BATCH_TEXTS = 64
"""The most texts in one request."""
BATCH_CHARS = 50_000
"""The most characters in one request, unless one text has more."""
LEAST_CHARS = 200
"""The shortest text that is halved; a refusal of a shorter one is an error."""
_GAP = re.compile(r"(?<=[.!?。！？])\s+|\n+|\s+")


class ServedEmbedder:
    """An embedder that uses a server; the dialect defines its identity and requests."""

    def __init__(self, server: HttpUpstream, prompts: Prompts, ask: Ask) -> None:
        self._server = server
        self._prompts = prompts
        self._asking = Asking(ask)

    @property
    def dimension(self) -> int:
        return self._asking.dimension

    @property
    def instant(self) -> bool:
        return False

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return the vectors of stored texts.

        Raises:
            ModelNotFoundError: The server does not have the model.
            UpstreamError: Any other failure.
        """
        return self._asking.vectors([_behind(self._prompts.passage, text) for text in texts])

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        found: NDArray[np.float32] = self._asking.vectors([_behind(self._prompts.query, text)])[0]
        return found

    def known(self, text: str) -> float:  # noqa: ARG002 - the port's
        return 1.0

    def close(self) -> None:
        self._server.close()


def _behind(words: str, text: str) -> str:
    return words + text if text.strip() else ""


class Asking:
    """Turns texts into vectors by asking a server."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._dimension = 0

    @property
    def dimension(self) -> int:
        """Numbers in a vector; asks the server for a vector if there was none yet."""
        if not self._dimension:
            self.vectors(["dimension"])
        return self._dimension

    def vectors(self, texts: Sequence[str]) -> "Floats":
        """Return the vectors of texts; blank texts get zeros without a request.

        Raises:
            UpstreamError: The server failed, or its vectors are invalid.
        """
        import numpy as np  # noqa: PLC0415 - slow to import

        said = [place for place, text in enumerate(texts) if text.strip()]
        rows = [row for batch in _batches([texts[p] for p in said]) for row in self._batch(batch)]
        out = np.zeros((len(texts), self._dimension or self.dimension), np.float32)
        if said:
            out[said] = unit(np.stack(rows))
        return out

    def _batch(self, texts: Sequence[str]) -> "Sequence[Floats]":
        try:
            return list(self._asked(texts))
        except ContextRefusedError:
            if len(texts) > 1:
                return [row for text in texts for row in self._batch([text])]
            return [self._halved(texts[0])]

    def _halved(self, text: str) -> "Floats":
        halves = halve(text)
        if not halves:
            raise UpstreamBrokenError(
                f"The server refuses a text of {len(text)} characters for its length.",
                hint="Choose an embedder with a longer window, or raise the server's window.",
            )
        first, second = (unit(self._batch([half])[0][None])[0] * len(half) for half in halves)
        mean: Floats = (first + second) / len(text)
        return mean

    def _asked(self, texts: Sequence[str]) -> "Floats":
        found = checked(self._ask(texts), len(texts))
        if self._dimension and found.shape[1] != self._dimension:
            raise UpstreamBrokenError(
                f"The server returned vectors of {found.shape[1]} numbers after some of "
                f"{self._dimension}.",
                hint="Check that one model answers; then run `unabridged models reembed`.",
            )
        self._dimension = found.shape[1]
        return found


def halve(text: str) -> tuple[str, str] | None:
    """Split a text near its middle: between sentences or lines, else words, else anywhere.

    Returns:
        The halves, or None if it is too short.
    """
    if len(text) <= LEAST_CHARS:
        return None
    middle, reach = len(text) // 2, len(text) // 4
    gaps = [gap for gap in _GAP.finditer(text, middle - reach, middle + reach) if gap.end()]
    ends = [gap.end() for gap in gaps if _parts(text, gap)] or [gap.end() for gap in gaps]
    cut = min(ends, key=lambda end: abs(end - middle), default=middle)
    return text[:cut], text[cut:]


def _parts(text: str, gap: re.Match[str]) -> bool:
    return "\n" in gap.group() or text[gap.start() - 1] in ".!?。！？"


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for text in texts:
        full = len(batch) == BATCH_TEXTS or sum(map(len, batch), len(text)) > BATCH_CHARS
        if batch and full:
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch
