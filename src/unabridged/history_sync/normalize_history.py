"""Normalize client messages and stored ones for comparison.

Clients send their history again in other forms: other line ends, with or without a model's
reasoning, tool calls under other ids. The normal form contains only what was said.

Reasoning may be in the text of an answer: ``<think>`` in DeepSeek's and Qwen's templates,
``<details type="reasoning">`` in Open WebUI (open-webui, backend/open_webui/utils/middleware.py).
Open WebUI stores tool calls and code in the same way.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import assert_never

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import (
    Foreign,
    Image,
    Message,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.language.lazy_pattern import lazy_pattern
from unabridged.wire.incoming_message import IncomingMessage

DIGEST_BYTES = 16
"""Bytes of a digest (BLAKE2b, RFC 7693)."""
Atom = tuple[str, str]
"""A kind and its text: ``user``, ``assistant``, ``image``, ``call`` or ``result``."""

_MARK = lazy_pattern(
    r"<(?P<end>/)?(?P<tag>think|thinking|thought|reasoning)>"
    r"|<(?P<kept>details)\s+type=\"(?:reasoning|tool_calls|code_interpreter)\""
    r"|</(?P<closed>details)>",
    re.IGNORECASE,
)


def without_reasoning(text: str) -> str:
    """Return an answer without its reasoning.

    A block that is never closed is reasoning to the end if nothing was said before it. A block that
    was never opened is reasoning from the beginning, since some templates open it themselves.
    """
    said: list[str] = []
    upto = 0
    inside, since = "", 0
    for mark in _MARK.finditer(text):
        opens = (mark["kept"] or ("" if mark["end"] else mark["tag"]) or "").lower()
        closes = (mark["closed"] or (mark["tag"] if mark["end"] else "") or "").lower()
        if not inside and opens:
            inside, since = opens, mark.start()
        elif inside and closes == inside:
            said.append(text[upto:since])
            inside, upto = "", mark.end()
        elif not inside and not upto and closes not in {"", "details"}:
            upto = mark.end()
    if inside and not "".join((*said, text[upto:since])).strip():
        upto = len(text)
    return "".join((*said, text[upto:]))


def plain_words(text: str, role: Role) -> str:
    """Return a text as it is compared: NFC, one kind of line end, stripped, no reasoning."""
    if role is Role.ASSISTANT and "<" in text:
        text = without_reasoning(text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return (text if text.isascii() else unicodedata.normalize("NFC", text)).strip()


def atoms(messages: Iterable[Message | IncomingMessage]) -> Iterator[Atom]:
    """Yield the pieces of messages; how they are grouped into messages is ignored."""
    for message in messages:
        said = plain_words(message.text, message.role)
        if said:
            yield (message.role.value, said)
        for part in message.parts:
            if not isinstance(part, Text) and (atom := _atom(part)) is not None:
                yield atom


def _atom(part: Part) -> Atom | None:
    match part:
        case Text() | Reasoning() | Foreign(kind="system-reminder"):
            return None  # programs write their reminders again and again, each time in other words
        case Image(uri):
            return ("image", uri)
        case ToolCall(name=name, arguments=arguments):
            return ("call", f"{name}\x1f{_canonical(arguments)}")
        case ToolResult(text=text):
            return ("result", plain_words(text, Role.TOOL))
        case Foreign(kind, data):
            return (kind, data)
        case _:
            assert_never(part)


def _canonical(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments or "{}"), sort_keys=True, separators=(",", ":"))
    except (ValueError, RecursionError):
        return arguments.strip()


def digest_of(said: Iterable[Atom]) -> bytes:
    """Return the digest of pieces in their order."""
    data = "".join(f"{kind}\x1f{len(text)}\x1e{text}" for kind, text in said)
    return blake2b(data.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()


NOTHING = digest_of(())
"""The digest of an empty text."""


class NormalizedExchange:
    """An exchange as a client sends it, with the digests for comparison.

    Args:
        user: The user's message; None if the list begins within an exchange.
        rest: What follows it, up to the next user message.
    """

    def __init__(self, user: IncomingMessage | None, rest: Sequence[IncomingMessage]) -> None:
        self.user = user
        self.rest = tuple(rest)

    @cached_property
    def opening(self) -> bytes:
        """The digest of the user's message."""
        return digest_of(atoms([self.user] if self.user else ()))

    @cached_property
    def atoms(self) -> list[Atom]:
        """The pieces that follow the user's message."""
        return list(atoms(self.rest))

    @cached_property
    def ending(self) -> bytes:
        """The digest of what follows the user's message."""
        return digest_of(self.atoms)

    @cached_property
    def answer(self) -> bytes:
        """The digest of the answer, if nothing else follows the user's message; else empty."""
        last = answer_of(self.atoms)
        return digest_of([last]) if last and not has_tools(self.atoms) else b""

    @property
    def size(self) -> int:
        """The characters of both sides."""
        own = atoms([self.user] if self.user else ())
        return sum(len(text) for kind, text in (*own, *self.atoms) if kind != "image")


