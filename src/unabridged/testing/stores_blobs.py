"""The contract of blobs and originals; ``testing.stores`` has the whole contract."""

from dataclasses import replace

from unabridged.domain.blob import Blob, BlobKind, system_blob
from unabridged.domain.record import Record, RecordKind
from unabridged.ports import Store, SupportsCheck
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_archive import ArchivingContract
from unabridged.testing.stores_writes import conversation, make_record

SYSTEM = system_blob("Be kind. \ud83d")
TOOLS = Blob(BlobKind.TOOLS, b'{"tools":[]}')
IMAGE = Blob(BlobKind.IMAGE, bytes(range(256)))
BLOBS = (SYSTEM, TOOLS, IMAGE)
ORIGINAL = b'{"content":"\xf0\x9f\x98\x80"}'


def stored_blobs(store: Store, *blobs: Blob) -> set[Blob]:
    """Return the stored ones of these blobs."""
    return set(store.blobs(blob.digest for blob in blobs).values())


def _record(name: str, *exchanges: str, blobs: tuple[Blob, ...]) -> Record:
    return replace(make_record(name, *exchanges), blobs=blobs)


class BlobsContract(ArchivingContract):
    """A blob lives exactly as long as something uses it."""

    def test_records_come_back_with_their_blobs(self, store: Store) -> None:
        """The bytes and the order are equal, after reopening too."""
        records = [
            _record("a", blobs=BLOBS),
            _record("b", blobs=(TOOLS, SYSTEM)),
            _record("c", blobs=()),
        ]
        store.put(records)
        store = self.reopen(store)
        assert store.records(RecordKind.FACT) == records
        assert store.records(RecordKind.FACT, ids=["b"]) == [records[1]]
        found = store.blobs([SYSTEM.digest, IMAGE.digest, "nothing"])
        assert found == {SYSTEM.digest: SYSTEM, IMAGE.digest: IMAGE}
        assert store.blobs([]) == {}

    def test_equal_bytes_of_two_kinds_are_two_blobs(self, store: Store) -> None:
        """The kind is a part of a blob's identity."""
        twins = (Blob(BlobKind.TOOLS, b"{}"), Blob(BlobKind.ORIGINAL, b"{}"))
        store.put([_record("a", blobs=twins)])
        assert store.records(RecordKind.FACT)[0].blobs == twins

    def test_a_blob_goes_with_its_last_use(self, store: Store) -> None:
        """Dropping a record and replacing it end its uses."""
        store.put([_record("a", blobs=(SYSTEM, TOOLS)), _record("b", blobs=(SYSTEM, IMAGE))])
        store.delete(RecordKind.FACT, ["a"])
        assert stored_blobs(store, *BLOBS) == {SYSTEM, IMAGE}
        store.put([_record("b", blobs=(IMAGE,))])
        assert stored_blobs(store, *BLOBS) == {IMAGE}
        store.put([_record("b", blobs=(TOOLS, IMAGE))])
        assert stored_blobs(store, *BLOBS) == {TOOLS, IMAGE}
        store = self.reopen(store)
        store.delete(RecordKind.FACT, ["b", "nothing"])
        assert stored_blobs(store, *BLOBS) == set()
        assert not isinstance(store, SupportsCheck) or store.check() == []

    def test_forgetting_removes_what_only_the_forgotten_used(self, store: Store) -> None:
        """What another record uses stays."""
        talk = LogWriter(store)
        one = talk.begin("one", original=ORIGINAL)
        talk.answer(one, "1", records=(_record("a", one.id, blobs=(SYSTEM, TOOLS)),))
        two = talk.begin("two")
        context = replace(make_record(two.id, kind=RecordKind.CONTEXT), blobs=(SYSTEM, IMAGE))
        talk.answer(two, "2", records=(context,))
        original = Blob(BlobKind.ORIGINAL, ORIGINAL)
        assert stored_blobs(store, original, *BLOBS) == {original, *BLOBS}
        store.erase([one.id])
        assert stored_blobs(store, original, *BLOBS) == {SYSTEM, IMAGE}
        store.erase([two.id])
        assert stored_blobs(store, original, *BLOBS) == set()
        assert not isinstance(store, SupportsCheck) or store.check() == []

    def test_a_record_that_is_passed_over_stores_no_blob(self, store: Store) -> None:
        """A record of forgotten exchanges ends its uses."""
        store.put([_record("a", "gone", blobs=(SYSTEM,))])
        assert stored_blobs(store, SYSTEM) == set()

    def test_originals_come_back_by_message(self, store: Store) -> None:
        """Equal ones are stored once; messages without one are missing in the result."""
        talk = LogWriter(store)
        one = talk.begin("one", original=ORIGINAL)
        two = talk.begin("two", original=ORIGINAL)
        three = talk.begin("three")
        store = self.reopen(store)
        ids = [exchange.user.id for exchange in (one, two, three)]
        assert store.originals([*ids, "nothing"]) == {ids[0]: ORIGINAL, ids[1]: ORIGINAL}
        store.erase([one.id])
        assert store.originals(ids) == {ids[1]: ORIGINAL}

    def test_an_original_stays_with_a_shared_question(self, store: Store) -> None:
        """It is removed with the last answer to it."""
        talk = LogWriter(store)
        old = talk.answer(talk.begin("one", original=ORIGINAL), "1")
        twin = talk.regenerate(old, "eins")
        store.erase([old.id])
        assert store.originals([old.user.id]) == {old.user.id: ORIGINAL}
        store.erase([twin.id])
        assert store.originals([old.user.id]) == {}

    def test_an_imported_conversation_brings_its_originals(self, store: Store) -> None:
        """Originals of stored messages are ignored."""
        session, said = conversation()
        first, second = said[0].user, said[1].user
        part = replace(session, head=said[0].messages[-1].id)
        store.import_session(part, said[:1], {first.id: ORIGINAL})
        store.import_session(session, said, {first.id: b"{}", second.id: b"{}", "nothing": b"{}"})
        assert store.originals([first.id, second.id]) == {first.id: ORIGINAL, second.id: b"{}"}
