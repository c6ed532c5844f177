"""Backups are read back: all with resume, those that are due, and a share of them by the server."""

import asyncio
import io
import json
import os
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest
from tests.helpers.waiting import until
from tests.server.conftest import running

from unabridged import config
from unabridged.home.backup import Safekeeping
from unabridged.home.backup_reader import EARLY, BackupReader
from unabridged.server import backup_schedule
from unabridged.server.backup_schedule import BackupSchedule
from unabridged.server.log import RequestLog
from unabridged.testing.clock import ManualClock

DAY = timedelta(days=1)


def silent(*_):
    pass


@pytest.fixture
def three(run, tmp_path):
    """Three backups of a home, by name."""
    for number in range(3):
        run("ask", f"Message {number}.")
        assert run("backup", "create", "-o", str(tmp_path / f"{number}.zip")).code == 0
    folder = tmp_path / "home" / "backups"
    for number in range(3):
        (tmp_path / f"{number}.zip").rename(folder / f"{'abc'[number]}-2026.zip")
    return sorted(folder.glob("*.zip"))


def damage(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    times = path.stat()
    path.write_bytes(data)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def test_all_are_read_whole_and_damage_is_said(run, three):
    whole = run("backup", "verify", "--read-data")
    assert whole.code == 0
    assert whole.out.count("every byte, digest and row") == 3
    assert "Read 3 backups whole" in whole.out
    damage(three[1])
    bad = run("backup", "verify", "--read-data", "--json")
    assert bad.code == 1
    assert [bool(one["trouble"]) for one in bad.data] == [False, True, False]
    assert run("backup", "verify").code == 1, "it is remembered, and nothing is read"
    told = json.loads(run("doctor", "--json").out)
    assert [
        one["ok"] for one in told if one["topic"] == "backups" and three[1].name in one["text"]
    ] == [False]
    assert three[1].name not in (three[0].parent / ".read.json").read_text()
    three[1].unlink()
    assert run("backup", "verify").code == 0


def test_an_interrupted_run_is_continued(run, three, monkeypatch):
    read = []
    verify = Safekeeping.verify

    def interrupted(self, named, moved):
        if len(read) == 2:
            read.append(None)
            raise KeyboardInterrupt
        read.append(named)
        return verify(self, named, moved)

    monkeypatch.setattr(Safekeeping, "verify", interrupted)
    broken = run("backup", "verify", "--read-data")
    assert broken.code == 130
    assert "To continue" in broken.err
    resumed = run("backup", "verify", "--read-data")
    assert "Read 1 backup whole" in resumed.out
    assert "2 before the interruption" in resumed.out
    assert [path for path in read if path] == [str(path) for path in three]
    assert "Read 3 backups whole" in run("backup", "verify", "--read-data").out


def test_each_backup_is_read_once_a_period_and_a_run_reads_a_share(three):
    settings = config.load(home=three[0].parents[1], environ={}, backup_verify_every=10)
    clock = ManualClock(step=timedelta())
    for path in three:
        os.utime(path, (clock.time.timestamp(),) * 2)
    reading = BackupReader(settings, clock)
    last = {str(path): clock.time for path in three}
    most = 0
    for _ in range(30 * 24):
        clock.time += timedelta(hours=1)
        found = list(reading.read_share(silent))
        most = max(most, len(found))
        for one in found:
            assert clock.time - last[one.path] >= 10 * DAY * EARLY
            last[one.path] = clock.time
        assert all(clock.time - at < 10 * DAY for at in last.values())
    assert most == 1
    assert all(at.day for at in last.values())


def test_due_backups_are_read_and_then_no_longer_due(run, three):
    for path in three[:2]:
        os.utime(path, (0, 0))
    assert run("backup", "verify").out.count(", due") == 2
    told = json.loads(run("doctor", "--json").out)
    assert any("2 backups not read back" in one["text"] for one in told)
    assert "Read 2 backups whole" in run("backup", "verify", "--due").out
    assert "No backup is due." in run("backup", "verify", "--due").out
    off = run("--set", "backup_verify_every=none", "backup", "verify", "--due")
    assert "No backup is due." in off.out


def test_the_server_reads_and_reports(three, monkeypatch, tmp_path):

    for path in three:
        os.utime(path, (0, 0))
    damage(three[0])
    monkeypatch.setattr(backup_schedule, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(backup_schedule, "EVERY_SECONDS", 0.05)
    one = running(home=three[0].parents[1], upstream="quote")
    try:
        states = BackupReader(one.served.settings, one.served.service.clock)
        until(lambda: not any(state.due for state in states.states()))
        assert [Path(s.path).name for s in states.states() if s.trouble] == [three[0].name]
        until(lambda: "backups" in httpx2.get(f"{one.served}/readyz").json()["warnings"])
        answer = httpx2.get(f"{one.served}/readyz")
        assert answer.status_code == 200
        assert three[0].name not in answer.text
    finally:
        one.stop()


def test_the_log_names_no_backup(three):

    for path in three:
        os.utime(path, (0, 0))
    damage(three[0])
    settings = config.load(home=three[0].parents[1], environ={})
    stream, clock = io.StringIO(), ManualClock(step=timedelta())
    schedule = BackupSchedule(settings, clock, RequestLog(clock, "json", stream))
    for _ in range(3):
        schedule.run()
    events = [json.loads(line)["event"] for line in stream.getvalue().splitlines()]
    assert sorted(events) == ["backup_damaged", "backup_read", "backup_read"]
    assert schedule.damaged == 1
    assert ".zip" not in stream.getvalue()


def test_the_end_of_the_server_waits_for_no_backup(three):
    for path in three:
        os.utime(path, (0, 0))
    settings = config.load(home=three[0].parents[1], environ={})
    clock = ManualClock(step=timedelta())
    schedule = BackupSchedule(settings, clock, RequestLog(clock, "none"))
    asyncio.run(schedule.stop())
    schedule.run()
    assert sum(state.due for state in BackupReader(settings, clock).states()) == 3
    assert [path.name for path in three[0].parent.glob(".*.part")] == []
