"""Setting a damaged file aside and going on with what can be taken out of it.

In this order, so that a kill at any step harms nothing: every intact row is written to
a new file beside the old one; the account of it is written; the new file gets the name under which
it waits; what belongs to the old file, then the old file, goes aside; the new one takes its name.
From the waiting on, whoever opens the space next goes on; before it, it begins anew. Two that find
the damage at once do it once: the folder is locked, and the second one finds a sound file.
"""

import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import msgspec

from unabridged.disk.atomic_write import remove, system_errors, write_whole
from unabridged.disk.locks import locked
from unabridged.domain.backup_results import Recovery
from unabridged.domain.scope import SpaceId
from unabridged.errors import StoreDamagedError, StoreTamperedError
from unabridged.home import replace_file
from unabridged.home.backup_archive import Moved
from unabridged.home.spaces import SpacesFolder
from unabridged.stores import reassemble
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions, is_encrypted
from unabridged.stores.sqlite.database import FOLDER_END
from unabridged.stores.sqlite.exclusive import alone
from unabridged.stores.sqlite.recover_rows import recover_rows

PATIENCE = 600.0
"""Seconds to wait for another process that salvages."""
ACCOUNT = ".account"
"""Suffix of the account that nobody was told yet."""


def open_or_rescue(
    spaces: SpacesFolder, space: SpaceId, moved: Moved
) -> tuple[SqliteStore, Recovery | None]:
    """Open a space; where its file is damaged, set it aside and go on with what can be taken out.

    Whatever else stops it (a key, a lock, a newer format, a file that was tampered with) is raised
    as it is, and so is damage of a file that others have open or that cannot be written.

    Returns:
        The store, and the account of what was done, now or by one that was stopped before it told.
    """
    try:
        store = _opened(spaces, space)
    except StoreDamagedError as error:
        guarded = spaces.access.guard.mac_key.mark or spaces.access.guard.anchor
        if guarded or isinstance(error, StoreTamperedError):
            raise  # what is salvaged is sealed anew: under a key only who has it decides that
        rescue(spaces, space, moved)
        store = _opened(spaces, space)
    try:
        return store, told(spaces.path_of(space))
    except BaseException:
        store.close()
        raise


def _opened(spaces: SpacesFolder, space: SpaceId) -> SqliteStore:
    store = spaces.open(space)
    try:
        _look(store)
    except BaseException:
        store.close()
        raise
    return store


def _look(store: SqliteStore) -> None:
    newest = store.sessions(newest=1)
    if newest:
        store.recent(newest[0].id, 1)


def rescue(
    spaces: SpacesFolder, space: SpaceId, moved: Moved, *, look: bool = False
) -> Recovery | None:
    """Set a damaged file aside and put what can be taken out of it in its place.

    Args:
        spaces: The folder.
        space: The space.
        moved: Called with the progress.
        look: Whether a file that opens is checked row by row; else opening is enough.

    Returns:
        The account; None if the file is sound by now.

    Raises:
        StoreBusyError: Others have it open; nothing was changed.
        StoreError: The disk failed, is full, or cannot be written; nothing was changed.
    """
    path = spaces.path_of(space)
    replace_file.finish(path, PATIENCE)
    with system_errors(path), locked(path.parent / replace_file.LOCK, PATIENCE):
        if _is_sound(spaces, space, path, look=look):
            return None
        replace_file.sweep(path.parent)
        with replace_file.work_folder(path.parent, f"{path.name}.") as folder:
            return _rescue(spaces, space, path, folder, moved)


def recovered_file(path: Path, access: ConnectionOptions, moved: Moved) -> reassemble.Salvaged:
    """Return every intact row of a file. The file is only read.

    Raises:
        StoreBusyError: Others have it open.
    """
    finds = recover_rows(path, access, lambda done, of: moved("recover", done, of))
    return reassemble.assemble(finds, str(path))


def told(path: Path) -> Recovery | None:
    """Return the account that nobody was told yet, and move it next to the file set aside."""
    note = path.with_name(path.name + ACCOUNT)
    with system_errors(note):
        try:
            account = msgspec.json.decode(note.read_bytes(), type=Recovery)
            os.replace(note, Path(account.path + ACCOUNT))  # noqa: PTH105 - every call of this file is one of `os`
        except (FileNotFoundError, msgspec.MsgspecError):
            return None
        return account


def _is_sound(spaces: SpacesFolder, space: SpaceId, path: Path, *, look: bool) -> bool:
    try:
        store = SqliteStore(path, space, create=False, access=spaces.access)
    except StoreDamagedError:
        return False
    with closing(store):
        try:
            if look:
                return not store.check(index=False)
            return _opens(spaces, store) or _repaired(store)
        except StoreDamagedError:
            return False


def _repaired(store: SqliteStore) -> bool:
    # Whether every row is sound, so that only the index had to be made anew.
    if store.check(index=False):
        return False
    store.rebuild()
    return True


def _opens(spaces: SpacesFolder, store: SqliteStore) -> bool:
    try:
        spaces.prepare(store)
        _look(store)
    except StoreDamagedError:
        return False
    return True


def _rescue(
    spaces: SpacesFolder, space: SpaceId, path: Path, folder: Path, moved: Moved
) -> Recovery:
    with alone(path, spaces.busy_timeout):
        access = replace(spaces.access, encrypts=spaces.access.encrypts or is_encrypted(path))
    finds = recover_rows(path, access, lambda done, of: moved("recover", done, of))
    finds.space = finds.space or space
    aside = replace_file.quarantine_name(path, "damaged")
    found = reassemble.assemble(finds, str(aside))
    draft = folder / path.name
    _fill(spaces, SqliteStore(draft, space, access=access), found)
    note = path.with_name(path.name + ACCOUNT)
    write_whole(note, msgspec.json.encode(found.account))
    try:
        replace_file.replace(draft, path, ".salvaged", spaces.busy_timeout)
    except BaseException:
        if not replace_file.waiting(path):
            remove(note)
        raise
    _bring_index(draft, path)
    return found.account


def _fill(spaces: SpacesFolder, store: SqliteStore, found: reassemble.Salvaged) -> None:
    with closing(store):
        spaces.prepare(store)
        reassemble.write(found, store)
        if said := store.check():
            raise StoreDamagedError(
                said[0], hint="The disk cannot be trusted; nothing was changed."
            )


def _bring_index(draft: Path, path: Path) -> None:
    folder = draft.with_name(draft.name + FOLDER_END)
    target = path.with_name(path.name + FOLDER_END)
    if folder.is_dir() and not target.exists():
        os.rename(folder, target)  # noqa: PTH104 - every call of this file is one of `os`
