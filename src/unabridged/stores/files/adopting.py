"""Taking over what a person wrote into a file by hand, or undoing it.

What was before is told by the companion, which keeps everything as it was said. So nothing is lost:
the old words of an edited exchange stay as a branch beside it, and so does what was taken out.
"""

from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from unabridged.domain.adoption import Adoption, Edit
from unabridged.domain.exchange import Exchange
from unabridged.domain.scope import Space
from unabridged.errors import StoreDamagedError, StoreEditedError, StoreError
from unabridged.stores.content import Content
from unabridged.stores.files import edited, faults, log as logs, paper, sheet
from unabridged.stores.files.change import Change
from unabridged.stores.files.desk import Desk, space_names
from unabridged.stores.files.edited import Edited, Spoken
from unabridged.stores.files.forms import said, shown
from unabridged.stores.files.layouts import KNOWN
from unabridged.stores.files.names import PACKED, Place
from unabridged.stores.files.sheet import About, LogState
from unabridged.stores.files.taking import Means, Taking
from unabridged.stores.inmemory import InMemoryStore

_NO_COMPANION = (
    "Its companion is missing: facts, contexts and other records are not there, and every exchange "
    "is taken over as the file says it."
)
_BRANCHES = "The words of other branches stay as they were: only the current path can be edited."
_DERIVED = "Figures, dates and summaries are made anew from the exchanges."


@dataclass(slots=True)
class Plan:
    """What taking a file over does.

    Attributes:
        view: What a person is shown.
        content: The space as it will be.
        about: What the files say of themselves.
        log: The companion.
        sessions: The sessions that are written.
        removed: The ids of exchanges that are no longer shown.
        digests: The digests of the other files of the space.
    """

    view: Adoption
    content: Content
    about: About
    log: logs.Log
    sessions: set[str]
    removed: list[str] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)


