"""Forgetting: what would go, what stays, and what is shown for it afterwards."""

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
    """A record that goes.

    Attributes:
        kind: What it is.
        id: Its id.
        text: Its first words, where it has some.
    """

    kind: RecordKind
    id: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Something elsewhere that repeats what is to be forgotten.

    Attributes:
        id: The id of the exchange, fact or requirement.
        kind: ``exchange``, ``fact`` or ``requirement``.
        text: The first words of the message that does.
        reason: By what it is recognised, in words.
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
    """What forgetting does not reach, or reaches by name only.

    Attributes:
        backups: Backups that may still hold it.
        aside: Files that were set aside, and backups of migrations, that may hold it.
        shared: Spaces that it was shared with, each with the share by which it can be revoked.
    """

    backups: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """What a forgetting would do; nothing is changed by making one.

    Attributes:
        id: That of the receipt that it will have.
        at: When it was made.
        what: What was asked for: ``exchanges``, ``session``, ``fact``, ``search``, ``space`` or
            ``share`` (one was revoked).
        exchanges: The exchanges that go, in the order of their ids.
        facts: Facts that are taken back though the exchanges that they rest on stay.
        given: Facts and requirements of a person's own words that go: kind and id.
        sessions: Sessions of which nothing is left.
        titles: Sessions whose title quotes what goes; it is cleared.
        going: Every record that goes.
        staying: Facts that stay because something else supports them; their quote is from there.
        repeats: What repeats it elsewhere, and stays.
        outside: What is not reached.
        pins: Statements that inherit the pin of one that goes.
        sources: Exchanges that requirements which go are drawn from again.
        shared: The ids of messages that stay, since another branch has them too.
        condensed: Sessions whose condensations are made again, at the same levels.
        periods: Months whose condensation is made again.
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

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to forget."""
        return not (self.exchanges or self.facts or self.given)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages that go: each once, without those that another branch keeps."""
        said = {message.id: message for e in self.exchanges for message in e.messages}
        return tuple(m for name, m in said.items() if name not in self.shared)

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        sizes = (counted(len(self.exchanges), "exchange"), counted(len(self.facts), "fact"))
        return short(self, self.id, self.what, *sizes)


@dataclass(frozen=True, slots=True)
class Scan:
    """What was found in files when they were looked through for bytes.

    Attributes:
        files: The names of the files, relative to the home.
        found: Which of the pieces were found, by their number.
    """

    files: tuple[str, ...] = ()
    bytes: int = 0
    found: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a forgetting did, in ids and figures: no words of what was forgotten.

    Attributes:
        id: Its id.
        at: When it was asked for.
        done: When it was carried out.
        space: The space.
        what: What was asked for; see ``ForgetPlan``.
        exchanges: Exchanges that went.
        ids: The ids of the exchanges and facts that were asked for; empty for a whole space.
        messages: Messages that went.
        bytes: Bytes of their words, in UTF-8.
        records: Records that went, by kind.
        sessions: Sessions that went with all that was in them.
        titles: Titles that were cleared.
        staying: Facts that stay because something else supports them.
        repeats: The ids of what repeats it elsewhere.
        outside: What was not reached.
        files: Files that were wiped, and then looked through.
        scanned: Bytes that were looked through.
        pieces: Pieces of the forgotten words that were looked for; 0 where none could be.
        left: Pieces that were found although nothing that stays says them.
        notes: What a person should know.
        lifted: When it was lifted, so that the words may be stored again; or None.
        digest: Keyed digest of all of this but ``lifted``.
    """

    id: str
    at: datetime
    done: datetime
    space: str
    what: str
    exchanges: int = 0
    ids: tuple[str, ...] = ()
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
        files: The files that are wiped, relative to the home; those set aside too.
        outside: What is not reached.
    """

    space: SpaceId
    exchanges: int
    sessions: int
    bytes: int
    files: tuple[str, ...]
    outside: OutOfReach = field(default_factory=OutOfReach)
