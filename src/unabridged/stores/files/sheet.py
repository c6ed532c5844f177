"""What lies under ``unabridged`` in a file, and the digests that tie it to the seed's fields.

Of each session its header, a form for each exchange (``forms``) in the order of the path that the
seed's fields show and then of the other branches, the branches' own texts, and, where the seed's
fields have no room for the session at all, its conversation in the same words.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import msgspec

from unabridged.domain.session import Session
from unabridged.stores.content import Entry
from unabridged.stores.files import forms
from unabridged.stores.files.chunks import HOME, Chunks
from unabridged.stores.files.layout import Layout, Raws, Read
from unabridged.stores.files.leaves import DIGEST_BYTES, Leaf, digest_of

FORMAT = 1


class LogState(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """How much of the companion counts.

    Attributes:
        file: Its name.
        bytes: Its first bytes, which count; what stands behind them was not finished.
        digest: Over its lines.
        dead: How many of the bytes were replaced since.
    """

    file: str
    bytes: int
    digest: str
    dead: int = 0


class ArchiveState(msgspec.Struct, forbid_unknown_fields=True):
    """Where archived sessions lie, and the digest of that file."""

    file: str
    digest: str


class About(forms.Form):
    """What a file says of itself.

    Attributes:
        format: The version of what lies under ``unabridged``.
        layout: ``model``, ``agent``, ``user``, or ``archive``.
        space: The names of the space.
        write: Counts the writes of the space.
        log: The companion, None before there was anything for it.
        archive: The archive, None where nothing is archived.
        files: The sessions' own files, in the layout that has them.
    """

    format: int = 0
    layout: str = ""
    space: dict[str, str] = msgspec.field(default_factory=dict)
    write: int = 0
    log: LogState | None = None
    archive: ArchiveState | None = None
    files: dict[str, str] | None = None


class _Block(msgspec.Struct, forbid_unknown_fields=True):
    session: msgspec.Raw
    exchanges: list[tuple[str, msgspec.Raw]]
    digest: str
    conversation: Raws | msgspec.UnsetType = msgspec.UNSET
    branches: Raws = []


class _Hidden(msgspec.Struct, forbid_unknown_fields=True):
    about: msgspec.Raw
    sessions: list[_Block]
    digest: str


@dataclass(slots=True)
class Block:
    """A session, written.

    Attributes:
        session: Its header.
        header: The header as JSON.
        path: The exchanges on its path.
        others: Those on other branches.
        digest: Over all of it.
    """

    session: Session
    header: bytes
    path: Chunks
    others: Chunks
    digest: str = ""

    def __post_init__(self) -> None:
        marks = f"{len(self.path)}\n{self.path.marks}{self.others.marks}"
        said = msgspec.json.format(self.header, indent=-1) + b"\n" + marks.encode()
        self.digest = blake2b(said, digest_size=DIGEST_BYTES).hexdigest()


@dataclass(slots=True)
class Sheet:
    """A file, read.

    Attributes:
        about: What it says of itself.
        blocks: Its sessions, in their order.
        entries: Their exchanges, by session.
        faults: What is not as it was written, in words.
        digest: Over all of it.
    """

    about: About
    blocks: list[Block] = field(default_factory=list)
    entries: list[list[Entry]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    digest: str = ""


def render(
    layout: Layout, heads: Sequence[bytes], about: About, blocks: Sequence[Block], shows: int
) -> bytes:
    """Write a file.

    Args:
        layout: How it looks.
        heads: What is made from the rest.
        about: What it says of itself.
        blocks: Its sessions; the first ``shows`` of them lie in the seed's fields.
        shows: How many.
    """
    told = forms.form_bytes(about)
    hidden = list(_hidden(told, blocks, shows, digest(heads, about, blocks)))
    seen = [one.path.shown for one in blocks[:shows]]
    return b"".join(layout.render(heads, seen, hidden))


def digest(heads: Sequence[bytes], about: About, blocks: Sequence[Block]) -> str:
    """Give the digest over everything in a file."""
    marks = (b'"%s"' % one.digest.encode() for one in blocks)
    return digest_of([*heads, forms.form_bytes(about), *marks])


def _hidden(told: bytes, blocks: Sequence[Block], shows: int, digest: str) -> Iterator[bytes]:
    yield b'{\n    "about": ' + told + b',\n    "sessions": ['
    for place, one in enumerate(blocks):
        yield b",\n      {" if place else b"\n      {"
        yield b'\n        "session": ' + one.header
        if place >= shows:
            yield b',\n        "conversation": '
            yield from one.path.shown(10)
        if len(one.others):
            yield b',\n        "branches": '
            yield from one.others.shown(10)
        yield b',\n        "exchanges": '
        if len(one.path) and len(one.others):
            yield from one.path.marked(10)[:-1]
            yield b",\n" + b" " * 10
            yield from one.others.marked(10)[1:]
        else:
            yield from (one.path if len(one.path) else one.others).marked(10)
        yield b',\n        "digest": "' + one.digest.encode() + b'"\n      }'
    yield b"\n    " * bool(blocks) + b'],\n    "digest": "' + digest.encode() + b'"\n  }'


def read(layout: Layout, data: bytes) -> Sheet | None:
    """Read what ``render`` gave; None where the file has nothing of ours.

    Raises:
        ValueError: It is no JSON, or not laid out like that.
    """
    file = layout.read(data)
    if file.hidden is None:
        return None
    hidden = msgspec.json.decode(file.hidden, type=_Hidden)
    about = forms.form_from(hidden.about, About)
    sheet = Sheet(about, digest=hidden.digest)
    shown = iter(file.shown)
    for said in hidden.sessions:
        values = next(shown, []) if said.conversation is msgspec.UNSET else said.conversation
        _read_block(layout, said, values, sheet)
    if any(shown):
        sheet.faults.append("exchanges of a session that is not known")
    parts = [*file.heads, bytes(hidden.about)]
    if (
        digest_of([*parts, *(b'"%s"' % one.digest.encode() for one in sheet.blocks)])
        != hidden.digest
    ):
        sheet.faults.append("what stands around the exchanges")
    return sheet


def glance(layout: Layout, data: bytes) -> tuple[About, str] | None:
    """Read only what a file says of itself, and its digest; None where it has nothing of ours.

    Raises:
        ValueError: It is no JSON, or not laid out like that.
    """
    file: Read = layout.read(data)
    if file.hidden is None:
        return None
    hidden = msgspec.json.decode(file.hidden, type=_Hidden)
    return forms.form_from(hidden.about, About), hidden.digest


def about_of(layout: Layout, data: bytes) -> About | None:
    """Read only what a file says of itself; otherwise as ``glance``."""
    found = glance(layout, data)
    return None if found is None else found[0]


def _home(value: msgspec.Raw) -> bytes:
    """A value that is indented deeper, as it is written in the seed's fields."""
    return bytes(value).replace(b"\n" + b" " * (10 - HOME), b"\n")


