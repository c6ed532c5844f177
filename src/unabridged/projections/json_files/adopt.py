"""Adopt what a person wrote into a file by hand, or undo it.

The log keeps everything as it was said. So nothing is lost: the old words of an edited exchange stay
as a branch, and so does what was taken out. What follows an edited exchange is copied behind it.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from unabridged.domain.file_edit import Adoption, Edit, EditKind
from unabridged.domain.scope import SpaceId
from unabridged.errors import InputError, StoreEditedError
from unabridged.ports import Clock, Store, Tokenizer
from unabridged.projections.json_files import (
    edited_file,
    file_bytes,
    file_errors,
    files_state,
    json_document,
)
from unabridged.projections.json_files.adopt_edit import SessionEdit, SessionEditor
from unabridged.projections.json_files.edited_file import EditedFile, EditedSession
from unabridged.projections.json_files.fields import seen
from unabridged.projections.json_files.file_paths import PACKED, FilePaths
from unabridged.projections.json_files.find_space import paths_of_file, space_in
from unabridged.projections.json_files.json_document import JsonDocument
from unabridged.projections.json_files.json_files import JsonFiles
from unabridged.projections.json_files.layouts import KNOWN

_BRANCHES = "The words of other branches stay as they were: only the current path can be edited."
_DERIVED = "Figures, dates and summaries are written again from the exchanges."


@dataclass(slots=True)
class AdoptPlan:
    """What adopting a file does.

    Attributes:
        view: What a person is shown.
        sessions: What it does to sessions.
        carried: A sound file with exchanges that the log does not hold; None for any other.
    """

    view: Adoption
    sessions: list[SessionEdit] = field(default_factory=list)
    carried: JsonDocument | None = None


class FileAdoption:
    """One file that is to be adopted.

    Args:
        asked: The space that the settings name.
        locate: Returns where the files of a space are.
        open_log: Opens the log of a space.
        tokenizer: Counts new words.

    Raises:
        InputError: It is no file of a space, or nothing tells of which.
    """

    def __init__(
        self,
        path: Path,
        layout: str,
        *,
        asked: SpaceId,
        locate: Callable[[SpaceId], FilePaths],
        open_log: Callable[[SpaceId], Store],
        clock: Clock,
        tokenizer: Tokenizer,
    ) -> None:
        self._path = path
        self._layout = layout
        self._paths = paths_of_file(path, layout)
        self._locate = locate
        self._open_log = open_log
        self._clock = clock
        self._tokenizer = tokenizer
        if not path.exists() and not path.is_symlink() and not self._is_known():
            raise file_errors.nothing(path)
        self.space = space_in(self._paths, layout) or self._checked(asked)

    def view(self, *, undo: bool = False) -> Adoption:
        """Return what adopting it would do; nothing is changed.

        Raises:
            StoreEditedError: The file says something that cannot be adopted.
            StoreDamagedError: The file is not JSON.
        """
        with closing(self._open_log(self.space)) as log:
            return self._plan(log, undo=undo).view

    def take(self, shown: Adoption, *, undo: bool = False, forget_removed: bool = False) -> None:
        """Adopt it as it was shown.

        Args:
            shown: What a person was shown.
            undo: Write it again from the log instead.
            forget_removed: Forget what is no longer shown, for good.

        Raises:
            StoreEditedError: It was changed once more since it was shown.
            StoreError: It cannot be written; it is as it was.
        """
        with closing(self._open_log(self.space)) as log:
            plan = self._plan(log, undo=undo)
            if plan.view != shown:
                raise StoreEditedError(
                    f"{self._path} was changed since it was shown.",
                    hint="Look at it again, and repeat.",
                )
            removed = [name for one in plan.sessions for name in one.removed]
            if forget_removed and removed:
                log.erase(removed)
                plan = self._plan(log, undo=undo)
            if plan.carried is not None:
                for one in plan.carried.sessions:
                    exchanges = json_document.exchanges_of(KNOWN[self._layout], one)
                    log.import_session(one.session, exchanges)
            for edit in plan.sessions:
                edit.apply(log)
            packed = self._path.name.endswith(PACKED)
            files = JsonFiles(log, lambda: self._paths, self._layout, compression=packed)
            files.write_again(self._path.name)

    # --- the parts -----------------------------------------------------------------------------

    def _plan(self, log: Store, *, undo: bool) -> AdoptPlan:
        if undo:
            return AdoptPlan(Adoption(str(self._path), self.space.name))
        data = file_bytes.read(self._path)
        found = edited_file.read(self._path, data, self._layout)
        if found.about is not None and found.about.named != self.space:
            raise file_errors.other_space(self._path, found.about.named)
        document = self._sound(data)
        if document is not None:
            return self._carried(log, document)
        return self._edited(log, found)

    def _sound(self, data: bytes) -> JsonDocument | None:
        try:
            found = json_document.read(KNOWN[self._layout], data)
        except (ValueError, KeyError, TypeError):
            return None
        return found if found is not None and not found.faults else None

    def _carried(self, log: Store, document: JsonDocument) -> AdoptPlan:
        edits = tuple(_unknown(log, self._layout, document))
        view = Adoption(str(self._path), self.space.name, edits, sound=not edits)
        return AdoptPlan(view, carried=document if edits else None)

    def _edited(self, log: Store, found: EditedFile) -> AdoptPlan:
        editor = SessionEditor(log, self._clock, self._tokenizer)
        sessions = [editor.plan(one) for one in found.sessions]
        edits = tuple(edit for one in sessions for edit in one.edits)
        notes = list(found.notes)
        if any(_branches_differ(log, one) for one in found.sessions):
            notes.append(_BRANCHES)
        if not edits:
            notes.append(_DERIVED)
        view = Adoption(str(self._path), self.space.name, edits, tuple(notes))
        return AdoptPlan(view, sessions)

    def _is_known(self) -> bool:
        return self._path.name in files_state.load(self._paths.state).files

    def _checked(self, asked: SpaceId) -> SpaceId:
        own = self._locate(asked)
        mine = (self._paths.folder.resolve(), self._paths.stem)
        if (own.folder.resolve(), own.stem) == mine:
            return asked
        raise InputError(
            f"{self._path} does not say whose it is.",
            hint="Name the user, agent and model whose memory it holds: --user, --agent, --model.",
        )


def _unknown(log: Store, layout: str, document: JsonDocument) -> Iterator[Edit]:
    held = set(log.get(document.ids()))
    for one in document.sessions:
        name = one.session.title or one.session.id
        for place, exchange in enumerate(json_document.exchanges_of(KNOWN[layout], one), start=1):
            if exchange.id not in held:
                user, answer = seen(exchange)
                yield Edit(EditKind.ADDED, name, place, ("", user), ("", answer))


def _branches_differ(log: Store, session: EditedSession) -> bool:
    others = log.get(session.written[session.ending :]).values()
    return sorted(map(seen, others)) != sorted((one.user, one.answer) for one in session.branches)
