"""Set a damaged file aside and continue with what can be recovered from it.

The order makes every step safe against a kill. Write every intact row to a new file next to the old
one; write the report; rename the new file to its waiting name; set the old file and its companions
aside; rename the new one to the old name. After the waiting name, the next opening continues;
before it, recovery starts again. If two processes find the damage, the folder's lock lets one
recover, and the second finds an intact file.
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
"""Seconds to wait for another process that recovers."""
ACCOUNT = ".account"
"""Suffix of the report that was not shown yet."""


def open_or_rescue(
    spaces: SpacesFolder, space: SpaceId, moved: Moved
) -> tuple[SqliteStore, Recovery | None]:
    """Open a space; if its file is damaged, set it aside and recover its content.

    Other errors (a key, a lock, a newer format, a changed file) are raised unchanged; so is damage
    of a file that others have open or that cannot be written.

    Returns:
        The store, and the report of this recovery or of one that was interrupted before its report
        was shown.
    """
    try:
        store = _opened(spaces, space)
    except StoreDamagedError as error:
        guarded = spaces.access.guard.mac_key.mark or spaces.access.guard.anchor
        if guarded or isinstance(error, StoreTamperedError):
            raise  # recovered content gets a new seal, which only the owner of the key may decide
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
    """Set a damaged file aside and replace it with its recovered content.

    Args:
        spaces: The folder.
        space: The space.
        moved: Called with the progress.
        look: Whether to check a file that opens row by row; else opening is enough.

    Returns:
        The report; None if the file is intact by now.

    Raises:
        StoreBusyError: Others have it open; nothing was changed.
        StoreError: The disk failed, is full or read-only; nothing was changed.
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
    """Return the report that was not shown yet, and move it next to the file set aside."""
    note = path.with_name(path.name + ACCOUNT)
    with system_errors(note):
        try:
            account = msgspec.json.decode(note.read_bytes(), type=Recovery)
            os.replace(note, path.with_name(Path(account.path).name + ACCOUNT))  # noqa: PTH105 - every call of this file is one of `os`
        except (FileNotFoundError, ValueError, RecursionError):
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
    # Whether every row is intact, so that only the index had to be rebuilt.
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
    store = SqliteStore(draft, space, access=access)
    _fill(spaces, store, found)
    if spaces.access.guard.seen is not None:
        spaces.access.guard.seen.expect(path, store.generation)
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
            raise StoreDamagedError(said[0], hint="Replace the disk; nothing was changed.")


def _bring_index(draft: Path, path: Path) -> None:
    folder = draft.with_name(draft.name + FOLDER_END)
    target = path.with_name(path.name + FOLDER_END)
    if folder.is_dir() and not target.exists():
        os.rename(folder, target)  # noqa: PTH104 - every call of this file is one of `os`
