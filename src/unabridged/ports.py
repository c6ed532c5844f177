"""The seams, on one page. What the engine needs from outside, in the words of the domain.

An ability that not every store has is a protocol of its own (``SupportsLookup`` …), with a
fallback in the engine where one is possible, so that every store answers every question.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from unabridged.domain.batch import Batch, Totals
from unabridged.domain.chat import Abilities, ChatRequest, Chunk
from unabridged.domain.condensation import Draft, Source
from unabridged.domain.exchange import Exchange
from unabridged.domain.lookup import Probe, Shortlist
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import Space
from unabridged.domain.session import Session

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Clock(Protocol):
    """The time and fresh ids, so that both can be given in tests."""

    def now(self) -> datetime:
        """The time, with a time zone."""
        ...

    def new_id(self) -> str:
        """A fresh id: 26 characters that sort by the time they were made (ULID)."""
        ...


@runtime_checkable
class Tokenizer(Protocol):
    """Counts tokens as one model does, or estimates them."""

    @property
    def identity(self) -> str:
        """Its name and version; counts are comparable only under one identity."""
        ...

    @property
    def exact(self) -> bool:
        """Whether it is the model's own tokenizer; if not, counts are calibrated."""
        ...

    def count(self, text: str) -> int:
        """Tokens of a text without any template around it."""
        ...

    def by_script(self, text: str) -> Mapping[str, float]:
        """Tokens by script class (``latin``, ``cjk``, ``code`` …); they add up to the count."""
        ...


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

    def chat(self, request: ChatRequest) -> Iterator[Chunk]:
        """Answer, piece by piece; the last chunk is ``done``. Closing the iterator stops it.

        Raises:
            ContextRefusedError: The server refused the prompt for its length.
            UpstreamError: Any other failure; the chunks so far are what came.
        """
        ...

    def close(self) -> None:
        """Let go of connections and memory."""
        ...


