"""Adapters for ``agent-memory-integrity``, the public suite for tampering at rest.

    python -m agmi.check --adapter tests.integrity.agmi:SqliteAnchored

An attack changes the files past the store; the store then has to notice while it is *read*: what is
asked here is what a prompt asks (``recent``, ``get``, ``scan``), never ``check``. The attacks know our
format and compute every digest that needs no key (see ``forge_sqlite``).

Source: https://pypi.org/project/agent-memory-integrity/ (MIT), ``agmi.adapters.base``.
"""

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from agmi.adapters.base import (  # type: ignore[import-untyped]  # the suite has no types
    MemoryAdapter,
    Record,
)
from tests.integrity.forge_sqlite import SqliteForger

from unabridged.domain.encryption_key import EncryptionKey
from unabridged.domain.exchange import ExchangeState
from unabridged.domain.hash_chain import MacKey
from unabridged.domain.scope import SpaceId
from unabridged.errors import StoreError
from unabridged.stores.checkpoint_file import CheckpointFile
from unabridged.stores.integrity_policy import IntegrityPolicy
from unabridged.stores.json_codec import unpack
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.testing.log_writer import LogWriter

SPACE = SpaceId("agmi", "tests")
MINE, OTHER = "agmi-session", "agmi-session-B"
_SLOT = ("id", "exchange", "session")
_META = ("role", "at", "tokens", "tokenizer")
_KEY = EncryptionKey(bytes(range(32)))
Opened = SqliteStore


class _Forgery(Protocol):
    """Who changes the files of a closed store."""

    def messages(self, session: str, /) -> list[dict[str, Any]]:
        """The messages of a session as they lie in the files."""
        ...

    def rewrite(self, number: int, /, **changes: Any) -> None:
        """Change a message of the session under attack."""
        ...

    def remove(self, number: int, /) -> None:
        """Take a message of the session under attack out."""
        ...

    def put_in(self, session: str, text: str, /) -> object:
        """Put a message in."""
        ...


