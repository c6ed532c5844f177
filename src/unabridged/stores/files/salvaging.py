"""Taking out of damaged files everything that proves itself by its digest.

Exchanges are in the readable files and, once more, in the companion. A readable file need be no JSON
any more: the forms of exchanges stand on lines of their own, behind a digest over the form and the
values that the seed's fields hold, and the values are found by how they begin and end. Of the
companion every line counts that fits its own digest.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

import msgspec

from unabridged.domain.message import Role
from unabridged.domain.record import RecordKind
from unabridged.domain.scope import Space
from unabridged.domain.session import Session
from unabridged.errors import StoreDamagedError
from unabridged.stores.codec import unpack
from unabridged.stores.content import Entry
from unabridged.stores.files import forms, log as logs, paper
from unabridged.stores.files.layouts import KNOWN
from unabridged.stores.files.leaves import DIGEST_BYTES, digest_of
from unabridged.stores.files.names import Place
from unabridged.stores.files.sheet import LogState
from unabridged.stores.salvaging import Finds, Header

_FORM = re.compile(rb'^\s*\["([0-9a-f]{16})", (\{.*\})\],?$', re.MULTILINE)
_SESSION = re.compile(rb'^\s*"session": (\{.*\}),?$', re.MULTILINE)
_DIGEST = re.compile(rb'^\s*"digest": "([0-9a-f]{16})"$', re.MULTILINE)
_ABOUT = re.compile(rb'^\s*"about": (\{.*\}),$', re.MULTILINE)
_VALUES = {
    "model": re.compile(
        rb'\{\n\s+"user": \{[^\n]*\},\n\s+"assistant": \{[^\n]*\},\n\s+"metadata": \{[^\n]*\}\n\s+\}'
    ),
    "agent": re.compile(
        rb'\{\n\s+"user_input": [^\n]*,\n\s+"agent_response": [^\n]*,\n\s+"timestamp": [^\n]*\n\s+\}'
    ),
    "user": re.compile(rb'^\s*(\{"role": "(?:user|assistant)", "content": .*\}),?$', re.MULTILINE),
}
"""How the values look that a layout holds exchanges in."""


@dataclass
class _Gathered:
    """What was found, before it is counted.

    Attributes:
        space: The space.
        sessions: Headers by session.
        entries: Exchanges by id.
        log: What the companion says beside.
        in_files: Whether every readable file could be read to its end.
        in_companion: The same for the companion, which holds every exchange once more.
    """

    space: Space | None = None
    sessions: dict[str, Session] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    log: logs.Log = field(default_factory=lambda: logs.Log({}))
    in_files: bool = True
    in_companion: bool = False


def salvage(place: Place, layout: str) -> Finds:
    """Find everything in the files of a space that proves itself. They are only read.

    Args:
        place: Where they lie.
        layout: ``model``, ``agent`` or ``user``.

    Raises:
        StoreError: The disk failed.
    """
    gathered = _Gathered()
    companion = logs.newest(place.folder, place.stem) if place.folder.is_dir() else None
    if companion is not None:
        _take_companion(companion, gathered)
    files = readable(place)
    for path in files:
        _take_file(path, layout, gathered)
    gathered.in_files = gathered.in_files and bool(files)
    return _finds(gathered)


def readable(place: Place) -> list[Path]:
    """The readable files of a space, and its archive."""
    stem = re.escape(place.stem)
    names = re.compile(
        rf"{re.escape(place.main)}(\.gz)?|{stem}_[A-Za-z0-9-]+_conversation\.json(\.gz)?"
        rf"|{stem}\.archive-[0-9]+\.json\.gz"
    )
    if not place.folder.is_dir():
        return []
    return sorted(path for path in place.folder.iterdir() if names.fullmatch(path.name))


def _take_companion(path: Path, gathered: _Gathered) -> None:
    told, broken = logs.sound_lines(path)
    gathered.in_companion = bool(told) and not broken
    names = logs.space_of(path)
    if names:
        gathered.space = Space(**names)
    kept = []
    for line in told:
        try:
            content = logs.replay([line])
            gathered.log.read([line], LogState(path.name, 0, ""))
        except (ValueError, StoreDamagedError):
            continue
        kept.append(line)
        del content
    content = logs.replay(kept)
    gathered.sessions.update(content.sessions)
    gathered.entries.update(content.entries)


def _take_file(path: Path, layout: str, gathered: _Gathered) -> None:
    """Take what a readable file proves; it holds the newest state of an exchange."""
    try:
        data = paper.read(path)
    except StoreDamagedError:  # it is packed; what of it can be unpacked is too little to be read
        gathered.in_files = False
        return
    gathered.in_files = gathered.in_files and _is_json(data)
    about = _about(data)
    if about is not None and gathered.space is None:
        gathered.space = about
    values: list[bytes] = [match[match.lastindex or 0] for match in _VALUES[layout].finditer(data)]
    texts, splits = KNOWN[layout].texts, KNOWN[layout].splits
    sessions = _sessions(data)
    for session, proved in sessions.values():
        if session is not None and proved:
            gathered.sessions.setdefault(session.id, session)
    at = 0
    for match in _FORM.finditer(data):
        try:
            form = forms.form_from(match[2], forms.ExchangeForm)
        except (ValueError, TypeError):
            continue
        place = max((one for one in sessions if one < match.start()), default=None)
        if place is None:
            continue
        known = gathered.entries.get(form.id)  # a line of the companion proves its session too
        session, _ = sessions[place]
        if known is None and session is None:
            continue
        name = known.exchange.session if known else session.id if session else ""
        wanted = 2 if splits and not form.alone else 1
        mark = match[1].decode()
        found = _fitting(values, wanted, match[2], mark, at)
        if found is None:
            continue
        at = found + wanted
        user, answer = texts([msgspec.json.decode(v) for v in values[found : found + wanted]])
        entry = forms.entry_from(form, name, (user, None if form.alone else answer))
        gathered.entries[entry.exchange.id] = entry


def _fitting(values: Sequence[bytes], wanted: int, form: bytes, mark: str, near: int) -> int | None:
    """Where the values stand that fit a form: most often behind those of the one before."""
    order: list[int] = [near, *range(near + 1, len(values)), *range(near)]
    for place in order:
        some = values[place : place + wanted]
        if len(some) < wanted:
            continue
        try:
            fits: bool = digest_of([*some, form]) == mark
        except ValueError:
            continue
        if fits:
            return place
    return None


def _sessions(data: bytes) -> dict[int, tuple[Session | None, bool]]:
    """The headers of sessions by where they stand, and whether their digests prove them.

    One that cannot be read is None.
    """
    found = list(_SESSION.finditer(data))
    sessions: dict[int, tuple[Session | None, bool]] = {}
    for number, match in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(data)
        try:
            session = forms.session_from(forms.form_from(match[1], forms.SessionForm))
        except (ValueError, TypeError):
            sessions[match.start()] = (None, False)
            continue
        sessions[match.start()] = (session, _is_proved(match[1], data[match.end() : end]))
    return sessions


def _is_proved(header: bytes, block: bytes) -> bool:
    """Whether a digest behind a session's exchanges fits its header and their digests.

    How many of them are on its path is in the digest, and tried.
    """
    marks = [mark.decode() for mark, _ in _FORM.findall(block)]
    said = msgspec.json.format(header, indent=-1)
    wanted = {mark.decode() for mark in _DIGEST.findall(block)}
    for path in range(len(marks), -1, -1):
        told = f"{path}\n{''.join(marks)}".encode()
        if blake2b(said + b"\n" + told, digest_size=DIGEST_BYTES).hexdigest() in wanted:
            return True
    return False


def _is_json(data: bytes) -> bool:
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except ValueError:
        return False
    return True


def _about(data: bytes) -> Space | None:
    for match in _ABOUT.finditer(data):
        try:
            names = msgspec.json.decode(match[1], type=dict[str, msgspec.Raw])["space"]
            return Space(**msgspec.json.decode(names, type=dict[str, str]))
        except (ValueError, KeyError, TypeError):
            continue
    return None


def _finds(gathered: _Gathered) -> Finds:
    unsure = not (gathered.in_files or gathered.in_companion)
    finds = Finds(space=gathered.space, sessions=dict(gathered.sessions), unsure=unsure)
    numbers: Iterator[int] = iter(range(1 << 62))
    for name, entry in gathered.entries.items():
        exchange = entry.exchange
        begun = entry.opened_by is not None or (
            exchange.messages[:1] and exchange.user.role is Role.USER
        )
        own = len(exchange.messages) + (not begun)  # the line of its question may be lost
        finds.headers[name] = Header(replace(exchange, messages=()), entry.opened_by, own)
        for message in exchange.messages:
            finds.messages[message.id] = (next(numbers), name, message)
        if exchange.parent is not None:
            finds.named.setdefault(exchange.parent, None)
    for session in gathered.sessions.values():
        _name_head(finds, session)
    for record, body in gathered.log.records.values():
        finds.records[RecordKind(record.kind), record.id] = replace(record, body=unpack(body))
        for name in record.exchanges:
            finds.named.setdefault(name, None)
    return finds


def _name_head(finds: Finds, session: Session) -> None:
    """A head that is not there is a message that is missing; it is counted by its exchange only."""
    if session.head is not None and session.head not in finds.messages:
        finds.named.setdefault(f"(the exchange of {session.head})", None)
