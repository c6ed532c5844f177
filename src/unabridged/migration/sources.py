"""The content of an old folder: files of the seeds' programs and their scopes.

WorkspaceAI keeps ``memory.json`` or ``memory/*.json``, one file for each model; Dana
``chats/{agent}_{session}_conversation.json`` and, by mistake, ``conversation_memory.json``
anywhere; ReqVIBE ``conversations/{user}/sessions.json``; EMM ``memory.json``. Each is recognised by
its content.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from unabridged.domain.fact import Requirement
from unabridged.domain.record import Record
from unabridged.domain.results import SkippedRecord, Transcript
from unabridged.domain.scope import DEFAULT_ISOLATION, DEFAULT_NAME, Scope, SpaceId, space_id
from unabridged.errors import MigrationError, NameRefusedError, UnknownFormatError
from unabridged.forgetting.without_forgotten import without
from unabridged.projections.json_files.file_paths import model_name
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.formats import dana, emm, reqvibe, workspaceai
from unabridged.transfer.reader import Item
from unabridged.wire.ollama import short_name

FORMATS = frozenset(
    {workspaceai.FORMAT.name, dana.FORMAT.name, reqvibe.FORMAT.name, emm.FORMAT.name}
)
"""The programs whose files are imported."""
UNKNOWN_MODEL = "unknown"
"""The model of a space of exchanges without one, if every model has its own space."""
SCATTERED = "conversation_memory.json"
"""The file that Dana's agents left in the folder of their start."""
_ENDINGS = (".json", ".json.gz")
_SESSIONS, _SINGLE = "sessions.json", "memory.json"
_BY_MODEL = "memory"
"""WorkspaceAI's folder with a file for each model, which has its name."""


@dataclass(frozen=True, slots=True)
class ChosenFiles:
    """The user's choices for what the files do not contain.

    Attributes:
        user: The user.
        agent: The agent.
        model: The model of exchanges without one; None if unknown.
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
        user: The user, if its path contains it.
        agent: The agent, if its name contains it.
        model: The model, if its name is that of a model.
    """

    path: Path
    name: str
    format: str
    user: str | None = None
    agent: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """The files of a folder that can be imported, and the names of other JSON files."""

    sources: tuple[OldFile, ...]
    others: tuple[str, ...]

    @property
    def scattered(self) -> bool:
        """Whether they are in folders of another program."""
        return all(source.path.name == SCATTERED for source in self.sources)


def find(folder: Path) -> FoundMemory:
    """Search a folder and all below it, without following links.

    Raises:
        MigrationError: A part cannot be read, or it has no file of these programs.
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
            f"{folder} contains no memory of WorkspaceAI, Dana, ReqVIBE or EMM.",
            hint="Use the folder with memory.json, memory/, chats/ or conversations/; "
            "import files of other programs with `unabridged import`.",
        )
    return FoundMemory(tuple(sources), tuple(others))


def _files(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        raise MigrationError(f"{folder} is not a folder.", hint="Use the old program's folder.")

    def refuse(error: OSError) -> None:
        raise MigrationError(
            f"{error.filename} cannot be read: {error.strerror or error}.",
            hint="Make it readable for you; nothing was changed.",
        ) from error

    for place, folders, files in os.walk(folder, onerror=refuse):
        folders.sort()
        for name in sorted(files):
            path = Path(place) / name
            if name.lower().endswith(_ENDINGS) and path.is_file() and not path.is_symlink():
                yield path


def _source(path: Path, name: str, form: str) -> OldFile:
    found, file = OldFile(path, name, form), path.name.removesuffix(".gz")
    told = dana.named(file) if form == dana.FORMAT.name else None
    if told is not None:
        return replace(found, agent=told[0])
    if form == reqvibe.FORMAT.name and file == _SESSIONS:
        return replace(found, user=path.parent.name)
    if form == workspaceai.FORMAT.name and path.parent.name == _BY_MODEL and file != _SINGLE:
        return replace(found, model=file.removesuffix(".json"))
    return found


def _model_of(source: OldFile, chosen: ChosenFiles) -> str | None:
    # The model of exchanges that name none. A file's name has it as `model_name` writes it; the
    # user's may say how it is written in full.
    if source.model and chosen.model and model_name(chosen.model) == source.model:
        return chosen.model
    return source.model or chosen.model


def read(source: OldFile, chosen: ChosenFiles) -> Iterator[tuple[SpaceId, Item]]:
    """Yield the content of a file, each item with its space.

    If every model has its own space, a conversation with several models is split.

    Raises:
        TransferError: The file cannot be read.
        NameRefusedError: A name in it cannot be that of a space.
    """
    last: SpaceId | None = None
    homes: dict[str, SpaceId] = {}
    named = _model_of(source, chosen)
    with open_file(source.path, format=source.format, model=named) as reader:
        for item in reader:
            match item:
                case Transcript():
                    for model, part in _parted(item, chosen):
                        last = _space_for(source, chosen, model)
                        homes |= dict.fromkeys((each.id for each in part.exchanges), last)
                        yield last, part
                case Requirement():
                    yield last or _space_for(source, chosen, named), item
                case SkippedRecord():
                    yield last or SpaceId(), item
                case Record():
                    yield homes[item.exchanges[0]], item


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
    model = short_name(model or UNKNOWN_MODEL)
    scope = Scope(source.user or chosen.user, source.agent or chosen.agent, model)
    try:
        return space_id(scope, chosen.isolation)
    except ValueError as error:
        raise NameRefusedError(
            f"{source.name} cannot be imported: {error}.",
            hint="Rename the file or folder in a copy, and migrate the copy.",
        ) from error
