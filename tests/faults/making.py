"""Makes hostile files: fixtures of every format, mutated as bytes or as JSON, made up, and packed."""

import gzip
import io
import json
import lzma
import sys
import zipfile
from pathlib import Path

FIXTURES = Path(__file__).parents[1] / "fixtures"
LARGEST = 2_500
"""Bytes of a fixture that are used; more only takes longer."""

_TEXTS = (
    "", " ", "\0", "\ud800", "\udfff\ud800", "\ufeff", "\u202e", "a\u0300" * 20, "😀" * 9, "../../etc",
    "user", "assistant", "system", "tool", "human", "null", "1e999", "2026-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999-23:59", "0001-01-01", "2023/05/20 (Sat) 06:37", "x" * 3000, "{", "}",
    "June 19, 2023 2:20pm", "2024-6-5 @14h 56m 50s 682ms", "data:image/png;base64,AA==", "%s%n", "\n",
)  # fmt: skip
_NUMBERS = (
    0, -1, 1, 2**31, 2**53 + 1, 2**63, 2**64, -(2**63), 10**30, 1e308, -1e308, 0.1, 1e17, 1e14, 253402300800,
    -62135596801, True, False,
)  # fmt: skip
_RAW = (
    b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\n", b"\r\n", b"{", b"}", b"[", b"]", b'"', b"\\",
    b"\\ud800", b"\\u0000", b":", b",", b"null", b"NaN", b"-Infinity", b"1e999", b"1" * 400, b"[" * 60,
    b'{"a":' * 60, b"\xed\xa0\x80", b"\xf0\x9f", b"\xc0\xaf", b"true",
)  # fmt: skip
_WRITING = 20_000
"""How deeply calls may nest while a file is made; it is read with as many as are usual."""
_DEEP = (3, 30, 300, 900, 960, 980, 1000, 3000, 100_000)
_PACKS = ("gzip", "xz", "zip", "twice", "utf-16", "utf-8-sig", "latin-1")


class JsonChanges:
    """Changes values of JSON, and writes them in the ways that programs do.

    Attributes:
        keys: Every key that any of the known values has.
    """

    def __init__(self, values):
        found = {}
        for records in values:
            _keys(records, found)
        self.keys = sorted(found) or ["a"]

    def dumped(self, records, chance):
        """Write records a line each, or as an array, in one of the ways that programs do."""
        how = {
            "ensure_ascii": chance.random() < 0.5,
            "indent": chance.choice([None, None, None, 1]),
        }
        if not isinstance(records, list) or chance.random() < 0.3:
            text = json.dumps(records, **how)
        else:
            how["indent"] = None
            text = "".join(json.dumps(each, **how) + "\n" for each in records)
        data = text.encode("utf-8", chance.choice(["surrogatepass", "replace"]))
        return data[: chance.randrange(len(data) + 1)] if chance.random() < 0.1 else data

    def changed(self, records, chance):
        """Change one place somewhere in the records."""
        holder, key = _place(records, chance)
        if holder is None:
            return [self.value(chance, 3)]
        how = chance.randrange(9)
        if how == 0:
            del holder[key]
        elif how == 1:
            holder[key] = self.value(chance, 3)
        elif how == 2:
            holder[key] = _taken(records, chance)
        elif how == 3 and isinstance(holder, list):
            holder.insert(chance.randrange(len(holder) + 1), holder[key])
        elif how == 4 and isinstance(holder, list):
            chance.shuffle(holder)
        elif how == 5 and isinstance(holder, dict):
            holder[chance.choice(self.keys)] = holder.pop(key)
        elif how == 6:
            small = not isinstance(holder[key], (dict, list))
            holder[key] = [holder[key]] * chance.choice([0, 1, 2, 40 if small else 2])
        elif how == 7 and isinstance(holder, dict):
            holder[chance.choice(self.keys)] = self.value(chance, 2)
        else:
            holder[key] = self._leaf(chance)
        return records

    def value(self, chance, depth):
        how = chance.random()
        if depth == 0 or how < 0.3:
            return self._leaf(chance)
        if how < 0.305:
            return _deep(chance)
        if how < 0.6:
            return [self.value(chance, depth - 1) for _ in range(chance.randrange(4))]
        keys = chance.sample(self.keys, min(len(self.keys), chance.randint(1, 8)))
        return {key: self.value(chance, depth - 1) for key in keys}

    def _leaf(self, chance):
        return chance.choice([None, chance.choice(_TEXTS), chance.choice(_NUMBERS), {}, []])


