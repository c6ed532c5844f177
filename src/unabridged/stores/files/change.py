"""What a verb did to the store in memory, and how it is told in the companion."""

from dataclasses import dataclass, field, replace

from unabridged.domain.exchange import Exchange
from unabridged.domain.session import Session
from unabridged.stores.content import Entry
from unabridged.stores.files import forms
from unabridged.stores.files.log import SAID
from unabridged.stores.inmemory import InMemoryStore
from unabridged.stores.shelf import Packed


@dataclass(slots=True)
class Change:
    """What a verb did to the store in memory.

    Attributes:
        sessions: The sessions that it touched.
        grown: Those of them in which one exchange was begun or extended and no more, with its id.
        records: The records that it put.
        said: What was said, as lines for the companion.
        purge: Whether something went, so that no byte of it may stay.
    """

    sessions: set[str] = field(default_factory=set)
    grown: dict[str, str] = field(default_factory=dict)
    records: list[Packed] = field(default_factory=list)
    said: list[bytes] = field(default_factory=list)
    purge: bool = False

    def add(self, other: "Change") -> None:
        """Join with what was done after it."""
        twice = self.sessions & other.sessions
        self.grown = {
            name: news
            for name, news in (self.grown | other.grown).items()
            if name not in twice and not other.purge
        }
        self.sessions |= other.sessions
        self.records += other.records
        self.said += other.said
        self.purge |= other.purge

    @property
    def anything(self) -> bool:
        """Whether there is anything to write."""
        return bool(self.sessions or self.records or self.said or self.purge)


def header_line(session: Session) -> bytes:
    """Write for the companion how the header of a session is now."""
    return SAID + forms.form_bytes(forms.session_form(session)) + b"}"


def said_line(engine: InMemoryStore, session: str, entry: Entry) -> bytes:
    """Write for the companion what was said: the header of the session, and the messages, whole."""
    told = header_line(engine.content.sessions[session])[:-1]
    form = forms.form_bytes(forms.exchange_form(entry, None))
    return told + b',"exchange":' + form + b"}"


def said_lines(engine: InMemoryStore, session: str) -> list[bytes]:
    """Everything that was said in a session."""
    names = sorted(engine.of(session))
    if not names:
        return [header_line(engine.content.sessions[session])]
    return [said_line(engine, session, engine.content.entries[name]) for name in names]


def news(entry: Entry, exchange: Exchange) -> Entry:
    """An entry with its new messages only."""
    return Entry(replace(entry.exchange, messages=exchange.messages), entry.opened_by)
