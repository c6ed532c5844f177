"""The comparison with other memories; those that are installed are really run."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from bench.peers import peers_benchmark
from bench.peers.peer import KINDS, installed
from unabridged.errors import SettingError, TransferError

CHECKOUT = Path(__file__).parents[3]
TALKS = CHECKOUT / "tests" / "fixtures" / "bench" / "locomo.json"


def quiet(_text):
    pass


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_a_peer_is_measured(name, tmp_path, monkeypatch):
    if not installed(name):
        pytest.skip(f"{name} is not installed")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = peers_benchmark.run(TALKS, progress=quiet, only=[name])
    assert found.notes == []
    (row,) = found.rows
    assert row["peer"] == name
    assert (row["turns"], row["questions"]) == (19, 7)
    assert row["turn frac@10"] > 0.5
    assert row["exchange frac@5"] > 0.5
    assert row["ingest turns/s"] > 0
    assert row["search p95 ms"] >= row["search p50 ms"] > 0
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(peers_benchmark, "installed", lambda _name: False)
    found = peers_benchmark.run(TALKS, progress=quiet)
    assert found.rows == []
    assert found.notes == [f"{name} is not installed." for name in KINDS]


@pytest.mark.slow
def test_a_peer_that_fails_does_not_end_the_others(monkeypatch):
    monkeypatch.setattr(
        peers_benchmark, "installed", lambda name: name in {"unabridged", "rank_bm25"}
    )
    found = peers_benchmark.run(TALKS, progress=quiet, only=["rank_bm25", "unabridged"])
    assert [row["peer"] for row in found.rows][:1] == ["unabridged"]
    if not installed("rank_bm25"):
        assert re.fullmatch(r"rank_bm25 failed: .*No module named 'rank_bm25'", found.notes[0])


def test_what_was_measured_before_an_interruption_is_kept(monkeypatch):
    def measured(name, _data):
        if name != "unabridged":
            raise KeyboardInterrupt
        return {
            "turns": 19, "questions": 7, "ingest": 10.0, "search_ms": [1.0, 2.0],
            "recall": {"turn frac@5": 0.5}, "resident": None, "disk": 10.0,
        }  # fmt: skip

    monkeypatch.setattr(peers_benchmark, "installed", lambda _name: True)
    monkeypatch.setattr(peers_benchmark, "_measured", measured)
    found = peers_benchmark.run(TALKS, progress=quiet)
    assert found.interrupted
    assert [row["peer"] for row in found.rows] == ["unabridged"]
    assert found.rows[0]["resident MiB"] is None


def test_wrong_names_and_paths_are_typed_errors(tmp_path):
    with pytest.raises(SettingError, match="'elephant'") as raised:
        peers_benchmark.run(TALKS, progress=quiet, only=["elephant"])
    assert "chromadb" in raised.value.hint
    with pytest.raises(TransferError):
        peers_benchmark.run(tmp_path / "missing", progress=quiet)


def test_a_peer_reaches_nothing_outside():
    code = (
        "import socket\n"
        "from bench.peers.peer_process import stay_inside\n"
        "stay_inside()\n"
        "inside = socket.create_server(('127.0.0.1', 0))\n"
        "socket.create_connection(inside.getsockname(), timeout=5).close()\n"
        "inside.close()\n"
        "with socket.socket() as s:\n"
        "    s.settimeout(2)\n"
        "    s.connect(('192.0.2.1', 80))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert ran.returncode == 1
    assert "may not reach '192.0.2.1'" in ran.stderr


def test_peers_are_in_no_lock():
    named = re.search(
        r"^peers = \[.*?\n(.*?)^\]",
        (CHECKOUT / "pyproject.toml").read_text(),
        re.MULTILINE | re.DOTALL,
    )
    names = re.findall(r'"([a-z0-9-]+)>=', named[1])
    assert len(names) == len(KINDS) - 1
    for lock in (CHECKOUT / "requirements").glob("*.txt"):
        if lock.name == "clients.txt":
            continue  # what talks to the server from an environment of its own
        text = lock.read_text()
        assert [name for name in names if f"\n{name}==" in text] == []
