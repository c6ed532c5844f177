"""Results of a memory's methods: values to look at, which change nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from unabridged.domain.backup_results import StorageUse
from unabridged.domain.chat import Usage
from unabridged.domain.condensation import Coherence, Condensation
from unabridged.domain.context import Ledger
from unabridged.domain.exchange import Exchange
from unabridged.domain.session import Session
from unabridged.domain.short_repr import counted, quoted, short


@dataclass(frozen=True, slots=True)
class Transcript:
    """A whole conversation on its way in or out.

    Attributes:
        exchanges: Every exchange of every branch, parents before children.
        originals: Messages as another program stored or sent them (JSON), by message id.
    """

    session: Session
    exchanges: tuple[Exchange, ...]
    originals: Mapping[str, bytes] = field(default_factory=dict)


class Skip(StrEnum):
    """Why something of a foreign file was not imported."""

    FAILED = "failed"
    """It could not be read or stored, although it should be."""
    TRUNCATED = "truncated"
    """The file ends in the middle of it."""
    NORMAL = "normal"
    """It is no part of the conversation; such files always have it."""
    REPAIRED = "repaired"
    """It was imported after a repair."""


@dataclass(frozen=True, slots=True)
class SkippedRecord:
    """A part of a foreign file that was not imported as it is.

    Attributes:
        where: Its line or place in the file.
        reason: Why it failed; for the other kinds what it is, a noun that takes an "s".
        raw: What it held, to be kept aside; empty if nothing is lost or it is too large.
        count: How many parts this is.
    """

    where: str
    reason: str
    raw: bytes = field(default=b"", compare=False, repr=False)
    kind: Skip = Skip.FAILED
    count: int = 1


@dataclass(frozen=True, slots=True)
class SearchResult:
    """An exchange that a search found.

    Attributes:
        exchange: The exchange, whole.
        score: How well it matches by itself, 0 to 1.
        session_title: The title of its session.
        matched: Whether that is enough; else it is only the nearest there is.
    """

    exchange: Exchange
    score: float
    session_title: str = ""
    matched: bool = True

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        return short(self, f"{self.score:.2f}", self.exchange.id, quoted(self.exchange.user.text))


@dataclass(frozen=True, slots=True)
class ContextReport:
    """What ``why`` reports of one context.

    Attributes:
        id: The context's id: that of the exchange it was prepared for.
        at: When it was prepared.
        ledger: The account of every token and candidate.
        usage: What the server reported after the answer, or None.
        messages: The prompt rendered again from the manifest, or None where parts are gone.
        intact: Whether it is byte for byte what was sent.
        missing: The ids of what was forgotten since.
        texts: Candidate id to its first words, for those that are still stored.
        hash: SHA-256 of what was sent, as the context had it.
        words: Id of a recalled exchange to the words of the message that it has too.
    """

    id: str
    at: datetime
    ledger: Ledger
    usage: Usage | None
    messages: tuple[Mapping[str, Any], ...] | None
    intact: bool
    missing: tuple[str, ...]
    texts: Mapping[str, str]
    hash: str = ""
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        figures = f"{self.ledger.prompt_tokens:,} of {self.ledger.window:,} tokens"
        return short(self, self.id, figures, counted(len(self.ledger.rows), "candidate"))


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session in a list.

    Attributes:
        exchanges: Exchanges on its current path.
        current: Whether it is the one being talked in.
    """

    session: Session
    exchanges: int
    current: bool

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        title = quoted(self.session.title)
        return short(self, self.session.id, title, counted(self.exchanges, "exchange"))


@dataclass(frozen=True, slots=True)
class Pin:
    """Something that every prompt carries.

    Attributes:
        id: Its id.
        text: The words.
        at: When it was pinned.
        exchange: The exchange it was pinned from, or None for words given directly.
    """

    id: str
    text: str
    at: datetime
    exchange: str | None = None


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures of one space.

    Attributes:
        space: Its name.
        sessions: Sessions.
        exchanges: Exchanges.
        messages: Messages.
        tokens: Tokens, as counted when they were stored.
        bytes: Bytes on disk.
        pins: Pinned texts.
        states: Exchange state to the number of exchanges; they add up to ``exchanges``.
        models: Model to the number of exchanges; they add up to ``exchanges``. Exchanges that
            name no model count as ``unknown``.
        first: The date of the oldest exchange.
        last: The date of the newest.
        calibration: Model to what was learned about its tokens.
        use: How much is active, against the limits; None where nobody counted.
    """

    space: str
    sessions: int
    exchanges: int
    messages: int
    tokens: int
    bytes: int
    pins: int
    states: Mapping[str, int]
    models: Mapping[str, int]
    first: datetime | None
    last: datetime | None
    calibration: Mapping[str, Mapping[str, Any]]
    use: StorageUse | None = None

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        sizes = (counted(self.exchanges, "exchange"), counted(self.sessions, "session"))
        return short(self, quoted(self.space), *sizes, counted(self.tokens, "token"))


@dataclass(frozen=True, slots=True)
class WindowPart:
    """One part of the window, as ``/memory tokens`` shows it."""

    part: str
    tokens: int
    share: float


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model in a list.

    Attributes:
        model: Its name, or empty where the provider has none.
        note: Why there is none, or what else to know.
        current: Whether it is the one that answers.
    """

    provider: str
    model: str
    note: str = ""
    current: bool = False


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that ``doctor`` checked.

    Attributes:
        ok: Whether it is as it should be; None where it is a matter of choice.
        text: What was found.
        hint: What to do, or empty.
    """

    topic: str
    ok: bool | None
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class MaintenanceProgress:
    """How far maintenance has come.

    Attributes:
        stage: What is being done: ``read``, ``facts``, ``requirements``, ``condense``,
            ``periods``, ``archive``.
        done: Exchanges or sessions that this stage has done in this run.
        left: Those that are still to do, at the most.
        note: What a person should know.
    """

    stage: str
    done: int
    left: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class CondensePreview:
    """What a run of condensing would do, or has done, with one session.

    Attributes:
        session: The session.
        due: Whether a run is due by itself.
        tokens: Tokens of the view now.
        threshold: Tokens above which a run is due.
        messages: Messages of the session.
        candidates: Messages that may be condensed.
        keep: Messages that stay verbatim, by category.
        condense: Messages that are condensed, by category.
        made: The condensations.
        coherence: What the check found; None where there is nothing to condense.
        usable: Whether the run may be stored.
        reason: Why nothing is done, in words; empty where something is.
        seconds: How long it took, reading included.
    """

    session: str
    due: bool
    tokens: int
    threshold: int
    messages: int
    candidates: int
    keep: Mapping[str, int]
    condense: Mapping[str, int]
    made: tuple[Condensation, ...] = ()
    coherence: Coherence | None = None
    usable: bool = False
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class CondenseStats:
    """What condensing has done in a space.

    Attributes:
        tokens_saved: Tokens that the views are shorter than the originals.
        by_category: Messages condensed, by category.
        last: When the last run was; None before the first.
        coherence: What the last check found.
        seconds: How long the last run took; None where that was not noted.
    """

    runs: int
    messages_condensed: int
    tokens_saved: int
    by_category: Mapping[str, int]
    last: datetime | None
    coherence: Coherence | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ExpandedCondensation:
    """A condensation opened: its text, and the originals that it replaces.

    Attributes:
        condensation: The condensation.
        exchanges: The originals, in their order.
    """

    condensation: Condensation
    exchanges: tuple[Exchange, ...]
