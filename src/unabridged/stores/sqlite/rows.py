"""Convert rows to values and back, each with the digest that proves it.

Functions that read a row raise ``StoreDamagedError`` if it was changed, and ``StoreTamperedError``
if it was written without the key.
"""

import secrets
import zlib
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from struct import Struct
from typing import Any

import msgspec

from unabridged.domain.blob import Blob, BlobKind
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.hash_chain import Link, MacKey
from unabridged.domain.message import Message, Role, part_from_dict, part_to_dict
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.stores.json_codec import pack, unpack
from unabridged.stores.sqlite import sqlite_errors

Row = tuple[Any, ...]
_pack_columns = msgspec.msgpack.Encoder().encode
DIGEST_BYTES = 16
"""Bytes of a row's digest; a seal may follow them, see `witness`."""
_LIST = b"["
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def column(text: str | None) -> Any:
    """Return a text for SQLite: unchanged, or as bytes if it has lone surrogates."""
    if text is None or text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def name_of(value: Any) -> str:
    """Return the text of a value of ``column``."""
    return str(text_of(value))


def text_of(value: Any) -> Any:
    """Return the text or None of a value of ``column``."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


_LONG_BYTES = 65_536
"""Bytes from which MessagePack gives four bytes to the length (``bin 32``)."""
_NO_BYTES, _LONG_MARK = b"\xc4\x00", b"\xc6"
_pack_length = Struct(">I").pack


def digest(table: str, columns: Row) -> bytes:
    """Return BLAKE2b (16 bytes) over the MessagePack array of table name and columns."""
    last = columns[-1]
    if not isinstance(last, bytes) or len(last) < _LONG_BYTES:
        return blake2b(_pack_columns((table, *columns)), digest_size=DIGEST_BYTES).digest()
    # The same bytes without a copy of the long column: MessagePack writes it behind its length.
    start = _pack_columns((table, *columns[:-1], b"")).removesuffix(_NO_BYTES)
    long = blake2b(start + _LONG_MARK + _pack_length(len(last)), digest_size=DIGEST_BYTES)
    long.update(last)
    return long.digest()


def sealed(table: str, columns: Row) -> Row:
    """Return the columns followed by their digest."""
    return (*columns, digest(table, columns))


def plain(digest: Any) -> bytes:
    """Return the part of a row's digest that needs no key; empty if it is damaged."""
    return digest[:DIGEST_BYTES] if isinstance(digest, bytes) else b""


def checked(table: str, row: Row, path: Path) -> Row:
    """Return the columns of a row after checking its digest."""
    columns = row[:-1]
    if digest(table, columns) != plain(row[-1]):
        named = next((value for value in columns if isinstance(value, str)), columns[0])
        raise sqlite_errors.damaged(path, f"the {table} {named!r} is damaged.")
    return columns


def stamped(mac_key: MacKey, table: str, row: Row) -> Row:
    """Return a row with its digest sealed, if there is a key."""
    if not mac_key.mark:
        return row
    return (*row[:-1], row[-1] + mac_key.row(table, row[-1]))


def prove_row(path: Path, mac_key: MacKey | None, table: str, row: Row) -> None:
    """Refuse a row whose seal is missing or wrong: it was written without the key."""
    if mac_key is None or not mac_key.mark:
        return
    digest = plain(row[-1])
    if row[-1] != digest + mac_key.row(table, digest):
        named = next((value for value in row if isinstance(value, str)), "")
        raise sqlite_errors.tampered(path, f"the {table} {named!r} was not written with the key.")


def is_link(columns: Row) -> bool:
    """Return whether columns have a link's types: four numbers and six digests."""
    return all(isinstance(one, int) for one in columns[:4]) and all(
        isinstance(one, bytes) for one in columns[4:10]
    )


def link_of(columns: Row, path: Path) -> Link:
    """Return a link of the chain."""
    if not is_link(columns):
        raise sqlite_errors.damaged(path, f"link {columns[0]!r} of its chain was changed.")
    return Link(*columns)


def meta_row(name: str, value: Any) -> Row:
    """Return a row of ``meta``."""
    return sealed("meta", (name, pack(value)))


def session_mark(session: str) -> int:
    """Return a digest of a session's id as an integer."""
    data = session.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little") >> 1


def new_generation() -> str:
    """Return a new id for a file just created or restored."""
    return secrets.token_hex(8)


def space_data(space: SpaceId) -> dict[str, str]:
    """Return a space as plain data."""
    return {"user": space.user, "agent": space.agent, "model": space.model}