def _read_block(layout: Layout, said: _Block, values: Raws, sheet: Sheet) -> None:
    header = bytes(said.session)
    session = forms.session_from(forms.form_from(header, forms.SessionForm))
    path: list[Leaf] = []
    others: list[Leaf] = []
    entries = []
    here = said.conversation is msgspec.UNSET
    on = [bytes(value) if here else _home(value) for value in values]
    off = list(map(_home, said.branches))
    at = 0
    for mark, raw in said.exchanges:
        form = forms.form_from(raw, forms.ExchangeForm)
        wanted = 2 if layout.splits and not form.alone else 1
        if at < len(on):
            leaves, mine, at = path, on[at : at + wanted], at + wanted
        else:
            leaves, mine, off = others, off[:wanted], off[wanted:]
        plain = bytes(raw)
        if len(mine) < wanted or digest_of([*mine, plain]) != mark:
            sheet.faults.append(f"exchange {form.id}")
            continue
        user, answer = layout.texts([msgspec.json.decode(value) for value in mine])
        entry = forms.entry_from(form, session.id, (user, None if form.alone else answer))
        entries.append(entry)
        leaves.append(Leaf(entry.exchange, entry.opened_by, tuple(mine), plain, mark))
    if at < len(on) or off:
        sheet.faults.append(f"exchanges in session {session.id} that are not known")
    found = Block(session, header, Chunks(path), Chunks(others))
    if found.digest != said.digest and not sheet.faults:
        sheet.faults.append(f"the header of session {session.id}")
    sheet.blocks.append(found)
    sheet.entries.append(entries)
