"""A forger for the store of files: writes it as the store does, but for what needs the key."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

from unabridged.domain.message import Message, Role, Text, part_from_dict, part_to_dict
from unabridged.domain.scope import Space
from unabridged.stores.codec import pack, unpack
from unabridged.stores.content import Content, Entry
from unabridged.stores.files.change import Change
from unabridged.stores.files.desk import Desk
from unabridged.stores.files.names import Place
from unabridged.stores.inmemory import InMemoryStore


class FilesForger:
    """Somebody with the files, and without their key; see ``forge_sqlite.SqliteForger``.

    Args:
        place: Where they lie; nobody else has them open.
        space: The space.
        layout: Their layout.
        session: The session of which messages are changed.
    """

    def __init__(self, place: Place, space: Space, layout: str, session: str) -> None:
        self._place = place
        self._space = space
        self._layout = layout
        self._session = session

    def messages(self, session: str, /) -> list[dict[str, Any]]:
        """The messages of a session as they lie in the files, in their order."""
        with self._unsealed() as desk:
            content = desk.load()
        return [] if content is None else [_row(*each) for each in _messages(content, session)]

    def rewrite(self, number: int, /, **changes: Any) -> None:
        """Change what a message says, or what is said of it."""
        with self._edited() as content:
            _, entry, message = _messages(content, self._session)[number]
            row = {**_row(number, entry, message), **changes}
            _put(content, entry, message.id, _message(row, message.parent))

    def remove(self, number: int, /) -> None:
        """Take a message out, and lead everything around the gap."""
        with self._edited() as content:
            _, entry, gone = _messages(content, self._session)[number]
            for _, other, message in _messages(content, self._session):
                if message.parent == gone.id:
                    _put(content, other, message.id, replace(message, parent=gone.parent))
            entry = content.entries[entry.exchange.id]
            _put(content, entry, gone.id, None)
            if not content.entries[entry.exchange.id].exchange.messages:
                self._close_gap(content, content.entries.pop(entry.exchange.id))
            header = content.sessions[self._session]
            if header.head == gone.id:
                content.sessions[header.id] = replace(header, head=gone.parent)

    def put_in(self, session: str, text: str, /) -> None:
        """Put a message behind the last one of a session, in an exchange of its own."""
        with self._edited() as content:
            _, entry, last = _messages(content, session)[-1]
            said = replace(last, id=f"{last.id}z", parts=(Text(text),), parent=last.id)
            name = f"{entry.exchange.id}z"
            made = replace(
                entry.exchange,
                id=name,
                parent=entry.exchange.id,
                messages=(replace(said, role=Role.USER),),
            )
            content.entries[name] = Entry(made, None)
            content.sessions[session] = replace(content.sessions[session], head=said.id)

    @staticmethod
    def _close_gap(content: Content, gone: Entry) -> None:
        for entry in content.entries.values():
            if entry.exchange.parent == gone.exchange.id:
                entry.exchange = replace(entry.exchange, parent=gone.exchange.parent)

    @contextmanager
    def _unsealed(self) -> Iterator[Desk]:
        """The files without their seal, which is put back as it was."""
        seal = self._place.seal
        kept = seal.read_bytes() if seal.exists() else None
        seal.unlink(missing_ok=True)
        try:
            yield Desk(self._place, self._space, self._layout, packed=False)
        finally:
            if kept is not None:
                seal.write_bytes(kept)

    @contextmanager
    def _edited(self) -> Iterator[Content]:
        with self._unsealed() as desk:
            content = desk.load() or Content()
            yield content
            change = Change(sessions=set(content.sessions), purge=True)
            desk.commit(InMemoryStore(self._space, content), change)


Placed = tuple[int, Entry, Message]


def _messages(content: Content, session: str) -> list[Placed]:
    entries = sorted(
        (entry for entry in content.entries.values() if entry.exchange.session == session),
        key=lambda entry: entry.exchange.id,
    )
    said = [(entry, message) for entry in entries for message in entry.exchange.messages]
    return [(number, *each) for number, each in enumerate(said)]


def _row(number: int, entry: Entry, message: Message) -> dict[str, Any]:
    return {
        "seq": number,
        "id": message.id,
        "exchange": entry.exchange.id,
        "parent": message.parent,
        "role": str(message.role),
        "at": message.at.isoformat(),
        "tokens": message.tokens,
        "tokenizer": message.tokenizer,
        "parts": pack([part_to_dict(part) for part in message.parts]),
    }


def _message(row: dict[str, Any], parent: str | None) -> Message:
    return Message(
        id=row["id"],
        role=Role(row["role"]),
        parts=tuple(part_from_dict(part) for part in unpack(row["parts"])),
        at=datetime.fromisoformat(row["at"]),
        parent=parent,
        tokens=row["tokens"],
        tokenizer=row["tokenizer"],
    )


def _put(content: Content, entry: Entry, message_id: str, message: Message | None) -> None:
    """Put a message in the place of another one; None takes that one out."""
    kept = entry.exchange.messages
    put = [() if message is None else (message,)]
    said = [each for m in kept for each in (put[0] if m.id == message_id else (m,))]
    content.entries[entry.exchange.id].exchange = replace(entry.exchange, messages=tuple(said))
