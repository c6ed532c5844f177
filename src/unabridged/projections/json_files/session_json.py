"""Exchanges and sessions as JSON, each rendered once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import msgspec

from unabridged.domain.session import Session
from unabridged.projections.json_files.fields import ExchangeForm, one_line

DIGEST_BYTES = 8
INDENT = 4
"""The indent of rendered values of the seed's fields."""


@dataclass(slots=True)
class ExchangeJson:
    """One exchange, rendered.

    Attributes:
        form: What the seed's fields cannot show.
        shown: The values of the seed's fields, as JSON.
        digest: Over both, without blanks between the values.
        marked: The digest and the form, as JSON.
        tokens: The tokens of the messages in the form.
    """

    form: ExchangeForm
    shown: tuple[bytes, ...]
    digest: str
    marked: bytes
    tokens: int

    @classmethod
    def of(
        cls, form: ExchangeForm, data: bytes, shown: Sequence[bytes], digest: str = ""
    ) -> "ExchangeJson":
        """Return an exchange from its form, that form as JSON, and the seed's values."""
        mark = digest or digest_of([*shown, data])
        tokens = sum(message.tokens or 0 for message in form.messages)
        return cls(form, tuple(shown), mark, b'["%s", %s]' % (mark.encode(), data), tokens)

    @property
    def first(self) -> str:
        """The id of its first message."""
        return self.form.opened_by or (self.form.messages[0].id if self.form.messages else "")


@dataclass(slots=True)
class SessionJson:
    """A session, rendered.

    Attributes:
        session: Its header.
        header: The header as JSON.
        path: The exchanges on its path.
        others: Those on other branches.
        digest: Over all of it.
        tokens: Tokens of all messages.
    """

    session: Session
    header: bytes
    path: Sequence[ExchangeJson]
    others: Sequence[ExchangeJson]
    digest: str = ""
    tokens: int = 0

    def __post_init__(self) -> None:
        marks = f"{len(self.path)}\n{''.join([one.digest for one in self])}"
        self.digest = digest_of([self.header], marks)
        self.tokens = sum([one.tokens for one in self])

    def __iter__(self) -> Iterator[ExchangeJson]:
        yield from self.path
        yield from self.others

    def __len__(self) -> int:
        return len(self.path) + len(self.others)

    @property
    def days(self) -> tuple[str, str]:
        """The dates of its first and last exchange; those of the header if its path is empty."""
        if self.path:
            return self.path[0].form.at[:10], self.path[-1].form.at[:10]
        return self.session.created.date().isoformat(), self.session.updated.date().isoformat()

    @property
    def model(self) -> str:
        """The model that answered last."""
        return (self.path[-1].form.model or "") if self.path else ""


def digest_of(parts: Iterable[bytes], *more: str) -> str:
    """Return a digest of JSON values that ignores blanks and line breaks between them."""
    values = [msgspec.json.format(part, indent=-1) for part in parts]
    told = b"\n".join([*values, *(text.encode() for text in more)])
    return blake2b(told, digest_size=DIGEST_BYTES).hexdigest()


def values_of(exchanges: Iterable[ExchangeJson], indent: int) -> bytes:
    """Return the values of the seed's fields as a list."""
    values = [value for one in exchanges for value in one.shown]
    if indent > INDENT:
        inner = b"\n" + b" " * (indent - INDENT)  # texts contain no plain line breaks
        values = [value.replace(b"\n", inner) for value in values]
    return block(values, indent)


def block(values: Sequence[bytes], indent: int) -> bytes:
    """Return a list, one value per line."""
    if not values:
        return b"[]"
    pad = b"\n" + b" " * indent
    return b"[" + pad + (b"," + pad).join(values) + pad[:-2] + b"]"


def braces(fields: Mapping[str, bytes], indent: int) -> bytes:
    """Return an object of JSON values, one field per line."""
    pad = b"\n" + b" " * indent
    told = [one_line(name) + b": " + value for name, value in fields.items()]
    return b"{" + pad + (b"," + pad).join(told) + pad[:-2] + b"}"


def lines(fields: Mapping[str, Any], indent: int) -> bytes:
    """Return an object, one field per line."""
    return braces({name: one_line(value) for name, value in fields.items()}, indent)
