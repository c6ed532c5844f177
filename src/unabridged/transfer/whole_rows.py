"""Keeps the whole rows of a JSON value that breaks off."""

import re
from dataclasses import dataclass, field

Path = tuple[str, ...]
"""The keys on the way to a list; lists do not count, and ``*`` is any key."""
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["\[\]{},:]', re.DOTALL)
_QUOTE = b'"'
MOST_NESTED = 512
"""Brackets in each other up to which a value is followed: no reader of JSON follows many more."""
_CLOSERS = {b"{": b"}", b"[": b"]"}


@dataclass(slots=True)
class _Open:
    # An object or list that is not closed yet; `begun` once there is a whole row in it.
    closer: bytes
    path: Path
    holds_rows: bool = False
    begun: bool = False


def whole_rows(data: bytes, rows: frozenset[Path]) -> bytes | None:
    """Return the beginning of a value up to its last whole row, with its brackets closed.

    A row is an element of a list of conversations, exchanges or messages: it is there with its
    last bracket, or left out. Of the objects around rows, whole fields stay.

    Args:
        data: A JSON value that breaks off.
        rows: The paths of lists of rows.

    Returns:
        JSON, or None if it has no whole row.
    """
    walk = _Walk(rows)
    for token in _TOKEN.finditer(data):
        sign = token.group()
        if sign == _QUOTE or len(walk.opened) > MOST_NESTED:
            break  # a string that breaks off, or what nobody can read
        if sign in _CLOSERS:
            walk.open(sign)
        elif sign in _CLOSERS.values():
            walk.close(token.end())
        elif sign == b",":
            walk.field(token.start())
        elif sign == b":":
            walk.name = walk.text
        else:
            walk.text = sign
        if walk.broken:
            return None
    return data[: walk.end] + walk.closers if walk.end else None


@dataclass(slots=True)
class _Walk:
    rows: frozenset[Path]
    opened: list[_Open] = field(default_factory=list)
    text: bytes = b""
    name: bytes = b""
    end: int = 0
    closers: bytes = b""
    broken: bool = False

    def open(self, sign: bytes) -> None:
        around = self.opened[-1] if self.opened else _Open(b"", ())
        path = around.path
        if around.closer == b"}":
            path = (*path, self.name[1:-1].decode("utf-8", "replace"))
        rows = sign == b"[" and any(_fits(path, each) for each in self.rows)
        self.opened.append(_Open(_CLOSERS[sign], path, rows))

    def close(self, end: int) -> None:
        closed = self.opened.pop() if self.opened else None
        if closed is None or not self.opened:
            self.broken = True  # more brackets closed than opened, or nothing breaks off
            return
        if self.opened[-1].holds_rows and closed.closer == b"}":
            for each in self.opened:
                each.begun = True
        self.field(end)

    def field(self, end: int) -> None:
        if self.opened and self.opened[-1].begun:
            self.end = end
            self.closers = b"".join(each.closer for each in reversed(self.opened))


def _fits(path: Path, wanted: Path) -> bool:
    return len(path) == len(wanted) and all(
        each in ("*", key) for key, each in zip(path, wanted, strict=True)
    )
