"""An SQLite that cannot encrypt; what one that can does is in tests/encrypted."""

import pytest

from unabridged.domain.scope import SpaceId
from unabridged.errors import MissingExtraError
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions, can_encrypt


@pytest.mark.skipif(can_encrypt(), reason="this SQLite can encrypt")
def test_an_sqlite_that_cannot_encrypt_is_said_before_anything_is_written(tmp_path):
    with pytest.raises(MissingExtraError, match="apsw-sqlite3mc"):
        SqliteStore(
            tmp_path / "space.db",
            SpaceId("ada", "tests"),
            access=ConnectionOptions(key=bytes(range(32))),
        )
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
