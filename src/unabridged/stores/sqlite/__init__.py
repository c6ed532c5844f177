"""One file per space, through ``apsw``: WAL, ``synchronous=FULL``, a digest for every row."""

from unabridged.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