class Maker(JsonChanges):
    """Makes one hostile file after the other.

    Attributes:
        texts: Fixtures as bytes.
        values: Fixtures as JSON values, a list of records each.
        databases: Fixtures that are SQLite files.
    """

    def __init__(self):
        paths = [*sorted((FIXTURES / "imports").iterdir())]
        self.databases = [
            lzma.decompress(path.read_bytes()) for path in paths if path.name.endswith(".db.xz")
        ]
        whole = [path.read_bytes() for path in paths if path.suffix in (".json", ".jsonl")]
        whole += [path.read_bytes() for path in sorted((FIXTURES / "bench").rglob("*.json*"))]
        self.texts = [_short(data) for data in whole]
        self.values = [records_of(data) for data in self.texts]
        super().__init__(self.values)

    def make(self, chance):
        """Give a stream and what kind of file it is."""
        kinds = ("bytes", "values", "made", "mixed", "database")
        kind = chance.choices(kinds, (30, 45, 12, 10, 3))[0]
        usual = sys.getrecursionlimit()
        sys.setrecursionlimit(_WRITING)
        try:
            data = getattr(self, f"_{kind}")(chance)
        finally:
            sys.setrecursionlimit(usual)
        if chance.random() < 0.06:
            data = _packed(data, chance)
            if chance.random() < 0.6:
                data = mangled(data, chance)
        return io.BytesIO(data), kind

    def _bytes(self, chance):
        return mangled(chance.choice(self.texts), chance)

    def _mixed(self, chance):
        """Two files in one."""
        first, second = chance.choice(self.texts), chance.choice(self.texts)
        cut, behind = chance.randrange(len(first) + 1), chance.randrange(len(second) + 1)
        return first[:cut] + chance.choice([b"", b"\n"]) + second[behind:]

    def _database(self, chance):
        data = bytearray(chance.choice(self.databases))
        for _ in range(chance.choice([1, 2, 5, 20, 100])):
            page = chance.randrange(len(data) // 4096) * 4096
            place = page + chance.choice([chance.randrange(100), chance.randrange(4096)])
            data[place] = chance.choice([0, 1, 2, 5, 10, 13, 127, 128, 255, chance.randrange(256)])
        if chance.random() < 0.2:
            del data[chance.randrange(len(data)) :]
        return bytes(data)

    def _values(self, chance):
        records = json.loads(json.dumps(chance.choice(self.values)))
        for _ in range(chance.choice([1, 1, 2, 3, 6, 12])):
            records = self.changed(records, chance)
        return self.dumped(records, chance)

    def _made(self, chance):
        records = [self.value(chance, 4) for _ in range(chance.randint(1, 6))]
        return self.dumped(records, chance)


def _short(data):
    """Write a fixture as it is, without room and with few lines."""
    try:
        return json.dumps(json.loads(data)).encode()
    except ValueError:
        lines = data.splitlines(keepends=True)
    kept = b""
    while lines and len(kept) < LARGEST:
        kept += lines.pop(0)
    return kept


def records_of(data):
    """Read an array, a value or lines of JSON as a list."""
    try:
        value = json.loads(data)
    except ValueError:
        return [json.loads(line) for line in data.splitlines() if line.strip()]
    return value if isinstance(value, list) else [value]


def _keys(value, found):
    if isinstance(value, dict):
        for key, inner in value.items():
            found[key] = True
            _keys(inner, found)
    elif isinstance(value, list):
        for inner in value:
            _keys(inner, found)


def _place(records, chance):
    """Give a container and a key of it, somewhere; None where there is none."""
    if not isinstance(records, list) or not records:
        return None, None
    holder, key = records, chance.randrange(len(records))
    while isinstance(holder[key], (dict, list)) and holder[key] and chance.random() < 0.8:
        holder = holder[key]
        key = (
            chance.choice(list(holder))
            if isinstance(holder, dict)
            else chance.randrange(len(holder))
        )
    return holder, key


def _taken(records, chance):
    """Give a value from another place: an id of another, a parent that is a child."""
    holder, key = _place(records, chance)
    text = json.dumps(holder[key]) if holder is not None else "null"
    return json.loads(text) if len(text) < LARGEST else None


def _deep(chance):
    """Give a value that is nested deeply, as far as this process can write it."""
    value = "x"
    for _ in range(chance.choice(_DEEP[:6])):
        value = {"a": value} if chance.random() < 0.3 else [value]
    return value


def mangled(data, chance):
    """Change bytes in one to sixteen places."""
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 4, 16])):
        place = chance.randrange(len(data) + 1)
        size = chance.choice([1, 1, 4, 40, 400])
        how = chance.randrange(7)
        if how == 0 and place < len(data):
            data[place] ^= 1 << chance.randrange(8)
        elif how == 1:
            del data[place : place + size]
        elif how == 2:
            data[place:place] = chance.choice(_RAW)
        elif how == 3:
            data[place : place + size] = chance.choice(_RAW)
        elif how == 4:
            piece = bytes(data[place : place + size])
            other = chance.randrange(len(data) + 1)
            data[other:other] = piece * chance.choice([1, 2, 30])
        elif how == 5 and chance.random() < 0.3:
            del data[place:]
        elif how == 6 and chance.random() < 0.2:
            deep = chance.choice(_DEEP)
            data[place:place] = chance.choice([b"[", b'{"a":', b'{"content":[']) * deep
    return bytes(data)


def _packed(data, chance):
    how = chance.choice(_PACKS)
    if how == "gzip":
        return gzip.compress(data, 1)
    if how == "xz":
        return lzma.compress(data, preset=0)
    if how == "twice":
        return gzip.compress(gzip.compress(data, 1), 1)
    if how == "zip":
        return _zipped(data, chance)
    text = data.decode("utf-8", "replace")
    return text.encode(how, "replace")


def _zipped(data, chance):
    names = ("conversations.json", "../conversations.json", "/conversations.json", "a/conversations-1.json",
             "C:\\conversations.json", "conversations.json/", "x.txt", "con\nversations.json")  # fmt: skip
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(chance.choice([0, 1, 1, 2, 5])):
            info = zipfile.ZipInfo(f"{number}" * (number > 0) + chance.choice(names))
            info.external_attr = chance.choice([0, 0o120777 << 16, 0o40755 << 16])
            kind = chance.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2])
            archive.writestr(info, data, kind)
    return out.getvalue()
