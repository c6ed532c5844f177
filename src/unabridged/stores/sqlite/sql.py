"""The SQL by name: in ``sql/*.sql``, each statement after a line ``-- name: …``."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_HERE = files("unabridged.stores.sqlite")
_NAME = re.compile(r"^-- name: (.+)$", re.MULTILINE)


@cache
def statements() -> Mapping[str, str]:
    """Return the SQL of every file, by name."""
    found: dict[str, str] = {}
    for file in ("read.sql", "write.sql", "vectors.sql", "check.sql", "chain.sql", "recover.sql"):
        more = parse((_HERE / "sql" / file).read_text(encoding="utf-8"))
        if found.keys() & more.keys():
            raise ValueError(f"two statements are called {found.keys() & more.keys()}")
        found |= more
    return found


def parse(text: str) -> dict[str, str]:
    """Read the statements of a file."""
    pieces = _NAME.split(text)[1:]
    if len(set(pieces[::2])) != len(pieces[::2]):
        raise ValueError("two statements have one name")
    return {name: sql.strip() for name, sql in zip(pieces[::2], pieces[1::2], strict=True)}


@cache
def schema() -> str:
    """Return the SQL for the tables of a new file."""
    return (_HERE / "schema.sql").read_text(encoding="utf-8")
