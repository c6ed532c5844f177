"""Changes members of a corpus: bytes, numbers at limits, pieces of others, JSON, lines of text."""

import json
import sys
import zlib

from tests.faults.making import JsonChanges, mangled, records_of

LARGEST = 400_000
"""Bytes of an input; a longer one is cut."""
KEYS_FROM = 40
"""Members of the corpus whose keys are used for others."""
_LIMITS = (0, 1, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 1 << 20, 0x7FFFFFFF, 0x80000000,
           0xFFFFFFFF, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)  # fmt: skip
_WORDS = (
    b"0", b"-1", b"9223372036854775808", b"1e999", b"nan", b"inf", b"true", b"[]", b"{}", b'""', b'"""', b"''",
    b"2026-02-30", b"9999-12-31T23:59:59Z", b"\x00", b"\xff", b"\xed\xa0\x80", b"=", b"[[", b"]]", b"#", b"\\u0000",
    b"\\uD800", b"../../..", b"/", b"~", b"9" * 5000, b"a" * 70_000, b"[" * 3000,
)  # fmt: skip
_NESTING = 20_000
"""How deeply calls may nest while an input is made; it is read with as many as are usual."""


class Mutator:
    """Makes inputs from a corpus.

    Args:
        shape: ``binary``, ``json``, ``text``, or ``request``: a line, then JSON.
        corpus: The inputs that are known; more may be added to the list.
    """

    def __init__(self, shape, corpus):
        self._shape = shape
        self.corpus = corpus
        self._changes = JsonChanges([_records(each, shape) for each in corpus[:KEYS_FROM]])

    def make(self, chance):
        """Give one input."""
        data = chance.choice(self.corpus)
        usual = sys.getrecursionlimit()
        sys.setrecursionlimit(_NESTING)
        try:
            if self._shape == "request":
                line, _, body = data.partition(b"\n")
                made = line + b"\n" + self._json(body, chance)
            elif self._shape == "json":
                made = self._json(data, chance)
            elif self._shape == "text":
                made = self._text(data, chance)
            else:
                made = self._binary(data, chance)
        finally:
            sys.setrecursionlimit(usual)
        return made[:LARGEST]

    def _json(self, data, chance):
        values = _records(data, "json")
        if chance.random() < 0.25 or not values:
            return self._binary(data, chance)
        if chance.random() < 0.1:
            other = self._body(chance.choice(self.corpus))
            values = [chance.choice(_records(other, "json") or values)]
        for _ in range(chance.choice([1, 1, 2, 3, 6])):
            values = self._changes.changed(values, chance)
        lines = data.count(b"\n") and not data.lstrip().startswith((b"{\n", b"[\n", b"{\r"))
        made = self._changes.dumped(values if lines or len(values) != 1 else values[0], chance)
        return _keys_twice(made, chance) if chance.random() < 0.15 else made

    def _body(self, data):
        return data.partition(b"\n")[2] if self._shape == "request" else data

    def _text(self, data, chance):
        if chance.random() < 0.4:
            return mangled(data, chance)
        lines = data.splitlines(keepends=True) or [b""]
        for _ in range(chance.choice([1, 1, 2, 5])):
            place, how = chance.randrange(len(lines)), chance.randrange(6)
            if how == 0:
                lines.insert(chance.randrange(len(lines) + 1), lines[place])
            elif how == 1:
                others = chance.choice(self.corpus).splitlines(keepends=True) or [b""]
                lines.insert(place, chance.choice(others))
            elif how == 2 and len(lines) > 1:
                del lines[place]
            elif how == 3:
                name, equals, _ = lines[place].partition(b"=")
                lines[place] = name + equals + b" " + chance.choice(_WORDS) + b"\n"
            elif how == 4:
                lines[place] = lines[place].replace(b'"', chance.choice(_WORDS), 1)
            else:
                chance.shuffle(lines)
        return b"".join(lines)

    def _binary(self, data, chance):
        how = chance.random()
        if how < 0.35:
            return mangled(data, chance)
        if how < 0.5:
            other = self._body(chance.choice(self.corpus))
            cut, behind = chance.randrange(len(data) + 1), chance.randrange(len(other) + 1)
            return data[:cut] + other[behind:]
        made = bytearray(data)
        for _ in range(chance.choice([1, 1, 2, 4, 16])):
            size = chance.choice([1, 2, 4, 8])
            number = chance.choice(_LIMITS) % (1 << 8 * size)
            first = min(len(made), chance.choice([120, 4096, len(made)]))
            place = chance.randrange(first + 1)
            order = chance.choice(["little", "big"])
            made[place : place + size] = number.to_bytes(size, order)
        return bytes(made)


def _records(data, shape):
    if shape == "request":
        data = data.partition(b"\n")[2]
    try:
        return records_of(data)
    except (ValueError, RecursionError):
        return []


def _keys_twice(data, chance):
    """Let keys of objects be there twice, the second time with another value."""
    places = [at for at in range(len(data)) if data[at : at + 1] == b"{"][:500]
    for _ in range(chance.choice([1, 2, 4])):
        if not places:
            break
        at = chance.choice(places)
        name = data[at + 1 :].split(b":", 1)[0]
        if name.startswith(b'"') and len(name) < 60:
            value = chance.choice([b"null", b"[]", b"{}", b"1", b'"x"', name])
            data = data[: at + 1] + name + b":" + value + b"," + data[at + 1 :]
    return data


def name_of(data):
    """Return a short name of an input."""
    return f"{zlib.crc32(data):08x}-{len(data)}"


def dumped(value):
    """Return JSON as bytes."""
    return json.dumps(value).encode()
