"""Copies between homes, stores and files, and compares both sides."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from unabridged.domain.scope import Scope, SpaceId
from unabridged.domain.settings import Settings
from unabridged.errors import InputError, NotFoundError, StoreError
from unabridged.factory.adapters import store_for
from unabridged.factory.home import Home
from unabridged.home.forgetting import sift_for
from unabridged.home.open_spaces import access_of, settings_for
from unabridged.ports import Store
from unabridged.stores.copy_space import Compared, Copied, Moved, compare, copy
from unabridged.stores.sqlite import SqliteStore

ATTEMPTS = 3
"""How often to copy if others write to the source at the same time."""


@dataclass(frozen=True, slots=True)
class End:
    """The source or the target of a copy.

    Attributes:
        settings: Its home and its kind of store.
        space: The space; None for every space, or for the one of the other end.
        file: A single SQLite file instead of a home, or None.
    """

    settings: Settings
    space: SpaceId | None = None
    file: Path | None = None

    @property
    def name(self) -> str:
        """Its name for people."""
        if self.file is not None:
            return str(self.file)
        named = self.space.name if self.space else "every space"
        return f"{named} ({self.settings.store}, {self.settings.home})"


@dataclass(frozen=True, slots=True)
class CopiedSpace:
    """The result for one space.

    Attributes:
        source: The source.
        target: The target.
        exchanges: Exchanges that were new in the target.
        records: Records that were new in the target.
        vectors: Exchanges whose vectors were copied too.
        passed_over: Exchanges that were forgotten in the target, and stay so.
        more: Other exchanges of the target.
        digest: The digest of the copy, computed from the target.
        equal: Whether headers and records are equal too; not after a merge.
    """

    source: str
    target: str
    exchanges: int
    records: int
    vectors: int
    passed_over: int
    more: int
    digest: str
    equal: bool


def copy_between(source: End, target: End, moved: Moved = lambda *_: None) -> Iterator[CopiedSpace]:
    """Copy a space, or every space of a home; skip what the target has already.

    Args:
        source: The source; it is only read.
        target: The target.
        moved: Receives the progress.

    Yields:
        The result for each space, after its comparison.

    Raises:
        InputError: Source and target do not fit each other.
        NotFoundError: There is no such source.
        StoreError: Something failed; finished parts are kept, and copying again continues.
    """
    if source.file is None and source.space is None:
        if target.space is not None or target.file is not None:
            raise InputError(
                "Every space cannot be copied into one.",
                hint="Name the space to copy, or leave it out on both sides: sqlite: sqlite:",
            )
        for info in Home(source.settings).spaces():
            if info.space is None or info.damaged:
                raise StoreError(
                    f"{info.path.name} is damaged: {info.damaged}",
                    hint="Run `unabridged recover`, or copy the other spaces one by one.",
                )
            yield _copied(replace(source, space=info.space), target, moved)
    else:
        yield _copied(source, target, moved)


def _copied(source: End, target: End, moved: Moved) -> CopiedSpace:
    with _opened(source, None) as giver, _opened(target, giver.space) as taker:
        if _same(source, giver, target, taker):
            raise InputError("That is the same space.", hint="Name another space to copy it to.")
        sift = sift_for(taker, target.settings)
        done = copy(giver, taker, moved=moved, sift=sift)
        found = compare(giver, taker, passed_over=done.passed_over)
        for _ in range(ATTEMPTS - 1):
            if found.exchanges_equal:
                break
            done = _again(done, copy(giver, taker, moved=moved, sift=sift))
            found = compare(giver, taker, passed_over=done.passed_over)
        _check(found, done)
        return CopiedSpace(
            source=_named(source, giver),
            target=_named(target, taker),
            exchanges=done.exchanges,
            records=done.records,
            vectors=done.vectors,
            passed_over=len(done.passed_over),
            more=found.more,
            digest=found.target.value,
            equal=found.equal,
        )


def _again(before: Copied, news: Copied) -> Copied:
    return Copied(
        exchanges=before.exchanges + news.exchanges,
        records=before.records + news.records,
        vectors=before.vectors + news.vectors,
        passed_over=before.passed_over | news.passed_over,
        began_empty=before.began_empty,
    )


def _check(found: Compared, done: Copied) -> None:
    whole = found.equal or done.passed_over or not done.began_empty
    if not found.exchanges_equal or not whole:
        raise StoreError(
            f"The copy differs from its source: digest {found.source.value[:16]} there, "
            f"{found.target.value[:16]} here.",
            hint="If the source was written to in the meantime, copy again; else run "
            "`unabridged doctor` on both. The source was only read.",
        )


@contextmanager
def _opened(end: End, other: SpaceId | None) -> Iterator[Store]:
    store = _open(end, other)
    try:
        yield store
    finally:
        store.close()


def _open(end: End, other: SpaceId | None) -> Store:
    if end.file is not None:
        return _open_file(end, other)
    space = end.space or other
    if space is None:
        raise InputError("No space is named.", hint="Write it USER/AGENT.")
    if other is None and space not in {info.space for info in Home(end.settings).spaces()}:
        raise NotFoundError(
            f"There is no space {end.name}.", hint="List them: unabridged spaces list"
        )
    settings = settings_for(end.settings, space)
    return store_for(settings, Scope(space.user, space.agent, space.model or None))


def _open_file(end: End, other: SpaceId | None) -> Store:
    assert end.file is not None  # noqa: S101 - checked by the caller
    new = other is not None and not end.file.exists()
    access = access_of(end.settings)
    return SqliteStore(
        end.file, (end.space or other) if new else end.space, create=new, access=access
    )


def _same(source: End, giver: Store, target: End, taker: Store) -> bool:
    paths = [getattr(store, "path", None) for store in (giver, taker)]
    if all(isinstance(path, Path) for path in paths):
        return Path(str(paths[0])).samefile(str(paths[1]))
    homes = {None if end.file else end.settings.home for end in (source, target)}
    return len(homes) == 1 and giver.space == taker.space


def _named(end: End, store: Store) -> str:
    return end.name if end.file is not None else replace(end, space=store.space).name
