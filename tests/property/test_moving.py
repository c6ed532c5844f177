"""A space that goes out and comes back into an empty one is equal to what it was."""

import io

from hypothesis import given, settings, strategies as st
from tests.property.spaces import content, spaces

from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import Space
from unabridged.domain.views import Conversation
from unabridged.ingest.carrying import leaving, take
from unabridged.ingest.sessions import conversations
from unabridged.stores.inmemory import InMemoryStore
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


@settings(max_examples=150)
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
