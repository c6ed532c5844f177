"""Setting damaged files aside and going on with all that proves itself in them.

Everything is written to a folder beside them first; the damaged files are copied to names of their own
(``<name>.damaged-<n>``); then the new ones are put in their places together: all of them or none,
also across a crash (``together``).
"""

import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from unabridged.disk.durable import (
    UNFINISHED,
    draft_of,
    of_the_system,
    sync_folder,
    write_new,
    write_whole,
)
from unabridged.disk.locks import locked
from unabridged.domain.safekeeping import Salvage
from unabridged.domain.scope import Space
from unabridged.errors import (
    InputError,
    StoreDamagedError,
    StoreEditedError,
    StoreError,
    StoreTamperedError,
)
from unabridged.stores import salvaging
from unabridged.stores.files import together
from unabridged.stores.files.adoption import place_of_file
from unabridged.stores.files.folder import FilesFolder, files_of
from unabridged.stores.files.names import LAYOUTS, Place
from unabridged.stores.files.salvaging import salvage
from unabridged.stores.files.store import FilesStore

PATIENCE = 600.0
"""Seconds to wait for another process that salvages."""


def open_or_rescue(spaces: FilesFolder, space: Space) -> tuple[FilesStore, Salvage | None]:
    """Open a space; where its files are damaged, go on with all that proves itself in them.

    Files that were edited by hand, and whatever else stops it, are raised as they are.

    Returns:
        The store, and the account of what was done.
    """
    try:
        return spaces.open(space), None
    except StoreDamagedError as error:
        if isinstance(error, StoreEditedError | StoreTamperedError):
            raise
    found = rescue(spaces, space)
    return spaces.open(space), found


def rescue(spaces: FilesFolder, space: Space) -> Salvage | None:
    """Set damaged files aside and put all that proves itself in their place.

    Returns:
        The account; None where they are sound by now.

    Raises:
        StoreTamperedError: They are sealed: what is left of them would not prove right.
        StoreError: The disk failed, is full, or cannot be written; nothing was changed.
    """
    place = spaces.place_of(space)
    try:
        with locked(place.lock, PATIENCE):
            together.finish(place.intent)
            if _is_sound(spaces, space, place):
                return None
            if spaces.is_guarded or place.seal.exists():
                raise StoreDamagedError(
                    f"{place.path} is damaged, and sealed by a key or an anchor.",
                    hint="Restore it from a backup, or salvage it without them: key= and anchor=.",
                )
            return _rescue(spaces, space, place)
    except OSError as error:
        raise of_the_system(error, place.path) from error


def salvaged_json(path: Path) -> salvaging.Salvaged:
    """Find everything that proves itself in a readable file, and in its companion beside it.

    Whatever layout it is of: that one by which most of it is found.

    Raises:
        StoreError: The disk failed.
    """
    found = []
    for layout in LAYOUTS:
        with suppress(InputError):
            finds = salvage(place_of_file(path, layout), layout)
            found.append(salvaging.assemble(finds, str(path)))
    return max(found, key=lambda one: one.account.exchanges)


def _is_sound(spaces: FilesFolder, space: Space, place: Place) -> bool:
    try:
        return spaces.desk(place, space).load(mend=False) is not None
    except StoreDamagedError:
        return False


def _rescue(spaces: FilesFolder, space: Space, place: Place) -> Salvage:
    old = files_of(place)
    shown = next((path for path in old if path.name.startswith(place.main)), place.path)
    finds = salvage(place, spaces.layout)
    finds.space = finds.space or space
    aside = _aside(shown, "damaged", _number(old, "damaged"))
    found = salvaging.assemble(finds, str(aside))
    put(spaces, space, place, lambda store: salvaging.write(found, store), "damaged")
    return found.account


def put(
    spaces: FilesFolder,
    space: Space,
    place: Place,
    fill: Callable[[FilesStore], None],
    word: str,
) -> Path | None:
    """Write a space beside its place, and put it there whole; what lay there is kept aside.

    Args:
        spaces: The folder.
        space: The space.
        place: Where it belongs; its lock is held.
        fill: Writes what the space is to hold.
        word: What stands in the names of what lay there.

    Returns:
        Where what lay there lies now; None where there was nothing.

    Raises:
        StoreError: It cannot be written; nothing was changed.
    """
    old = files_of(place)
    number = _number(old, word)
    with _folder(place) as folder:
        fresh = Place(folder, place.stem, place.main)
        _fill(spaces.beside(), space, fresh, fill)
        for path in old:
            write_whole(_aside(path, word, number), path.read_bytes())
        moves = []
        for path in files_of(fresh):
            draft = draft_of(place.folder / path.name)
            write_new(draft, path.read_bytes())
            moves.append((draft.name, path.name))
        sync_folder(place.folder)
        there = {name for _, name in moves}
        removals = [path.name for path in old if path.name not in there]
        together.move(place.intent, moves, removals)
    shown = next((path for path in old if path.name.startswith(place.main)), None)
    return _aside(shown, word, number) if shown else None


def _fill(
    spaces: FilesFolder, space: Space, fresh: Place, fill: Callable[[FilesStore], None]
) -> None:
    store = spaces.store(fresh, space, create=True)
    try:
        fill(store)
        store.save()
        if said := store.check():
            raise StoreError(said[0], hint="The disk cannot be trusted; nothing was changed.")
    finally:
        store.close()


def _number(old: Sequence[Path], word: str) -> int:
    """The first number under which nothing was set aside yet."""
    number = 1
    while any(_aside(path, word, number).exists() for path in old):
        number += 1
    return number


def _aside(path: Path, word: str, number: int) -> Path:
    return path.with_name(f"{path.name}.{word}-{number}")


@contextmanager
def _folder(place: Place) -> Iterator[Path]:
    folder = place.folder / f".{place.stem}.{secrets.token_hex(8)}{UNFINISHED}"
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
