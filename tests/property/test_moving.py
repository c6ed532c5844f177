"""A space that goes out and comes back into an empty one is equal to what it was."""

import io
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings, strategies as st
from tests.helpers.examples import examples
from tests.property.spaces import content, spaces

from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import Space
from unabridged.domain.views import Conversation
from unabridged.ingest.sessions import conversations
from unabridged.sharing.carrying import leaving, take
from unabridged.stores.copying import compare, copy
from unabridged.stores.digest import digest_of
from unabridged.stores.inmemory import InMemoryStore
from unabridged.stores.sqlite import SqliteStore
from unabridged.transfer.detect import open_file
from unabridged.transfer.unabridged import write_jsonl


def taken_over(data, store):
    records = []
    with open_file(io.BytesIO(data)) as reader:
        for item in reader:
            match item:
                case Conversation():
                    store.admit(item.session, item.exchanges)
                case Record():
                    records.append(item)
                case _:
                    raise AssertionError(item)
    return take(store, records)


@settings(max_examples=examples(150))
@given(spaces(), st.booleans())
def test_a_space_comes_back_equal(store, contexts):
    stream = io.BytesIO()
    records = list(leaving(store, contexts=contexts))
    write_jsonl(conversations(store), stream, records=records, space=store.space)
    other = InMemoryStore(Space("other", "space"))
    assert taken_over(stream.getvalue(), other) == len(records)
    left_out = set() if contexts else {RecordKind.CONTEXT, RecordKind.BLOB}
    assert content(other) == content(store, without={RecordKind.PROGRESS, *left_out})
    assert taken_over(stream.getvalue(), other) == 0
    assert content(other) == content(store, without={RecordKind.PROGRESS, *left_out})


@settings(max_examples=examples(40), deadline=None)
@given(spaces())
def test_a_copy_gives_the_same_digest(store):
    with TemporaryDirectory() as folder:
        other = SqliteStore(Path(folder) / "x.db", Space("other", "space"))
        try:
            copy(store, other)
            assert compare(store, other).equal
            assert digest_of(other).value == digest_of(store).value
            back = InMemoryStore(Space("back", "again"))
            copy(other, back)
            assert content(back) == content(store)
        finally:
            other.close()
