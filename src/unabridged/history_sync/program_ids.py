"""The ids that programs send for their conversations, and the sessions that they name.

Such an id is a hint: some programs send the same one with all their conversations. One id may have
several sessions, and a session may be continued under several ids.
"""

from contextlib import suppress
from dataclasses import replace

from unabridged.errors import HeadMovedError
from unabridged.ports import Store


class ProgramIds:
    """The program's ids of a space's sessions: stored as their ``foreign_id``, cached here."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sessions: dict[str, list[str]] = {}
        self._ids: dict[str, set[str]] = {}
        self._unsaved: dict[str, str] = {}
        self._is_read = False

    def sessions(self, program_id: str) -> list[str]:
        """Return the sessions of an id, the newest first."""
        self._read()
        return self._sessions.get(program_id, [])[::-1]

    def is_of_another(self, session: str, program_id: str | None) -> bool:
        """Return whether a session has ids, and this is none of them."""
        if program_id is None:
            return False
        self._read()
        known = self._ids.get(session)
        return bool(known) and program_id not in (known or ())

    def note(self, program_id: str, session: str) -> None:
        """Note that a program continued a session under an id."""
        self._read()
        if program_id not in self._ids.setdefault(session, set()):
            self._add(program_id, session)
            self._unsaved[session] = program_id
        if session not in self._unsaved:
            return
        header = self._store.session(session)
        if header is None:
            return  # its first message is stored after this
        with suppress(HeadMovedError):  # the next request saves it
            if header.foreign_id is None:
                named = replace(header, foreign_id=self._unsaved[session])
                self._store.set_session(named, header.head)
            del self._unsaved[session]

    def _add(self, program_id: str, session: str) -> None:
        self._sessions.setdefault(program_id, []).append(session)
        self._ids.setdefault(session, set()).add(program_id)

    def _read(self) -> None:
        if self._is_read:
            return
        self._is_read = True
        for session in reversed(self._store.sessions()):
            if session.foreign_id is not None:
                self._add(session.foreign_id, session.id)
