"""What is on disk of a space, and how it gets there: one writer at a time, whole or not at all."""

import re
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path

import msgspec

from unabridged.disk import durable
from unabridged.domain.record import RecordKind
from unabridged.domain.scope import Space
from unabridged.stores.content import Content
from unabridged.stores.files import faults, left, paper, sheet, together
from unabridged.stores.files.archived import ArchiveLayout
from unabridged.stores.files.change import Change, said_lines
from unabridged.stores.files.encrypting import Encryption
from unabridged.stores.files.layout import Head, Layout
from unabridged.stores.files.layouts import KNOWN
from unabridged.stores.files.log import Log
from unabridged.stores.files.names import PACKED, Place
from unabridged.stores.files.scribe import Scribe
from unabridged.stores.files.sealing import SealFile
from unabridged.stores.files.sheet import About, ArchiveState, Sheet
from unabridged.stores.guard import Guard
from unabridged.stores.inmemory import InMemoryStore


class Desk:
    """The files of one space. Whoever calls it holds the lock.

    Args:
        place: Where they lie.
        space: The space.
        layout: ``model``, ``agent`` or ``user``.
        packed: Whether files are packed when they are written.
        guard: What they are proved by.
        encryption: How files are encrypted; None for not at all.
    """

    def __init__(
        self,
        place: Place,
        space: Space,
        layout: str,
        *,
        packed: bool,
        guard: Guard | None = None,
        encryption: Encryption | None = None,
    ) -> None:
        self.place = place
        self.space = space
        self.named = layout
        self.layout: Layout = KNOWN[layout]
        self.encryption = encryption
        self.guard = guard
        self._packed = packed or place.main.endswith(PACKED)
        self.about = About(format=sheet.FORMAT, layout=layout, space=space_names(space))
        self.log = Log(space_names(space), encryption)
        self.scribe = Scribe(self.layout)
        self._main: Path | None = None
        self._archived: set[str] = set()
        self._stamps: dict[Path, paper.Stamp | None] = {}
        self.seal = SealFile(place, space_names(space), guard or Guard(), encryption)
        self._digests: dict[str, str] = {}

    # --- reading --------------------------------------------------------------------------------

    @property
    def current(self) -> bool:
        """Whether the files are as they were when they were read or written last."""
        return self._main is not None and all(
            paper.stamp(path) == known for path, known in self._stamps.items()
        )

    @property
    def main(self) -> Path:
        """The file that is always there, as it is written next."""
        return self._path(self.place.main)

    @property
    def paths(self) -> list[Path]:
        """Every file of the space, as they were read or written last."""
        named = [each.file for each in (self.about.log, self.about.archive) if each is not None]
        named += [self.place.seal.name] if self.seal.sealed is not None else []
        return [*self._stamps, *(self.place.folder / name for name in named)]

    def find(self) -> Path | None:
        """The file that is always there, packed or not; None where there is none."""
        plain = self.place.path
        packed = plain.with_name(plain.name + PACKED)
        order = (packed, plain) if self._packed else (plain, packed)
        return next((path for path in order if paper.stamp(path) is not None), None)

    def load(self, *, mend: bool = True) -> Content | None:
        """Read everything; None where there is nothing.

        Args:
            mend: Finish what a crash interrupted, and sweep what it left.

        Raises:
            StoreEditedError: A file was changed by hand.
            StoreDamagedError: A file is missing, cut off or not what was written.
            StoreFormatError: A newer version wrote it.
        """
        if mend:
            together.finish(self.place.intent)
        main = self.find()
        if main is None:
            left.refuse_orphan(self.place)
            return None
        stamps = {main: paper.stamp(main)}
        sheets = [self._sheet(main, self.layout)]
        names = sheets[0].about.files or {}
        for name in names.values():
            path = self.place.folder / name
            stamps[path] = paper.stamp(path)
            sheets.append(self._sheet(path, self.layout))
        about = max((one.about for one in sheets), key=lambda one: one.write)
        self.about = msgspec.structs.replace(sheets[0].about, write=about.write, log=about.log)
        self.log.follow(self.place.folder, about.log)
        self._archived = set()
        if sheets[0].about.archive is not None:
            archive = self._archive(sheets[0].about.archive)
            self._archived = {block.session.id for block in archive.blocks}
            sheets.append(archive)
        self._main, self._stamps = main, stamps
        pairs = zip(stamps, sheets, strict=False)
        self._digests = {path.name: one.digest for path, one in pairs}
        empty = not any(one.blocks for one in sheets) and not self.log.records
        self.seal.prove(about.write, self._digests, empty=empty)
        self.scribe.restore(block for one in sheets for block in one.blocks)
        if mend:
            kept = (self.about.log, self.about.archive)
            left.sweep(self.place, {each.file for each in kept if each is not None})
        return self._content(sheets)

    def _content(self, sheets: Iterable[Sheet]) -> Content:
        content = Content()
        for one in sheets:
            for block, entries in zip(one.blocks, one.entries, strict=True):
                content.sessions[block.session.id] = block.session
                content.entries.update((entry.exchange.id, entry) for entry in entries)
        content.records.restore(self.log.records.values())
        return content

    def _sheet(self, path: Path, layout: Layout) -> Sheet:
        try:
            data = paper.read(path, self.encryption)
        except FileNotFoundError:
            raise faults.missing(path) from None
        try:
            found = sheet.read(layout, data)
        except (ValueError, KeyError, TypeError) as error:
            raise faults.unreadable(path, data, error) from error
        if found is None:
            raise faults.foreign(path)
        if found.about.format > sheet.FORMAT:
            raise faults.too_new(path, found.about.format)
        if found.faults:
            raise faults.edited(path, found.faults)
        if found.about.space != space_names(self.space):
            raise faults.other_space(path, found.about.space)
        return found

    def _archive(self, state: ArchiveState) -> Sheet:
        path = self.place.folder / state.file
        try:
            if _digest(path.read_bytes()) != state.digest:
                raise faults.damaged(path, "it is not what was written")
        except FileNotFoundError:
            raise faults.missing(path) from None
        except OSError as error:
            raise durable.of_the_system(error, path) from error
        return self._sheet(path, ArchiveLayout(self.layout))

    # --- writing --------------------------------------------------------------------------------

    def commit(self, engine: InMemoryStore, change: Change) -> None:
        """Write what a verb did; durable when it returns.

        Raises:
            StoreError: It could not be written; the files say what they said.
        """
        self.scribe.refresh(engine, change.sessions, change.grown)
        for record, _ in change.records:
            if record.kind is RecordKind.CONDENSATION:
                self.scribe.touch(record.id.removeprefix("="))
        removals = self._write_log(engine, change)
        about = msgspec.structs.replace(
            self.about,
            write=self.about.write + 1,
            log=self.log.state,
        )
        writes: dict[Path, bytes] = {}
        about, gone = self._write_archive(about, change.sessions)
        removals += gone
        if self.named == "agent":
            about, gone = self._write_sessions(engine, about, change.sessions, writes)
            removals += gone
        main = self.main
        if not writes or self.named != "agent" or about != self._same(about) or main != self._main:
            writes[main] = self._render_main(engine.content, about)
            removals += [self._main] if self._main not in (None, main) else []
        self._put(about.write, writes, removals)
        self.about, self._main = about, main
        for path in removals:
            self._stamps.pop(path, None)
        self._stamps |= {path: paper.stamp(path) for path in writes}

    def _put(self, write: int, writes: dict[Path, bytes], removals: list[Path]) -> None:
        """Put files in place, with the seal over all that are there then; tell the anchor."""
        for path in removals:
            self._digests.pop(path.name, None)
        told = self.seal.told(write, self._digests)
        sealed = {} if told is None else {self.place.seal: told}
        together.put_in_place(self.place.intent, writes | sealed, removals, self.encryption)
        self.seal.moor(write, self._digests)

    def begin(self) -> None:
        """Write the first, empty file of a space."""
        main = self.main
        self._put(self.about.write, {main: self._render_main(Content(), self.about)}, [])
        self._main, self._stamps = main, {main: paper.stamp(main)}

    @property
    def is_blank(self) -> bool:
        """Whether it was read or begun, and nobody ever wrote: its one file is the empty one."""
        kept = self.about.log or self.about.archive or self.about.files or self.about.write
        guarded = self.guard is not None and self.guard.anchor is not None
        return bool(self._stamps) and not (kept or guarded or self.seal.sealed)

    def end(self) -> None:
        """Remove the first, empty file of a space."""
        for path in self._stamps:
            durable.remove(path)

    def take_up(
        self, about: About, log: Log, archived: set[str], digests: Mapping[str, str]
    ) -> None:
        """Go on from what somebody else read: what is written next takes its place.

        Args:
            about: What the files said of themselves.
            log: The companion.
            archived: The ids of archived sessions.
            digests: The digests of the files that stay as they are, by their names.
        """
        self.about, self.log, self._main = about, log, self.find() or self.main
        self._archived, self._digests = archived, dict(digests)
        self.seal.take_up()

    def _same(self, about: About) -> About:
        """What was said last, but for what every file of the space says."""
        return msgspec.structs.replace(self.about, write=about.write, log=about.log)

    def _render_main(self, content: Content, about: About) -> bytes:
        active = [] if self.named == "agent" else self._active()
        told = self.scribe.told(content, self.scribe.blocks if self.named == "model" else active)
        head = Head(self.space, told, self.scribe.window(content))
        order = [one.session.id for one in told if one.session.archived is None]
        blocks = [self.scribe.blocks[name] for name in order]
        if self.named == "agent":
            head, blocks = Head(self.space, (), None), []
        shows = min(self.layout.shows, len(blocks))
        heads = self.layout.heads(head)
        self._digests[self.main.name] = sheet.digest(heads, about, blocks)
        return sheet.render(self.layout, heads, about, blocks, shows)

    def _active(self) -> list[str]:
        return [name for name, one in self.scribe.blocks.items() if one.session.archived is None]

    def _write_sessions(
        self, engine: InMemoryStore, about: About, sessions: set[str], writes: dict[Path, bytes]
    ) -> tuple[About, list[Path]]:
        """Write the sessions' own files, and say which of them go."""
        files = dict(about.files or {})
        gone: list[Path] = []
        for name in sorted(sessions):
            old = files.pop(name, None)
            block = self.scribe.blocks.get(name)
            path = self._path(self.place.session(name))
            if block is not None and block.session.archived is None:
                told = self.scribe.told(engine.content, [name])
                heads = self.layout.heads(Head(self.space, told, None))
                mine = msgspec.structs.replace(about, files=None, archive=None)
                self._digests[path.name] = sheet.digest(heads, mine, [block])
                writes[path] = sheet.render(self.layout, heads, mine, [block], 1)
                files[name] = path.name
            if old is not None and old != files.get(name):
                gone.append(self.place.folder / old)
        return msgspec.structs.replace(about, files=dict(sorted(files.items()))), gone

    def _write_archive(self, about: About, sessions: set[str]) -> tuple[About, list[Path]]:
        """Write the archive where sessions came in or went out."""
        held = [one for one in self.scribe.blocks.values() if one.session.archived is not None]
        there = {one.session.id for one in held}
        old = about.archive
        if not sessions & (there | self._archived):
            return about, []
        self._archived = there
        gone = [] if old is None else [self.place.folder / old.file]
        if not held:
            return msgspec.structs.replace(about, archive=None), gone
        name = self.place.archive(_number(old.file if old else "") + 1)
        mine = msgspec.structs.replace(about, files=None, archive=None, log=None)
        layout = ArchiveLayout(self.layout)
        data = paper.prepared(
            self.place.folder / name, sheet.render(layout, [], mine, held, 0), self.encryption
        )
        durable.write_whole(self.place.folder / name, data)
        return msgspec.structs.replace(about, archive=ArchiveState(name, _digest(data))), gone

    def _write_log(self, engine: InMemoryStore, change: Change) -> list[Path]:
        """Write to the companion what is new, or all of it anew; say which file goes."""
        state = self.log.state
        if (change.purge and (state or engine.content.entries)) or self.log.worn:
            fresh = Log(space_names(self.space), self.encryption)
            name = self.place.log(_number(state.file if state else "") + 1)
            lines = [line for sid in engine.content.sessions for line in said_lines(engine, sid)]
            added = fresh.added(engine.content.records, lines, name)
            durable.write_whole(self.place.folder / name, added.data)
            fresh.take(added)
            self.log = fresh
            return [self.place.folder / state.file] if state else []
        if change.records or change.said:
            added = self.log.added(change.records, change.said, self.place.log(1))
            paper.append(self.place.folder / added.state.file, added.data, added.at)
            self.log.take(added)
        return []

    def _path(self, name: str) -> Path:
        packed = self._packed and not name.endswith(PACKED)
        return self.place.folder / (name + PACKED if packed else name)

    def sizes(self) -> int:
        """Bytes of all files of the space."""
        stamps = map(paper.stamp, self.paths)
        return sum(stamp[1] for stamp in stamps if stamp is not None)


def space_names(space: Space) -> dict[str, str]:
    """The names of a space, as its files tell them."""
    return {"user": space.user, "agent": space.agent, "model": space.model}


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _number(name: str) -> int:
    found = re.search(r"-([0-9]+)\.json", name)
    return int(found[1]) if found else 0
