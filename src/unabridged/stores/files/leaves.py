"""An exchange as a file shows it: the seed's fields, our form, and a digest over both."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Protocol

import msgspec

from unabridged.domain.exchange import Exchange
from unabridged.stores.content import Entry
from unabridged.stores.files import forms

DIGEST_BYTES = 8


@dataclass(slots=True)
class Leaf:
    """One exchange, written.

    Attributes:
        source: The exchange that it shows, with its own messages only.
        opened_by: The id of the message that it shares.
        shown: The values that the seed's fields hold, as JSON.
        form: Everything else, as JSON.
        digest: Over both, blanks between the values left out.
    """

    source: Exchange
    opened_by: str | None
    shown: tuple[bytes, ...]
    form: bytes
    digest: str


class Dress(Protocol):
    """How a layout shows an exchange."""

    splits: bool
    """Whether the answer is a value of its own, which is missing where there is none."""

    def dress(self, exchange: Exchange, complexity: float | None, /) -> list[Any]:
        """Give the values that stand for a whole exchange in the seed's fields."""
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


def written(entry: Entry, whole: Exchange, layout: Dress, complexity: float | None) -> Leaf:
    """Write an exchange."""
    texts = forms.said(whole)
    shown = tuple(map(layout.style, layout.dress(whole, complexity)))
    form = forms.form_bytes(forms.exchange_form(entry, texts))
    return Leaf(entry.exchange, entry.opened_by, shown, form, digest_of([*shown, form]))


def digest_of(parts: Iterable[bytes]) -> str:
    """A digest of JSON values that does not mind blanks and line breaks between them."""
    said = b"\n".join(msgspec.json.format(part, indent=-1) for part in parts)
    return blake2b(said, digest_size=DIGEST_BYTES).hexdigest()
