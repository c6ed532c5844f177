"""A second process analyses what an import brings exactly as this one, or this one does it."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from bench.generator import MIXED, SHORT, TalkGenerator
from bench.imports.chatgpt_export import write_export
from unabridged import Memory
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.embeddings.static import StaticEmbedder
from unabridged.embeddings.word_pieces import StaticLexicon
from unabridged.home import index_worker
from unabridged.projections.search_index.analysis_process import LEAST_EXCHANGES, AnalysisProcess
from unabridged.retrieval.analyze import Analyzer

ODD = ["", "Ein Ärger über 日本語。Nein? Ja!", "half \ud83d of an emoji 😂", "getUserId " * 300]


@pytest.fixture(scope="module")
def analyzer():
    return Analyzer(StaticEmbedder(), StaticLexicon())


@pytest.fixture(scope="module")
def exchanges():
    talks = [
        *TalkGenerator(3, SHORT).conversations(600),
        *TalkGenerator(4, MIXED).conversations(60),
    ]
    found = [exchange for one in talks for exchange in one.exchanges]
    return [*found, *(said(f"odd{number}", text) for number, text in enumerate(ODD))]


def said(name, text):
    at = datetime(2026, 1, 1, tzinfo=UTC)
    user = Message(f"{name}u", Role.USER, (Text(text),), at)
    answer = Message(f"{name}a", Role.ASSISTANT, (Text(text[::-1]),), at, user.id)
    return Exchange(name, "s", None, ExchangeState.COMPLETE, (user, answer), at)


def flat(read):
    arrays = (
        read.words.keys, read.words.user, read.words.answer, read.pieces,
        read.vectors.codes, read.vectors.scales, read.vectors.sides,
    )  # fmt: skip
    return [(array.dtype, array.shape, np.ascontiguousarray(array).tobytes()) for array in arrays]


def helper(module=index_worker.MODULE, cores=2):
    return AnalysisProcess(module, index_worker.WORKS_FOR, cores)


def refuse(exchanges):
    assert not exchanges
    return []


def test_it_reads_as_this_process_does(analyzer, exchanges):
    expected = [flat(read) for read in analyzer.read(exchanges, embed=True)]
    process = helper()
    try:
        process.give(exchanges)
        assert process.is_running
        here = []

        def analyse(some):
            here.extend(some)
            return analyzer.read(some, embed=True)

        assert [flat(read) for read in process.take(exchanges, analyse)] == expected
        assert len(here) < len(exchanges)
    finally:
        process.end()
    assert not process.is_running


def test_what_changed_since_is_read_again(analyzer, exchanges):
    process = helper()
    try:
        process.give(exchanges)
        changed = replace(said("new", "Another text."), id=exchanges[0].id)
        (read,) = process.take([changed], lambda some: analyzer.read(some, embed=True))
        assert flat(read) == flat(analyzer.read([changed], embed=True)[0])
    finally:
        process.end()


@pytest.mark.parametrize(
    ("process", "count"),
    [
        (helper(), LEAST_EXCHANGES - 1),
        (helper(cores=1), LEAST_EXCHANGES),
    ],
)
def test_it_is_not_started_where_it_does_not_pay(analyzer, exchanges, process, count):
    some = exchanges[:count]
    process.give(some)
    assert not process.is_running
    assert len(process.take(some, lambda these: analyzer.read(these, embed=True))) == count
    process.end()


@pytest.mark.parametrize("module", ["no.such.module", "tests.unit.projections.search_index.broken"])
def test_this_process_reads_what_one_that_breaks_off_has_not(analyzer, exchanges, module):
    process = helper(module)
    process.give(exchanges)
    made = process.take(exchanges, lambda some: analyzer.read(some, embed=True))
    expected = analyzer.read(exchanges, embed=True)
    assert list(map(flat, made)) == list(map(flat, expected))
    process.give(exchanges)  # it is not tried again
    assert not process.is_running
    process.end()


@pytest.mark.slow
def test_an_index_has_the_same_bytes_with_and_without_it(tmp_path, monkeypatch):
    file = tmp_path / "conversations.json"
    write_export(file, 4_500, size=SHORT)

    def imported(name):
        with Memory.open(tmp_path / name) as memory:
            assert memory.import_file(file).is_complete
            hits = [hit.exchange.id for hit in memory.search("garden work")]
        paths = (tmp_path / name).rglob("*.db-index/*")
        files = [path for path in paths if path.is_file() and not path.name.startswith(".")]
        held = sorted(path.read_bytes() for path in files if path.stat().st_size > 10_000)
        assert held
        return hits, held

    started = []
    start = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda *a, **k: started.append(start(*a, **k)) or started[-1]
    )
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    alone = imported("alone")
    assert not started
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    assert imported("helped") == alone
    assert [process.poll() for process in started] == [0]


_HOLDS = """
import sys, time
from unabridged.home import index_worker
from unabridged.projections.search_index.analysis_process import AnalysisProcess
from tests.unit.projections.search_index.test_analysis_process import said
process = AnalysisProcess(index_worker.MODULE, index_worker.WORKS_FOR, 2)
process.give([said(str(number), "A few words.") for number in range(5_000)])
print(process._process.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for the process in /proc")
def test_it_ends_when_whoever_started_it_is_killed():
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDS], stdout=subprocess.PIPE, text=True
    ) as parent:
        child = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
    until = time.monotonic() + 20
    while is_alive(child) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_alive(child)


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[0] != "Z"
    except OSError:
        return False
