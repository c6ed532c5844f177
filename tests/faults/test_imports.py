"""Hostile imports: the short form of the fuzzing, and files made to exhaust the machine."""

import gzip
import io
import json
import lzma
import subprocess
import sys
import zipfile

import pytest
from tests.faults import imports
from tests.helpers.talker import Talker

from unabridged.domain.results import SkippedRecord
from unabridged.domain.settings import Settings
from unabridged.errors import TransferError
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.input_file import InputLimits

CHILD = """
import json, resource, sys
from unabridged.domain.results import Transcript, SkippedRecord
from unabridged.errors import TransferError
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.input_file import InputLimits

limit, path, held = int(sys.argv[1]) << 20, sys.argv[2], int(sys.argv[3]) << 20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
resource.setrlimit(resource.RLIMIT_CPU, (240, 240))
figures = {"exchanges": 0, "unread": 0, "error": ""}
try:
    with open_file(path, limits=InputLimits(held=held)) as reader:
        for item in reader:
            figures["unread"] += isinstance(item, SkippedRecord)
            figures["exchanges"] += len(item.exchanges) if isinstance(item, Transcript) else 0
except TransferError as error:
    figures["error"] = str(error)
print(json.dumps(figures))
"""
LINE = b'{"role": "user", "content": "a"}\n'


@pytest.fixture
def reading(tmp_path):
    """Read a file in a process of its own, with so many MiB of address space."""

    def read(data, mebibytes=1024, held=2048):
        path = tmp_path / "hostile"
        path.write_bytes(data)
        command = [sys.executable, "-c", CHILD, str(mebibytes), str(path), str(held)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout)

    return read


def test_files_that_were_tampered_with_are_read_or_refused_by_name():
    figures = imports.run(1500, seed=20260301)
    assert figures["first"] == []
    assert figures["conversations"] > 300
    assert figures["refused"] > 100


@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_what_comes_of_them_is_stored_whole_or_not_at_all(store, tmp_path):
    with Talker.open(settings=Settings(home=str(tmp_path), store=store)) as memory:
        figures = imports.run(150, seed=7, memory=memory)
    assert figures["first"] == []
    assert figures["admitted"] > 30


def test_the_same_seed_makes_the_same_files():
    first, second = (imports.run(60, seed=3) for _ in range(2))
    for changing in ("seconds", "peak_mib"):
        del first[changing], second[changing]
    assert first == second


