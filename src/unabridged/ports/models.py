"""Protocols of models: chat models, embedders, condensers, rerankers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from unabridged.domain.chat import Abilities, Address, ChatRequest, StreamChunk
from unabridged.domain.condensation import CondensationDraft, CondenseSource
from unabridged.errors import UpstreamError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@runtime_checkable
class ChatModel(Protocol):
    """A chat model, wherever it runs."""

    @property
    def model(self) -> str:
        """The model's full name."""
        ...

    @property
    def provider(self) -> str:
        """What serves it: ``ollama``, ``openai``, ``anthropic``, ``gguf``, ``quote`` …."""
        ...

    def abilities(self) -> Abilities:
        """Return what the model can do; from the server, a cache, a table or a default."""
        ...

    def chat(self, request: ChatRequest) -> Iterator[StreamChunk]:
        """Stream an answer; the last chunk is ``done``. Closing the iterator stops it.

        Raises:
            ContextRefusedError: The server refused the prompt for its length.
            UpstreamError: Any other failure; the chunks so far are all that arrived.
        """
        ...

    def close(self) -> None:
        """Close connections and free memory."""
        ...


@runtime_checkable
class SupportsRelay(Protocol):
    """A model on a server whose answers can be passed on byte for byte."""

    @property
    def address(self) -> Address:
        """Where the server listens, and which dialect it speaks."""
        ...

    def accent(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return a request's body without the fields that the server refused before."""
        ...

    def repair(self, refusal: UpstreamError) -> bool:
        """Learn from a refusal; return whether the adapted request is worth sending."""
        ...

    def understood(self, refusal: UpstreamError, window: int | None) -> UpstreamError:
        """Return what a refusal means; the same error if it means what it says.

        ``window`` is the window of the request in tokens, or None if it set none.
        """
        ...


@runtime_checkable
class SupportsWindowGrowth(Protocol):
    """A model whose server loads it with the window that a request asks for."""

    @property
    def grown_window(self) -> int | None:
        """The window in tokens that it has grown to; None if it did not grow."""
        ...

    def grow_window(self, now: int, needed: int, most: int | None) -> int | None:
        """Let the window grow from ``now`` to what is needed, at most to ``most``; all in tokens.

        Returns:
            The new window; None if it cannot hold what is needed.
        """
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors whose inner product measures how similar they are."""

    @property
    def identity(self) -> str:
        """Its name and version; only vectors of one identity are comparable."""
        ...

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        ...

    @property
    def instant(self) -> bool:
        """Whether it is cheap enough to embed an exchange while it is recorded."""
        ...

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return the vectors of stored texts, shape (texts, dimension).

        A text gets the same vector in every batch: of length 1, or all zeros if the vocabulary has none of
        its words.

        Raises:
            UpstreamError: The server that embeds failed.
        """
        ...

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """Return the vector of a question, shape (dimension,), comparable with those of texts."""
        ...

    def known(self, text: str) -> float:
        """Return the share of a text that is in the vocabulary, 0 to 1: how far to trust its vector."""
        ...

    def close(self) -> None:
        """Close connections and free memory."""
        ...

    def __hash__(self) -> int:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Every object has it; spaces share what was computed with one embedder."""
        ...


class Lexicon(Protocol):
    """Compares the meanings of single words, for a detailed comparison with an exchange."""

    def pieces(
        self, user: Iterable[Sequence[str]], answer: Iterable[Sequence[str]]
    ) -> "NDArray[np.uint16]":
        """Return the word pieces of an exchange by sentence, each once in a sentence.

        Each sentence begins with ``USER_SENTENCE`` or ``ANSWER_SENTENCE`` of ``index.entry``, which
        tell who wrote it; no piece has such a number.

        Args:
            user: The words of each sentence of the user.
            answer: Those of the answer.
        """
        ...

    def units(self, word: str) -> list[int]:
        """Return the pieces of one word of a question; none if it carries no meaning.

        Of several, the last represents the whole word.
        """
        ...

    def alike(self, units: Sequence[int], pieces: "NDArray[np.integer]") -> "NDArray[np.float32]":
        """Return the similarity of pieces of exchanges (ascending, unique, no markers) to a question's.

        Shape (pieces, units): cosines; 1 for equal pieces, 0 for those that are hardly similar.
        """
        ...


class Condenser(Protocol):
    """Shortens messages without inventing anything."""

    @property
    def identity(self) -> str:
        """Its name and version, as ``CondensationDraft.by`` gives it."""
        ...

    def condense(self, sources: Sequence[CondenseSource], limit: int) -> CondensationDraft | None:
        """Say the same in fewer tokens; sentences are whole or left out.

        Args:
            sources: The messages, in the order in which they were said.
            limit: The most tokens of all lines together.

        Returns:
            The draft; None if these cannot be condensed.
        """
        ...


class Reranker(Protocol):
    """Compares a question with whole texts; slower and more precise than an index."""

    @property
    def identity(self) -> str:
        """Its name and version."""
        ...

    @property
    def depth(self) -> int:
        """How many of the best hits it compares; 0 leaves the order as it is."""
        ...

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return how well each text answers the question, 0 to 1."""
        ...
