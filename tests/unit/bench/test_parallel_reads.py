"""Reads by several threads, measured on a small memory."""

import tempfile
from threading import Barrier, Event, get_ident

import pytest

from bench.core import parallel_reads, store_sizes
from bench.core.parallel_reads import read_together, writing


@pytest.fixture
def few(monkeypatch, tmp_path):
    for module, count in (
        (parallel_reads, "READS"),
        (parallel_reads, "WRITES"),
        (store_sizes, "SPOKEN"),
    ):
        monkeypatch.setattr(module, count, 8)
    monkeypatch.setattr(parallel_reads, "PAUSE_SECONDS", 0)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_threads_read_at_the_same_time_and_share_the_questions():
    together = Barrier(3, timeout=30)
    asked, readers = [], set()

    def read(question):
        if get_ident() not in readers:
            readers.add(get_ident())
            together.wait()
        asked.append(question)

    found = read_together(read, list("abcdefg"), 3)
    assert sorted(asked) == sorted("abcdefg" + "aaa")  # each thread reads once before
    assert len(readers) == 3
    assert len(found.milliseconds) == 7
    assert found.rate > 0


def test_a_read_that_fails_ends_the_measurement():
    with pytest.raises(ZeroDivisionError):
        read_together(lambda _: 1 / 0, ["a", "b"], 2)


def test_writes_are_measured_while_the_block_runs():
    written = Event()
    with writing(written.set) as took:
        assert written.wait(30)
    assert took
    assert all(each >= 0 for each in took)


def test_a_write_that_fails_is_raised():
    with pytest.raises(ZeroDivisionError), writing(lambda: 1 / 0):
        pass


def test_a_run_gives_every_row_and_leaves_nothing(few):
    said = []
    report = parallel_reads.run(size=20, threads=[2, 1], progress=said.append)
    found = {each.name: each for each in report}
    reads = [
        f"{name}{rate}: {threads}"
        for name in ("search", "prepare")
        for threads in ("1 thread", "2 threads")
        for rate in ("", " rate")
    ]
    busy = ["search, one writes", "prepare, one writes"]
    writes = [f"write, one reads: {name}" for name in ("search", "prepare")]
    assert set(found) == {*reads, "write", *busy, *writes}
    assert all(each.p50 > 0 and each.size == 20 for each in report)
    assert found["search rate: 1 thread"].baseline is None
    assert found["search rate: 2 threads"].baseline == pytest.approx(
        found["search rate: 1 thread"].p50, abs=0.001
    )
    assert all(found[name].baseline > 0 for name in (*busy, *writes))
    assert list(few.iterdir()) == []
    assert said


def test_what_was_measured_before_an_interruption_is_kept(few, monkeypatch, run):
    def interrupted(*_):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(parallel_reads, "_while_one_writes", interrupted)
    ran = run("parallel", "--size", "10", "--threads", "1")
    assert ran.code == 130
    assert "search rate: 1 thread" in ran.out
    assert "Interrupted" in ran.err
    assert list(few.iterdir()) == []
