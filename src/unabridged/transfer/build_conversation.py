"""Makes a conversation of whole exchanges from loose messages, in a row or in a tree.

A user message opens an exchange; later messages belong to it, up to the next user message. If
answers branch, each path is a separate exchange, and they share the user's message. Ids are computed
from the file's content, so that reading it again returns the same.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from unabridged.annotations.annotation_records import statement_record
from unabridged.domain.annotation import FILE, Stated
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Part, Role, Text, ToolCall, ToolResult, part_to_dict
from unabridged.domain.record import Record
from unabridged.domain.results import Skip, SkippedRecord, Transcript
from unabridged.domain.session import Session, title_from
from unabridged.transfer.ids import derived_id, digest
from unabridged.transfer.lenient_fields import (
    BROKEN_CHARACTER,
    CIRCLE,
    REPEATED_MESSAGE,
    Reasons,
    as_bytes,
)
from unabridged.transfer.records import JsonRecord
from unabridged.transfer.times import UNDATED, after


@dataclass(frozen=True, slots=True)
class RawMessage:
    """A message of a foreign file.

    Attributes:
        key: Identifies it in its conversation: a foreign id, or made by ``content_key``.
        role: Its role; never ``system``.
        at: Its time in UTC, or None if unknown.
        broken: Whether the file marks it as incomplete.
        mode: Of a user's message: ``chat`` or ``tools`` if the file says so, else empty.
        stated: The category and importance that the file gives it.
    """

    key: str
    role: Role
    parts: tuple[Part, ...]
    parent: str | None = None
    at: datetime | None = None
    model: str | None = None
    broken: bool = False
    where: str = ""
    mode: str = ""
    stated: Stated | None = None


@dataclass(frozen=True, slots=True)
class ImportOrigin:
    """The data of a foreign file about a conversation.

    Attributes:
        current: The key of the newest message of the path that was shown last, or None for the
            last in the file.
        model: The model, if messages name none.
        seed: Identifies a conversation without an id; empty to use the content and time of its
            first message.
    """

    format: str
    id: str | None = None
    title: str = ""
    created: datetime | None = None
    updated: datetime | None = None
    current: str | None = None
    model: str | None = None
    seed: str = ""


EMPTY_CONVERSATION = "empty conversation"
_WOVEN_FREE = 100_000
_WOVEN_TIMES = 4
"""The most messages of one conversation: branches of an answer repeat shared ones."""


class BuiltTranscript(NamedTuple):
    """The result of building a conversation.

    Attributes:
        conversation: The conversation, or None without a user message.
        unread: Messages before any user message, or of too many branches.
        exchange_of: The ids of exchanges by the key of each of their messages.
        records: The categories and importances that the file gives.
    """

    conversation: Transcript | None
    unread: tuple[SkippedRecord, ...]
    exchange_of: Mapping[str, tuple[str, ...]]
    records: tuple[Record, ...] = ()


def content_key(position: int, role: str, parts: Iterable[Part]) -> str:
    """Return the key of a message that has no id: its position, role and content."""
    return digest(str(position), role, *(repr(sorted(part_to_dict(p).items())) for p in parts))


def transcript(
    record: JsonRecord, origin: ImportOrigin, messages: Sequence[RawMessage], reasons: Reasons
) -> Iterator[Transcript | Record | SkippedRecord]:
    """Make a conversation of a record; yield what was skipped, then it and its records."""
    woven = build_transcript(origin, messages)
    yield from outcome(record, woven, reasons)
    if woven.conversation is None:
        yield SkippedRecord(record.where, EMPTY_CONVERSATION, kind=Skip.NORMAL)


def outcome(
    record: JsonRecord, woven: BuiltTranscript, reasons: Reasons
) -> Iterator[Transcript | Record | SkippedRecord]:
    """Yield what was skipped, then the conversation if there is one, and its records."""
    if record.repaired:
        reasons[BROKEN_CHARACTER] += record.repaired
    yield from reasons.records(record.where)
    for each in woven.unread:
        yield replace(each, where=f"{record.where}, {each.where}")
    if woven.conversation is not None:
        yield woven.conversation
        yield from woven.records


def split_by_speaker(message: RawMessage, parts: Iterable[Part]) -> list[RawMessage]:
    """Split a message into its own parts and results of tools."""
    runs: list[tuple[Role, list[Part]]] = []
    for part in parts:
        speaker = Role.TOOL if isinstance(part, ToolResult) else message.role
        if not runs or runs[-1][0] is not speaker:
            runs.append((speaker, []))
        runs[-1][1].append(part)
    return [
        replace(
            message,
            key=f"{message.key}/{number}" if number else message.key,
            role=speaker,
            parts=tuple(run),
            broken=message.broken and speaker is message.role,
        )
        for number, (speaker, run) in enumerate(runs)
    ]


def chained(
    found: Mapping[str, Sequence[RawMessage]],
    parents: Mapping[str, str | None],
    reasons: Reasons,
) -> tuple[list[RawMessage], dict[str, str | None]]:
    """Chain messages that were read in pieces, by the parents of the whole ones.

    ``found`` holds the pieces by key, in order; ``parents`` the parent's key by key.

    Returns:
        The pieces, parents before children, and by key the last piece at or above it.
    """
    order, circles = in_order(parents)
    reasons[CIRCLE] += circles
    messages: list[RawMessage] = []
    last: dict[str, str | None] = {}
    taken = set(found)
    for key in order:
        above = last.get(parents[key] or "")
        for number, piece in enumerate(found[key]):
            name = piece.key if number else key
            if number and name in taken:
                name = digest("piece", key, str(number))
            taken.add(name)
            messages.append(replace(piece, key=name, parent=above))
            above = name
        last[key] = above
    return messages, last


def build_transcript(origin: ImportOrigin, messages: Sequence[RawMessage]) -> BuiltTranscript:
    """Make a conversation from loose messages.

    Parents come before children; an unknown parent counts as None.
    """
    loom = _Loom(origin, messages)
    loom.run()
    return loom.result()


@dataclass(slots=True)
class _Loom:
    origin: ImportOrigin
    messages: Sequence[RawMessage]
    nodes: dict[str, RawMessage] = field(default_factory=dict)
    children: dict[str, list[str]] = field(default_factory=dict)
    times: dict[str, datetime] = field(default_factory=dict)
    orphans: list[SkippedRecord] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    ends: dict[str, Exchange] = field(default_factory=dict)
    exchange_of: dict[str, list[str]] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)
    seed: str = ""
    woven: int = 0

    def run(self) -> None:
        above: dict[str, str | None] = {}
        users: list[str] = []
        for loose in self.messages:
            if loose.key in self.nodes:
                again = self.nodes[loose.key].parts == loose.parts
                self.orphans.append(
                    SkippedRecord(loose.where, REPEATED_MESSAGE, kind=Skip.NORMAL)
                    if again
                    else _unread(loose, "another message has its id")
                )
                continue
            parent = loose.parent if loose.parent in self.nodes else above.get(loose.parent or "")
            self.times[loose.key] = loose.at or self._inherited(loose.parent)
            if parent is None and loose.role is not Role.USER:
                reason = f"no user message precedes this message of the {loose.role.value}"
                self.orphans.append(_unread(loose, reason))
                above[loose.key] = None
                continue
            self.nodes[loose.key] = loose
            above[loose.key] = parent
            if parent is not None:
                self.children.setdefault(parent, []).append(loose.key)
            if loose.role is Role.USER:
                users.append(loose.key)
        if users:
            first = self.nodes[users[0]]
            start = self.times[first.key]
            own = digest(content_key(0, "", first.parts), str(start))
            self.seed = self.origin.id or self.origin.seed or own
        for user in users:
            parent = above[user]
            self._answer_paths(user, self.ends[parent] if parent is not None else None)

    def _inherited(self, parent: str | None) -> datetime:
        if parent in self.times:
            return after(self.times[parent])
        return self.origin.created or UNDATED

    def _answer_paths(self, user: str, before: Exchange | None) -> None:
        path: list[str] = []
        stack = [(user, 0)]
        while stack:
            key, depth = stack.pop()
            del path[depth:]
            path.append(key)
            below = self.children.get(key, [])
            answers = [key for key in below if self.nodes[key].role is not Role.USER]
            if len(answers) < len(below) or not answers:
                self._end(path, before)
            stack.extend((key, depth + 1) for key in reversed(answers))

    def _end(self, path: Sequence[str], before: Exchange | None) -> None:
        self.woven += len(path)
        if self.woven <= _WOVEN_FREE + _WOVEN_TIMES * len(self.messages):
            self._close(path, before)
            return
        self.orphans.append(_unread(self.nodes[path[-1]], "too many branches of one answer"))
        self.ends[path[-1]] = self.exchanges[-1]

    def _close(self, path: Sequence[str], before: Exchange | None) -> None:
        user = self.times[path[0]]
        base = (self.origin.format, self.seed)
        identity = derived_id(user, *base, "exchange", *path)
        first_id = derived_id(user, *base, "message", path[0])
        messages: list[Message] = []
        stated: dict[str, Stated] = {}
        parent = before.messages[-1].id if before else None
        for key in path:
            at = self.times[key]
            message_id = derived_id(at, *base, "message", identity, key) if messages else first_id
            node = self.nodes[key]
            messages.append(Message(message_id, node.role, node.parts, at, parent))
            parent = message_id
            if node.stated is not None:
                stated[message_id] = node.stated
        if stated:
            self.records.append(statement_record(FILE, identity, stated, user))
        exchange = Exchange(
            id=identity,
            session=self._session_id(),
            parent=before.id if before else None,
            state=_state([self.nodes[key] for key in path]),
            messages=tuple(messages),
            at=user,
            mode=self.nodes[path[0]].mode or _mode(messages),
            model=self._model(path),
        )
        self.exchanges.append(exchange)
        self.ends[path[-1]] = exchange
        for key in path:
            self.exchange_of.setdefault(key, []).append(identity)

    def _model(self, path: Sequence[str]) -> str | None:
        models = [self.nodes[key].model for key in path]
        return next((model for model in reversed(models) if model), self.origin.model)

    def _session_id(self) -> str:
        if self.exchanges:
            return self.exchanges[0].session
        first = next(iter(self.nodes))
        created = self.origin.created or self.times[first]
        return derived_id(created, self.origin.format, self.seed, "session")

    def _head(self) -> Exchange:
        key = self.origin.current
        while key in self.nodes:
            if key in self.ends:
                return self.ends[key]
            key = self.children[key][0]
        return self.exchanges[-1]

    def result(self) -> BuiltTranscript:
        where = {key: tuple(ids) for key, ids in self.exchange_of.items()}
        if not self.exchanges:
            return BuiltTranscript(None, tuple(self.orphans), where)
        first, head = self.exchanges[0], self._head()
        newest = max(m.at for exchange in self.exchanges for m in exchange.messages)
        created = self.origin.created or first.at
        session = Session(
            id=first.session,
            title=" ".join(self.origin.title.split()) or title_from(first.user.text),
            created=created,
            updated=max(newest, self.origin.updated or newest, created),
            head=head.messages[-1].id,
            source=self.origin.format,
            foreign_id=self.origin.id,
        )
        return BuiltTranscript(
            Transcript(session, tuple(self.exchanges)),
            tuple(self.orphans),
            where,
            tuple(self.records),
        )


def _unread(loose: RawMessage, reason: str) -> SkippedRecord:
    parts = [part_to_dict(part) for part in loose.parts]
    data = {"role": loose.role.value, "parts": parts, "time": loose.at and loose.at.isoformat()}
    return SkippedRecord(loose.where, reason, as_bytes(data))


def _state(path: list[RawMessage]) -> ExchangeState:
    answers = [node for node in path[1:] if node.role is Role.ASSISTANT]
    if any(node.broken for node in answers[-1:]):
        return ExchangeState.INCOMPLETE
    spoke = any(isinstance(part, Text) and part.text for node in answers for part in node.parts)
    return ExchangeState.COMPLETE if spoke else ExchangeState.UNANSWERED


def _mode(messages: list[Message]) -> str:
    tools = any(isinstance(p, (ToolCall, ToolResult)) for m in messages for p in m.parts)
    return "tools" if tools else "chat"


def in_order(parents: Mapping[str, str | None]) -> tuple[list[str], int]:
    """Sort keys so that parents come before children.

    Args:
        parents: The parent's key by key; an unknown parent counts as None.

    Returns:
        All keys, and the number of cycles that were cut.
    """
    children: dict[str, list[str]] = {}
    roots = []
    for key, parent in parents.items():
        if parent is None or parent not in parents:
            roots.append(key)
        else:
            children.setdefault(parent, []).append(key)
    order: list[str] = []
    seen: set[str] = set()
    circles = 0
    waiting = iter(parents)
    while True:
        stack = roots[::-1]
        while stack:
            key = stack.pop()
            if key not in seen:
                seen.add(key)
                order.append(key)
                stack.extend(reversed(children.get(key, [])))
        key_left = next((key for key in waiting if key not in seen), None)
        if key_left is None:
            return order, circles
        circles += 1
        roots = [key_left]
