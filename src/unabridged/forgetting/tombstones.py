"""Tombstones: they recognise forgotten words that return, without revealing them.

A tombstone contains keyed digests only (HMAC over BLAKE2b, RFC 2104 and RFC 7693, cut to 128 bits):
of each message, and of each message together with the one before it. Without the key nobody can
test words against the file. Short messages ("yes", "thanks") identify nothing by themselves: they
are recognised only after the same message as before.
"""

import hashlib
import hmac
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from unabridged.domain.exchange import Exchange
from unabridged.domain.forgetting import ForgetPlan
from unabridged.domain.message import Message, Role
from unabridged.domain.record import Record, RecordKind
from unabridged.language.words import fold, words
from unabridged.log.record_watch import RecordWatch
from unabridged.ports import Keys, Store

VERSION = 1
LEAST_WORDS: Mapping[Role, int] = {Role.USER: 5, Role.ASSISTANT: 20}
"""Words from which a message is recognised by itself. Models often answer in the same few words;
those must not vanish elsewhere because they were forgotten once.
"""
_DIGITS = 32
_FIELD, _MESSAGE = "\x1f", "\x1e"


def normalised(text: str) -> str:
    """Return a text as it is compared: Unicode NFC, any run of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def mark_of(key: bytes) -> str:
    """Return a mark that tells keys apart without revealing them."""
    return hashlib.blake2b(b"unabridged forgetting key", key=key[:64], digest_size=8).hexdigest()


def digest_of(key: bytes, role: Role, text: str) -> str:
    """Return the digest of a message by itself."""
    return _mac(key, _said(role, text))


def digest_behind(key: bytes, role: Role, text: str, before: tuple[Role, str] | None) -> str:
    """Return the digest of a message after another one; None if it is the first."""
    ahead = _said(*before) if before else ""
    return _mac(key, _MESSAGE.join((_said(role, text), ahead)))


def _said(role: Role, text: str) -> str:
    return f"{role.value}{_FIELD}{normalised(text)}"


def _mac(key: bytes, text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return hmac.new(key, data, hashlib.blake2b).hexdigest()[:_DIGITS]


def tombstone(plan: ForgetPlan, at: datetime, key: bytes, store: Store) -> Record:
    """Return the tombstone of a plan's content; it has the plan's id."""
    gone = {exchange.id: exchange for exchange in plan.exchanges}
    parents = store.get({e.parent for e in gone.values() if e.parent and e.parent not in gone})
    alone: set[str] = set()
    behind: set[str] = set()
    for exchange in gone.values():
        parent = gone.get(exchange.parent or "") or parents.get(exchange.parent or "")
        before = spoken_last(parent)
        for message in _spoken(exchange.messages):
            role, text = message.role, message.text
            stays = message.id in plan.shared
            if not stays and is_telling(role, text):
                alone.add(digest_of(key, role, text))
            if not stays and (before or is_telling(role, text)):
                behind.add(digest_behind(key, role, text, before))
            before = (role, text)
    body = {
        "version": VERSION,
        "key": mark_of(key),
        "alone": sorted(alone),
        "behind": sorted(behind),
        "exchanges": sorted(gone),
    }
    return Record(RecordKind.TOMBSTONE, plan.id, at, body)


def spoken(messages: Sequence[Message]) -> list[tuple[Role, str]]:
    """Return what people and models said: roles and texts."""
    return [(message.role, message.text) for message in _spoken(messages)]


def _spoken(messages: Sequence[Message]) -> list[Message]:
    return [m for m in messages if m.role in LEAST_WORDS and m.text.strip()]


def spoken_last(exchange: Exchange | None) -> tuple[Role, str] | None:
    """Return what was said last in an exchange."""
    said = spoken(exchange.messages) if exchange else []
    return said[-1] if said else None


def is_telling(role: Role, text: str) -> bool:
    """Return whether a message is recognised by itself."""
    least = LEAST_WORDS.get(role)
    return least is not None and len(words(fold(text))) >= least


@dataclass(frozen=True, slots=True)
class _Seen:
    """The tombstones as last read: digests by the mark of their key, and exchanges."""

    revision: int
    alone: Mapping[str, set[str]]
    behind: Mapping[str, set[str]]
    exchanges: frozenset[str]


class ForgottenIndex:
    """Recognises what was forgotten in one space."""

    def __init__(self, store: Store, keys: Keys) -> None:
        self._store = store
        self._keys = keys
        self._watch = RecordWatch(store, RecordKind.TOMBSTONE)
        self._read: _Seen | None = None

    def recognises(self, text: str, role: Role, before: tuple[Role, str] | None) -> bool:
        """Return whether a message was forgotten, given the one before it (None for a first)."""
        seen = self._seen()
        if not seen.exchanges or not text.strip():
            return False
        for key in self._keys.held():
            mark = mark_of(key)
            if is_telling(role, text) and digest_of(key, role, text) in seen.alone.get(mark, ()):
                return True
            behind = seen.behind.get(mark)
            if behind and digest_behind(key, role, text, before) in behind:
                return True
        return False

    def is_idle(self) -> bool:
        """Return whether there is nothing to recognise."""
        return not self._seen().exchanges

    def was_forgotten(self, exchange_id: str) -> bool:
        """Return whether an exchange was forgotten."""
        return exchange_id in self._seen().exchanges

    def is_blind(self) -> bool:
        """Return whether some tombstones cannot recognise anything because their key is gone."""
        seen = self._seen()
        return not {*seen.alone, *seen.behind} <= {mark_of(key) for key in self._keys.held()}

    def _seen(self) -> _Seen:
        revision = self._watch.version()
        if self._read is None or self._read.revision != revision:
            alone: dict[str, set[str]] = {}
            behind: dict[str, set[str]] = {}
            exchanges: set[str] = set()
            for record in self._store.records(RecordKind.TOMBSTONE):
                mark = str(record.body["key"])
                alone.setdefault(mark, set()).update(record.body["alone"])
                behind.setdefault(mark, set()).update(record.body["behind"])
                exchanges.update(record.body["exchanges"])
            self._read = _Seen(revision, alone, behind, frozenset(exchanges))
        return self._read
