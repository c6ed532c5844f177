"""Rows on the pages of a file, without the pages that lead to them."""

import random

import apsw
import pytest

from unabridged import Memory
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.stores.sqlite.leaf_pages import page_rows
from unabridged.stores.sqlite.recover_rows import recover_rows


@pytest.mark.parametrize("size", [512, 4096, 65536])
def test_every_row_of_a_whole_file_is_read_as_sqlite_reads_it(tmp_path, size):
    path = tmp_path / "rows.db"
    made = random.Random(size)
    rows = [
        (
            n,
            made.choice(
                [None, n * -(1 << made.randrange(50)), n / 7, "ö" * (n * 37), b"x" * n * 90]
            ),
        )
        for n in range(300)
    ]
    with apsw.Connection(str(path)) as db:
        db.pragma("page_size", size)
        db.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, v)")
        db.execute("CREATE TABLE named (n INTEGER, v, PRIMARY KEY (n)) WITHOUT ROWID")
        for row in rows:
            db.execute("INSERT INTO t VALUES (?, ?)", row)
            db.execute("INSERT INTO named VALUES (?, ?)", row)
    db.close()
    found = list(page_rows(path))
    assert (
        sorted(
            [(r.number, r.values[1]) for r in found if r.number is not None and len(r.values) == 2]
        )
        == rows
    )
    assert sorted([r.values for r in found if r.number is None]) == rows


@pytest.mark.parametrize("size", [0, 3, 5_000])
def test_what_is_no_database_has_no_rows(tmp_path, size):
    path = tmp_path / "x.db"
    path.write_bytes(random.Random(size).randbytes(size))
    assert all(isinstance(row.values, tuple) for row in page_rows(path))
    path.write_bytes(bytes(size))
    assert list(page_rows(path)) == []


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    with Memory.open(home, upstream="quote") as memory:
        for n in range(150):
            memory.add(
                [
                    {"role": "user", "content": f"Statement {n}. {'word ' * 40}"},
                    {"role": "assistant", "content": f"Answer {n}. {'word ' * 40}"},
                ]
            )
    (path,) = (home / "spaces").glob("*.db")
    return path.read_bytes()


def texts_on(data):
    return {
        text
        for side in ("Statement", "Answer")
        for n in range(150)
        if (text := f"{side} {n}. {'word ' * 40}").encode() in data
    }


@pytest.mark.parametrize("share", [0.4, 0.5, 0.7, 0.9])
def test_a_file_that_is_cut_gives_every_whole_message_in_it(tmp_path, stored, share):
    path = tmp_path / "space.db"
    left = stored[: int(len(stored) * share) // 4096 * 4096]
    path.write_bytes(left)
    finds = recover_rows(path, ConnectionOptions())
    found = {message.text for _, _, message in finds.messages.values()}
    assert found == texts_on(left)
    assert share < 0.5 or found


def test_a_file_without_its_first_pages_gives_the_rest(tmp_path, stored):
    path = tmp_path / "space.db"
    path.write_bytes(bytes(8192) + stored[8192:])
    finds = recover_rows(path, ConnectionOptions())
    assert len(finds.messages) == 300
    assert len(finds.headers) == 150


def test_a_long_walk_over_nothing_shows_progress(tmp_path):
    path = tmp_path / "zeros.db"
    with path.open("wb") as file:
        file.truncate(4096 * 25_000)
    shown = []
    assert list(page_rows(path, lambda done, of: shown.append((done, of)))) == []
    assert shown == [(10_000, 25_000), (20_000, 25_000)]
