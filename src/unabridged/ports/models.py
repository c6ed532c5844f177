"""What models do: answering, embedding, condensing, looking closer."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from unabridged.domain.chat import Abilities, Address, ChatRequest, StreamChunk
from unabridged.domain.condensation import CondensationDraft, CondenseSource
from unabridged.errors import UpstreamError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@runtime_checkable
class ChatModel(Protocol):
    """A model that answers, wherever it runs."""

    @property
    def model(self) -> str:
        """The model's full name."""
        ...

    @property
    def provider(self) -> str:
        """What serves it: ``ollama``, ``openai``, ``gguf``, ``quote``, ``scripted``."""
        ...

    def abilities(self) -> Abilities:
        """What the model can do; from the server, a cache, a table or a default."""
        ...

    def chat(self, request: ChatRequest) -> Iterator[StreamChunk]:
        """Answer, piece by piece; the last chunk is ``done``. Closing the iterator stops it.

        Raises:
            ContextRefusedError: The server refused the prompt for its length.
            UpstreamError: Any other failure; the chunks so far are what came.
        """
        ...

    def close(self) -> None:
        """Let go of connections and memory."""
        ...


@runtime_checkable
class SupportsRelay(Protocol):
    """A model on a server, whose answers can be passed on byte for byte."""

    @property
    def address(self) -> Address:
        """Where the server listens, and which dialect it speaks."""
        ...

    def accent(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """A request's body in the server's own accent: fields that it refused before are mended."""
        ...

    def repair(self, refusal: UpstreamError) -> bool:
        """Learn from a refusal; whether the same request, in the new accent, is worth sending."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors whose inner product says how near their meanings are."""

    @property
    def identity(self) -> str:
        """Its name and version; vectors are comparable only under one identity."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        ...

    @property
    def instant(self) -> bool:
        """Whether it costs so little that an exchange is embedded while it is recorded."""
        ...

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return the vectors of stored texts, shape (texts, dimension).

        A text gets the same vector whatever is next to it: of length 1, or all zeros if nothing is known of
        it.

        Raises:
            UpstreamError: The server that embeds failed.
        """
        ...

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """The vector of a question, shape (dimension,); comparable with those of stored texts."""
        ...

    def known(self, text: str) -> float:
        """0 to 1: the share of a text that the vocabulary knows; how much its vector is worth."""
        ...

    def close(self) -> None:
        """Let go of connections and memory."""
        ...


class Lexicon(Protocol):
    """Knows how near single words are in meaning; what an exchange is compared with in detail."""

    def pieces(self, user: str, answer: str) -> "NDArray[np.uint16]":
        """The word pieces of an exchange, sentence by sentence, each once in a sentence.

        Before each sentence stands ``USER_SENTENCE`` or ``ANSWER_SENTENCE`` of ``index.entry``,
        which say whose it is; no piece has such a number.
        """
        ...

    def units(self, word: str) -> list[int]:
        """The pieces of one word of a question; empty where it says nothing.

        Of several the last stands for the word as a whole.
        """
        ...

    def alike(self, units: Sequence[int], pieces: "NDArray[np.integer]") -> "NDArray[np.float32]":
        """Return how alike pieces of exchanges (ascending, each once, no markers) are to a question's.

        Shape (pieces, units): cosines, 1 for the same, and 0 for those that are hardly alike.
        """
        ...


class Condenser(Protocol):
    """Makes a shorter text of messages, without inventing."""

    @property
    def identity(self) -> str:
        """Its name and version, as ``CondensationDraft.by`` gives it."""
        ...

    def condense(self, sources: Sequence[CondenseSource], limit: int) -> CondensationDraft | None:
        """Say what was said in fewer tokens; sentences are whole, or left out.

        Args:
            sources: The messages, in the order in which they were said.
            limit: Tokens that the texts of the lines may take together.

        Returns:
            What it made; None if it makes nothing of these.
        """
        ...


class Reranker(Protocol):
    """Looks at a question and whole texts together; slower and finer than an index."""

    @property
    def identity(self) -> str:
        """Its name and version."""
        ...

    @property
    def depth(self) -> int:
        """How many of the best it looks at; 0 for one that leaves the order as it is."""
        ...

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """How well each text answers the question, 0 to 1."""
        ...
