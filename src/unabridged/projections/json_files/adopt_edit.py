"""Adopt the edit of one session: old text stays as a branch, new text joins the path."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import SequenceMatcher

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.file_edit import Edit, EditKind
from unabridged.domain.message import Message, Part, Role, Text
from unabridged.domain.session import Session, title_from
from unabridged.ports import Clock, Store, Tokenizer
from unabridged.projections.json_files.edited_file import EditedSession
from unabridged.projections.json_files.fields import seen, shown
from unabridged.projections.json_files.layout import JsonTurn

_ALL = 1 << 62


@dataclass(slots=True)
class SessionEdit:
    """The plan of adopting one session.

    Attributes:
        header: The new header, with its head.
        is_new: Whether the session is new.
        exchanges: The new exchanges, parents before children.
        removed: The ids of removed exchanges.
        edits: The user's changes.
    """

    header: Session
    is_new: bool
    exchanges: list[Exchange] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)

    def apply(self, store: Store) -> None:
        """Write the plan into the log.

        Raises:
            StoreError: It cannot be written.
        """
        if self.exchanges or self.is_new:
            store.import_session(self.header, self.exchanges)
        held = store.session(self.header.id)
        if held is None:
            return
        wanted = self.header
        changed = replace(held, title=wanted.title, head=wanted.head, updated=wanted.updated)
        if changed != held:
            store.set_session(changed, held.head)


class SessionEditor:
    """Plans the adoption of one session; only reads the log."""

    def __init__(self, store: Store, clock: Clock, tokenizer: Tokenizer) -> None:
        self._store = store
        self._clock = clock
        self._tokenizer = tokenizer

    def plan(self, session: EditedSession) -> SessionEdit:
        """Return the plan for a session."""
        held = self._store.session(session.id) if session.id else self._newest()
        header = held or self._begun(session)
        path = self._store.recent(header.id, _ALL) if held is not None else []
        edit = SessionEdit(self._titled(header, session, path), held is None)
        self._note_title(edit, header, session)
        name = edit.header.title or (session.id if held is None else header.id)
        if not name and session.turns:  # a random id would differ each time
            name = title_from(session.turns[0].user)
        if [seen(one) for one in path] != [(turn.user, turn.answer) for turn in session.turns]:
            edit.header = replace(edit.header, head=self._walk(edit, session, path, name))
        if edit.header != header:
            updated = max(edit.header.updated, self._clock.now())
            edit.header = replace(edit.header, updated=updated)
        return edit

    def _walk(
        self, edit: SessionEdit, session: EditedSession, path: Sequence[Exchange], name: str
    ) -> str | None:
        base, tail = self._written(session, path)
        prev: Exchange | None = None
        for place, (old, turn) in enumerate(_pairs(base, session.turns), start=1):
            if turn is not None:
                prev = self._step(edit, prev, (old, turn), name, place)
            elif old is not None:
                user, answer = seen(old)
                edit.removed.append(old.id)
                told = Edit(EditKind.REMOVED, name, place, (user, ""), (answer, ""))
                edit.edits.append(told)
        if not (edit.edits and any(one.kind is not EditKind.TITLE for one in edit.edits)):
            return edit.header.head
        for old in tail:
            prev = self._behind(edit, old, prev)
        return _last(prev)

    def _written(
        self, session: EditedSession, path: Sequence[Exchange]
    ) -> tuple[list[Exchange], Sequence[Exchange]]:
        if session.header is None:
            return list(path), ()
        ids = session.written[: session.ending]
        held = self._store.get(ids)
        base = [held[name] for name in ids if name in held]
        count = len(base)
        if [one.id for one in path[:count]] == [one.id for one in base]:
            return base, path[count:]
        return base, ()

    def _newest(self) -> Session | None:
        return next((one for one in self._store.sessions() if one.archived is None), None)

    def _begun(self, session: EditedSession) -> Session:
        at = session.created or self._clock.now()
        return Session(session.id or self._clock.new_id(), session.title or "", at, at)

    def _titled(self, header: Session, session: EditedSession, path: Sequence[Exchange]) -> Session:
        written = header.title if session.header is None else session.header.title
        title = header.title
        if session.title is not None and session.title != shown(written):
            title = session.title
        if path and title and title == title_from(path[0].user.text):
            title = title_from(session.turns[0].user if session.turns else "")
        return replace(header, title=title)

    def _note_title(self, edit: SessionEdit, header: Session, session: EditedSession) -> None:
        title = session.title
        if title is not None and title == edit.header.title != header.title:
            told = (header.title, title)
            edit.edits.append(Edit(EditKind.TITLE, header.title or header.id, 0, told))

    def _step(
        self,
        edit: SessionEdit,
        prev: Exchange | None,
        pair: tuple[Exchange | None, JsonTurn],
        name: str,
        place: int,
    ) -> Exchange:
        old, turn = pair
        if old is not None and seen(old) == (turn.user, turn.answer):
            return self._behind(edit, old, prev)
        user, answer = ("", "") if old is None else seen(old)
        kind = EditKind.ADDED if old is None else EditKind.EDITED
        told = Edit(kind, name, place, (user, turn.user), (answer, turn.answer))
        edit.edits.append(told)
        made = self._new(edit.header, turn, prev) if old is None else self._changed(old, turn, prev)
        edit.exchanges.append(made)
        return made

    # --- making ---------------------------------------------------------------------------------

    def _behind(self, edit: SessionEdit, old: Exchange, prev: Exchange | None) -> Exchange:
        if old.parent == (None if prev is None else prev.id):
            return old
        copied = self._copied(old, prev, old.messages, _last(prev))
        edit.exchanges.append(copied)
        return copied

    def _copied(
        self,
        old: Exchange,
        prev: Exchange | None,
        messages: Sequence[Message],
        before: str | None,
        first: Message | None = None,
    ) -> Exchange:
        made = [] if first is None else [first]
        for message in messages:
            made.append(replace(message, id=self._clock.new_id(), parent=before))
            before = made[-1].id
        parent = None if prev is None else prev.id
        return replace(old, id=self._clock.new_id(), parent=parent, messages=tuple(made))

    def _changed(self, old: Exchange, turn: JsonTurn, prev: Exchange | None) -> Exchange:
        # A sibling with other text; it shares the question if that is the same.
        parent = None if prev is None else prev.id
        same = turn.user == shown(old.user.text) and old.parent == parent
        answer = old.answer
        messages = []
        for message in old.messages[1:] if same else old.messages:
            if message is old.user:
                messages.append(self._worded(message, turn.user))
            elif message is not answer:
                messages.append(message)
            elif turn.answer:
                messages.append(self._worded(message, turn.answer))
        if turn.answer and answer is None:
            messages.append(self._message(Role.ASSISTANT, turn.answer, old.at, None))
        state = ExchangeState.COMPLETE if turn.answer else ExchangeState.UNANSWERED
        before = old.user.id if same else _last(prev)
        first = old.user if same else None
        return replace(self._copied(old, prev, messages, before, first), state=state)

    def _new(self, header: Session, turn: JsonTurn, prev: Exchange | None) -> Exchange:
        at = turn.at or (prev.at if prev is not None else header.created)
        user = self._message(Role.USER, turn.user, at, _last(prev))
        messages = [user]
        if turn.answer:
            messages.append(self._message(Role.ASSISTANT, turn.answer, at, user.id))
        state = ExchangeState.COMPLETE if turn.answer else ExchangeState.UNANSWERED
        parent = None if prev is None else prev.id
        name = self._clock.new_id()
        made = Exchange(name, header.id, parent, state, tuple(messages), at, "chat")
        return replace(made, model=turn.model or None)

    def _message(self, role: Role, words: str, at: datetime, parent: str | None) -> Message:
        return self._counted(Message(self._clock.new_id(), role, (Text(words),), at, parent))

    def _worded(self, message: Message, words: str) -> Message:
        if shown(message.text) == words:
            return message
        kept: list[Part] = [Text(words)]
        kept += [part for part in message.parts if not isinstance(part, Text)]
        return self._counted(replace(message, parts=tuple(kept)))

    def _counted(self, message: Message) -> Message:
        tokens = self._tokenizer.count(message.text)
        return replace(message, tokens=tokens, tokenizer=self._tokenizer.identity)


def _pairs(
    path: Sequence[Exchange], turns: Sequence[JsonTurn]
) -> list[tuple[Exchange | None, JsonTurn | None]]:
    before = [seen(exchange) for exchange in path]
    after = [(turn.user, turn.answer) for turn in turns]
    pairs: list[tuple[Exchange | None, JsonTurn | None]] = []
    steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for _, start, end, low, high in steps:
        for number in range(max(end - start, high - low)):
            old = path[start + number] if start + number < end else None
            turn = turns[low + number] if low + number < high else None
            pairs.append((old, turn))
    return pairs


def _last(exchange: Exchange | None) -> str | None:
    return None if exchange is None else exchange.messages[-1].id
