"""A forger: changes a file past the store, as somebody does who knows its format and has no key.

Whatever can be computed without the key is computed: digests of rows, counters, the heads and parents
that lead around what was removed. For tests of tamper evidence.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import apsw

from unabridged.domain.hash_chain import SALT_BYTES, MacKey
from unabridged.domain.message import Text, part_to_dict
from unabridged.stores.integrity_policy import IntegrityPolicy
from unabridged.stores.json_codec import pack, unpack
from unabridged.stores.sqlite import read_rows
from unabridged.stores.sqlite.chain_writer import ChainWriter, Seal
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.stores.sqlite.open_file import open_database
from unabridged.stores.sqlite.rows import DIGEST_BYTES, digest, meta_row, plain
from unabridged.stores.sqlite.sql import parse

Row = tuple[Any, ...]
MESSAGE = ("seq", "id", "exchange", "parent", "role", "at", "tokens", "tokenizer", "parts")
EXCHANGE = ("id", "session", "parent", "opened_by", "state", "own", "at", "mode", "model")


@cache
def _statements() -> dict[str, str]:
    return parse(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))


class SqliteForger:
    """Somebody with the file, and without its key.

    Args:
        path: The file; nobody else has it open.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: apsw.Connection | None = None

    @contextmanager
    def _open(self) -> Iterator[apsw.Connection]:
        """The file, in one transaction; its log is moved into it afterwards."""
        if self._connection is not None:
            yield self._connection
            return
        connection = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            with connection:
                self._connection = connection
                yield connection
        finally:
            self._connection = None
            connection.close()

    def _run(self, name: str, bindings: Row = ()) -> list[Row]:
        with self._open() as connection:
            return connection.execute(_statements()[name], bindings).fetchall()

    def messages(self, session: str, /) -> list[dict[str, Any]]:
        """The messages of a session as they lie in the file, in the order of the log."""
        return [dict(zip(MESSAGE, row, strict=False)) for row in self._run("messages", (session,))]

    def rewrite(self, number: int, /, **changes: Any) -> None:
        """Change columns of a message."""
        with self._open():
            (row,) = self._run("message", (number,))
            self._run("remove message", (number,))
            self._put_message({**dict(zip(MESSAGE, row, strict=False)), **changes})

    def say(self, number: int, text: str) -> None:
        """Change what a message says."""
        self.rewrite(number, parts=pack([part_to_dict(Text(text))]))

    def swap(self, one: int, other: int) -> None:
        """Let two messages change places in the log, with their ids, in their exchanges."""
        with self._open():
            first, second = (self._run("message", (number,))[0] for number in (one, other))
            self._run("remove message", (one,))
            self._run("remove message", (other,))
            for row, place in ((first, second), (second, first)):
                moved = dict(zip(MESSAGE, row, strict=False))
                moved.update(seq=place[0], exchange=place[2], parent=place[3])
                self._put_message(moved)

    def remove(self, number: int, /, *, link: bool = True, as_forgotten: bool = False) -> None:
        """Take a message out, and lead everything around the gap.

        Args:
            number: The message.
            link: Whether its link goes too.
            as_forgotten: Whether its link is made to look like that of a forgotten one.
        """
        with self._open():
            row = dict(zip(MESSAGE, self._run("message", (number,))[0], strict=False))
            self._run("remove message", (number,))
            for (follower,) in self._run("followers", (row["id"],)):
                self.rewrite(follower, parent=row["parent"])
            exchange = self.exchange(row["exchange"])
            if exchange["own"] == 1:
                self._remove_exchange(exchange)
            else:
                self.restate(exchange["id"], own=exchange["own"] - 1)
            self._move_head(exchange["session"], row["id"], row["parent"])
            self._count(messages=-1, tokens=-(row["tokens"] or 0))
            if as_forgotten:
                self._run("loosen link", (MacKey().gone(b"guessed"), number))
            elif link:
                self._run("remove link", (number,))

    def put_in(self, session: str, text: str, /) -> int:
        """Put a message behind the last one of a session, in an exchange of its own."""
        with self._open():
            last = self.messages(session)[-1]
            before = self.exchange(last["exchange"])
            number = unpack(self._run("tally")[0][1])["seq"] + 1
            mark = secrets.token_hex(4)
            exchange = {**before, "id": f"{before['id']}{mark}", "parent": before["id"], "own": 1}
            self._put_exchange({**exchange, "opened_by": None})
            message = {
                **last,
                "seq": number,
                "id": f"{last['id']}{mark}",
                "exchange": exchange["id"],
            }
            parts = pack([part_to_dict(Text(text))])
            self._put_message({**message, "parent": last["id"], "role": "user", "parts": parts})
            self._move_head(session, last["id"], message["id"])
            self._count(messages=1, exchanges=1, tokens=last["tokens"] or 0, seq=1)
        return int(number)

    def exchange(self, exchange_id: str) -> dict[str, Any]:
        """An exchange as it lies in the file."""
        return dict(zip(EXCHANGE, self._run("exchange", (exchange_id,))[0], strict=False))

    def restate(self, exchange_id: str, **changes: Any) -> None:
        """Change columns of an exchange."""
        self._put_exchange({**self.exchange(exchange_id), **changes})

    def retitle(self, session: str, **changes: Any) -> None:
        """Change fields of a session's header."""
        with self._open():
            ((name, head, updated, body, old),) = self._run("session", (session,))
            columns = (name, head, updated, pack({**unpack(body), **changes}))
            self._run("set session", _with_digest("session", columns, old))

    def resalt(self, number: int) -> None:
        """Give the link of a message another salt."""
        self._run("salt link", (secrets.token_bytes(SALT_BYTES), number))

    def take_proof(self, number: int, *, of: int) -> None:
        """Give the link of a message that is gone the digests of one that was forgotten."""
        self._run("take proof", (of, number))

    def unchain(self) -> None:
        """Take the whole chain away, and make a new one from what is there, by our own code."""
        with self._open():
            for name in ("clear links", "clear chains", "clear seal"):
                self._run(name)
            messages = self._run("every message with its session")
        database = open_database(self.path, ConnectionOptions())
        try:
            database.watcher = writer = ChainWriter(database, IntegrityPolicy())
            with database.write():
                space, uuid = (read_rows.meta(database, name) for name in ("space", "uuid"))
                writer.start(Seal(uuid=uuid, space=space))
                for *row, session in messages:
                    writer.link(tuple(row), session)
                for table in ("session", "exchange", "record"):
                    for _, found in database.rows(f"digests of {table}s"):
                        writer.counts(table, plain(found))
        finally:
            database.close()

    def claim(self, space: dict[str, str]) -> None:
        """Let the file say that it holds another space."""
        self._run("set meta", meta_row("space", space))

    def _put_message(self, row: dict[str, Any]) -> None:
        columns = tuple(row[name] for name in MESSAGE)
        self._run("set message", (*columns, digest("message", columns)))

    def _put_exchange(self, row: dict[str, Any]) -> None:
        columns = tuple(row[name] for name in EXCHANGE)
        found = self._run("exchange", (row["id"],))
        old = found[0][-1] if found else b""
        self._run("set exchange", _with_digest("exchange", columns, old))

    def _remove_exchange(self, exchange: dict[str, Any]) -> None:
        self._run("remove exchange", (exchange["id"],))
        for (child,) in self._run("children", (exchange["id"],)):
            self.restate(child, parent=exchange["parent"])
        self._count(exchanges=-1)

    def _move_head(self, session: str, old: str, new: str | None) -> None:
        ((name, head, updated, body, seal),) = self._run("session", (session,))
        if head == old:
            self._run("set session", _with_digest("session", (name, new, updated, body), seal))

    def _count(self, **more: int) -> None:
        ((one, body, old),) = self._run("tally")
        counted = unpack(body)
        for name, number in more.items():
            counted[name] += number
        self._run("set tally", _with_digest("tally", (one, pack(counted)), old))


def _with_digest(table: str, columns: Row, old: bytes) -> Row:
    """Give a row with its digest made anew; a seal behind the old one stays, as good as it is."""
    return (*columns, digest(table, columns) + old[DIGEST_BYTES:])
