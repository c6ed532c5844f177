"""Verify the spaces of a home, seal them under a key, or reset their checkpoints."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from unabridged.domain.hash_chain import Proof
from unabridged.domain.scope import SpaceId
from unabridged.domain.settings import Settings
from unabridged.errors import NotFoundError, SettingError, UnabridgedError
from unabridged.home.audit_log import moor_audit, verify_audit
from unabridged.home.followed_spaces import Spaces
from unabridged.home.open_spaces import access_of, databases_of, guard_of, spaces_of
from unabridged.home.spaces import SpaceInfo
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions


def verify(settings: Settings, space: SpaceId | None = None) -> Iterator[Proof]:
    """Check every digest, link and index of spaces and the audit log, and compare with the anchor.

    Args:
        settings: All settings.
        space: Only this one; None for all of the home and of its anchor.

    Yields:
        The findings, one space after the other.

    Raises:
        NotFoundError: There is no such space.
        SettingError: The key or the anchor of the settings cannot be used.
    """
    spaces = spaces_of(settings, follows=False)
    chosen = [info for info in spaces.list() if space is None or info.space in (None, space)]
    if space is not None and not any(info.space == space for info in chosen):
        path = spaces.path_of(space)
        if not path.exists():
            raise NotFoundError(
                f"There is no space {space.name!r}.", hint="List them: unabridged spaces list"
            )
        chosen = [info for info in chosen if info.path == path]
    for info in chosen:
        yield _proof(settings, spaces, info)
    if space is None:
        yield from verify_audit(settings)
        yield from _missing(settings)


def _proof(settings: Settings, spaces: Spaces, info: SpaceInfo) -> Proof:
    if info.space is None:
        return _flawed(info.path, info.path.name, info.damaged)
    try:
        with closing(spaces.open(info.space, create=False)) as store:
            flaws = tuple(store.check())
            head = store.chain_head()
    except UnabridgedError as error:
        return _flawed(info.path, info.space.name, str(error))
    anchored = bool(settings.checkpoint_file)
    return Proof(info.space.name, str(info.path), head, anchored=anchored, flaws=flaws)


def _flawed(path: Path, name: str, flaw: str, *, anchored: bool = False) -> Proof:
    return Proof(name, str(path), None, anchored=anchored, flaws=(flaw,))


def _missing(settings: Settings) -> Iterator[Proof]:
    guard = guard_of(settings)
    anchor = guard.anchor
    if anchor is None:
        for path in guard.seen.missing() if guard.seen else ():
            yield _flawed(path, path.name, f"{path} is missing, but this home had messages in it.")
        return
    moored = anchor.all()
    there = {name.partition(" ")[0] for name, one in moored.items() if Path(one.file).exists()}
    for name, checkpoint in moored.items():
        path = Path(checkpoint.file)
        renamed = name.partition(" ")[0] in there
        if _is_gone(settings, path) and not renamed:
            said = f"{path} is missing, but the anchor {anchor.path} lists it."
            yield _flawed(path, path.name, said, anchored=True)


def _is_gone(settings: Settings, path: Path) -> bool:
    return path.is_relative_to(Path(settings.home).absolute() / "spaces") and not path.exists()


def unmoor(settings: Settings) -> None:
    """Remove intentionally removed files from the anchor."""
    anchor = guard_of(settings).anchor
    if anchor is not None:
        anchor.drop(partial(_is_gone, settings))


def seal(settings: Settings) -> Iterator[Proof]:
    """Seal every unsealed space of the home under the key, with its present content.

    Earlier changes can no longer be detected.

    Yields:
        The findings afterwards, one space after the other.

    Raises:
        SettingError: No key is set.
    """
    guard = guard_of(settings)
    if not guard.mac_key.mark:
        raise SettingError("No key is set.", hint="Make one: unabridged key new FILE")
    access = replace(access_of(settings), guard=replace(guard, adopts=True))
    for info in databases_of(settings).list():
        yield _opened(info.path, access)


def moor(settings: Settings) -> Iterator[Proof]:
    """Accept the present state of every space, even if it was newer, also in the anchor.

    Yields:
        The findings afterwards, one space after the other.
    """
    access = access_of(settings)
    unmoor(settings)
    moor_audit(settings)
    if access.guard.seen is not None:
        for path in access.guard.seen.missing():
            access.guard.seen.drop(path)
    for info in databases_of(settings).list():
        SqliteStore.moor_at(info.path, access)
        yield _opened(info.path, access)


def _opened(path: Path, access: ConnectionOptions) -> Proof:
    try:
        store = SqliteStore(path, create=False, access=access)
    except UnabridgedError as error:
        return _flawed(path, path.name, str(error))
    anchored = access.guard.anchor is not None
    with closing(store):
        return Proof(store.space.name, str(path), store.chain_head(), anchored=anchored, flaws=())
