"""An exchange as a file shows it: the seed's fields, our form, and a digest over both."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any, Protocol

import msgspec

from unabridged.domain.exchange import Exchange
from unabridged.projections.json_files import fields

DIGEST_BYTES = 8


@dataclass(slots=True)
class ExchangeJson:
    """One exchange, written.

    Attributes:
        id: Its id.
        parent: The exchange before it.
        first: The id of its first message.
        opened_by: That id if another exchange of the file holds the message.
        at: When it was begun.
        model: The model that answered.
        tokens: The tokens of the messages that its form holds.
        shown: The values that the seed's fields hold, as JSON.
        form: Everything else, as JSON.
        digest: Over both, blanks between the values left out.
        source: The exchange that was written; None if this was read from a file.
    """

    id: str
    parent: str | None
    first: str
    opened_by: str | None
    at: datetime
    model: str
    tokens: int
    shown: tuple[bytes, ...]
    form: bytes
    digest: str
    source: Exchange | None = None

    def shows(self, exchange: Exchange, opened_by: str | None) -> bool:
        """Return whether it was written from an equal exchange."""
        return self.source == exchange and self.opened_by == opened_by


class ExchangeStyle(Protocol):
    """How a layout shows an exchange."""

    splits: bool
    """Whether the answer is a value of its own, which is missing where there is none."""

    def dress(self, exchange: Exchange, complexity: float | None, /) -> list[Any]:
        """Return the values that show an exchange in the seed's fields."""
        ...

    def style(self, value: Any) -> bytes:
        """Write such a value."""
        ...

    def texts(self, values: Sequence[Any]) -> tuple[str, str | None]:
        """Read the two texts.

        Raises:
            ValueError, TypeError, KeyError: They are not as they are written.
        """
        ...


def write_exchange(
    exchange: Exchange, opened_by: str | None, style: ExchangeStyle, complexity: float | None
) -> ExchangeJson:
    """Write an exchange.

    Args:
        exchange: The exchange, whole.
        opened_by: The id of its first message if another exchange of the file holds it.
        style: How it looks.
        complexity: How complex its message was, if its context tells.
    """
    values = tuple(map(style.style, style.dress(exchange, complexity)))
    form = fields.exchange_form(exchange, opened_by)
    data = fields.form_bytes(form)
    return ExchangeJson(
        id=exchange.id,
        parent=exchange.parent,
        first=exchange.user.id,
        opened_by=opened_by,
        at=exchange.at,
        model=exchange.model or "",
        tokens=sum(message.tokens or 0 for message in form.messages),
        shown=values,
        form=data,
        digest=digest_of([*values, data]),
        source=exchange,
    )


def read_exchange(
    form: fields.ExchangeForm, data: bytes, shown: Sequence[bytes], digest: str
) -> ExchangeJson:
    """Return what was written, from what a file holds.

    Args:
        form: The form.
        data: The form as JSON.
        shown: The values of the seed's fields.
        digest: Over both.
    """
    return ExchangeJson(
        id=form.id,
        parent=form.parent,
        first=form.opened_by or (form.messages[0].id if form.messages else ""),
        opened_by=form.opened_by,
        at=datetime.fromisoformat(form.at),
        model=form.model or "",
        tokens=sum(message.tokens or 0 for message in form.messages),
        shown=tuple(shown),
        form=data,
        digest=digest,
    )


def digest_of(parts: Iterable[bytes]) -> str:
    """Return a digest of JSON values that does not mind blanks and line breaks between them."""
    said = b"\n".join(msgspec.json.format(part, indent=-1) for part in parts)
    return blake2b(said, digest_size=DIGEST_BYTES).hexdigest()