class Store(Protocol):
    """One space, on whatever it is kept. Every method may raise ``StoreError``."""

    @property
    def space(self) -> Space:
        """The space that it holds."""
        ...

    def append(self, batch: Batch, expect_head: str | None) -> None:
        """Write a batch in one transaction; when it returns, the batch survives a power cut.

        Raises:
            HeadMovedError: The session's head is not ``expect_head``; nothing was written.
            DuplicateIdError: A message id is taken; nothing was written.
        """
        ...

    def admit(self, session: Session, exchanges: Sequence[Exchange]) -> int:
        """Take over a conversation from elsewhere in one transaction.

        Exchanges whose ids the space holds already are passed over, so doing it twice adds
        nothing. A session that is new gets the header as given; one that is known keeps its title
        and takes the given head only if it had none or gained exchanges behind its head.

        Args:
            session: The header, with its head.
            exchanges: Whole exchanges, parents before children.

        Returns:
            How many exchanges were added.
        """
        ...

    def amend(self, session: Session, expect_head: str | None) -> None:
        """Change a session's header: its title, or its head to another branch; or create it.

        Raises:
            HeadMovedError: As for ``append``.
        """
        ...

    def recent(self, session: str, limit: int, before: str | None = None) -> list[Exchange]:
        """The last exchanges on the session's current path, oldest first.

        Args:
            session: The session's id; one that is unknown gives nothing.
            limit: At most so many.
            before: Begin with the parent of this exchange instead of with the head's.
        """
        ...

    def get(self, ids: Iterable[str]) -> dict[str, Exchange]:
        """Whole exchanges by id; ids that name nothing are missing from the answer."""
        ...

    def scan(self, after: str | None = None, limit: int = 1000) -> list[Exchange]:
        """Exchanges of all sessions and branches in the order of their ids.

        Args:
            after: Begin behind this id; None for the first page.
            limit: At most so many.
        """
        ...

    def session(self, session_id: str) -> Session | None:
        """One session's header, or None."""
        ...

    def sessions(self, newest: int | None = None) -> list[Session]:
        """Sessions, the most recently updated first.

        Args:
            newest: Only so many; None for all.
        """
        ...

    def counts(self) -> Mapping[str, int]:
        """How many exchanges each session holds, all branches; empty sessions are missing."""
        ...

    def put(self, records: Iterable[Record]) -> None:
        """Write records in one transaction; one of the same kind and id is replaced.

        One that was drawn from an exchange that is not there is passed over: it was forgotten while
        the record was made. The same holds for records of a batch.
        """
        ...

    def records(
        self,
        kind: RecordKind,
        *,
        ids: Sequence[str] | None = None,
        newest: int | None = None,
    ) -> list[Record]:
        """Records of a kind in the order of their ids.

        Args:
            kind: The kind.
            ids: Only these.
            newest: Only so many, the last in order.
        """
        ...

    def drop(self, kind: RecordKind, ids: Iterable[str]) -> None:
        """Remove records; ids that name nothing are passed over."""
        ...

    def revision(self, kind: RecordKind) -> int:
        """A number that is another one whenever records of a kind were put or removed."""
        ...

    def forget(self, ids: Iterable[str]) -> int:
        """Remove exchanges with every index entry and every record drawn from them, bytes and all.

        Children of a forgotten exchange take its parent; a session whose head was forgotten takes
        the last message before it; a session left empty goes too.

        Returns:
            How many exchanges were removed.
        """
        ...

    def totals(self) -> Totals:
        """How much the space holds."""
        ...

    def close(self) -> None:
        """Let go of files and connections; a second call does nothing."""
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
        """Vectors of stored texts.

        Args:
            texts: The texts; each gets the same vector whatever stands beside it.

        Returns:
            Shape (texts, dimension), each of length 1, or all zeros where nothing is known of it.

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
        """How alike pieces of exchanges are to those of a question.

        Args:
            units: The question's.
            pieces: The others, ascending, each once; no markers.

        Returns:
            Cosines, shape (pieces, units): 1 for the same, and 0 for those that are hardly alike.
        """
        ...


class Condenser(Protocol):
    """Makes a shorter text of messages, without inventing."""

    @property
    def identity(self) -> str:
        """Its name and version, as ``Draft.by`` gives it."""
        ...

    def condense(self, sources: Sequence[Source], limit: int) -> Draft | None:
        """Say what was said in fewer tokens; sentences are whole, or left out.

        Args:
            sources: The messages, in the order in which they were said.
            limit: Tokens that the texts of the lines may take together.

        Returns:
            What it made; None where it makes nothing of these.
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


@runtime_checkable
class SupportsLookup(Protocol):
    """A store that keeps an index of words and vectors."""

    def lookup(self, probe: Probe) -> Shortlist:
        """Exchanges that bear on a probe by words or by vectors, in no order.

        What was appended before the call is found; what was forgotten is not.
        """
        ...

    def at(self, places: Sequence[int]) -> dict[int, Exchange]:
        """Whole exchanges by the places of a shortlist; those forgotten since are missing."""
        ...


@runtime_checkable
class SupportsVectors(Protocol):
    """A store that keeps vectors, all of one embedder at a time."""

    def embedded_by(self) -> str:
        """The identity of the embedder whose vectors searches use; empty for none."""
        ...

    def lacking(self, identity: str, limit: int, after: str | None = None) -> list[Exchange]:
        """Exchanges that have no vectors of an embedder yet, in the order of their ids.

        Args:
            identity: The embedder.
            limit: At most so many.
            after: Begin behind this id.
        """
        ...

    def put_vectors(
        self, identity: str, vectors: Mapping[str, "Sequence[NDArray[np.float32]]"]
    ) -> None:
        """Keep vectors, durable when it returns; those of ids that name nothing are passed over.

        Args:
            identity: The embedder that made them.
            vectors: By exchange, one vector for each of its passages, in their order.
        """
        ...

    def switch_vectors(self, identity: str) -> None:
        """Search with the vectors of this embedder from now on, and remove all others.

        Raises:
            StoreError: Not every exchange has been embedded by it; nothing was changed.
        """
        ...


@runtime_checkable
class SupportsCheck(Protocol):
    """A store that can prove that it is sound."""

    def check(self) -> list[str]:
        """Every damage found, in words; empty where there is none."""
        ...
