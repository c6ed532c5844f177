"""Every place at which text enters a log is listed."""

from unabridged.domain.blob import Blob, BlobKind, system_blob
from unabridged.domain.message import Role, part_to_dict
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.log.entrances import EntranceKind, entrances
from unabridged.stores.in_memory import InMemoryStore
from unabridged.testing.log_writer import START, LogWriter
from unabridged.testing.stores_reads import EVERY_PART


def strings_in(value):
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return set().union(*map(strings_in, value.values()))
    if isinstance(value, list | tuple):
        return set().union(*map(strings_in, value))
    return set()


def test_no_text_of_a_message_is_missing():
    store = InMemoryStore(SpaceId("ada"))
    talk = LogWriter(store)
    talk.answer(talk.begin(EVERY_PART), EVERY_PART[::-1])
    types = {part_to_dict(part)["type"] for part in EVERY_PART}
    said = set().union(*(strings_in(part_to_dict(part)) for part in EVERY_PART)) - types
    assert said <= {one.text for one in entrances(store) if one.kind is EntranceKind.MESSAGE}
    assert {Role.USER, Role.ASSISTANT} == {m.role for x in store.scan() for m in x.messages}


def test_originals_and_blobs_are_listed():
    store = InMemoryStore(SpaceId("ada"))
    talk = LogWriter(store)
    said = talk.begin("hello", original=b'{"key": ["deep", {"more": 3}]}')
    talk.begin("again", original=b"no JSON")
    blobs = (system_blob("Be kind."), Blob(BlobKind.TOOLS, b'["tool"]'), Blob(BlobKind.IMAGE, b"x"))
    for name in "ab":
        store.put([Record(RecordKind.FACT, name, START, {}, blobs=blobs)])
    found = [(one.kind, one.id, one.text) for one in entrances(store)]
    texts = {text for kind, name, text in found if kind == "original" and name == said.user.id}
    assert texts == {"key", "deep", "more"}
    assert "no JSON" in {text for kind, _, text in found if kind == "original"}
    listed = sorted((name, text) for kind, name, text in found if kind == "blob")
    assert listed == sorted([(blobs[0].digest, "Be kind."), (blobs[1].digest, "tool")])


def test_titles_and_records_are_listed():
    store = InMemoryStore(SpaceId("ada"))
    talk = LogWriter(store)
    header = talk.header.__class__(
        **{name: getattr(talk.header, name) for name in talk.header.__slots__} | {"title": "Boats"}
    )
    store.set_session(header, None)
    body = {"text": "one", "more": [{"deep": ("two", 3)}, "three"]}
    store.put(Record(kind, f"r-{kind}", START, body) for kind in RecordKind)
    found = [(one.kind, one.id, one.text) for one in entrances(store)]
    assert found[0] == (EntranceKind.TITLE, header.id, "Boats")
    for kind in RecordKind:
        texts = {text for _, name, text in found if name == f"r-{kind}"}
        assert texts == {"one", "two", "three"}
