"""Taking an edit over: what was before stays as a branch, what is new gets its place on the path."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import SequenceMatcher

from unabridged.domain.adoption import Edit, EditKind
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Part, Role, Text
from unabridged.domain.session import Session, title_from
from unabridged.stores.content import Entry
from unabridged.stores.files.edited import Spoken, Turn
from unabridged.stores.files.forms import said, shown, whole_exchange
from unabridged.stores.inmemory import InMemoryStore

_ALL = 1 << 62


@dataclass(frozen=True, slots=True)
class Means:
    """What taking over needs from outside.

    Attributes:
        now: The time.
        new_id: Gives fresh ids.
        count: Counts the tokens of a text.
        tokenizer: The identity of what counts.
    """

    now: datetime
    new_id: Callable[[], str]
    count: Callable[[str], int]
    tokenizer: str


@dataclass(slots=True)
class Taking:
    """Takes sessions over, one after the other.

    Attributes:
        engine: The space as it was; it is changed.
        means: What is needed from outside.
        edits: What was found.
        removed: The ids of exchanges that are no longer shown.
    """

    engine: InMemoryStore
    means: Means
    edits: list[Edit] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    _messages: dict[str, Message] = field(default_factory=dict)

    def __post_init__(self) -> None:
        entries = self.engine.content.entries.values()
        self._messages = {m.id: m for entry in entries for m in entry.exchange.messages}

    def session(self, spoken: Spoken) -> str:
        """Take a session over, and give its id."""
        header = self.engine.session(spoken.id) if spoken.id else None
        if header is None:
            header = self._begun(spoken)
        path = self.engine.recent(header.id, _ALL)
        titled = self._titled(header, spoken)
        name = titled.title or titled.id
        if path and titled.title and titled.title == title_from(path[0].user.text):
            titled = replace(titled, title=title_from(spoken.turns[0].user if spoken.turns else ""))
        prev: Exchange | None = None
        for place, (old, turn) in enumerate(_pairs(path, spoken.turns), start=1):
            if turn is not None:
                prev = self._step(header, prev, (old, turn), name, place)
            elif old is not None:
                self._left(old, name, place)
        head = titled.head
        if not path or prev is None or prev.id != path[-1].id:
            head = prev.messages[-1].id if prev is not None else None
        if replace(titled, head=head) != header:
            titled = replace(titled, updated=max(titled.updated, self.means.now))
        self.engine.content.sessions[header.id] = replace(titled, head=head)
        return header.id

    def _begun(self, spoken: Spoken) -> Session:
        name = spoken.id or self.means.new_id()
        at = spoken.created or self.means.now
        header = Session(name, spoken.title or "", at, self.means.now)
        self.engine.content.sessions[name] = header
        return header

    def _titled(self, header: Session, spoken: Spoken) -> Session:
        if spoken.title is None or spoken.title == shown(header.title):
            return header
        told = (header.title, spoken.title)
        self.edits.append(Edit(EditKind.TITLE, header.title or header.id, 0, told))
        return replace(header, title=spoken.title)

    def _left(self, old: Exchange, name: str, place: int) -> None:
        """An exchange is no longer shown: it stays as a branch."""
        user, answer = _seen(old)
        self.removed.append(old.id)
        self.edits.append(Edit(EditKind.REMOVED, name, place, (user, ""), (answer, "")))

    def _step(
        self,
        header: Session,
        prev: Exchange | None,
        pair: tuple[Exchange | None, Turn],
        name: str,
        place: int,
    ) -> Exchange:
        """Give the exchange that stands behind another one on the path now."""
        old, turn = pair
        if old is not None and _seen(old) == (turn.user, turn.answer):
            return self._behind(old, prev)
        user, answer = ("", "") if old is None else _seen(old)
        kind = EditKind.ADDED if old is None else EditKind.EDITED
        self.edits.append(Edit(kind, name, place, (user, turn.user), (answer, turn.answer)))
        made = self._new(header, turn, prev) if old is None else self._changed(old, turn, prev)
        return self._kept(made)

    # --- making ---------------------------------------------------------------------------------

    def _new(self, header: Session, turn: Turn, prev: Exchange | None) -> Entry:
        at = turn.at or (prev.at if prev is not None else header.created)
        user = self._message(Role.USER, (Text(turn.user),), at, _last(prev))
        messages = [user]
        if turn.answer:
            messages.append(self._message(Role.ASSISTANT, (Text(turn.answer),), at, user.id))
        state = ExchangeState.COMPLETE if turn.answer else ExchangeState.UNANSWERED
        parent = None if prev is None else prev.id
        name = self.means.new_id()
        made = Exchange(name, header.id, parent, state, tuple(messages), at, "chat")
        return Entry(replace(made, model=turn.model or None), None)

    def _changed(self, old: Exchange, turn: Turn, prev: Exchange | None) -> Entry:
        """The same with other words, as a sibling; it shares the question where that is the same."""
        parent = None if prev is None else prev.id
        same = turn.user == shown(old.user.text) and old.parent == parent
        before, messages = (old.user.id, []) if same else (_last(prev), list[Message]())
        answer = old.answer
        for message in old.messages[1:] if same else old.messages:
            parts = message.parts
            if message is old.user:
                parts = _worded(parts, turn.user)
            elif message is answer:
                if not turn.answer:
                    continue
                parts = _worded(parts, turn.answer)
            made = replace(message, id=self.means.new_id(), parent=before, parts=parts)
            messages.append(self._counted(made) if parts != message.parts else made)
            before = made.id
        if turn.answer and answer is None:
            said_now = (Text(turn.answer),)
            messages.append(self._message(Role.ASSISTANT, said_now, old.at, before))
        state = ExchangeState.COMPLETE if turn.answer else ExchangeState.UNANSWERED
        changed = replace(old, id=self.means.new_id(), parent=parent, state=state)
        return Entry(replace(changed, messages=tuple(messages)), old.user.id if same else None)

    def _message(
        self, role: Role, parts: tuple[Part, ...], at: datetime, parent: str | None
    ) -> Message:
        return self._counted(Message(self.means.new_id(), role, parts, at, parent))

    def _counted(self, message: Message) -> Message:
        tokens = self.means.count(message.text)
        return replace(message, tokens=tokens, tokenizer=self.means.tokenizer)

    # --- hanging --------------------------------------------------------------------------------

    def _behind(self, old: Exchange, prev: Exchange | None) -> Exchange:
        """Let an exchange follow another one, and those that answer the same question with it."""
        parent = None if prev is None else prev.id
        if old.parent == parent:
            return old
        entries = self.engine.content.entries
        for entry in list(entries.values()):
            owner = entry.opened_by is None and entry.exchange.user.id == old.user.id
            if owner or entry.opened_by == old.user.id:
                moved = replace(entry.exchange, parent=parent)
                if owner:
                    first = replace(moved.messages[0], parent=_last(prev))
                    moved = replace(moved, messages=(first, *moved.messages[1:]))
                self._kept(Entry(moved, entry.opened_by))
        return self._whole(entries[old.id])

    def _kept(self, entry: Entry) -> Exchange:
        """Keep an exchange, and give it whole."""
        self.engine.content.entries[entry.exchange.id] = entry
        self._messages.update((message.id, message) for message in entry.exchange.messages)
        return self._whole(entry)

    def _whole(self, entry: Entry) -> Exchange:
        opening = None if entry.opened_by is None else self._messages[entry.opened_by]
        return whole_exchange(entry, opening)


def _pairs(
    path: Sequence[Exchange], turns: Sequence[Turn]
) -> list[tuple[Exchange | None, Turn | None]]:
    """What was and what is, side by side."""
    before = [_seen(exchange) for exchange in path]
    after = [(turn.user, turn.answer) for turn in turns]
    pairs: list[tuple[Exchange | None, Turn | None]] = []
    steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for _, start, end, low, high in steps:
        for number in range(max(end - start, high - low)):
            old = path[start + number] if start + number < end else None
            turn = turns[low + number] if low + number < high else None
            pairs.append((old, turn))
    return pairs


def _seen(exchange: Exchange) -> tuple[str, str]:
    user, answer = said(exchange)
    return shown(user), shown(answer or "")


def _last(exchange: Exchange | None) -> str | None:
    return None if exchange is None else exchange.messages[-1].id


def _worded(parts: tuple[Part, ...], words: str) -> tuple[Part, ...]:
    """The same parts with other words, where the first of the old ones stood."""
    kept: list[Part] = [Text(words)]
    return (*kept, *(part for part in parts if not isinstance(part, Text)))
