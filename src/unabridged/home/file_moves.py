"""Files that change places together: decided in one write, finished by whoever comes next.

``moves.json`` names each file's place and its new one. From the moment it is there the matter is
decided; every step can be done again. Where a new place is taken meanwhile, all go back.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from unabridged.disk.atomic_write import of_the_system, remove, sync_folder, write_whole
from unabridged.disk.folders import check_home, private_folder
from unabridged.disk.large_files import give_name
from unabridged.disk.locks import locked
from unabridged.errors import MigrationError, StoreBusyError
from unabridged.home.migration_journal import MigrationJournal, translated

PATIENCE = 30.0
"""Seconds to wait for another process that moves files."""


class Moves(msgspec.Struct, frozen=True, kw_only=True):
    """Files that are to change places.

    Attributes:
        id: The migration.
        phase: How far it is when they have.
        pairs: Where each lies and where it is to lie, below the home.
    """

    id: str
    phase: str
    pairs: tuple[tuple[str, str], ...]


def finish_moves(home: Path) -> None:
    """Finish what an interrupted migration had decided; one look where there is nothing.

    Raises:
        SettingError: The home is not the user's own.
        StoreBusyError: Another process is doing it.
        StoreError: A file cannot be moved.
    """
    shelf = MigrationJournal(home)
    if os.path.exists(shelf.moves):  # noqa: PTH110 - a home that cannot be looked at has none
        check_home(home)
        # Where a place was taken nothing was switched, and whoever migrates is told.
        with translated(shelf.lock), locked(shelf.lock, PATIENCE), suppress(MigrationError):
            finish(shelf)


def decide(shelf: MigrationJournal, moves: Moves) -> None:
    """Write down which files change places; the lock is held.

    Raises:
        MigrationError: A place is taken.
    """
    for _, name in moves.pairs:
        if os.path.lexists(shelf.home / name):
            raise _taken(name)
    write_whole(shelf.moves, msgspec.json.encode(moves))


def finish(shelf: MigrationJournal) -> None:
    """Do what was decided, as far as it is not done; the lock is held.

    Raises:
        MigrationError: A place was taken meanwhile; everything is where it was.
        StoreError: A file cannot be moved; another attempt goes on.
    """
    try:
        moves = msgspec.json.decode(shelf.moves.read_bytes(), type=Moves)
    except FileNotFoundError:
        return
    except (OSError, msgspec.MsgspecError) as error:
        raise StoreBusyError(
            f"{shelf.moves} cannot be read: {error}.", hint="Check the disk, then repeat."
        ) from error
    try:
        _move(shelf, moves.pairs)
    except FileExistsError as error:
        back = [(new, old) for old, new in moves.pairs]
        with suppress(FileExistsError):
            _move(shelf, [pair for pair in back if _is_ours(shelf, pair)])
        remove(shelf.moves)
        raise _taken(str(error.args[0] if error.args else error)) from error
    except OSError as error:
        raise of_the_system(error, shelf.moves) from error
    state = shelf.load(moves.id)
    shelf.save(msgspec.structs.replace(state, phase=moves.phase))
    remove(shelf.moves)
    with suppress(OSError):
        sync_folder(shelf.folder)


def _move(shelf: MigrationJournal, pairs: Sequence[tuple[str, str]]) -> None:
    for old, new in pairs:
        source, target = shelf.home / old, shelf.home / new
        if not source.exists():
            continue  # done before
        private_folder(target.parent)
        if target.exists() and target.samefile(source):
            source.unlink()  # it had both names when it was interrupted
        else:
            give_name(source, target)
        sync_folder(source.parent)
        _leave(source.parent, shelf.home)


def _leave(folder: Path, home: Path) -> None:
    if folder.parent != home:
        with suppress(OSError):
            folder.rmdir()


def _is_ours(shelf: MigrationJournal, pair: tuple[str, str]) -> bool:
    now, before = (shelf.home / name for name in pair)
    return now.exists() and not before.exists()


def _taken(name: str) -> MigrationError:
    return MigrationError(
        f"{name} is there already.",
        hint="Give the migrated memory another --user or --agent; nothing was switched.",
    )
