"""Forgetting: the plan (what is removed, what stays) and the receipt."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from unabridged.domain.exchange import Exchange
from unabridged.domain.fact import Fact
from unabridged.domain.message import Message
from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.domain.short_repr import counted, short


@dataclass(frozen=True, slots=True)
class PlannedRemoval:
    """A record that is removed.

    Attributes:
        kind: What it is.
        id: Its id.
        text: Its first words, if it has any.
    """

    kind: RecordKind
    id: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Something else that repeats what is to be forgotten.

    Attributes:
        id: The id of the exchange, fact or requirement.
        kind: ``exchange``, ``fact`` or ``requirement``.
        text: The first words of that message.
        reason: How it was recognised, in words.
        session: The session of an exchange; empty for others.
        at: When it was said.
    """

    id: str
    kind: str
    text: str
    reason: str
    session: str
    at: datetime


@dataclass(frozen=True, slots=True)
class OutOfReach:
    """What forgetting does not reach.

    Attributes:
        backups: Backups that may still hold it.
        aside: Quarantined files and backups of migrations that may hold it.
        shared: Spaces that it was shared with, each with the id of the share to revoke.
    """

    backups: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """What a forgetting would do. Making a plan changes nothing.

    Attributes:
        id: The id of its future receipt.
        at: When it was made.
        what: The request: ``exchanges``, ``session``, ``fact``, ``search``, ``space`` or ``share``
            (one was revoked).
        exchanges: The exchanges that are removed, in the order of their ids.
        facts: Facts that are withdrawn although their source exchanges stay.
        given: Records that are removed although their exchanges stay: what a person stated, and what
            has the words of a search.
        sessions: Sessions that become empty.
        titles: Sessions whose title quotes what is removed; it is cleared.
        going: Every record that is removed.
        staying: Facts that stay because another source supports them; their quote is from there.
        repeats: What repeats it elsewhere, and stays.
        outside: What forgetting does not reach.
        pins: Statements that get the pin of one that is removed.
        sources: Exchanges from which removed requirements are learned again.
        shared: The ids of messages that stay because another branch has them too.
        condensed: Sessions whose condensations are made again, with their levels.
        periods: Months whose condensation is made again.
        space: The name of the space that it is for.
        words: The words of a search; the files are searched for them in the end.
        remnants: Words of a search that are in the files although nothing was found.
    """

    id: str
    at: datetime
    what: str
    exchanges: tuple[Exchange, ...] = ()
    facts: tuple[Fact, ...] = ()
    given: tuple[PlannedRemoval, ...] = ()
    sessions: tuple[Session, ...] = ()
    titles: tuple[Session, ...] = ()
    going: tuple[PlannedRemoval, ...] = ()
    staying: tuple[Fact, ...] = ()
    repeats: tuple[Duplicate, ...] = ()
    outside: OutOfReach = field(default_factory=OutOfReach)
    pins: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    condensed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    periods: tuple[str, ...] = ()
    space: str = ""
    words: tuple[str, ...] = ()
    remnants: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to forget."""
        return not (self.exchanges or self.facts or self.given or self.titles)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages that are removed: each once, without those that another branch keeps."""
        said = {message.id: message for e in self.exchanges for message in e.messages}
        return tuple(m for name, m in said.items() if name not in self.shared)

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        sizes = (counted(len(self.exchanges), "exchange"), counted(len(self.facts), "fact"))
        return short(self, self.id, self.what, *sizes)


@dataclass(frozen=True, slots=True)
class Scan:
    """What a scan of files for bytes found.

    Attributes:
        files: The paths of the files within the home.
        found: The numbers of the texts that were found.
    """

    files: tuple[str, ...] = ()
    bytes: int = 0
    found: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a forgetting did, in ids and figures, without any forgotten text.

    Attributes:
        id: Its id.
        at: When it was requested.
        done: When it was completed.
        space: The space.
        what: The request; see ``ForgetPlan``.
        exchanges: Exchanges removed.
        ids: The ids of the requested exchanges and facts; empty for a whole space.
        given: Kind and id of records that were removed although their exchanges stay.
        messages: Messages removed.
        bytes: Bytes of their text, in UTF-8.
        records: Records removed, by kind.
        sessions: Sessions removed.
        titles: Titles cleared.
        staying: Facts that stay because another source supports them.
        repeats: The ids of what repeats it elsewhere.
        outside: What forgetting did not reach.
        files: Files that were wiped and then scanned.
        scanned: Bytes scanned.
        pieces: Forgotten texts that the scan looked for; 0 if it could look for none.
        left: Texts that were found although nothing that stays contains them.
        notes: Messages to a person.
        lifted: When it was lifted, so that the text may be stored again; or None.
        digest: Over all of this but ``lifted``; keyed. See ``custody.receipts``.
    """

    id: str
    at: datetime
    done: datetime
    space: str
    what: str
    exchanges: int = 0
    ids: tuple[str, ...] = ()
    given: tuple[tuple[str, str], ...] = ()
    messages: int = 0
    bytes: int = 0
    records: Mapping[str, int] = field(default_factory=dict)
    sessions: int = 0
    titles: int = 0
    staying: int = 0
    repeats: tuple[str, ...] = ()
    outside: OutOfReach = field(default_factory=OutOfReach)
    files: tuple[str, ...] = ()
    scanned: int = 0
    pieces: int = 0
    left: int = 0
    notes: tuple[str, ...] = ()
    lifted: datetime | None = None
    digest: str = ""

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        sizes = (counted(self.exchanges, "exchange"), counted(self.bytes, "byte"))
        return short(self, self.id, self.what, *sizes, f"{self.left} left")


@dataclass(frozen=True, slots=True)
class SpacePlan:
    """What forgetting a whole space would do.

    Attributes:
        bytes: Bytes of its files.
        files: The paths within the home of the files that are wiped, quarantined ones too.
        outside: What forgetting does not reach.
    """

    space: SpaceId
    exchanges: int
    sessions: int
    bytes: int
    files: tuple[str, ...]
    outside: OutOfReach = field(default_factory=OutOfReach)