class Adopting:
    """Takes one file over. Whoever calls it holds the lock.

    Args:
        desk: The files of the space; nothing was read yet.
        path: The file.
        means: What is needed from outside.
    """

    def __init__(self, desk: Desk, path: Path, means: Means) -> None:
        self._desk = desk
        self._place: Place = desk.place
        self._path = path
        self._means = means
        self._space: Space = desk.space
        self._digests: dict[str, str] = {}

    def plan(self, *, undo: bool = False) -> Plan:
        """Say what is to be done; nothing is changed.

        Args:
            undo: Write the file as it was before it was edited or damaged.

        Raises:
            StoreEditedError: The file says something that cannot be taken over.
            StoreDamagedError: The file is no JSON; with ``undo``, there is no companion.
        """
        data = self._read(undo=undo)
        found = None if undo else edited.read(self._path, data, self._desk.named)
        about, notes = self._about(data, found)
        before, log = self._before(about, notes)
        if before is None:
            if undo:
                raise _nothing_to_undo_with(self._path)
            before = self._by_itself(data, notes)
        before.records.restore(log.records.values())
        return self._planned(found, before, about, log, notes)

    def take(self, plan: Plan, *, forget_removed: bool) -> None:
        """Do it.

        Args:
            plan: What is to be done.
            forget_removed: Forget what is no longer shown, for good; else it stays as a branch.

        Raises:
            StoreError: It cannot be written; the file is as it was.
        """
        engine = InMemoryStore(self._space, plan.content)
        if forget_removed:
            engine.forget(plan.removed)
        plan.digests.pop(self._path.name, None)
        archived = {s.id for s in plan.content.sessions.values() if s.archived is not None}
        self._desk.take_up(plan.about, plan.log, archived, plan.digests)
        self._desk.scribe.refresh(engine, set(plan.content.sessions), {})
        self._desk.commit(engine, Change(sessions=plan.sessions, purge=True))

    # --- the parts -----------------------------------------------------------------------------

    def _planned(
        self, found: Edited | None, before: Content, about: About, log: logs.Log, notes: list[str]
    ) -> Plan:
        engine = InMemoryStore(self._space, before)
        taking = Taking(engine, self._means)
        sessions = set(before.sessions)
        if found is not None:
            notes += found.notes
            self._note_branches(engine, found, notes)
            touched = {taking.session(self._named(engine, one)) for one in found.sessions}
            sessions = touched if self._desk.named == "agent" else set(before.sessions)
            sessions |= touched
        elif self._desk.named == "agent":
            mine = self._path.name.removesuffix(PACKED)
            sessions = {name for name in before.sessions if self._place.session(name) == mine}
        edits: tuple[Edit, ...] = tuple(taking.edits)
        sound = found is not None and self._is_sound()
        if found is not None and not edits and not sound:
            notes.append(_DERIVED)
        view = Adoption(str(self._path), self._space.name, edits, tuple(notes), sound)
        return Plan(view, before, about, log, sessions, taking.removed, self._digests)

    def _read(self, *, undo: bool) -> bytes:
        try:
            return paper.read(self._path, self._desk.encryption)
        except FileNotFoundError:
            if undo:
                return b""
            raise faults.nothing(self._path) from None
        except StoreDamagedError:
            if undo:
                return b""
            raise

    def _about(self, data: bytes, found: Edited | None) -> tuple[About, list[str]]:
        """What the files say of themselves, as far as they can tell."""
        own = None if found is None else found.about
        if found is None:
            try:
                own = sheet.about_of(KNOWN[self._desk.named], data)
            except (ValueError, KeyError, TypeError):
                own = None
        if own is not None and own.space != space_names(self._space):
            raise faults.other_space(self._path, own.space)
        about = own or About(
            format=sheet.FORMAT, layout=self._desk.named, space=space_names(self._space)
        )
        if self._desk.named == "agent":
            about = self._about_all(about)
        return about, []

    def _about_all(self, own: About) -> About:
        """In a layout of many files: what the one says that is always there, and the highest count."""
        main = self._desk.find()
        abouts = [own]
        files: dict[str, str] = {}
        archive = own.archive
        if main is not None and main != self._path:
            told = self._glanced(main)
            if told is not None:
                files, archive = dict(told.files or {}), told.archive
                abouts.append(told)
        elif own.files is not None:
            files = dict(own.files)
        for name in files.values():
            path = self._place.folder / name
            if path != self._path and path.exists():
                try:
                    told = self._glanced(path)
                except (ValueError, StoreDamagedError):
                    continue  # edited or damaged too: it is taken over by itself
                abouts += [told] if told is not None else []
        newest = max(abouts, key=lambda one: one.write)
        return msgspec.structs.replace(newest, files=files, archive=archive)

    def _glanced(self, path: Path) -> About | None:
        """What another file of the space says of itself; its digest is kept."""
        found = sheet.glance(KNOWN[self._desk.named], paper.read(path, self._desk.encryption))
        if found is None:
            return None
        self._digests[path.name] = found[1]
        return found[0]

    def _before(self, about: About, notes: list[str]) -> tuple[Content | None, logs.Log]:
        """The space as the companion tells it; None where there is none."""
        log = logs.Log(space_names(self._space), self._desk.encryption)
        state = about.log
        path = self._place.folder / state.file if state is not None else None
        if path is None or not path.exists():
            path = logs.newest(self._place.folder, self._place.stem)
            state = None
        if path is None:
            notes.append(_NO_COMPANION)
            return None, log
        if state is not None:
            try:
                log.follow(self._place.folder, state)
                return logs.replay(logs.lines(path, 0, state.bytes, log.encryption)), log
            except (StoreDamagedError, ValueError):
                log = logs.Log(space_names(self._space), self._desk.encryption)
        told, lost = logs.sound_lines(path, log.encryption)
        if lost:
            notes.append(f"{lost} lines of {path.name} are damaged; what they said is left out.")
        log.read(told, LogState(path.name, 0, ""))
        return logs.replay(told), log

    def _by_itself(self, data: bytes, notes: list[str]) -> Content:
        """The space as the file alone tells it: all of it where it is sound, else nothing."""
        content = Content()
        try:
            found = sheet.read(KNOWN[self._desk.named], data)
        except (ValueError, KeyError, TypeError):
            return content
        if found is None or found.faults:
            return content
        for block, entries in zip(found.blocks, found.entries, strict=True):
            content.sessions[block.session.id] = block.session
            content.entries.update((entry.exchange.id, entry) for entry in entries)
        if found.about.archive is not None:
            notes.append("Its archive is not taken over: without the companion nothing proves it.")
        return content

    def _is_sound(self) -> bool:
        fresh = Desk(
            self._place,
            self._space,
            self._desk.named,
            packed=False,
            guard=self._desk.guard,
            encryption=self._desk.encryption,
        )
        try:
            return fresh.load(mend=False) is not None
        except (StoreError, FileNotFoundError):
            return False

    def _named(self, engine: InMemoryStore, spoken: Spoken) -> Spoken:
        """A session of a file that lost its ids is the newest that there is."""
        if not spoken.id:
            active = [one.id for one in engine.sessions() if one.archived is None]
            spoken.id = active[0] if active else ""
        return spoken

    def _note_branches(self, engine: InMemoryStore, found: Edited, notes: list[str]) -> None:
        for spoken in found.sessions:
            if found.about is None or engine.session(spoken.id) is None:
                continue
            path = {exchange.id for exchange in engine.recent(spoken.id, 1 << 62)}
            others = engine.get(sorted(engine.of(spoken.id) - path)).values()
            if sorted(map(_seen, others)) != sorted((t.user, t.answer) for t in spoken.branches):
                notes.append(_BRANCHES)
                return


def _seen(exchange: Exchange) -> tuple[str, str]:
    user, answer = said(exchange)
    return shown(user), shown(answer or "")


def _nothing_to_undo_with(path: Path) -> StoreEditedError:
    name = path.name.removesuffix(PACKED)
    return StoreEditedError(
        f"{path} has no companion that tells how it was.",
        hint=f"Restore {name} from a backup, or take it over as it is: unabridged adopt.",
    )
