"""Import an old folder's memory into new spaces, and verify that all of it arrived."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice

from unabridged.budget.count import Counter
from unabridged.domain.exchange import Exchange
from unabridged.domain.fact import Requirement
from unabridged.domain.message import part_to_dict
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import Skip, SkippedRecord, Transcript
from unabridged.domain.scope import SpaceId
from unabridged.errors import DuplicateIdError, MigrationError
from unabridged.home.spaces import SpacesFolder
from unabridged.knowledge.requirements import Requirements
from unabridged.migration.sources import ChosenFiles, FoundMemory, OldFile, read
from unabridged.ports import Clock, Store
from unabridged.recording.sessions import counted
from unabridged.sharing import copy_sessions
from unabridged.stores.json_codec import pack
from unabridged.stores.space_digest import PAGE
from unabridged.tokens.estimate import EstimateTokenizer
from unabridged.transfer.reader import Item

Moved = Callable[[str, int, int], None]
"""Called with the progress: the stage, the number of files done, and their total."""
_OTHERWISE = "another file of the folder has another version, which was imported"


@dataclass(frozen=True, slots=True)
class Missed:
    """An item that was not imported as it is, with its file, its place and the reason."""

    file: str
    where: str
    reason: str
    kind: Skip = Skip.FAILED

    @property
    def failed(self) -> bool:
        """Whether it should have been imported."""
        return self.kind in (Skip.FAILED, Skip.TRUNCATED)


@dataclass(slots=True)
class Taken:
    """What was imported.

    Attributes:
        conversations: Number of conversations.
        requirements: Number of requirements.
        spaces: Space to the ids of its exchanges, each with the digest of its text.
        missed: The items that were not imported as they are.
        nameless: Number of exchanges without a model.
        records: The ids of the records in the new spaces, once verified.
    """

    conversations: int = 0
    requirements: int = 0
    spaces: dict[SpaceId, dict[str, bytes]] = field(default_factory=dict)
    missed: list[Missed] = field(default_factory=list)
    nameless: int = 0
    records: set[str] = field(default_factory=set)

    @property
    def exchanges(self) -> int:
        """The number of imported exchanges."""
        return sum(map(len, self.spaces.values()))

    @property
    def complete(self) -> bool:
        """Whether everything was imported that should be."""
        return not any(each.failed for each in self.missed)

    @property
    def digest(self) -> str:
        """A digest over the text of all exchanges."""
        whole = sha256()
        for _, found in sorted(self.spaces.items()):
            for _, digest in sorted(found.items()):
                whole.update(digest)
        return whole.hexdigest()


def survey(found: FoundMemory, chosen: ChosenFiles, moved: Moved = lambda *_: None) -> Taken:
    """Read every file and return what would be imported, without writing.

    Raises:
        TransferError: A file cannot be read.
        NameRefusedError: A name in it cannot be that of a space.
    """
    taken = Taken()
    for number, source in enumerate(found.sources, start=1):
        for space, item in read(source, chosen):
            _note(taken, source, space, item)
        moved("reading", number, len(found.sources))
    return taken


def take(
    found: FoundMemory,
    chosen: ChosenFiles,
    spaces: SpacesFolder,
    clock: Clock,
    moved: Moved = lambda *_: None,
) -> Taken:
    """Import every file into new spaces.

    Raises:
        TransferError: A file cannot be read.
        NameRefusedError: A name in it cannot be that of a space.
        StoreError: Something cannot be stored.
    """
    taken, counter = Taken(), Counter(EstimateTokenizer())
    with _desk(spaces) as opened:
        for number, source in enumerate(found.sources, start=1):
            for space, item in read(source, chosen):
                if isinstance(item, Requirement):
                    taken.requirements += Requirements(opened(space), clock).admit([item])
                    taken.spaces.setdefault(space, {})
                    continue
                if isinstance(item, Transcript):
                    exchanges = [counted(exchange, counter) for exchange in item.exchanges]
                    try:
                        opened(space).import_session(item.session, exchanges)
                    except DuplicateIdError:
                        where = f"session {item.session.id}"
                        taken.missed.append(Missed(source.name, where, _OTHERWISE))
                        continue
                if isinstance(item, Record):
                    copy_sessions.take(opened(space), [item])
                    continue
                _note(taken, source, space, item)
            moved("importing", number, len(found.sources))
    return taken


def prove(taken: Taken, spaces: SpacesFolder) -> None:
    """Compare every exchange of the new spaces with the files.

    Raises:
        MigrationError: Something is missing or differs.
        StoreError: A space cannot be read.
    """
    for space, wanted in taken.spaces.items():
        with closing(spaces.open(space, create=False)) as store:
            if store.totals().exchanges != len(wanted):
                raise _unproved(space, f"{store.totals().exchanges} of {len(wanted)} exchanges")
            names = iter(wanted)
            while page := list(islice(names, PAGE)):
                held = store.get(page)
                if any(name not in held or _words(held[name]) != wanted[name] for name in page):
                    raise _unproved(space, "different text")
            for kind in (RecordKind.FACT, RecordKind.REQUIREMENT):
                taken.records |= {record.id for record in store.records(kind)}


def _unproved(space: SpaceId, what: str) -> MigrationError:
    return MigrationError(
        f"The imported content of {space.name} differs from the files: {what}.",
        hint="Check the disk and repeat. Nothing was switched; the old folder still works.",
    )


def _note(taken: Taken, source: OldFile, space: SpaceId, item: Item) -> None:
    match item:
        case SkippedRecord():
            taken.missed.append(Missed(source.name, item.where, item.reason, item.kind))
        case Requirement():
            taken.requirements += 1
            taken.spaces.setdefault(space, {})
        case Transcript():
            taken.conversations += 1
            held = taken.spaces.setdefault(space, {})
            for exchange in item.exchanges:
                held.setdefault(exchange.id, _words(exchange))
                taken.nameless += exchange.model is None
        case Record():
            pass  # it goes with its exchanges


def _words(exchange: Exchange) -> bytes:
    said = [
        [m.role.value, m.at.timestamp(), [part_to_dict(part) for part in m.parts]]
        for m in exchange.messages
    ]
    return sha256(pack([exchange.id, exchange.model, exchange.state.value, said])).digest()


@contextmanager
def _desk(spaces: SpacesFolder) -> Iterator[Callable[[SpaceId], Store]]:
    held: dict[SpaceId, Store] = {}
    with ExitStack() as stack:

        def opened(space: SpaceId) -> Store:
            if space not in held:
                held[space] = spaces.open(space)
                stack.callback(held[space].close)
            return held[space]

        yield opened