class _Adapter(MemoryAdapter):  # type: ignore[misc]  # the suite has no types
    """What is the same for every store. A record is a message."""

    supports_replay = True
    supports_metadata = True
    supports_snapshot = True
    keyed = False
    anchored = False

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._store: Opened | None = None
        self._talks: dict[str, LogWriter] = {}

    def open_store(self, guard: IntegrityPolicy) -> Opened:
        """Open the store in the home."""
        raise NotImplementedError

    def forge(self) -> _Forgery:
        """Give who changes the files of the closed store."""
        raise NotImplementedError

    # --- the course of an attack ---------------------------------------------------------------

    def setup(self) -> None:
        """Begin an empty space, and an anchor outside its folder."""
        self._folder = Path(tempfile.mkdtemp(prefix="unabridged-agmi-"))
        (self._folder / "home").mkdir()
        self._talks = {}
        self._open()

    def teardown(self) -> None:
        """Remove everything."""
        self._close()
        if self._folder is not None:
            shutil.rmtree(self._folder)
            self._folder = None

    def seed(self, n: int) -> None:
        """Say ``n`` messages, as a conversation goes."""
        self._say(MINE, n)

    def reload(self) -> None:
        """Close; the next question opens."""
        self._close()

    def verify(self) -> bool:
        """Read everything as a prompt does, and tell whether nothing was refused."""
        self.verify_detail = None
        try:
            store = self._open()
            for session in store.sessions():
                read = store.recent(session.id, 1000)
                store.get([exchange.id for exchange in read])
            store.scan()
        except StoreError as error:
            self._close()
            self.verify_detail = f"{type(error).__name__}: {str(error).partition(': ')[2]}"
            return False
        return True

    # --- the files, past the store -------------------------------------------------------------

    def read_all_raw(self) -> list[Record]:
        """The messages of the session as they lie in the file."""
        return self._read(MINE)

    def write_raw(self, record: Record) -> None:
        """Put a content into the slot of that position; a new message behind the last."""
        there = self._read(MINE)
        if record.seq >= len(there):
            (said,) = unpack(record.fields["parts"])
            self._forger().put_in(MINE, said["text"])
            return
        self._fill(there[record.seq], record.fields)

    def delete_raw(self, seq: int) -> None:
        """Take a message out, its link too, and lead the others around the gap."""
        self._forger().remove(self._number(seq))

    def mutate_payload(self, record: Record) -> Record:
        """Let a message say something else."""
        said: bytes = record.fields["parts"]
        record.fields["parts"] = said.replace(b"agmi-", b"tampered-agmi-", 1)
        return record

    def identity_of(self, record: Record) -> str:
        """The message's id."""
        return str(record.fields["id"])

    def payload_of(self, record: Record) -> str:
        """What it says."""
        return str(record.fields["parts"])

    def owner_of(self, record: Record) -> str:
        """Its session."""
        return str(record.fields["session"])

    # --- other sessions, metadata, older copies ------------------------------------------------

    def seed_other(self, n: int) -> None:
        """Say ``n`` messages in a second session."""
        self._open()
        self._say(OTHER, n)

    def read_other_raw(self) -> list[Record]:
        """Its messages as they lie in the file."""
        return self._read(OTHER)

    def replay_onto(self, victim_seq: int, donor: Record) -> None:
        """Put what another message says into the slot of a message."""
        self._fill(self._read(MINE)[victim_seq], donor.fields)

    def read_meta(self, seq: int) -> dict[str, Any]:
        """Who spoke, when, and how many tokens it has."""
        fields = self._read(MINE)[seq].fields
        return {name: fields[name] for name in _META}

    def write_meta(self, seq: int, meta: dict[str, Any]) -> None:
        """Let somebody else have spoken."""
        turned = {"user": "assistant", "assistant": "user"}[meta["role"]]
        self._forger().rewrite(self._number(seq), role=turned)

    def snapshot_store(self) -> object:
        """Copy the home; the anchor lies outside."""
        self._close()
        copy = self.home().with_name("copy")
        shutil.copytree(self.home(), copy)
        return copy

    def restore_store(self, token: object) -> None:
        """Put the copy back."""
        self._close()
        shutil.rmtree(self.home())
        shutil.copytree(Path(str(token)), self.home())

    def append_genuine(self) -> None:
        """Say one more message."""
        self._open()
        self._say(MINE, 1)

    # --- the parts -----------------------------------------------------------------------------

    def home(self) -> Path:
        """The folder that an attacker has; the anchor lies outside."""
        if self._folder is None:
            raise RuntimeError("set up first")
        return self._folder / "home"

    def _open(self) -> Opened:
        if self._store is None:
            signet = MacKey(_KEY.for_("chain"), _KEY.mark) if self.keyed else MacKey()
            anchor = (
                CheckpointFile(self.home().with_name("anchor"), signet) if self.anchored else None
            )
            self._store = self.open_store(IntegrityPolicy(signet, anchor))
            for talk in self._talks.values():
                talk.store = self._store
        return self._store

    def _close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def _say(self, session: str, count: int) -> None:
        """Say so many messages: questions and answers in turn."""
        talk = self._talks.setdefault(session, LogWriter(self._store, session))
        for _ in range(count):
            asked = self._open().recent(session, 1)
            words = f"agmi-{session}-{len(self._read(session))}"
            if asked and asked[-1].state is ExchangeState.OPEN:
                talk.answer(replace(asked[-1], messages=()), words)
            else:
                talk.begin(words)

    def _forger(self) -> _Forgery:
        self._close()
        return self.forge()

    def _read(self, session: str) -> list[Record]:
        """Messages as records. What a removal moves is left out: numbers, and who follows whom."""
        rows = self.forge().messages(session)
        for row in rows:
            del row["parent"], row["seq"]
        return [Record(n, {**row, "session": session}) for n, row in enumerate(rows)]

    def _number(self, seq: int) -> int:
        """Give the number that the forger knows the message at a position by."""
        return int(self._forger().messages(MINE)[seq]["seq"])

    def _fill(self, slot: Record, content: dict[str, Any]) -> None:
        """Give a slot another content, and keep its identity."""
        changes = {name: value for name, value in content.items() if name not in _SLOT}
        self._forger().rewrite(self._number(slot.seq), **changes)


class SqliteStoreAdapter(_Adapter):
    """The store of one SQLite file, without a key and without an anchor."""

    name = "unabridged-sqlite"

    def open_store(self, guard: IntegrityPolicy) -> Opened:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Open the file."""
        return SqliteStore(self._path, SPACE, access=ConnectionOptions(guard=guard))

    def forge(self) -> _Forgery:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Change its rows."""
        return SqliteForger(self._path)

    @property
    def _path(self) -> Path:
        return self.home() / "space.db"


class SqliteKeyed(SqliteStoreAdapter):
    """The same with a key."""

    name = "unabridged-sqlite-keyed"
    keyed = True


class SqliteAnchored(SqliteStoreAdapter):
    """The same with a key and an anchor outside the home."""

    name = "unabridged-sqlite-anchored"
    keyed = True
    anchored = True
