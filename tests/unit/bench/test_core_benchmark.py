"""The benchmark measures what it says, repeats, and leaves nothing behind."""

import json
import tempfile

import pytest

from bench.core import fixed_costs, prefix_reuse, store_sizes
from bench.core.core_benchmark import run
from bench.core.start_time import rows as starting_rows
from bench.figures.report import AIMS, ReportRow, row
from bench.figures.timer import Spread, spread
from bench.formats.longmemeval import LongMemEvalCorpus
from bench.generator import EXCHANGES, TalkGenerator
from bench.recall import coverage
from unabridged.intent.detect import detect


def test_equal_seeds_draw_equal_conversations():
    one, same, other = (list(TalkGenerator(seed).conversations(25)) for seed in (1, 1, 2))
    assert one == same != other
    assert [len(c.exchanges) for c in one] == [EXCHANGES, EXCHANGES, 5]


def test_conversations_are_varied_and_of_real_length():
    drawn = list(TalkGenerator().conversations(1_000))
    texts = [e.user.text for c in drawn for e in c.exchanges]
    answers = [e.answer.text for c in drawn for e in c.exchanges]
    words = [len(text.split()) for text in texts]
    assert 30 < sum(words) / len(words) < 50
    assert len({word for text in texts for word in text.split()}) > 5_000
    assert any("的" in text for text in texts)
    assert any("nicht" in text for text in texts)
    assert max(map(len, answers)) > 4 * sum(map(len, answers)) / len(answers)
    assert len(set(texts)) == len(texts)


def test_messages_are_of_every_intent():
    drawn = TalkGenerator()
    drawn.conversation()
    intents = {detect(drawn.question(drawn.topics[0])).intent for _ in range(150)}
    assert len(intents) == 4


def test_a_run_gives_every_row_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(fixed_costs, "rows", lambda _say: iter(()))
    for count in ("PREPARED", "WRITTEN", "OPENED", "READ", "SPOKEN"):
        monkeypatch.setattr(store_sizes, count, 8)
    said: list[str] = []
    report = run(sizes=[30], progress=said.append)
    names = {found.name for found in report if ":" not in found.name}
    assert names == {
        "seed", "prepare", "begin + record", "begin", "record", "search", "load history",
        "switch session", "switch model", "open a space",
    }  # fmt: skip
    assert all(found.size == 30 and found.p50 > 0 for found in report)
    assert all(found.ratio for found in report if found.baseline)
    assert said
    assert list(tmp_path.iterdir()) == []
    json.dumps([report.machine, [found.name for found in report]])


def test_a_figure_is_held_against_its_target():
    assert row("open a space", Spread(19.0, 30.0)).met is True
    assert row("open a space", Spread(21.0, 30.0)).met is False
    assert row("prepare", Spread(11.0, 12.0), size=10_000).met is False
    assert row("prepare: casual", Spread(9.0, 12.0), size=10_000).target == "≤ 10"
    assert row("prepare", Spread(11.0, 12.0), size=77).met is None
    assert row("begin + record", Spread(5.0, 6.0), baseline=2.0).met is True
    assert row("begin + record", Spread(5.1, 6.0), baseline=2.0).met is False
    assert row("prefix_reuse", 0.79, unit="share").met is False
    assert row("something else", 1.0) == ReportRow("something else", None, "ms", 1.0)


def test_every_target_of_the_seed_is_listed():
    limits = {name: aim.limit for name, aim in AIMS.items() if aim.limit}
    assert limits == {
        "begin + record": 50, "prepare": 50, "switch session": 10, "switch model": 10,
        "load history": 100, "complexity + intent": 5, "count 32k context": 10,
    }  # fmt: skip


def test_a_spread_is_median_and_95th_percentile():
    assert spread(range(1, 102)) == Spread(51, 96)
    assert spread([3.0]) == Spread(3.0, 3.0)


def test_starting_is_measured_in_interpreters_of_its_own(monkeypatch):
    monkeypatch.setattr("bench.core.start_time.STARTS", 1)
    found = {r.name: r for r in starting_rows()}
    assert found["import unabridged"].baseline > 0
    assert found["modules loaded by import"].p50 > 1


def test_reuse_is_the_same_every_time(monkeypatch):
    monkeypatch.setattr(fixed_costs, "TALKS", 1)
    monkeypatch.setattr(fixed_costs, "TALK", 12)
    monkeypatch.setattr(fixed_costs, "EARLIER", 30)
    made = fixed_costs._reuse
    first, again = list(made()), list(made())
    assert first == again
    assert first[0].name == "prefix_reuse"
    assert 0 < first[0].p50 < 1


@pytest.mark.parametrize("hidden", [False, True])
def test_coverage_counts_the_gold_that_is_whole(tmp_path, hidden):
    questions = {
        "question_id": "q1",
        "question": "Which colour did I paint the kitchen?",
        "question_date": "2024/02/01 (Thu) 10:00",
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": ["2024/01/01 (Mon) 10:00", "2024/01/02 (Tue) 10:00"],
        "answer_session_ids": ["s1"],
        "answer_turns": {"s1": [0]},
    }
    said = "lorem ipsum dolor" if hidden else "I painted the kitchen, the colour is sage green."
    sessions = [
        {"id": "s1", "turns": [{"role": "user", "content": said},
                               {"role": "assistant", "content": "Lovely."}]},
        {"id": "s2", "turns": [{"role": "user", "content": "What is a mutex?"},
                               {"role": "assistant", "content": "A lock."}]},
    ]  # fmt: skip
    (tmp_path / "questions.jsonl").write_text(json.dumps(questions) + "\n")
    (tmp_path / "sessions.jsonl").write_text("".join(json.dumps(s) + "\n" for s in sessions))
    corpus = coverage.LongMemEvalCorpus.load(
        tmp_path / "questions.jsonl", tmp_path / "sessions.jsonl"
    )
    shares = dict(coverage._covered(corpus.haystack("q1")))
    assert set(shares.values()) == ({0.0} if hidden else {1.0})


@pytest.mark.slow
def test_real_sessions_give_a_row_for_each_length(tmp_path):
    turns = [
        {"role": role, "content": f"{role} speaks of thing number {n} at some length. " * 3}
        for n in range(80)
        for role in ("user", "assistant")
    ]
    (tmp_path / "sessions.jsonl").write_text(json.dumps({"id": "s", "turns": turns}) + "\n")
    question = {
        "question_id": "q", "question": "What?", "haystack_session_ids": ["s"],
        "haystack_dates": ["2023/05/20 (Sat) 06:37"], "answer_session_ids": [],
    }  # fmt: skip
    (tmp_path / "questions.jsonl").write_text(json.dumps(question) + "\n")
    corpus = LongMemEvalCorpus.load(tmp_path / "questions.jsonl", tmp_path / "sessions.jsonl")
    rows = list(prefix_reuse.rows(corpus, lambda _: None))
    assert [row.name for row in rows] == [
        "prefix_reuse: up to 250 tokens",
        "prefix_reuse: up to 500 tokens",
    ]
    assert all(0 < row.p50 < 1 and row.target for row in rows)
