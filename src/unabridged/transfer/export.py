"""The formats of exports; writes them to files and folders."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO
from unicodedata import normalize

from unabridged.disk.atomic_write import of_the_system
from unabridged.disk.folders import private_folder
from unabridged.disk.large_files import writing
from unabridged.domain.record import Record
from unabridged.domain.results import Transcript
from unabridged.domain.scope import SpaceId
from unabridged.errors import InputError, StoreError, TransferError
from unabridged.transfer.markdown import write_markdown
from unabridged.transfer.messages import write_messages
from unabridged.transfer.native_jsonl import write_jsonl
from unabridged.transfer.webpage import PageEntry, write_html, write_index
from unabridged.transfer.workspaceai_v3 import (
    Document,
    ExportHeader,
    Summary,
    documents,
    told,
    untold,
)

_UNSAFE = re.compile(r"[\W_]+")
_SLUG = 40
"""The most characters of a title in a file's name."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """The content of an export.

    Attributes:
        conversations: Returns the conversations; called once.
        whole: Returns a conversation with the originals of its messages.
        records: Returns the records that belong to them; called once, after them.
        window: The context window, in tokens; None for the newest context's.
        summary: Returns what a session was about, or an empty text.
        contexts: Returns the contexts of exchanges; called at
            most once, before the conversations.
        branches: Whether formats for people have all branches, not only the current path.
    """

    conversations: Callable[[], Iterable[Transcript]]
    whole: Callable[[Transcript], Transcript]
    records: Callable[[], Iterable[Record]] = tuple
    space: SpaceId | None = None
    window: int | None = None
    summary: Summary = untold
    contexts: Callable[[], Iterable[Record]] = tuple
    branches: bool = False


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format of exports.

    Attributes:
        suffix: The suffix of files.
        write: Writes everything into one stream and returns the number of exchanges.
        spread: Writes a folder of files, or None if the format is one file.
    """

    name: str
    suffix: str
    write: Callable[[Outgoing, BinaryIO], int]
    spread: "Callable[[Outgoing, OutputFolder], int] | None" = None


