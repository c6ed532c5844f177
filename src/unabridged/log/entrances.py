"""Every place at which text enters a log: the one list of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from unabridged.domain.message import Image, Message, Reasoning, Text, ToolCall, ToolResult
from unabridged.domain.record import Record, RecordKind
from unabridged.ports import Store


class EntranceKind(StrEnum):
    """Where a text is."""

    TITLE = "title"
    MESSAGE = "message"
    RECORD = "record"


@dataclass(frozen=True, slots=True)
class Entrance:
    """A text in a log.

    Attributes:
        kind: Where it is.
        id: The id of its session, message or record.
        text: The text.
    """

    kind: EntranceKind
    id: str
    text: str


def entrances(store: Store) -> Iterator[Entrance]:
    """Return every text of a log: titles, parts of messages, values in records."""
    for session in store.sessions():
        yield Entrance(EntranceKind.TITLE, session.id, session.title)
    after: str | None = None
    while page := store.scan(after):
        for exchange in page:
            for message in exchange.messages:
                for text in (*texts_of_message(message), *names_of_message(message)):
                    yield Entrance(EntranceKind.MESSAGE, message.id, text)
        after = page[-1].id
    for kind in RecordKind:
        for record in store.records(kind):
            for text in texts_of_record(record):
                yield Entrance(EntranceKind.RECORD, record.id, text)


def texts_of_message(message: Message) -> Iterator[str]:
    """Return what each part of a message says: text, reasoning, tool arguments and results, images."""
    for part in message.parts:
        match part:
            case Text(text) | Reasoning(text):
                yield text
            case ToolCall(arguments=text) | ToolResult(text=text) | Image(uri=text):
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
    waiting: list[object] = [record.body]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            waiting += value.values()
        elif isinstance(value, list | tuple):
            waiting += value
