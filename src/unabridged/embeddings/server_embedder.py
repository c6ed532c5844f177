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
    """An embedder behind a server; a dialect gives its identity and how it asks."""

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
        """Vectors of stored texts.

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
