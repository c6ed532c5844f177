"""``python -m bench condense`` on small data of our own in the public formats."""

import json
import shutil
from pathlib import Path

import pytest

from bench.condense import (
    answers_in_contexts,
    answers_kept,
    condense_benchmark,
    condense_speed,
)
from bench.condense.condense_baselines import same_size
from bench.condense.condense_findings import OURS, FiguresTable
from bench.condense.condense_text import SplitTexts
from bench.figures.bootstrap import intervals, ratio_differences, ratios
from unabridged.errors import SettingError

FIXTURES = Path(__file__).parents[2] / "fixtures" / "bench"
DATA = Path(__file__).parents[4] / "shared" / "data"


def quiet(_text):
    pass


@pytest.fixture
def data(tmp_path):
    shutil.copytree(FIXTURES / "longmemeval", tmp_path / "longmemeval")
    path = tmp_path / "longmemeval" / "questions.jsonl"
    questions = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    questions[0]["answer"] = "old rowing boat"
    path.write_text("\n".join(map(json.dumps, questions)))
    (tmp_path / "locomo").mkdir()
    shutil.copy(FIXTURES / "locomo.json", tmp_path / "locomo" / "locomo.json")
    return tmp_path


class Everything:
    """Keeps to no limit."""

    identity = "everything"

    def __init__(self, count):
        self._leading = same_size(SplitTexts(count))["leading"]

    def condense(self, sources, limit):
        return self._leading.condense(sources, 100_000)


def test_answers_count_that_are_long_enough_and_stand_in_the_evidence(data):
    long = list(answers_kept.of_longmemeval(data / "longmemeval", None)[1])
    assert [each.answer for each in long] == ["old rowing boat"]
    looked, talks = answers_kept.of_locomo(data / "locomo", None)
    assert looked == 9
    # "a walnut chess set" was said with another article, "the harbour race" is adversarial.
    assert [each.answer for each in talks] == ["almost five months", "rye bread"]


def test_an_answer_is_kept_where_it_still_stands(data):
    found = condense_benchmark.run(data, progress=quiet, only=["answers"], make=Everything)
    table, by_session = found.tables
    assert by_session.name == "answers_kept_by_session"
    assert {name: len(rows[OURS]) for name, rows in table.groups.items()} == {
        "pooled": 3, "longmemeval": 1, "locomo": 2,
    }  # fmt: skip
    kept = {name: each["answers_kept"].mean for name, each in table.figures("locomo").items()}
    assert kept[OURS] == kept["user messages"] == 1
    assert kept["newest"] == 0
    sizes = {name: each["size"].mean for name, each in table.figures("pooled").items()}
    assert sizes[OURS] == 1
    assert all(size <= 0.25 for name, size in sizes.items() if name in same_size(SplitTexts(len)))
    gains = table.gains("pooled")
    assert OURS not in gains
    assert (
        gains["newest"]["answers_kept"].mean
        == 1 - table.figures("pooled")["newest"]["answers_kept"].mean
    )


def test_what_keeps_to_no_limit_is_told(data):
    found = condense_benchmark.run(
        data, progress=quiet, only=["answers"], make=Everything
    ).as_dict()
    assert found["answers_kept"] == 1
    assert found["checks"][OURS]["over the limit"] == found["checks"][OURS]["condensations"] > 0
    assert found["checks"]["textrank"]["over the limit"] == 0
    assert found["violations"] == found["checks"][OURS]["over the limit"]
    assert "user messages" not in found["checks"]


def test_without_a_method_the_baselines_stand_alone(data):
    found = condense_benchmark.run(data, progress=quiet, only=["answers"], make=None).as_dict()
    assert "answers_kept" not in found
    assert found["tables"][0]["groups"]["pooled"]["differences"] == {}
    assert found["missing"] == ["qmsum", "crd3"]
    assert found["violations"] == 0
    notes = " ".join(found["notes"])
    assert "5 questions were looked at; 1 count" in notes
    assert "9 questions were looked at; 2 count" in notes


def test_contexts_are_prepared_with_and_without(data):
    found = condense_benchmark.run(data, progress=quiet, only=["contexts"], first=2)
    (table,) = found.tables
    assert set(table.groups["pooled, all"]) == {"without", "before upkeep", OURS}
    assert len(table.groups["locomo, all"][OURS]) == 4
    assert len(table.groups["longmemeval, all"][OURS]) == 2
    assert len(table.groups["pooled, evidence"][OURS]) == 3
    assert table.figures("pooled, evidence")[OURS]["answers@4000"].mean == 1


