"""After forgetting, no byte of the text is left in any file of the store."""

import random

import apsw
import pytest
from tests.helpers.folders import bytes_in
from tests.helpers.indexed import open_indexed

from unabridged.domain.message import Text
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.errors import StoreBusyError
from unabridged.index.indexed_exchange import key_of
from unabridged.language.words import terms
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.testing.log_writer import START, LogWriter
from unabridged.testing.stores_lookup import index_of, looked_up

SPACE = SpaceId("ada", "erasure")
WORDS = ("garden", "train", "supper", "window", "music", "letter", "river", "winter", "cousin")


def secret(number):
    """A word that is its own term, and no part of another."""
    rng = random.Random(number)
    return "".join(rng.choice("bcdfghjklmnpqrtvwxz") for _ in range(14))


def speak(talk, number, rng, length):
    filler = [rng.choice(WORDS) + str(rng.randrange(500)) for _ in range(length)]
    filler.insert(rng.randrange(length), secret(number))
    exchange = talk.begin(" ".join(filler), records=())
    context = Record(
        RecordKind.CONTEXT, exchange.id, START, {"quote": secret(number)}, (exchange.id,)
    )
    fact = Record(RecordKind.FACT, f"f{number}", START, {"quote": secret(number)}, (exchange.id,))
    return talk.answer(exchange, f"{' '.join(filler)}?", records=(context, fact))


@pytest.mark.parametrize("seed", range(2))
def test_no_byte_is_left(tmp_path, seed):
    rng = random.Random(seed)
    store = SqliteStore(tmp_path / "space.db", SPACE)
    talks = [LogWriter(store, f"s{number}") for number in range(5)]
    said = {}
    for number in range(160):
        length = rng.choice([3, 20, 120, 900, 2000 if seed else 200])
        said[number] = speak(rng.choice(talks), number, rng, length)
        if number % 40 == 39:  # records are replaced and grow, pages are split
            store.put(
                Record(RecordKind.FACT, f"f{n}", START, {"quote": secret(n) * 40}, (x.id,))
                for n, x in said.items()
            )
    before = bytes_in(tmp_path)
    assert all(secret(number).encode() in before for number in said)
    gone = rng.sample(sorted(said), 80)
    for start in range(0, 80, 20):
        ids = [said[number].id for number in gone[start : start + 20]]
        assert store.erase(ids) == 20
    left = bytes_in(tmp_path)
    found = [number for number in gone if secret(number).encode() in left]
    assert found == []
    assert [n for n in said if n not in gone and secret(n).encode() not in left] == []
    assert store.check() == []
    assert looked_up(store, secret(gone[0])) == {}
    store.close()
    assert [number for number in gone if secret(number).encode() in bytes_in(tmp_path)] == []


def test_index_terms_and_titles_go_too(tmp_path):
    store = open_indexed(tmp_path / "space.db", SPACE)
    talk = LogWriter(store)
    kept = talk.say("An ordinary question", "with its answer")
    text = "Xylotomists photographed quixotically 東京塔の秘密"
    talk.header = talk.header.__class__(**{**_fields(talk.header), "title": text})
    gone = talk.answer(talk.begin((Text(text),)), text)
    index_of(store).rebuild()  # which writes its files
    derived = {key_of(term).to_bytes(8, "little") for term in terms(text)} | {text.encode()}
    assert all(term in bytes_in(tmp_path) for term in derived)
    store.erase([gone.id])
    left = bytes_in(tmp_path)
    assert [term for term in derived if term in left] == []
    assert store.scan() == [kept]
    store.close()


def _fields(value):
    return {name: getattr(value, name) for name in value.__slots__}


def test_while_others_read_the_log_waits_and_says_so(tmp_path):
    store = SqliteStore(tmp_path / "space.db", SPACE, access=ConnectionOptions(0.1))
    said = LogWriter(store).say("zyzzyva", "ok")
    reader = apsw.Connection(str(tmp_path / "space.db"))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM message").fetchall()
    with pytest.raises(StoreBusyError, match="removed"):
        store.erase([said.id])
    assert store.scan() == []
    reader.execute("COMMIT")
    reader.close()
    assert store.erase([]) == 0
    assert b"zyzzyva" not in bytes_in(tmp_path)
    store.close()