def session_row(session: Session) -> Row:
    """Return a session as a row."""
    updated = session.updated if session.updated.tzinfo else session.updated.replace(tzinfo=UTC)
    since = updated - _EPOCH
    micros = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    body = {
        "title": session.title,
        "created": session.created.isoformat(),
        "updated": session.updated.isoformat(),
        "source": session.source,
        "foreign_id": session.foreign_id,
    }
    if session.archived is not None:
        body["archived"] = session.archived.isoformat()
    return sealed("session", (column(session.id), column(session.head), micros, pack(body)))


def session_of(row: Row, path: Path) -> Session:
    """Return a session from its row."""
    name, head, _, packed = checked("session", row, path)
    body = unpack(packed)
    return Session(
        id=text_of(name),
        title=body["title"],
        created=datetime.fromisoformat(body["created"]),
        updated=datetime.fromisoformat(body["updated"]),
        head=text_of(head),
        source=body["source"],
        foreign_id=body["foreign_id"],
        archived=datetime.fromisoformat(body["archived"]) if "archived" in body else None,
    )


def exchange_row(exchange: Exchange, opened_by: str | None, own: int) -> Row:
    """Return an exchange as a row; its messages are in the log."""
    columns = (
        column(exchange.id),
        column(exchange.session),
        column(exchange.parent),
        column(opened_by),
        str(exchange.state),
        own,
        exchange.at.isoformat(),
        column(exchange.mode),
        column(exchange.model),
    )
    return sealed("exchange", columns)


def exchange_of(
    row: Row, path: Path, messages: tuple[Message, ...] = ()
) -> tuple[Exchange, str | None, int]:
    """Return an exchange, its shared message, and the number of its own messages."""
    name, session, parent, opened_by, state, own, at, mode, model = checked("exchange", row, path)
    exchange = Exchange(
        id=text_of(name),
        session=text_of(session),
        parent=text_of(parent),
        state=ExchangeState(state),
        messages=messages,
        at=datetime.fromisoformat(at),
        mode=text_of(mode),
        model=text_of(model),
    )
    return exchange, text_of(opened_by), own


def message_row(seq: int, exchange: str, message: Message) -> Row:
    """Return a message as a row of the log."""
    columns = (
        seq,
        column(message.id),
        column(exchange),
        column(message.parent),
        str(message.role),
        message.at.isoformat(),
        message.tokens,
        column(message.tokenizer),
        pack([part_to_dict(part) for part in message.parts]),
    )
    return sealed("message", columns)


def message_of(row: Row, path: Path) -> Message:
    """Return a message from its row."""
    _, name, _, parent, role, at, tokens, tokenizer, parts = checked("message", row, path)
    return Message(
        id=text_of(name),
        role=Role(role),
        parts=tuple(part_from_dict(part) for part in unpack(unpacked(parts))),
        at=datetime.fromisoformat(at),
        parent=text_of(parent),
        tokens=tokens,
        tokenizer=text_of(tokenizer),
    )


def compressed(parts: bytes) -> bytes:
    """Return packed content parts for an archived session: with zlib if that is shorter."""
    if parts[:1] != _LIST:
        return parts
    packed = zlib.compress(parts, 9)
    return packed if len(packed) < len(parts) else parts


def unpacked(parts: bytes) -> bytes:
    """Return content parts as ``pack`` wrote them; JSON lists begin with ``[``."""
    return parts if parts[:1] == _LIST else zlib.decompress(parts)


def record_row(record: Record) -> Row:
    """Return a record as a row."""
    columns = (
        str(record.kind),
        column(record.id),
        record.at.isoformat(),
        pack(record.body),
        pack(list(record.exchanges)),
        pack([blob.digest for blob in record.blobs]),
    )
    return sealed("record", columns)


def record_of(row: Row, path: Path) -> tuple[Record, list[str]]:
    """Return a record without its blobs, and their digests."""
    kind, name, at, body, exchanges, blobs = checked("record", row, path)
    record = Record(
        kind=RecordKind(kind),
        id=text_of(name),
        at=datetime.fromisoformat(at),
        body=unpack(body),
        exchanges=tuple(unpack(exchanges)),
    )
    return record, unpack(blobs)


def blob_row(blob: Blob) -> Row:
    """Return a blob as a row."""
    return sealed("blob", (blob.digest, str(blob.kind), blob.data))


def blob_of(row: Row, path: Path) -> Blob:
    """Return a blob from its row."""
    name, kind, body = checked("blob", row, path)
    blob = Blob(BlobKind(kind), body)
    if blob.digest != name:
        raise sqlite_errors.damaged(path, f"the blob {name!r} is damaged.")
    return blob


def blob_use_row(user_kind: str, user_id: str, blob: str) -> Row:
    """Return the use of a blob as a row."""
    return sealed("blob_use", (user_kind, column(user_id), blob))
