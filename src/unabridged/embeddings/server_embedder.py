"""What every embedder behind a server is: all but its name and how it asks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unabridged.embeddings.batches import Ask, Asking
from unabridged.embeddings.prompt_prefixes import Prompts
from unabridged.net.http import HttpUpstream

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ServedEmbedder:
    """An embedder behind a server; a dialect gives its identity and how it asks.

    Args:
        server: The server.
        prompts: What the model wants before texts and questions.
        ask: Asks it for one batch.
    """

    def __init__(self, server: HttpUpstream, prompts: Prompts, ask: Ask) -> None:
        self._server = server
        self._prompts = prompts
        self._asking = Asking(ask)

    @property
    def dimension(self) -> int:
        """Numbers in a vector; the server is asked where nothing was embedded yet."""
        return self._asking.dimension

    @property
    def instant(self) -> bool:
        """False: a request takes longer than recording."""
        return False

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Vectors of stored texts.

        Raises:
            ModelNotFoundError: The server does not have the model.
            UpstreamError: Any other failure.
        """
        return self._asking.vectors([_behind(self._prompts.passage, text) for text in texts])

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """The vector of a question; raises as ``embed``."""
        found: NDArray[np.float32] = self._asking.vectors([_behind(self._prompts.query, text)])[0]
        return found

    def known(self, text: str) -> float:  # noqa: ARG002 - the port's
        """1: such a model reads any text."""
        return 1.0

    def close(self) -> None:
        """Close the connections."""
        self._server.close()


def _behind(words: str, text: str) -> str:
    return words + text if text.strip() else ""
