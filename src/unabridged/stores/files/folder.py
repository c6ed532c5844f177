"""The spaces of a home that keeps them in files that people can read."""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from unabridged.disk.durable import UNFINISHED, of_the_system
from unabridged.disk.folders import private_folder
from unabridged.disk.locks import locked
from unabridged.domain.scope import Space
from unabridged.errors import NameRefusedError, NotFoundError, StoreError, StoreReadOnlyError
from unabridged.stores.copying import copy
from unabridged.stores.files import faults, paper, sheet, together
from unabridged.stores.files.change import Change
from unabridged.stores.files.desk import Desk
from unabridged.stores.files.encrypting import Encryption
from unabridged.stores.files.layouts import KNOWN
from unabridged.stores.files.names import (
    JSON,
    PACKED,
    Place,
    custom_place,
    place_of,
)
from unabridged.stores.files.store import BUSY_TIMEOUT, FilesStore
from unabridged.stores.guard import Guard
from unabridged.stores.inmemory import InMemoryStore
from unabridged.stores.leaving import LEAVING, finish, finish_for, leave
from unabridged.stores.listing import SpaceInfo

_LEFT = rf"(\.damaged-[0-9]+|\.[0-9a-f]+{re.escape(UNFINISHED)})?"
"""What else may stand behind a file's name: it was set aside, or never finished."""
_INTENTS = {"model": ".*.intent", "agent": ".*.intent", "user": "*/.*.intent"}
_MAIN = {"model": "*.json*", "agent": "*_space.json*", "user": "*/sessions.json*"}


