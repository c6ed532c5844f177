"""The log of a space: its exchanges and records, read, imported and given out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace

from unabridged.budget.count import Counter
from unabridged.domain.arguments import checks_arguments
from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record
from unabridged.domain.results import Transcript
from unabridged.errors import DuplicateIdError
from unabridged.ports import (
    Store,
    SupportsBulkImport,
    SupportsCheck,
    SupportsProjections,
    SupportsSaving,
    Tokenizer,
)
from unabridged.recording import sessions as sessions_of
from unabridged.recording.forgotten_filter import ForgottenFilter
from unabridged.sharing.copy_sessions import leaving, take


@dataclass(frozen=True, slots=True)
class ImportedTranscript:
    """What became of an imported conversation.

    Attributes:
        added: How many of its exchanges were new, and are stored.
        notes: What a person should know of what was not stored.
        refused: Why nothing of it was stored, or None.
    """

    added: int
    notes: tuple[str, ...] = ()
    refused: DuplicateIdError | None = None


@checks_arguments
class SpaceLog:
    """The exchanges and records of one space."""

    def __init__(self, store: Store, tokenizer: Tokenizer, forgotten: ForgottenFilter) -> None:
        self._store = store
        self._tokenizer = tokenizer
        self._forgotten = forgotten

    def get(self, wanted: str) -> Exchange:
        """Return an exchange by its id or the beginning of it.

        Raises:
            NotFoundError: There is none, or several.
        """
        return sessions_of.find_exchange(self._store, wanted)

    def has(self, exchange: str) -> bool:
        """Whether an exchange of this whole id is stored."""
        return bool(self._store.get([exchange]))

    def history(self, session: str, limit: int = 50, before: str | None = None) -> list[Exchange]:
        """Return up to ``limit`` exchanges of a session's current path before one, oldest first."""
        return self._store.recent(session, limit, before)

    def scan(self, after: str | None = None, limit: int = 200) -> list[Exchange]:
        """Return exchanges of all sessions and branches behind an id, in the order of their ids."""
        return self._store.scan(after, limit)

    def counts(self) -> Mapping[str, int]:
        """Return how many exchanges each session has, all branches; empty ones are missing."""
        return self._store.counts()

    def transcripts(self) -> Iterator[Transcript]:
        """Iterate over every session with every exchange of every branch, the oldest first."""
        yield from sessions_of.conversations(self._store)

    def with_originals(self, transcript: Transcript) -> Transcript:
        """Return a conversation with its messages as other programs stored or sent them."""
        return sessions_of.with_originals(self._store, transcript)

    def many_imports(self) -> AbstractContextManager[None]:
        """Bring the index and readable files up to date in bulk, not after each import."""
        store = self._store
        return store.hold_files() if isinstance(store, SupportsProjections) else nullcontext()

    def import_transcript(self, transcript: Transcript) -> ImportedTranscript:
        """Import a conversation; skip what is here already and what was forgotten.

        The notes name what was forgotten.

        Raises:
            DuplicateIdError: Another conversation here has ids of this one.
        """
        admissible, notes = self._forgotten.admissible(transcript)
        if admissible is None:
            return ImportedTranscript(0, notes)
        ready = self._counted(admissible, sessions_of.held(self._store, admissible.exchanges))
        added = self._store.import_session(ready.session, ready.exchanges, ready.originals)
        return ImportedTranscript(added, notes)

    def import_transcripts(self, transcripts: Sequence[Transcript]) -> list[ImportedTranscript]:
        """Import conversations together, which is faster; each result says what became of one."""
        ids = [exchange.id for one in transcripts for exchange in one.exchanges]
        if isinstance(self._store, SupportsBulkImport) and len(set(ids)) == len(ids):
            with suppress(DuplicateIdError):  # nothing is stored then; one by one tells which it is
                return self._import_together(self._store, transcripts)
        return [self._import_or_refuse(one) for one in transcripts]

    def _import_together(
        self, store: SupportsBulkImport, transcripts: Sequence[Transcript]
    ) -> list[ImportedTranscript]:
        filtered = [self._forgotten.admissible(one) for one in transcripts]
        admitted = [one for one, _ in filtered if one is not None]
        exchanges = [exchange for one in admitted for exchange in one.exchanges]
        here = sessions_of.held(self._store, exchanges)
        added = iter(store.import_sessions([self._counted(one, here) for one in admitted]))
        return [
            ImportedTranscript(0 if one is None else next(added), notes) for one, notes in filtered
        ]

    def _import_or_refuse(self, transcript: Transcript) -> ImportedTranscript:
        try:
            return self.import_transcript(transcript)
        except DuplicateIdError as error:
            return ImportedTranscript(0, refused=error)

    def _counted(self, transcript: Transcript, here: Mapping[str, str]) -> Transcript:
        own = {each.id: here[each.id] for each in transcript.exchanges if each.id in here}
        moved = sessions_of.at_home(transcript, own)
        counter = Counter(self._tokenizer)
        exchanges = tuple(
            exchange if exchange.id in here else sessions_of.counted(exchange, counter)
            for exchange in moved.exchanges
        )
        return replace(moved, exchanges=exchanges)

    def count_known(self, transcript: Transcript) -> int:
        """Count the exchanges of a conversation from elsewhere that are here already."""
        return len(sessions_of.held(self._store, transcript.exchanges))

    def records(self, *, contexts: bool = False, session: str | None = None) -> Iterator[Record]:
        """Iterate over what belongs to conversations: facts, requirements, annotations, condensations.

        Args:
            contexts: Also what ``why`` needs; it is large.
            session: Only what was drawn from the session of this id, and from no other.
        """
        yield from leaving(self._store, contexts=contexts, session=session)

    def import_records(self, records: Iterable[Record]) -> int:
        """Import records from elsewhere, as far as the exchanges that are here support them.

        Returns:
            How many were new, and stored.
        """
        return take(self._store, records)

    def check(self) -> list[str]:
        return self._store.check() if isinstance(self._store, SupportsCheck) else []

    @property
    def file_notes(self) -> list[str]:
        """What was repaired in readable files, and why others are not up to date."""
        if not isinstance(self._store, SupportsProjections):
            return []
        troubles = [f"{error} {error.hint}".strip() for error in self._store.troubles]
        return [*self._store.notes, *troubles]

    @property
    def unsaved(self) -> int:
        return self._store.unsaved if isinstance(self._store, SupportsSaving) else 0

    def save(self) -> int:
        """Write what was held back; when this returns, it survives a power cut.

        Returns:
            How many writes were held back.

        Raises:
            StoreError: It could not be written; it is still held back.
        """
        return self._store.save() if isinstance(self._store, SupportsSaving) else 0
