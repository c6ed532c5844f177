"""Several files put in place together: all of them or none, also across a crash.

The new files are written and made durable under other names; then a file that says what is to be
done (the intent) takes its place, and from there on it *is* done: whoever opens the space next does
what is left of it. Every step can be done twice.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from unabridged.disk import durable
from unabridged.errors import StoreDamagedError, StoreError
from unabridged.stores.codec import pack, unpack
from unabridged.stores.files import paper
from unabridged.stores.files.encrypting import Encryption


def put_in_place(
    intent: Path,
    writes: Mapping[Path, bytes],
    removals: Sequence[Path],
    encryption: Encryption | None = None,
) -> None:
    """Write files and remove others, durable when it returns.

    Args:
        intent: The file that says what is to be done; in the same folder as the others.
        writes: What each file is to hold.
        removals: Files that go.
        encryption: How they are encrypted, if they are.

    Raises:
        StoreError: The disk failed. Nothing was done; or, where it says so, it is done when the
            space is opened next.
    """
    if len(writes) == 1 and not removals:
        [(path, data)] = writes.items()
        durable.write_whole(path, paper.prepared(path, data, encryption))
        return
    drafts = {durable.draft_of(path): path for path in writes}
    try:
        for draft, path in drafts.items():
            _write_draft(draft, paper.prepared(path, writes[path], encryption))
        _sync(intent.parent)  # the intent must not be durable before the names that it speaks of
        moves = [(draft.name, path.name) for draft, path in drafts.items()]
        announce(intent, moves, [path.name for path in removals])
    except BaseException:
        if not intent.exists():
            for draft in drafts:
                durable.remove(draft)
        raise
    finish(intent)


def move(intent: Path, moves: Sequence[tuple[str, str]], removals: Sequence[str]) -> None:
    """Rename and remove files of a folder: all or none, also across a crash.

    Args:
        intent: The file that says what is to be done.
        moves: Old and new names.
        removals: Names of files that go.

    Raises:
        StoreError: As for ``put_in_place``.
    """
    announce(intent, moves, removals)
    finish(intent)


def announce(
    intent: Path,
    moves: Sequence[tuple[str, str]],
    removals: Sequence[str],
    *,
    when: str = "",
    after: str = "",
) -> None:
    """Write what ``finish`` is to do; as for ``move``.

    Args:
        intent: The file that says what is to be done.
        moves: Old and new names.
        removals: Names of files that go.
        when: A path from the folder; nothing is done where nothing lies there.
        after: The path of another intent from the folder, which is finished first.
    """
    said = {"moves": [list(each) for each in moves], "removals": list(removals)}
    plan = {**said, "when": when, "after": after}
    durable.write_whole(intent, pack(plan))


def finish(intent: Path) -> None:
    """Do what an intent says, as far as it is not done; nothing where there is none.

    Raises:
        StoreDamagedError: It cannot be read.
        StoreError: The disk failed; it is done when the space is opened next.
    """
    try:
        said = paper.read(intent)
    except FileNotFoundError:
        return
    folder = intent.parent
    moves, removals, when, after = _plan(intent, said)
    if after:
        finish(folder / after)
    try:
        if when and not (folder / when).exists():
            moves, removals = [], []
        for draft, path in moves:
            with suppress(FileNotFoundError):  # it is in its place already
                durable.put_in_place(folder / draft, folder / path)
        durable.sync_folder(folder)
        for name in removals:
            durable.delete(folder / name)
        durable.delete(intent)
        durable.sync_folder(folder)
    except OSError as error:
        said_so = durable.of_the_system(error, folder)
        hint = f"It was written and is put in place when the space is opened next. {said_so.hint}"
        raise type(said_so)(str(said_so), hint=hint) from error


def _sync(folder: Path) -> None:
    try:
        durable.sync_folder(folder)
    except OSError as error:
        raise durable.of_the_system(error, folder) from error


def _plan(intent: Path, said: bytes) -> tuple[list[tuple[str, str]], list[str], str, str]:
    try:
        plan = unpack(said)
        moves = [(str(draft), str(path)) for draft, path in plan["moves"]]
        names = [*(name for move in moves for name in move), *map(str, plan["removals"])]
        removals = list(map(str, plan["removals"]))
        when, after = (str(plan.get(name, "")) for name in ("when", "after"))
    except (ValueError, TypeError, KeyError) as error:
        raise StoreDamagedError(
            f"{intent} cannot be read: {error}.",
            hint="Restore the space from a backup; nothing was changed.",
        ) from error
    if any(Path(name).name != name for name in names):
        raise StoreDamagedError(
            f"{intent} names files outside of its folder.",
            hint="Somebody changed it. Look at it, and remove it; nothing was changed.",
        )
    return moves, removals, when, after


def _write_draft(draft: Path, data: bytes) -> None:
    try:
        durable.write_new(draft, data)
        if draft.read_bytes() != data:
            raise StoreError(
                f"What was read back from {draft} is not what was written.",
                hint="Look at the disk; nothing was changed.",
            )
    except OSError as error:
        raise durable.of_the_system(error, draft) from error