def parted(drafts: Sequence[IncomingMessage]) -> list[NormalizedExchange]:
    """Split a client's list into exchanges, without system messages."""
    found: list[tuple[IncomingMessage | None, list[IncomingMessage]]] = []
    for draft in drafts:
        if draft.role is Role.SYSTEM:
            continue
        if draft.role is Role.USER:
            found.append((draft, []))
        elif found:
            found[-1][1].append(draft)
        else:
            found.append((None, [draft]))
    return [NormalizedExchange(user, rest) for user, rest in found]


def halves(said: NormalizedExchange) -> Iterator[tuple[NormalizedExchange, NormalizedExchange]]:
    """Yield an exchange cut in two: the beginning of one, and the end of another.

    A client that left out exchanges between sends it like this: the first exchanges stay, and its
    list continues within a later one. Cuts where one answer follows another come first.
    """
    if said.user is None:
        return
    places = range(1, len(said.rest))
    spoken = [n for n in places if _follows(said.rest[n - 1], said.rest[n])]
    for n in (*spoken, *(n for n in places if n not in spoken)):
        yield NormalizedExchange(said.user, said.rest[:n]), NormalizedExchange(None, said.rest[n:])


def _follows(one: IncomingMessage, other: IncomingMessage) -> bool:
    return one.role is other.role is Role.ASSISTANT


def rest_of(exchange: Exchange) -> list[Atom]:
    """Return the pieces of a stored exchange after the user's message."""
    return list(atoms(exchange.messages[1:]))


def answer_of(rest: Sequence[Atom]) -> Atom | None:
    """Return the text of the answer: the last piece, if it is the assistant's."""
    return rest[-1] if rest and rest[-1][0] == Role.ASSISTANT.value else None


def spoken(rest: Iterable[Atom]) -> list[Atom]:
    """Return the assistant's text: all that a client without tool rounds has."""
    return [atom for atom in rest if atom[0] == Role.ASSISTANT.value]


def run_together(rest: Iterable[Atom]) -> list[Atom]:
    """Join consecutive text of an assistant to one piece, without any white space."""
    joined: list[Atom] = []
    for kind, text in rest:
        if kind != Role.ASSISTANT.value:
            joined.append((kind, text))
            continue
        before = joined.pop()[1] if joined and joined[-1][0] == kind else ""
        joined.append((kind, before + "".join(text.split())))
    return joined


def has_tools(rest: Iterable[Atom]) -> bool:
    """Return whether there are tool calls or results among the pieces."""
    return any(kind in {"call", "result"} for kind, _ in rest)


def begins(shorter: Sequence[Atom], longer: Sequence[Atom]) -> bool:
    """Return whether ``shorter`` begins or equals ``longer``; its last piece may break off."""
    if not shorter:
        return True
    if len(shorter) > len(longer) or list(shorter[:-1]) != list(longer[: len(shorter) - 1]):
        return False
    (kind, text), (other, whole) = shorter[-1], longer[len(shorter) - 1]
    return kind == other and (text == whole or (kind == "assistant" and whole.startswith(text)))
