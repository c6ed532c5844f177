"""Damage of a space's file that keeps it from being opened and destroys no row."""

from pathlib import Path

import apsw


def damage_index(path: Path) -> None:
    """Zero the page by which SQLite finds the newest session; no row is on it."""
    connection = apsw.Connection(str(path))
    connection.pragma("wal_checkpoint", "TRUNCATE")
    root, size = connection.execute(
        "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema "
        "WHERE name = 'session_updated'"
    ).fetchone()
    connection.close()
    data = bytearray(path.read_bytes())
    data[(root - 1) * size : root * size] = bytes(size)
    path.write_bytes(data)