@pytest.mark.slow
def test_a_text_of_64_mib_is_taken_whole(reading):
    text = json.dumps({"role": "user", "content": "x" * (64 << 20)}).encode()
    assert reading(text)["exchanges"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pack", "piece"),
    [
        (gzip.compress, b" "),
        (gzip.compress, b"["),
        (gzip.compress, b'"'),
        (lzma.compress, b"\n"),
    ],
)
def test_a_bomb_is_refused(reading, pack, piece):
    bomb = pack(LINE + piece * ((100 << 20) // len(piece)))
    figures = reading(bomb, mebibytes=512)
    assert len(bomb) < 200_000
    assert "unpacks to more than" in figures["error"]
    assert figures["exchanges"] == 0


@pytest.mark.slow
def test_members_of_an_archive_share_one_bound(reading):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(12):
            text = b'[{"mapping": {}}' + b" " * (8 << 20) + b"]"
            archive.writestr(f"conversations-{number:03}.json", text)
    assert "unpacks to more than" in reading(out.getvalue())["error"]


def test_an_archive_of_a_great_many_members_is_refused_before_they_are_listed(reading):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("conversations.json", b"[]")
    data = out.getvalue()
    end = data.rindex(b"PK\5\6")
    longer = data[: end + 12] + (65 << 20).to_bytes(4, "little") + data[end + 16 :]
    assert "too long" in reading(longer)["error"]


def test_members_that_point_elsewhere_are_read_and_never_written(reading, tmp_path):
    out = io.BytesIO()
    talk = [{"uuid": "u", "chat_messages": [{"uuid": "m", "sender": "human", "text": "hello"}]}]
    with zipfile.ZipFile(out, "w") as archive:
        for name in (
            "../conversations.json",
            "/conversations.json",
            "C:\\x\\..\\conversations.json",
        ):
            info = zipfile.ZipInfo(name)
            info.external_attr = 0o120777 << 16
            archive.writestr(info, json.dumps(talk))
    figures = reading(out.getvalue())
    assert figures["exchanges"] >= 2
    assert [path.name for path in tmp_path.iterdir()] == ["hostile"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "record",
    [
        LINE,
        b"{}\n",
        b"1\n",
        b"{broken\n",
        b'{"role": "ghost"}\n',
        b'{"role": "user", "content": "a", "id": "x"}\n',
    ],
)
def test_very_many_tiny_records_end_at_a_bound(reading, record):
    figures = reading(LINE + record * 110_000, mebibytes=320, held=64)
    if record == LINE:
        assert "needs too much memory" in figures["error"]
    assert figures["exchanges"] in (0, 1)


@pytest.mark.slow
@pytest.mark.parametrize("inner", [b"[]", b'{"a":1}'])
def test_a_record_of_very_many_values_is_told_and_not_built(reading, inner):
    record = b'{"role": "user", "content": [' + (inner + b",") * (9 << 20) + b"1]}\n"
    figures = reading(LINE + record + LINE)
    assert (figures["exchanges"], figures["unread"], figures["error"]) == (2, 1, "")


def tree(count, parent):
    nodes = {
        f"n{place}": {
            "parent": parent(place),
            "message": {
                "author": {"role": "user" if place == 0 else "assistant"},
                "content": {"content_type": "text", "parts": ["x"]},
            },
        }
        for place in range(count)
    }
    return json.dumps([{"id": "c", "mapping": nodes}]).encode()


@pytest.mark.slow
@pytest.mark.parametrize(
    "parent",
    [
        lambda place: f"n{place - 1}" if place else None,
        lambda place: "n0" if place else None,
        lambda place: f"n{max(0, place - 1 - place % 2)}" if place else None,
        lambda place: f"n{(place - 1) // 2}" if place else None,
        lambda place: f"n{(place + 1) % 10_000}",
        lambda place: f"n{place}",
    ],
    ids=["chain", "star", "comb", "binary", "circle", "selves"],
)
def test_a_tree_of_any_shape_costs_no_more_than_its_size(reading, parent):
    figures = reading(tree(10_000, parent))
    assert figures["exchanges"] + figures["unread"] > 0


@pytest.mark.slow
def test_sessions_of_agents_of_any_shape_cost_no_more_than_their_size(reading):
    def line(place, parent, mid):
        content = [{"type": "tool_use", "id": f"t{place}", "name": "x", "input": {}}]
        message = {"role": "assistant", "id": mid, "content": content}
        named = {"uuid": f"u{place}", "parentUuid": parent, "sessionId": "s"}
        return json.dumps({"type": "assistant", **named, "message": message}) + "\n"

    start = json.dumps({"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s",
                        "message": {"role": "user", "content": "q"}}) + "\n"  # fmt: skip
    for mid in ("same", None):
        lines = "".join(
            line(place, f"u{place - 1}" if place else "u", mid) for place in range(10_000)
        )
        assert reading((start + lines).encode())["exchanges"] == 1


@pytest.mark.parametrize("depth", [900, 950, 960, 970, 980, 990, 1000, 5000, 200_000])
@pytest.mark.parametrize(
    "form",
    [
        '{{"role": "user", "content": {}}}',
        '{{"role": "assistant", "tool_calls": [{{"function": {{"name": "f", "arguments": {}}}}}]}}',
        '{{"type": "response_item", "timestamp": 1, "payload": {{"type": "x_call", "action": {}}}}}',
        '{{"uuid": "u", "chat_messages": [{{"sender": "human", "content": [{{"type": "tool_use", "input": {}}}]}}]}}',
        '{{"sessionId": "s", "parentUuid": null, "type": "user", "uuid": "u", "message": {{"content": [{{"type": "tool_result", "content": {}}}]}}}}',
        '{{"mapping": {{"a": {{"message": {{"author": {{"role": "user"}}, "content": {{"parts": [{}]}}}}}}}}}}',
    ],
)
def test_depth_around_the_limit_is_told(depth, form):
    from unabridged.transfer.detect_format import open_file

    for opening, closing in (("[", "]"), ('{"a":', "}"), ('{"a":[', "]}")):
        deep = opening * depth + "1" + closing * depth
        with open_file(io.BytesIO(form.format(deep).encode() + b"\n" + LINE)) as reader:
            assert list(reader)


def test_an_xz_file_that_wants_too_much_memory_is_told(reading):
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}]
    figures = reading(lzma.compress(LINE, filters=filters))
    assert figures["exchanges"] == 0
    assert "breaks off or is damaged" in figures["error"]


class Endless(io.RawIOBase):
    """A pipe that somebody never stops to write."""

    def __init__(self, head, piece):
        self.left, self.piece, self.given = head, piece, 0

    def readable(self):
        return True

    def readinto(self, target):
        while len(self.left) < len(target):
            self.left += self.piece
        target[:], self.left = self.left[: len(target)], self.left[len(target) :]
        self.given += len(target)
        assert self.given < 256 << 20, "it is read without end"
        return len(target)


ENDLESS = {
    "zeros": (b"", bytes(65_536)),
    "a line": (LINE[:-4], b"a" * 65_536),
    "lines": (b"", LINE * 2000),
    "elements": (b"[", (LINE.strip() + b",") * 2000),
    "an element": (b"[" + LINE.strip() + b"," + LINE[:-4], b"a" * 65_536),
    "brackets": (b"[" + LINE.strip() + b",", b"[" * 65_536),
    "values": (b"[" + LINE.strip() + b',{"content":[', b"1," * 32_768),
    "a text": (b'{"a":"', b"a" * 65_536),
}


BOUNDS = InputLimits(record=1 << 20, held=16 << 20)


@pytest.mark.parametrize("kind", ENDLESS)
def test_what_never_ends_is_refused_or_cut_at_a_bound(kind):
    said = []
    try:
        with open_file(io.BufferedReader(Endless(*ENDLESS[kind])), limits=BOUNDS) as reader:
            said += [item.reason for item in reader if isinstance(item, SkippedRecord)]
    except TransferError as error:
        said.append(error.hint)
    assert all(said)
    assert said
