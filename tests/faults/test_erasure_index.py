"""After forgetting, no byte of what the index held of an exchange is left in any file."""

import numpy as np
import pytest
from tests.helpers.folders import bytes_in
from tests.helpers.indexed import open_indexed
from tests.opened import database_of, flush, put_again, snapshot_of

from unabridged.domain.scope import SpaceId
from unabridged.embeddings.static import StaticEmbedder
from unabridged.embeddings.word_pieces import StaticLexicon
from unabridged.index import merge_policy
from unabridged.index.indexed_exchange import pack_vectors
from unabridged.retrieval.analyze import Analyzer, as_vectors
from unabridged.retrieval.passages import passages
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_lookup import index_of, looked_up

SPACE = SpaceId("ada", "erasure")
EMBEDDER, LEXICON = StaticEmbedder(), StaticLexicon()
READER = Analyzer(EMBEDDER, LEXICON)
OTHER = "other-1"
LONG = "Quixotic xylophones vex jumbled zephyrs beside the wharf of Ulaanbaatar. " * 12
"""Long enough for several passages."""


@pytest.fixture(autouse=True)
def _small_segments(monkeypatch):
    monkeypatch.setattr(merge_policy, "SEALED_EXCHANGES", 6)
    monkeypatch.setattr(merge_policy, "FANOUT", 2)


def opened(path, *, embedder=EMBEDDER):
    return open_indexed(path, SPACE, embedder=embedder, lexicon=LEXICON)


def vector_of(text):
    """A vector of another embedder."""
    seed = int.from_bytes(text.encode()[:64].ljust(64), "big") % (1 << 63)
    return np.random.default_rng(seed).standard_normal(48).astype(np.float32)


def other_vectors(exchange):
    return [vector_of(passage.text) for passage in passages(exchange)]


def traces(exchange, others=()):
    """What the index may hold of an exchange and of none of the others, as bytes."""

    def held(one):
        (read,) = READER.read([one], embed=True)
        made = as_vectors(passages(one), np.array(other_vectors(one)))
        rows = [code.tobytes() for code in (*read.vectors.codes, *made.codes)]
        keys = [key.tobytes() for key in read.words.keys.astype("<u8")]
        pieces = read.pieces.astype("<u2").tobytes()
        packed = [read.words.keys.tobytes(), pack_vectors(read.vectors), pack_vectors(made)]
        return {*rows, *keys, pieces, *packed}

    return held(exchange) - set().union(*map(held, others))


def say(store, number, talk):
    return talk.say(f"{LONG} secretuser{number} {number * 7919}", f"{LONG} secretanswer{number}")


def segments(store):
    return list(snapshot_of(store).segments.values())


def in_a_segment(store, said):
    """Everything is flushed into segments."""
    index_of(store).follow()
    flush(store)
    assert segments(store)
    assert len(snapshot_of(store).buffer) == 0


def in_a_merged_segment(store, said):
    talk = LogWriter(store, "more")
    for number in range(40, 64):
        talk.say(f"something else {number}", "indeed")
        index_of(store).follow()
    assert max(segment.exchanges for segment in segments(store)) > 6


def masked_and_replaced(store, said):
    """It lies in one segment where it counts no more, and in another."""
    in_a_segment(store, said)
    put_again(store, [x.id for x in said])
    flush(store, merge=False)
    assert any(snapshot_of(store).removed.values())


def half_reembedded(store, said):
    """Some have vectors of another embedder, which is not in use."""
    in_a_segment(store, said)
    made = {x.id: other_vectors(x) for x in store.get([x.id for x in said]).values()}
    store.put_vectors(OTHER, made)
    index_of(store).follow()
    assert database_of(store).rows("all vectors")
    assert store.embedded_by() == EMBEDDER.identity


def wholly_reembedded(store, said):
    half_reembedded(store, said)
    made = {x.id: other_vectors(x) for x in store.missing_vectors(OTHER, 1000)}
    store.put_vectors(OTHER, made)
    store.activate_vectors(OTHER)
    index_of(store).follow()
    assert store.embedded_by() == OTHER


def bare(store, said):
    """A program without the embedder let them enter."""
    store.put_vectors(OTHER, {})
    index_of(store).rebuild()
    other = opened(store.path, embedder=None)
    index_of(other).rebuild()
    assert snapshot_of(other).bare
    other.close()


STATES = [
    in_a_segment, in_a_merged_segment, masked_and_replaced, half_reembedded,
    wholly_reembedded, bare,
]  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_no_byte_of_the_index_is_left(tmp_path, state):
    store = opened(tmp_path / "space.db")
    talk = LogWriter(store)
    said = [say(store, number, talk) for number in range(9)]
    state(store, said)
    gone, kept = said[2:6], [*said[:2], *said[6:]]
    marks = set().union(*(traces(one, kept) for one in gone))
    before = bytes_in(tmp_path)
    assert sum(mark in before for mark in marks) >= 12
    assert store.erase([x.id for x in gone]) == 4
    left = bytes_in(tmp_path)
    assert [mark for mark in marks if mark in left] == []
    for one in kept:  # what stays is there still
        assert any(mark in left for mark in traces(one, [*gone, *(x for x in kept if x != one)]))
    number = int(kept[3].messages[0].text.split("secretuser")[1].split()[0])
    assert list(looked_up(store, f"secretuser{number}")) == [kept[3].id]
    assert store.check() == []
    store.close()
    assert [mark for mark in marks if mark in bytes_in(tmp_path)] == []


def test_what_only_moves_up_keeps_its_vectors(tmp_path):
    store = opened(tmp_path / "space.db", embedder=None)
    talk = LogWriter(store)
    said = [say(store, number, talk) for number in range(9)]
    store.put_vectors(OTHER, {x.id: other_vectors(x) for x in said})
    half = {x.id: other_vectors(x) for x in said[:5]}
    store.put_vectors("third-1", half)
    assert store.embedded_by() == OTHER
    assert store.erase([said[1].id]) == 1
    assert store.missing_vectors(OTHER, 100) == []
    assert [x.id for x in store.missing_vectors("third-1", 100)] == [x.id for x in said[5:]]
    store.rebuild()
    assert store.missing_vectors(OTHER, 100) == []
    assert [x.id for x in store.missing_vectors("third-1", 100)] == [x.id for x in said[5:]]
    assert store.check() == []
    store.close()


def test_what_a_killed_process_left_goes_when_others_forget(tmp_path):
    store = opened(tmp_path / "space.db")
    talk = LogWriter(store)
    said = [say(store, number, talk) for number in range(9)]
    in_a_segment(store, said)
    folder = next(tmp_path.glob("*-index"))
    (folder / "left.segment").write_bytes(b"of one that was forgotten when the power went")
    store.erase([said[0].id])
    assert not (folder / "left.segment").exists()
    store.close()