def test_an_interruption_keeps_what_was_measured(data, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(answers_in_contexts, "measure", interrupted)
    found = condense_benchmark.run(
        data, progress=quiet, only=["answers", "contexts", "qmsum"]
    ).as_dict()
    assert found["interrupted"]
    assert [table["name"] for table in found["tables"]] == [
        "answers_kept",
        "answers_kept_by_session",
    ]


def test_what_cannot_be_measured_says_so(data, tmp_path):
    with pytest.raises(SettingError, match="'rouge'") as raised:
        condense_benchmark.run(data, progress=quiet, only=["rouge"])
    assert "answers" in raised.value.hint
    (tmp_path / "empty").mkdir()
    with pytest.raises(SettingError, match="none of"):
        condense_benchmark.run(tmp_path / "empty", progress=quiet)


def test_time_is_told_beside_splitting_and_textrank():
    fresh = []

    def counter():
        fresh.append(1)
        return lambda text: len(text.split())

    rows = condense_speed.measure(counter, Everything, quiet, sizes=(300, 600))
    assert [row["method"] for row in rows] == ["splitting and counting", "textrank", OURS] * 2
    assert rows[0]["tokens"] >= 300
    assert rows[0]["of splitting"] == rows[1]["of textrank"] == 1
    assert len(fresh) == 2 + len(rows)


def test_a_token_of_large_talk_is_held_against_one_of_small(monkeypatch):
    monkeypatch.setattr(condense_speed, "LINEAR", (300, 600))
    rows = condense_speed.measure(lambda: len, None, quiet, sizes=(300, 600))
    assert [row["method"] for row in rows[-2:]] == ["splitting and counting", "textrank"]
    assert all(row["1M : 100k"] > 0 for row in rows[-2:])


def test_ratios_are_sums_over_sums_and_plain_means_stay_what_they_are():
    values = [0.1 * n for n in range(10)]
    plain = intervals([{"x": v} for v in values])["x"]
    assert ratios([{"x": (v, 1.0)} for v in values])["x"] == plain
    rows = [{"p": (1, 2)}, {"p": (0, 0)}, {"p": (3, 3)}]
    assert ratios(rows)["p"].mean == 0.8
    assert ratios([{"p": (0, 0)}])["p"].mean == 0
    assert ratios([]) == {}
    same = ratio_differences(rows, rows)["p"]
    assert (same.mean, same.low, same.high) == (0, 0, 0)
    worse = [{"p": (0, 2)}, {"p": (0, 0)}, {"p": (3, 3)}]
    assert ratio_differences(rows, worse)["p"].mean == pytest.approx(0.2)


def test_groups_are_told_with_their_numbers():
    table = FiguresTable("t", "about", "units", {"x": (0.5, 0.9)})
    table.add("all", {OURS: {"x": 1.0, "r": (1, 4)}, "other": {"x": 0.0, "r": (1, 2)}})
    told = table.as_dict()
    assert told["least"] == {"x": {"must": 0.5, "aim": 0.9}}
    assert told["groups"]["all"]["units"] == 1
    assert told["groups"]["all"]["figures"] == {
        OURS: {"x": 1.0, "r": 0.25}, "other": {"x": 0.0, "r": 0.5},
    }  # fmt: skip
    assert told["groups"]["all"]["differences"]["other"]["r"].mean == -0.25


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the public data do not lie beside the checkout")
def test_the_real_questions_that_count():
    assert len(list(answers_kept.of_locomo(DATA / "locomo", None)[1])) == 109
    assert len(list(answers_kept.of_longmemeval(DATA / "longmemeval", None)[1])) == 15


def test_a_history_is_condensed_as_one_and_by_session_each_once(data):
    calls = []

    class Nothing:
        identity = "nothing"

        def __init__(self, count):
            self._count = count

        def condense(self, sources, limit):
            calls.append((sum(self._count(s.text) for s in sources), limit))

    condense_benchmark.run(data, progress=quiet, only=["answers"], make=Nothing)
    # One question of LongMemEval, two conversations of LoCoMo; then 13 and 5 sessions.
    assert len(calls) == 1 + 2 + 13 + 5
    assert all(limit == int(tokens * 0.25) for tokens, limit in calls)
    assert sum(tokens for tokens, _ in calls[:3]) == sum(tokens for tokens, _ in calls[3:])
