"""Keeps what was written of each session, so that only what changed is written anew."""

from collections.abc import Iterable, Mapping

import msgspec

from unabridged.condense.view import line_from_data, name_of
from unabridged.domain.condensation import Level
from unabridged.domain.record import RecordKind
from unabridged.domain.session import Session, title_from
from unabridged.stores.codec import unpack
from unabridged.stores.content import Content
from unabridged.stores.files import forms
from unabridged.stores.files.chunks import Chunks
from unabridged.stores.files.layout import Layout, Told
from unabridged.stores.files.leaves import Leaf, written
from unabridged.stores.files.sheet import Block
from unabridged.stores.inmemory import InMemoryStore

_ALL = 1 << 62


class Scribe:
    """What is written of the sessions of a space.

    Args:
        layout: How it looks.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.blocks: dict[str, Block] = {}
        self._told: dict[str, Told] = {}
        self._window: int | None = None

    def restore(self, blocks: Iterable[Block]) -> None:
        """Begin with what was read."""
        self.blocks = {block.session.id: block for block in blocks}
        self._told = {}

    def refresh(
        self, engine: InMemoryStore, sessions: Iterable[str], grown: Mapping[str, str]
    ) -> None:
        """Write anew what changed in some sessions; those that are gone go.

        Args:
            engine: The store in memory.
            sessions: The sessions.
            grown: Sessions in which only one exchange was begun or extended, with its id.
        """
        for name in sessions:
            self._told.pop(name, None)
            header = engine.content.sessions.get(name)
            old = self.blocks.pop(name, None)
            if header is None:
                continue
            form = forms.form_bytes(forms.session_form(header))
            path, others = self._grown(engine, header, old, grown.get(name)) or self._anew(
                engine, name, old
            )
            self.blocks[name] = Block(header, form, path, others)

    def _grown(
        self, engine: InMemoryStore, header: Session, old: Block | None, news: str | None
    ) -> tuple[Chunks, Chunks] | None:
        """What was written, and one exchange more, where that is all."""
        last = None if old is None else old.path.last
        if old is None or last is None or news is None:
            return None
        entry = engine.content.entries[news]
        messages = entry.exchange.messages
        behind = last.source.id in (news, entry.exchange.parent)
        if not behind or entry.opened_by or not messages or messages[-1].id != header.head:
            return None
        return old.path.grown(self._leaf(engine, news, None)), old.others

    def _anew(self, engine: InMemoryStore, name: str, old: Block | None) -> tuple[Chunks, Chunks]:
        """The exchanges of a session, those on the path apart; only what changed is written."""
        kept = () if old is None else (*old.path, *old.others)
        known = {leaf.source.id: leaf for leaf in kept}
        path = [exchange.id for exchange in engine.recent(name, _ALL)]
        others = sorted(engine.of(name).difference(path))
        parts = ([self._leaf(engine, x, known.get(x)) for x in ids] for ids in (path, others))
        on, off = map(Chunks, parts)
        return on, off

    def touch(self, session: str) -> None:
        """Tell of a session anew: a record about it changed."""
        self._told.pop(session, None)

    def told(self, content: Content, sessions: Iterable[str]) -> list[Told]:
        """Tell of sessions, the newest first."""
        order = sorted(
            (self.blocks[name] for name in sessions),
            key=lambda block: (block.session.updated, block.session.id),
            reverse=True,
        )
        return [self._tell(content, block) for block in order]

    def window(self, content: Content) -> int | None:
        """The window of the newest context, in tokens."""
        if self._window is None:
            kept = (r.id for r, _ in content.records if r.kind is RecordKind.CONTEXT)
            newest = max(kept, default=None)
            if newest is not None:
                self._ledger(content, newest)
        return self._window

    def _leaf(self, engine: InMemoryStore, name: str, known: Leaf | None) -> Leaf:
        entry = engine.content.entries[name]
        if known is not None and known.source is entry.exchange:
            return known
        complexity = self._ledger(engine.content, name)
        return written(entry, engine.get([name])[name], self.layout, complexity)

    def _ledger(self, content: Content, name: str) -> float | None:
        """The complexity that an exchange's context tells; takes its window in passing."""
        body = content.records.body(RecordKind.CONTEXT, name)
        if body is None:
            return None
        try:
            ledger = msgspec.json.decode(body, type=_Context).manifest.ledger
        except (msgspec.ValidationError, UnicodeDecodeError):
            return None
        self._window = ledger.window or self._window
        return ledger.complexity

    def _tell(self, content: Content, block: Block) -> Told:
        header = block.session
        if header.id not in self._told:
            last = block.path.last
            first = next(iter(block.path), last)
            self._told[header.id] = Told(
                session=header,
                summary=_summary(content, block),
                exchanges=len(block.path) + len(block.others),
                tokens=block.path.tokens + block.others.tokens,
                first=(first.source.at if first else header.created).date().isoformat(),
                last=(last.source.at if last else header.updated).date().isoformat(),
                model=(last.source.model or "") if last else "",
            )
        return self._told[header.id]


class _Ledger(msgspec.Struct):
    complexity: float | None = None
    window: int | None = None


class _Manifest(msgspec.Struct):
    ledger: _Ledger


class _Context(msgspec.Struct):
    manifest: _Manifest


def _summary(content: Content, block: Block) -> str:
    """What was said in a session: its condensation, else its title, else its first words."""
    body = content.records.body(RecordKind.CONDENSATION, name_of(block.session.id))
    if body is not None:
        for one in unpack(body).get("condensations", ()):
            if one.get("level") == Level.CONVERSATION:
                return " ".join(line_from_data(line).text for line in one.get("lines", ()))
    first = next(iter(block.path), None)
    words = first.source.messages[:1] if first is not None else ()
    return block.session.title or title_from(words[0].text if words else "")
