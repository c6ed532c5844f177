"""The benchmark of large stores, on a small one: real processes, real files."""

import tempfile

import pytest

from bench.figures.report import row
from bench.figures.timer import Spread
from bench.generator import LENGTHY, SHORT, TalkGenerator
from bench.scale import scale_benchmark
from unabridged.errors import UnabridgedError


@pytest.fixture
def few(monkeypatch, tmp_path):
    monkeypatch.setattr(scale_benchmark, "LENGTHY", 20)
    monkeypatch.setattr(scale_benchmark, "STARTS", 2)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.long
def test_a_run_gives_every_row_and_leaves_nothing(few):
    said = []
    report = scale_benchmark.run(sizes=[150], progress=said.append)
    found = {each.name: each for each in report}
    assert {name.partition(":")[0] for name in found} == set(scale_benchmark.ROWS)
    assert found["fast index against exact"].p50 == 1.0
    assert all(each.p50 > 0 for each in report if each.name != "begin + record above bare")
    assert found["begin + record above bare"].baseline > 0
    assert found["import, short"].size == 150
    assert "words an exchange" in found["import, short"].note
    assert int(found["import, long"].note.split()[0]) > 200
    assert found["resident"].p50 >= found["resident: anonymous"].p50
    assert list(few.iterdir()) == []
    assert said


def test_what_was_measured_before_an_interruption_is_kept(few, monkeypatch):
    steps = []

    def step(name, **given):
        steps.append(name)
        if len(steps) == 3:
            raise KeyboardInterrupt
        return {"rate": 100.0, "words": 54.0, "bytes": 900.0}

    monkeypatch.setattr(scale_benchmark, "_step", step)
    report = scale_benchmark.run(sizes=[150], progress=lambda _: None)
    assert [each.name for each in report] == ["import, long", "import, short", "disk"]
    assert report.machine["interrupted"] == "yes"
    assert list(few.iterdir()) == []


@pytest.mark.slow
def test_a_step_that_fails_is_a_typed_error(tmp_path, capfd):
    with pytest.raises(UnabridgedError, match="'cold'") as raised:
        scale_benchmark._step("cold", home=str(tmp_path), number=0)
    assert raised.value.hint
    assert "questions.json" in capfd.readouterr().err


def test_a_target_may_bind_the_tail():
    given = {"size": 10_000, "aims": scale_benchmark.AIMS}
    assert row("search, warm", Spread(2.9, 8.9), **given).met is True
    assert row("search, warm", Spread(2.9, 9.1), **given).met is False
    assert row("search, warm", Spread(3.1, 3.2), **given).met is False
    assert row("search, warm", Spread(2.9, 8.9), **given).target == "≤ 3, p95 ≤ 9"
    assert row("search, warm", Spread(2.9, 8.9), size=77, aims=scale_benchmark.AIMS).met is None


@pytest.mark.parametrize(
    ("size", "exchanges", "length", "different"),
    # LoCoMo's development part: 54 words, 3,364 different in 1,005 exchanges. LongMemEval's: 320
    # words, 9,060 different in 300.
    [(SHORT, 1_000, (52, 62), (3_000, 5_000)), (LENGTHY, 300, (300, 420), (8_000, 11_000))],
)
def test_exchanges_are_like_those_of_the_public_data(size, exchanges, length, different):
    drawn = TalkGenerator(3, size).conversations(exchanges)
    words = [e.text.lower().split() for c in drawn for e in c.exchanges]
    assert length[0] < sum(map(len, words)) / exchanges < length[1]
    kinds = {word.strip(".?!") for said in words for word in said}
    assert different[0] < len(kinds) < different[1]


def test_a_question_bears_on_its_topic():
    drawn = TalkGenerator(5, SHORT)
    list(drawn.conversations(200))
    for topic in drawn.topics:
        asked = drawn.asked(topic)
        assert 8 <= len(asked.split()) <= 16
        assert any(word in asked for word in topic)