@dataclass(slots=True)
class OutputFolder:
    """A folder to write files into.

    Attributes:
        folder: The folder; made if it is missing.
        force: Whether to replace existing files.
    """

    folder: Path
    force: bool = False
    written: list[Path] = field(default_factory=list)

    def write(self, name: str, write: Callable[[BinaryIO], int]) -> int:
        """Write one file of the folder, whole or not at all."""
        path = self.folder / name
        found = write_file(path, write, force=self.force)
        self.written.append(path)
        return found

    def name(self, words: Iterable[str], mark: str, suffix: str) -> str:
        """Return a readable name, with a digest if the name is taken in this export."""
        taken = {path.name.casefold() for path in self.written}
        base = slug(words)
        digest = blake2b(mark.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
        plain = f"{base or digest}{suffix}"
        return plain if plain.casefold() not in taken else f"{base}_{digest}{suffix}"


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export."""

    exchanges: int
    files: Sequence[Path]


def slug(words: Iterable[str]) -> str:
    """Return words as a part of a file's name: small letters, digits and hyphens."""
    plain = (normalize("NFC", word).lower() for word in words)
    parts = (_UNSAFE.sub("-", word).strip("-")[:_SLUG].strip("-") for word in plain)
    return "_".join(part for part in parts if part)


def write_file(path: Path, write: Callable[[BinaryIO], int], *, force: bool = False) -> int:
    """Write a file whole or not at all, readable by its owner only.

    Raises:
        InputError: It exists already.
        TransferError: It cannot be written.
    """
    if path.exists() and not force:
        raise InputError(
            f"{path} exists already.", hint="Name another file; in a terminal, --force replaces it."
        )
    try:
        with writing(path) as stream:
            return write(stream)
    except StoreError as error:
        if isinstance(error.__cause__, OSError):
            raise _unwritable(path, error.__cause__) from error
        raise


def make_folder(path: Path) -> None:
    """Make a folder for exports.

    Raises:
        TransferError: It cannot be created.
    """
    try:
        private_folder(path)
    except OSError as error:
        raise _unwritable(path, error) from error


def write_export(form: ExportFormat, out: Outgoing, named: str, *, force: bool) -> Exported:
    """Write an export to a file, or to a folder if the path is one or ends with a slash.

    Raises:
        InputError: A file exists already, or the format is one file and the path is a folder.
        TransferError: It cannot be written.
    """
    path = Path(named)
    if not is_folder(path, named):
        return Exported(write_file(path, lambda to: form.write(out, to), force=force), [path])
    if form.spread is None:
        raise InputError(
            f"The format {form.name} is one file, and {named} is a folder.",
            hint=f"Name a file: {path / f'conversations{form.suffix}'}",
        )
    shelf = OutputFolder(path, force)
    make_folder(path)
    return Exported(form.spread(out, shelf), shelf.written)


def is_folder(path: Path, named: str) -> bool:
    """Return whether a path names a folder: it is one, or ends with a slash."""
    return path.is_dir() or named.endswith(("/", "\\"))


def _unwritable(path: Path, error: OSError) -> TransferError:
    said = of_the_system(error, path)
    return TransferError(
        f"{path} cannot be written: {error.strerror or error}.",
        hint=said.hint if error.errno else "Name a file in a folder that you may write to.",
    )


def _jsonl(out: Outgoing, stream: BinaryIO) -> int:
    whole = map(out.whole, out.conversations())
    return write_jsonl(whole, stream, records=_later(out.records), space=out.space)


def _later(records: Callable[[], Iterable[Record]]) -> Iterator[Record]:
    yield from records()


def _version3(out: Outgoing, stream: BinaryIO) -> int:
    found = list(_documents(out))
    if len(found) > 1:
        models = ", ".join(_model(one) for one in found)
        raise InputError(
            f"Format 3.0 is one file per model, and there are several: {models}.",
            hint="Name a folder: -o FOLDER/",
        )
    stream.writelines(one.encoded() for one in found)
    return sum(one.exchanges for one in found)


def _version3_folder(out: Outgoing, shelf: OutputFolder) -> int:
    count = 0
    for one in _documents(out):
        data = one.encoded()
        name = shelf.name([_model(one)], _model(one), ".json")
        shelf.write(name, lambda stream, data=data: stream.write(data))  # type: ignore[misc]  # bound now
        count += one.exchanges
    return count


def _documents(out: Outgoing) -> Iterator[Document]:
    about = ExportHeader(out.summary, out.window, told(out.contexts()))
    return documents(out.conversations(), about)


def _model(one: Document) -> str:
    return one.model or "no model"


def _one_each(
    suffix: str, write: Callable[[Outgoing, BinaryIO], int]
) -> Callable[[Outgoing, OutputFolder], int]:
    # Write one file per conversation.
    def spread(out: Outgoing, shelf: OutputFolder) -> int:
        count = 0
        for conversation in out.conversations():
            session = conversation.session
            name = shelf.name([f"{session.created:%Y-%m-%d}", session.title], session.id, suffix)
            one = replace(out, conversations=lambda held=conversation: [held])  # type: ignore[misc]  # bound now
            count += shelf.write(name, lambda stream, one=one: write(one, stream))  # type: ignore[misc]  # bound now
        return count

    return spread


def _markdown(out: Outgoing, stream: BinaryIO) -> int:
    return write_markdown(out.conversations(), stream, branches=out.branches)


def _messages(out: Outgoing, stream: BinaryIO) -> int:
    return write_messages(out.conversations(), stream, branches=out.branches)


def _html_folder(out: Outgoing, shelf: OutputFolder) -> int:
    entries: list[PageEntry] = []
    for conversation in out.conversations():
        session = conversation.session
        words = [f"{session.created:%Y-%m-%d}", session.title]
        name = shelf.name(words, session.id, ".html")
        count = shelf.write(name, lambda stream, one=conversation: write_html([one], stream))  # type: ignore[misc]  # bound now
        entries.append(PageEntry(session, count, name))
    shelf.write("index.html", lambda stream: write_index(entries, stream))
    return sum(entry.exchanges for entry in entries)


FORMS: Mapping[str, ExportFormat] = {
    form.name: form
    for form in (
        ExportFormat("jsonl", ".jsonl", _jsonl),
        ExportFormat("v3", ".json", _version3, _version3_folder),
        ExportFormat("markdown", ".md", _markdown, _one_each(".md", _markdown)),
        ExportFormat(
            "html",
            ".html",
            lambda out, stream: write_html(out.conversations(), stream),
            _html_folder,
        ),
        ExportFormat("messages", ".jsonl", _messages, _one_each(".jsonl", _messages)),
    )
}
"""The formats of exports, by name."""