class FilesFolder:
    """The spaces of one home, in files of one layout; implements ``stores.listing.Spaces``.

    Args:
        folder: Where the files lie; made, for its owner only, when the first space is.
        layout: ``model``, ``agent`` or ``user``.
        compression: Whether files are packed when they are written.
        auto_save: Whether everything is written at once; see ``FilesStore``.
        custom: The file of the only space, in place of those in the folder; None for those.
        busy_timeout: Seconds to wait for other writers.
        guard: What the files are proved by.
        encryption: How files are encrypted; None for not at all.

    Attributes:
        folder: Where the files lie.
        layout: The layout.
        timeout: Seconds to wait for other writers.
        encryption: How files are encrypted.
    """

    def __init__(
        self,
        folder: Path,
        *,
        layout: str = "model",
        compression: bool = False,
        auto_save: bool = True,
        custom: Path | None = None,
        busy_timeout: float = BUSY_TIMEOUT,
        guard: Guard | None = None,
        encryption: Encryption | None = None,
    ) -> None:
        self.encryption = encryption
        self.layout = layout
        self._compression = compression
        self._auto_save = auto_save
        self.timeout = busy_timeout
        self._guard = guard
        self._custom = None if custom is None else custom_place(custom)
        self.folder = folder if self._custom is None else self._custom.folder

    def path_of(self, space: Space) -> Path:
        """Give the file of a space that is always there; packed or not."""
        place = self.place_of(space)
        return self.desk(place, space).find() or place.path

    def open(self, space: Space, *, create: bool = True) -> FilesStore:
        """Open a space, beginning it where it is new; see ``stores.listing.Spaces``."""
        place = self._settled(space)
        if not create or self.desk(place, space).find() is not None:
            return self.store(place, space, create=create)
        try:
            private_folder(self.folder)
        except OSError as error:
            raise of_the_system(error, self.folder) from error
        with locked(self._lock, self.timeout):  # another space may take the name meanwhile
            return self.store(self.place_of(space), space, create=True)

    def rename(self, old: Space, new: Space) -> None:
        """Give a space other names; see ``stores.listing.Spaces``."""
        if self._custom is not None:
            raise NameRefusedError(
                "The file that custom_filepath names holds one space, which keeps its name.",
                hint="Copy it into a space of the home first.",
            )
        source = self._settled(old)
        self._settled(new)
        if self.desk(source, old).find() is None:
            raise NotFoundError(f"There is no space {old.name!r}.", hint="List the spaces.")
        with locked(self._lock, self.timeout):
            target = self.place_of(new)
            if self.desk(target, new).find() is not None:
                raise NameRefusedError(
                    f"There is a space {new.name!r} already.",
                    hint="Merge into it, or choose other names.",
                )
            private_folder(target.folder)
            with locked(source.lock, self.timeout), locked(target.lock, self.timeout):
                self._move(self.desk(source, old), self.desk(target, new))

    def _move(self, source: Desk, target: Desk) -> None:
        """Write a space under its new name, and let the old files go once that is there."""
        content = source.load()
        if content is None:
            raise faults.nothing(source.place.path)
        gone = [path.name for path in source.paths]
        when, after = (
            os.path.relpath(path, source.place.folder)
            for path in (target.main, target.place.intent)
        )
        together.announce(source.place.intent, [], gone, when=when, after=after)
        engine = InMemoryStore(target.space, content)
        target.commit(engine, Change(sessions=set(content.sessions), purge=True))
        together.finish(source.place.intent)

    def merge(self, source: Space, into: Space) -> int:
        """Copy every session, exchange and record that ``into`` lacks; see ``stores.listing``."""
        giver = self.open(source, create=False)
        try:
            taker = self.open(into)
            try:
                added = copy(giver, taker).exchanges
                taker.save()
                return added
            finally:
                taker.close()
        finally:
            giver.close()

    def set_aside(self, space: Space) -> Path:
        """Move the files of a space out of the way: ``<name>.damaged-<n>``."""
        place = self._settled(space)
        main = self.desk(place, space).find()
        names = sorted(path.name for path in files_of(place)) if place.folder.is_dir() else []
        if not names:
            raise NotFoundError(f"There is no file for {space.name!r}.", hint="List the spaces.")
        number = 1
        while any((place.folder / f"{name}.damaged-{number}").exists() for name in names):
            number += 1
        with locked(place.lock, self.timeout):
            moves = [(name, f"{name}.damaged-{number}") for name in names]
            together.move(place.intent, moves, [])
        shown = names[0] if main is None else main.name
        return place.folder / f"{shown}.damaged-{number}"

    def parts_of(self, space: Space) -> list[Path]:
        """Every file of a space; see ``stores.listing.Spaces``."""
        place = self.place_of(space)
        return files_of(place, also=_LEFT) if place.folder.is_dir() else []

    def wipe(self, space: Space, receipt: Path, shown: Mapping[str, Any]) -> int:
        """Overwrite and remove every file of a space; see ``stores.listing.Spaces``."""
        place = self.place_of(space)
        private_folder(self.folder)
        with locked(self._lock, self.timeout), locked(place.lock, self.timeout):
            return leave(self._leaving(place), self.parts_of(space), receipt, dict(shown))

    def list(self) -> list[SpaceInfo]:
        """Every space of the layout, by file; a damaged one says so and hides no other."""
        if self._custom is not None:
            path = self.desk(self._custom, Space()).find()
            return [] if path is None else [self._info(self._custom, path)]
        for intent in self.folder.glob(f"*{LEAVING}"):
            finish(intent)
        for intent in self.folder.glob(_INTENTS[self.layout]):
            self._finish(intent, intent.with_suffix(".lock"))
        found = []
        for path in sorted(self.folder.glob(_MAIN[self.layout])):
            name = path.name.removesuffix(PACKED)
            stem = name.removesuffix(JSON)
            if not name.endswith(JSON) or name.startswith(".") or "." in stem:
                continue
            short = stem.removesuffix("_space") if self.layout == "agent" else stem
            found.append(self._info(Place(path.parent, short, name), path))
        return found

    # --- the parts -----------------------------------------------------------------------------

    @property
    def _lock(self) -> Path:
        return self.folder / ".spaces.lock"

    def _settled(self, space: Space) -> Place:
        """The place of a space, when what a crash interrupted there is finished."""
        place = self.place_of(space)
        finish_for(self._leaving(place))
        if place.intent.exists():
            self._finish(place.intent, place.lock)
            place = self.place_of(space)
        return place

    def _finish(self, intent: Path, lock: Path) -> None:
        with suppress(StoreReadOnlyError), locked(lock, self.timeout):
            together.finish(intent)

    def _leaving(self, place: Place) -> Path:
        """The path in the folder that stands for a space whose files are to go."""
        return place.path if self.layout != "user" or self._custom else place.folder

    @property
    def is_guarded(self) -> bool:
        """Whether a key or an anchor proves the files, or a key hides them."""
        guard = self._guard
        proved = guard is not None and (bool(guard.signet.mark) or guard.anchor is not None)
        return proved or self.encryption is not None

    def beside(self) -> "FilesFolder":
        """The same for files that are written elsewhere first: no anchor is told of them."""
        guard = None if self._guard is None else replace(self._guard, anchor=None)
        return FilesFolder(
            self.folder,
            layout=self.layout,
            compression=self._compression,
            busy_timeout=self.timeout,
            guard=guard,
            encryption=self.encryption,
        )

    def place_of(self, space: Space) -> Place:
        """Where the files of a space lie, or would."""
        if self._custom is not None:
            return self._custom

        def held(place: Place) -> Space | None:
            path = self.desk(place, space).find()
            return None if path is None else (self._space_in(path) or space)

        return place_of(self.folder, space, self.layout, held)

    def _space_in(self, path: Path) -> Space | None:
        """The space that a file holds; None where it cannot tell."""
        try:
            about = sheet.about_of(KNOWN[self.layout], paper.read(path, self.encryption))
            return None if about is None else Space(**about.space)
        except (StoreError, FileNotFoundError, ValueError, TypeError):
            return None

    def desk(self, place: Place, space: Space) -> Desk:
        """What reads and writes the files of a place."""
        return Desk(
            place,
            space,
            self.layout,
            packed=self._compression,
            guard=self._guard,
            encryption=self.encryption,
        )

    def store(self, place: Place, space: Space, *, create: bool) -> FilesStore:
        """Open the store of a place."""
        return FilesStore(
            place,
            space,
            layout=self.layout,
            compression=self._compression,
            auto_save=self._auto_save,
            create=create,
            busy_timeout=self.timeout,
            guard=self._guard,
            encryption=self.encryption,
        )

    def _info(self, place: Place, path: Path) -> SpaceInfo:
        space = self._space_in(path)
        size = sum(each.stat().st_size for each in files_of(place))
        try:
            store = self.store(place, space or Space(), create=False)
        except (StoreError, NotFoundError) as error:
            return SpaceInfo(space, path, size, 0, 0, damaged=str(error), hint=error.hint)
        totals = store.totals()
        store.close()
        return SpaceInfo(space, path, totals.bytes, totals.sessions, totals.exchanges)


def files_of(place: Place, also: str = "") -> list[Path]:
    """Every file of a space, found by its name.

    Args:
        place: Where they lie.
        also: What may stand behind their names besides, as a pattern.
    """
    stem = re.escape(place.stem)
    names = re.compile(
        rf"({re.escape(place.main)}(\.gz)?|{stem}_[A-Za-z0-9-]+_conversation\.json(\.gz)?"
        rf"|{stem}\.log-[0-9]+\.jsonl|{stem}\.archive-[0-9]+\.json\.gz"
        rf"|{stem}\.seal\.json)"
        rf"{also}"
    )
    found = [path for path in place.folder.iterdir() if names.fullmatch(path.name.lstrip("."))]
    return sorted(found if also else [path for path in found if not path.name.startswith(".")])
