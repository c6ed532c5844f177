"""The one list of all places where text enters a log."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from unabridged.domain.blob import Blob, BlobKind
from unabridged.domain.message import Foreign, Image, Message, Reasoning, Text, ToolCall, ToolResult
from unabridged.domain.record import Record, RecordKind
from unabridged.ports import Store


class EntranceKind(StrEnum):
    """The place of a text."""

    TITLE = "title"
    MESSAGE = "message"
    ORIGINAL = "original"
    RECORD = "record"
    BLOB = "blob"


@dataclass(frozen=True, slots=True)
class Entrance:
    """A text in a log.

    Attributes:
        id: The id of its session, message or record; the digest of its blob.
    """

    kind: EntranceKind
    id: str
    text: str


def entrances(store: Store) -> Iterator[Entrance]:
    """Return every text of a log: titles, messages with their originals, records with their blobs.

    A blob that several records use is listed once.
    """
    for session in store.sessions():
        yield Entrance(EntranceKind.TITLE, session.id, session.title)
    after: str | None = None
    while page := store.scan(after):
        yield from _of_messages(store, [m for exchange in page for m in exchange.messages])
        after = page[-1].id
    listed: set[Blob] = set()
    for kind in RecordKind:
        for record in store.records(kind):
            for text in texts_of_record(record):
                yield Entrance(EntranceKind.RECORD, record.id, text)
            for blob in set(record.blobs) - listed:
                for text in texts_of_blob(blob):
                    yield Entrance(EntranceKind.BLOB, blob.digest, text)
            listed.update(record.blobs)


def _of_messages(store: Store, messages: Sequence[Message]) -> Iterator[Entrance]:
    for message in messages:
        for text in (*texts_of_message(message), *names_of_message(message)):
            yield Entrance(EntranceKind.MESSAGE, message.id, text)
    for name, data in store.originals(message.id for message in messages).items():
        for text in texts_of_blob(Blob(BlobKind.ORIGINAL, data)):
            yield Entrance(EntranceKind.ORIGINAL, name, text)


def texts_of_message(message: Message) -> Iterator[str]:
    """Return the text of each part of a message, including tools and images."""
    for part in message.parts:
        match part:
            case Text(text) | Reasoning(text):
                yield text
            case ToolCall(arguments=text) | ToolResult(text=text) | Image(uri=text):
                yield text
            case Foreign(data=text):
                yield text


def names_of_message(message: Message) -> Iterator[str]:
    """Return the names and ids in the tool calls and results of a message."""
    for part in message.parts:
        match part:
            case ToolCall(id=call, name=name) | ToolResult(call_id=call, name=name):
                yield name
                yield call
            case _:
                pass


def texts_of_record(record: Record) -> Iterator[str]:
    """Return every text in the body of a record, keys excepted."""
    return _texts_in(record.body)


def texts_of_blob(blob: Blob) -> Iterator[str]:
    """Return every text in a blob, with the keys of JSON; an image has none."""
    if blob.kind is BlobKind.IMAGE:
        return
    text = blob.data.decode("utf-8", "replace")
    if blob.kind is BlobKind.SYSTEM:
        yield blob.text
        return
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # another program wrote it
        yield text
    else:
        yield from _texts_in(value, keys=True)


def _texts_in(value: object, *, keys: bool = False) -> Iterator[str]:
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            waiting += value.values()
            waiting += value if keys else ()
        elif isinstance(value, list | tuple):
            waiting += value
