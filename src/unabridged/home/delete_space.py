"""Forget whole spaces: the preview and the receipt. ``spaces`` removes the files."""

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from unabridged import config
from unabridged.disk.atomic_write import system_errors, write_whole
from unabridged.domain.forgetting import Receipt, SpacePlan
from unabridged.domain.scope import SpaceId
from unabridged.domain.settings import Settings
from unabridged.errors import NotFoundError, StoreDamagedError, StoreError
from unabridged.forgetting.receipts import from_data, sealed, to_data, without_backups
from unabridged.forgetting.shared_copies import copies
from unabridged.home.followed_spaces import Spaces
from unabridged.home.forgetting import keys_of, outside
from unabridged.home.spaces import SpaceInfo
from unabridged.ports import Clock
from unabridged.projections.json_files.file_paths import FOLDERS
from unabridged.stores.json_codec import pack, unpack

RECEIPTS = "receipts"
"""In the home's folder ``logs``: the receipts of forgotten spaces."""
SAID = (
    "Files were overwritten and removed. Copies that a disk or a snapshot keeps are out of reach."
)


def plan_spaces(settings: Settings, folder: Spaces, spaces: Sequence[SpaceId]) -> list[SpacePlan]:
    """Return what forgetting whole spaces would remove, without a change."""
    infos = folder.list()
    return [_plan(settings, folder, infos, space) for space in spaces]


def _plan(
    settings: Settings, folder: Spaces, infos: Sequence[SpaceInfo], space: SpaceId
) -> SpacePlan:
    home = Path(settings.home)
    path = folder.path_of(space)
    parts = folder.parts_of(space)
    if not parts:
        raise NotFoundError(
            f"There is no space {space.name!r}.", hint="List them: unabridged spaces list"
        )
    known = next((info for info in infos if info.path == path), None)
    return SpacePlan(
        space=space,
        exchanges=known.exchanges if known else 0,
        sessions=known.sessions if known else 0,
        bytes=sum(part.stat().st_size for part in parts if part.is_file()),
        files=tuple(Path(os.path.relpath(part, home)).as_posix() for part in parts),
        outside=replace(
            outside(settings, space, ()),
            aside=tuple(sorted(info.path.name for info in infos if info.belongs == space)),
            shared=_shared(folder, space),
        ),
    )


def _without_names(files: Sequence[str]) -> Iterator[str]:
    # A readable file's name may have words of a session's id.
    for number, name in enumerate(files, 1):
        folder = Path(name).parts[0]
        yield f"{folder}/{number}" if folder in FOLDERS.values() else name


def _shared(folder: Spaces, space: SpaceId) -> tuple[str, ...]:
    try:
        store = folder.open(space, create=False)
    except StoreError:
        return ()
    with closing(store):
        return copies(store)


def forget_space(settings: Settings, clock: Clock, folder: Spaces, plan: SpacePlan) -> Receipt:
    """Wipe a space; after a kill, the next use of the home finishes it.

    Raises:
        StoreBusyError: Others have it open.
    """
    at = clock.now()
    receipt = sealed(
        Receipt(
            id=clock.new_id(),
            at=at,
            done=at,
            space=plan.space.name,
            what="space",
            exchanges=plan.exchanges,
            sessions=plan.sessions,
            bytes=plan.bytes,
            outside=plan.outside,
            files=tuple(_without_names(plan.files)),
            notes=(SAID,),
        ),
        keys_of(settings).current(),
    )
    kept = config.folder(settings.home, "logs") / RECEIPTS / f"{receipt.id}.json"
    folder.wipe(plan.space, kept, to_data(receipt))
    return receipt


def settle_receipt(settings: Settings, receipt: Receipt, rewritten: Collection[str]) -> Receipt:
    """Store that backups no longer hold the space of a receipt; return the receipt."""
    settled = without_backups(receipt, rewritten, keys_of(settings).current())
    path = Path(settings.home) / "logs" / RECEIPTS / f"{receipt.id}.json"
    write_whole(path, pack(to_data(settled)))
    return settled


def kept_receipts(settings: Settings) -> list[Receipt]:
    """Return the receipts of forgotten spaces, the oldest first."""
    folder = Path(settings.home) / "logs" / RECEIPTS
    files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    return [_read(path) for path in files]


def _read(path: Path) -> Receipt:
    with system_errors(path):
        data = path.read_bytes()
    try:
        return from_data(unpack(data))
    except ValueError as error:
        raise StoreDamagedError(
            f"The receipt {path} is damaged: {error}.",
            hint="Restore it from a copy. Without it, a backup could bring the space back.",
        ) from error
