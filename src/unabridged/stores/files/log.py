"""The companion of a space: a file of JSON lines that only grows.

It keeps what no person reads, the records, and once more everything that was said, as it was said:
by that an edit of the readable file can be shown, and a damaged one be made anew. Each line begins
with its own digest; the readable file says how many bytes count, and the digest over the lines.
Where half of it was replaced, or something is to be forgotten, it is written anew under a new name.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

import msgspec

from unabridged.domain.record import RecordKind
from unabridged.errors import StoreDamagedError
from unabridged.stores.content import Content, Entry
from unabridged.stores.files import forms, paper
from unabridged.stores.files.encrypting import Encryption, line_in, line_out
from unabridged.stores.files.leaves import DIGEST_BYTES
from unabridged.stores.files.sheet import LogState
from unabridged.stores.shelf import Packed

_BEGIN = b'{"digest":"'
_MARK = 2 * DIGEST_BYTES
_REST = len(_BEGIN) + _MARK + len(b'",')
SAID = b'{"said":'
_SPACE = b'{"space":'
LEAST_DEAD = 64 * 1024
"""Bytes that must be dead before it is worth while to write it anew."""


@dataclass(slots=True)
class Log:
    """What was read of a companion, or written to it.

    Attributes:
        space: The names of the space; its first line.
        encryption: How lines are encrypted; None for not at all.
        state: What the readable file says of it.
        records: The records, by kind and id.
        sizes: How many bytes each of them takes.
    """

    space: Mapping[str, str]
    encryption: Encryption | None = None
    state: LogState | None = None
    records: dict[tuple[RecordKind, str], Packed] = field(default_factory=dict)
    sizes: dict[tuple[RecordKind, str], int] = field(default_factory=dict)

    @property
    def worn(self) -> bool:
        """Whether half of it is dead."""
        state = self.state
        return state is not None and state.dead > max(LEAST_DEAD, state.bytes // 2)

    def follow(self, folder: Path, state: LogState | None) -> None:
        """Read what was added since, or everything where it is another file.

        Raises:
            StoreDamagedError: It is missing, too short, or not what was written.
        """
        if state == self.state:
            return
        mine = self.state
        if state is None or mine is None or mine.file != state.file or mine.bytes > state.bytes:
            self.state, self.records, self.sizes = None, {}, {}
            mine = None
        if state is None:
            return
        start, digest = (mine.bytes, mine.digest) if mine else (0, "")
        path = folder / state.file
        for line in lines(path, start, state.bytes, self.encryption):
            digest = _joined(digest, line)
            self._take(path, line)
        if digest != state.digest:
            raise _damaged(path, "it is not what was written")
        self.state = state

    def read(self, told: Iterable[bytes], state: LogState) -> None:
        """Take records from lines that are known to be sound."""
        for line in told:
            self._take(Path(state.file), line)
        self.state = state

    def _take(self, path: Path, line: bytes) -> None:
        rest = b"{" + line[_REST:]
        if rest.startswith((SAID, _SPACE)):
            return
        try:
            kept = forms.record_from(rest)
        except ValueError as error:
            raise _damaged(path, str(error)) from error
        self._keep(kept, len(line) + 1)

    def _keep(self, kept: Packed, size: int) -> int:
        """Take a record, and give the bytes of the one that it replaces."""
        key = (kept[0].kind, kept[0].id)
        dead = self.sizes.get(key, 0)
        self.records.pop(key, None)
        self.records[key], self.sizes[key] = kept, size
        return dead

    def added(self, records: Iterable[Packed], said: Iterable[bytes], name: str) -> "Added":
        """Say what has to be written for more records and more that was said; writes nothing.

        Args:
            records: The records.
            said: Lines of what was said.
            name: The name of the file, where there is none yet.
        """
        state = self.state or LogState(name, 0, "")
        opening = [] if state.bytes else [_SPACE + msgspec.json.encode(self.space) + b"}"]
        made = [marked(line) for line in (*opening, *said)]
        new: list[tuple[Packed, int]] = []
        for kept in records:
            line = marked(forms.record_bytes(kept))
            made.append(line)
            new.append((kept, len(line) + 1))
        digest = state.digest
        for line in made:
            digest = _joined(digest, line)
        data = b"".join(line_out(line, self.encryption) + b"\n" for line in made)
        sizes = dict(self.sizes) if len(new) > 1 else self.sizes
        dead = state.dead
        for (record, _), size in new:
            dead += sizes.get((record.kind, record.id), 0)
            if len(new) > 1:
                sizes[record.kind, record.id] = size
        after = LogState(state.file, state.bytes + len(data), digest, dead)
        return Added(data, state.bytes, after, new)

    def take(self, added: "Added") -> None:
        """Count what was written as part of it."""
        for kept, size in added.records:
            self._keep(kept, size)
        self.state = added.state


@dataclass(frozen=True, slots=True)
class Added:
    """What is to be written behind a companion.

    Attributes:
        data: The bytes.
        at: Where they belong.
        state: What the readable file is to say of it then.
        records: The records in it, with their sizes.
    """

    data: bytes
    at: int
    state: LogState
    records: list[tuple[Packed, int]]


class _Told(msgspec.Struct):
    said: forms.SessionForm
    exchange: forms.ExchangeForm | None = None


def replay(told: Iterable[bytes]) -> Content:
    """Make anew what was said from the lines of a companion.

    Args:
        told: Its lines; those that hold records are passed over.

    Raises:
        ValueError: A line is not as it is written.
    """
    content = Content()
    for line in told:
        rest = b"{" + line[_REST:]
        if not rest.startswith(SAID):
            continue
        found = msgspec.json.decode(rest, type=_Told)
        session = forms.session_from(forms.unpacked(found.said))
        content.sessions[session.id] = session
        if found.exchange is None:
            continue
        entry = forms.entry_from(forms.unpacked(found.exchange), session.id)
        before = content.entries.get(entry.exchange.id)
        if before is not None:
            messages = before.exchange.messages + entry.exchange.messages
            entry = Entry(replace(entry.exchange, messages=messages), before.opened_by)
        content.entries[entry.exchange.id] = entry
    return content


def space_of(path: Path, encryption: Encryption | None = None) -> dict[str, str]:
    """The names of the space of a companion; empty where its first line is damaged or missing.

    Raises:
        StoreKeyError: It is sealed, and the key is missing or another one.
    """
    try:
        with path.open("rb") as stream:
            line = line_in(path, stream.readline(1 << 16).rstrip(b"\n"), encryption)
        if not sound(line):
            return {}
        return msgspec.json.decode(b"{" + line[_REST:], type=dict[str, dict[str, str]])["space"]
    except (OSError, ValueError, KeyError, StoreDamagedError):
        return {}


def newest(folder: Path, stem: str) -> Path | None:
    """The companion of the highest number; None where there is none."""
    pattern = re.compile(rf"{re.escape(stem)}\.log-([0-9]+)\.jsonl")
    found = [
        (int(match[1]), path)
        for path in folder.iterdir()
        if (match := pattern.fullmatch(path.name))
    ]
    return max(found)[1] if found else None


def marked(line: bytes) -> bytes:
    """Give a line its digest."""
    mark = blake2b(line[1:], digest_size=DIGEST_BYTES).hexdigest().encode()
    return _BEGIN + mark + b'",' + line[1:]


def lines(
    path: Path, start: int, end: int, encryption: Encryption | None = None
) -> Iterator[bytes]:
    """Read lines, each checked by its digest.

    Raises:
        StoreDamagedError: The file is missing or too short, or a line is not what was written.
    """
    try:
        data = paper.read_part(path, start, end)
    except FileNotFoundError:
        raise StoreDamagedError(
            f"{path} is missing: it belongs to the file beside it and keeps facts and contexts.",
            hint="Put it back, or go on without what was in it: unabridged adopt on the file.",
        ) from None
    if len(data) < end - start or (data and not data.endswith(b"\n")):
        raise _damaged(path, "it breaks off")
    for raw in data.split(b"\n")[:-1]:
        line = line_in(path, raw, encryption)
        if not line.startswith(_BEGIN) or not sound(line):
            raise _damaged(path, "a line is not what was written")
        yield line


def sound_lines(path: Path, encryption: Encryption | None = None) -> tuple[list[bytes], int]:
    """Every line that is what was written, and how many are not.

    Raises:
        StoreKeyError: Lines are sealed, and the key is missing or another one.
        StoreError: The disk failed.
    """
    try:
        told = [line for line in paper.read(path).split(b"\n") if line]
    except FileNotFoundError:
        return [], 0
    kept = []
    for raw in told:
        with suppress(StoreDamagedError):
            line = line_in(path, raw, encryption)
            if line.startswith(_BEGIN) and sound(line):
                kept.append(line)
    return kept, len(told) - len(kept)


def sound(line: bytes) -> bool:
    """Tell whether a line is what was written."""
    mark = line[len(_BEGIN) : len(_BEGIN) + _MARK]
    return blake2b(line[_REST:], digest_size=DIGEST_BYTES).hexdigest().encode() == mark


def _joined(digest: str, line: bytes) -> str:
    mark = line[len(_BEGIN) : len(_BEGIN) + _MARK]
    return blake2b(digest.encode() + mark, digest_size=DIGEST_BYTES).hexdigest()


def _damaged(path: Path, what: str) -> StoreDamagedError:
    return StoreDamagedError(
        f"{path} is damaged: {what}.",
        hint="Nothing was changed. Restore it from a backup, or take over what the file beside it "
        "holds: unabridged adopt.",
    )
