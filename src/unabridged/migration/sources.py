"""What an old folder holds: the files of the seeds' programs, and whose memory each is.

WorkspaceAI keeps ``memory.json`` or ``memory/*.json``, a file a model; Dana
``chats/{agent}_{session}_conversation.json`` and, by mistake, ``conversation_memory.json`` anywhere;
ReqVIBE ``conversations/{user}/sessions.json``; EMM ``memory.json``. Each is known by what is in it.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from unabridged.domain.fact import Requirement
from unabridged.domain.results import SkippedRecord, Transcript
from unabridged.domain.scope import DEFAULT_ISOLATION, DEFAULT_NAME, Scope, SpaceId, space_id
from unabridged.errors import MigrationError, NameRefusedError, UnknownFormatError
from unabridged.forgetting.without_forgotten import without
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.formats import dana, emm, reqvibe, workspaceai
from unabridged.wire.ollama import short_name

FORMATS = frozenset(
    {workspaceai.FORMAT.name, dana.FORMAT.name, reqvibe.FORMAT.name, emm.FORMAT.name}
)
"""Whose files are taken over."""
SCATTERED = "conversation_memory.json"
"""What Dana's agents left in whatever folder they were started in."""
_ENDINGS = (".json", ".json.gz")
_SESSIONS = "sessions.json"


@dataclass(frozen=True, slots=True)
class ChosenFiles:
    """What a person chose for what the files do not say.

    Attributes:
        user: Whose memory it is.
        agent: Which assistant's.
        model: The model of exchanges that name none; None if it is unknown.
        isolation: The scope fields that separate spaces.
    """

    user: str = DEFAULT_NAME
    agent: str = DEFAULT_NAME
    model: str | None = None
    isolation: tuple[str, ...] = DEFAULT_ISOLATION


@dataclass(frozen=True, slots=True)
class OldFile:
    """One file of an old program.

    Attributes:
        path: The file.
        name: Its path in the folder, for people.
        format: The program's format.
        user: Whose memory it is, if its path says so.
        agent: Which agent's, if its name says so.
    """

    path: Path
    name: str
    format: str
    user: str | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """The files of a folder that can be imported, and the names of other JSON files."""

    sources: tuple[OldFile, ...]
    others: tuple[str, ...]

    @property
    def scattered(self) -> bool:
        """Whether they are in folders of something else."""
        return all(source.path.name == SCATTERED for source in self.sources)


def find(folder: Path) -> FoundMemory:
    """Look through a folder and all below it; links are not followed.

    Raises:
        MigrationError: Something in it cannot be looked at, or nothing in it is of these programs.
        TransferError: A file cannot be opened.
    """
    sources: list[OldFile] = []
    others: list[str] = []
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        try:
            with open_file(path) as reader:
                form = reader.format
        except UnknownFormatError:
            others.append(name)
            continue
        if form in FORMATS:
            sources.append(_source(path, name, form))
        else:
            others.append(name)
    if not sources:
        raise MigrationError(
            f"{folder} holds no memory of WorkspaceAI, Dana, ReqVIBE or EMM.",
            hint="Name the folder that memory.json, memory/, chats/ or conversations/ is in; "
            "import files of other programs with `unabridged import`.",
        )
    return FoundMemory(tuple(sources), tuple(others))


def _files(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        raise MigrationError(f"{folder} is no folder.", hint="Name the old program's folder.")

    def refuse(error: OSError) -> None:
        raise MigrationError(
            f"{error.filename} cannot be looked at: {error.strerror or error}.",
            hint="Give yourself the right to read it; nothing was changed.",
        ) from error

    for place, folders, files in os.walk(folder, onerror=refuse):
        folders.sort()
        for name in sorted(files):
            path = Path(place) / name
            if name.lower().endswith(_ENDINGS) and path.is_file() and not path.is_symlink():
                yield path


def _source(path: Path, name: str, form: str) -> OldFile:
    found = OldFile(path, name, form)
    told = dana.named(path.name.removesuffix(".gz")) if form == dana.FORMAT.name else None
    if told is not None:
        return replace(found, agent=told[0])
    if form == reqvibe.FORMAT.name and path.name.removesuffix(".gz") == _SESSIONS:
        return replace(found, user=path.parent.name)
    return found


def read(
    source: OldFile, chosen: ChosenFiles
) -> Iterator[tuple[SpaceId, Transcript | Requirement | SkippedRecord]]:
    """Read a file: what it holds, each with the space that it belongs to.

    If spaces hold one model each, a conversation with several is parted.

    Raises:
        TransferError: The file cannot be read.
        NameRefusedError: A name in it cannot be that of a space.
    """
    last: SpaceId | None = None
    with open_file(source.path, format=source.format, model=chosen.model) as reader:
        for item in reader:
            match item:
                case Transcript():
                    for model, part in _parted(item, chosen):
                        last = _space_for(source, chosen, model)
                        yield last, part
                case Requirement():
                    yield last or _space_for(source, chosen, chosen.model), item
                case SkippedRecord():
                    yield last or SpaceId(), item
                case _:
                    raise TypeError("these formats hold no records")


def _parted(given: Transcript, chosen: ChosenFiles) -> Iterator[tuple[str | None, Transcript]]:
    if "model" not in chosen.isolation:
        yield None, given
        return
    models = dict.fromkeys(exchange.model for exchange in given.exchanges)
    for model in models:
        gone = {exchange.id for exchange in given.exchanges if exchange.model != model}
        part = without(given, gone) if gone else given
        if part is not None:
            yield model, part


def _space_for(source: OldFile, chosen: ChosenFiles, model: str | None) -> SpaceId:
    if "model" in chosen.isolation and not model:
        raise MigrationError(
            f"{source.name} holds exchanges that name no model, and spaces hold one model each.",
            hint="Say which model answered: --model NAME.",
        )
    scope = Scope(source.user or chosen.user, source.agent or chosen.agent, short_name(model or ""))
    try:
        return space_id(scope, chosen.isolation)
    except ValueError as error:
        raise NameRefusedError(
            f"{source.name} cannot be imported: {error}.",
            hint="Rename the file or folder in a copy, and import the copy.",
        ) from error
