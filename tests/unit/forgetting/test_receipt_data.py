"""Receipts as plain data, their digest, and how one is named."""

import hashlib
import hmac
import json
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType

import pytest

from unabridged.domain.forgetting import OutOfReach, Receipt
from unabridged.domain.record import RecordKind
from unabridged.errors import NotFoundError
from unabridged.forgetting.receipts import (
    from_data,
    is_genuine,
    named,
    receipt_of,
    record_of,
    sealed,
    to_data,
    without_backups,
)  # fmt: skip
from unabridged.forgetting.temporary_keys import PassingKeys

AT, DONE = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC)
KEY = b"k" * 32
FULL = Receipt(
    id="r-é1", at=AT, done=DONE, space="default_default", what="search", exchanges=2,
    ids=("e1", "f1"), given=(("fact", "f2"),), messages=3, bytes=44, records=MappingProxyType({"fact": 1, "context": 2}),
    sessions=1, titles=1, staying=1, repeats=("e9",),
    outside=OutOfReach(("b1", "b2"), ("a1",), ("Ann (unabridged share revoke x)",)),
    files=("x.db",), scanned=99, pieces=4, left=1, notes=("A note.",),
)  # fmt: skip
DATA = {
    "id": "r-é1", "at": AT.isoformat(), "done": DONE.isoformat(), "space": "default_default",
    "what": "search", "exchanges": 2, "ids": ["e1", "f1"], "given": [["fact", "f2"]], "messages": 3,
    "bytes": 44, "records": {"fact": 1, "context": 2}, "sessions": 1, "titles": 1, "staying": 1,
    "repeats": ["e9"], "files": ["x.db"], "scanned": 99, "pieces": 4, "left": 1, "notes": ["A note."],
    "outside": {
        "backups": ["b1", "b2"], "aside": ["a1"], "shared": ["Ann (unabridged share revoke x)"],
    },
    "lifted": None, "digest": "",
}  # fmt: skip


def typed(value):
    """The value with the types in it, since a tuple is equal to no list but a mapping is to any."""
    if isinstance(value, dict):
        return {name: typed(one) for name, one in value.items()}
    return [typed(one) for one in value] if type(value) is list else (type(value), value)


def test_a_receipt_as_plain_data_and_back():
    assert typed(to_data(FULL)) == typed(DATA)
    lifted = replace(FULL, lifted=DONE)
    assert to_data(lifted) == {**DATA, "lifted": DONE.isoformat()}
    none_shared = replace(FULL, outside=OutOfReach(("b1",), ()))
    assert to_data(none_shared)["outside"] == {"backups": ["b1"], "aside": []}
    for one in (FULL, lifted, none_shared, sealed(FULL, KEY)):
        assert from_data(json.loads(json.dumps(to_data(one)))) == one
        record = record_of(one)
        assert (record.kind, record.id, record.at) == (RecordKind.RECEIPT, one.id, DONE)
        assert typed(record.body) == typed(to_data(one))
        assert receipt_of(record) == one


def test_the_digest_is_keyed_and_of_everything_but_what_is_added_later():
    said = {n: v for n, v in DATA.items() if n not in ("digest", "lifted")}
    text = json.dumps(said, sort_keys=True, separators=(",", ":")).encode()
    digest = hmac.new(KEY, text, hashlib.blake2b).hexdigest()[:64]
    whole = sealed(FULL, KEY)
    assert whole == replace(FULL, digest=digest)
    assert is_genuine(whole, KEY) is True
    assert is_genuine(replace(whole, lifted=DONE), KEY)
    assert is_genuine(whole, b"x" * 32) is False
    assert not is_genuine(replace(whole, left=0), KEY)


def test_backups_that_were_rewritten_are_no_longer_named():
    left = without_backups(sealed(FULL, KEY), ["b1", "b3"], KEY)
    assert left.outside == replace(FULL.outside, backups=("b2",))
    assert is_genuine(left, KEY)
    assert without_backups(FULL, [], KEY) == sealed(FULL, KEY)


FOUND = {"abcd-1": 1, "abcd-2": 2, "xy": 3, "abcd": 4, "efgh-3": 5}


@pytest.mark.parametrize(
    ("wanted", "value"),
    [("xy", 3), ("abcd", 4), ("abcd-2", 2), ("efgh", 5), ("gh-3", 5), ("efgh-", 5)],
)
def test_a_value_is_named_by_its_id_or_four_characters_of_an_end(wanted, value):
    assert named(FOUND, wanted, "receipt", "receipts") == value


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("h-3", "There is no receipt 'h-3'."),
        ("fgh-", "There is no receipt 'fgh-'."),
        ("abcd-", "Several receipts match 'abcd-'."),
        ("", "There is no receipt ''."),
    ],
)
def test_none_and_several_are_refused(wanted, words):
    with pytest.raises(NotFoundError) as caught:
        named(FOUND, wanted, "receipt", "receipts")
    assert str(caught.value) == words
    assert caught.value.hint == "List them: unabridged receipts"


def test_a_passing_key_is_made_once_on_first_use():
    keys = PassingKeys()
    assert list(keys.held()) == []
    key = keys.current()
    assert len(key) == 32
    assert (keys.current(), list(keys.held())) == (key, [key])
    assert PassingKeys().current() != key
