"""The benchmarks of recall, on small data of our own in the public formats."""

import json
import shutil
from pathlib import Path

import pytest

from bench.formats.longmemeval import LongMemEvalCorpus
from bench.recall import (
    locomo_benchmark,
    longmemeval_benchmark,
    recall_questions,
)
from bench.recall.default_embedder import NO_EMBEDDER
from bench.recall.recall_questions import BM25, DENSE, OURS
from bench.recall.subject import filled
from unabridged.errors import TransferError

FIXTURES = Path(__file__).parents[2] / "fixtures" / "bench"
LONG, TALKS = FIXTURES / "longmemeval", FIXTURES / "locomo.json"


def quiet(_text):
    pass


def lines_of(name):
    return map(json.loads, (LONG / name).read_text("utf-8").splitlines())


@pytest.fixture(scope="module")
def long():
    return longmemeval_benchmark.run(LONG, progress=quiet, baseline=True, budgets=(2_000, 4_000))


def test_every_measure_is_there_by_unit_and_type(long):
    figures = long.figures()
    assert list(figures) == ["exchange", "session", "answer"]
    assert list(figures["exchange"]) == [
        "all", "knowledge-update", "single-session-assistant", "single-session-user",
    ]  # fmt: skip
    assert {"any@1", "all@5", "frac@10", "mrr", "ndcg@10", "coverage@2000"} <= set(
        figures["exchange"]["all"]
    )
    assert figures["exchange"]["all"]["questions"] == 4
    assert figures["exchange"]["all"]["all@5"] == 1.0
    assert figures["session"]["all"]["any@1"] == 1.0
    assert figures["answer"]["all"]["verbatim@4000"] <= figures["answer"]["all"]["verbatim@all"]
    assert figures["answer"]["single-session-user"]["verbatim@2000"] > 0


def test_what_was_never_said_is_counted_apart(long):
    data = long.as_dict()
    assert data["questions"] == {
        "total": 5, "asked": 5, "abstention": 1, "without evidence": 0,
    }  # fmt: skip
    assert data["recalled"]["abstention"]["questions"] == 1
    assert data["recalled"]["answerable"]["nothing@4000"] < 1
    assert set(data["recalled"]["answerable"]) == set(data["recalled"]["abstention"])


def test_baselines_answer_the_same_questions_with_paired_differences(long):
    data = long.as_dict()["baselines"]
    assert BM25 in data
    theirs = data[BM25]["figures"]["exchange"]["all"]
    ours = long.figures()["exchange"]["all"]
    gain = data[BM25]["differences"]["exchange"]["mrr"]
    assert gain.mean == pytest.approx(ours["mrr"] - theirs["mrr"], abs=2e-4)
    assert gain.low <= gain.mean <= gain.high
    assert theirs["coverage@2000"] > 0.5
    assert data[DENSE]["figures"]["session"]["all"]["any@5"] == 1.0
    assert NO_EMBEDDER not in long.notes


def test_without_an_embedder_dense_is_left_out():
    found = locomo_benchmark.run(
        TALKS, progress=quiet, baseline=True, budgets=(), settings={"embedder": "none"}
    )
    assert found.baselines == [BM25]
    assert found.notes == [NO_EMBEDDER]


@pytest.mark.slow
def test_figures_are_the_same_every_time(long):
    again = longmemeval_benchmark.run(LONG, progress=quiet, baseline=True, budgets=(2_000, 4_000))
    assert again.figures() == long.figures()
    assert again.gains(BM25) == long.gains(BM25)


def test_each_question_is_asked_at_its_own_date(monkeypatch):
    asked = []
    monkeypatch.setattr(
        longmemeval_benchmark,
        "filled",
        lambda held, now, _settings: asked.append(now) or filled(held, now),
    )
    longmemeval_benchmark.run(LONG, progress=quiet, budgets=())
    assert [str(now.date()) for now in asked[:2]] == ["2024-05-01", "2024-03-12"]


@pytest.fixture
def original(tmp_path):
    """The same questions in the form that they are published in, with less beside them."""
    turns = {each["id"]: each["turns"] for each in lines_of("sessions.jsonl")}
    questions = []
    for question in lines_of("questions.jsonl"):
        gold = question.pop("answer_turns")
        question["haystack_sessions"] = [
            [{**turn, "has_answer": n in gold.get(name, ())} for n, turn in enumerate(turns[name])]
            for name in question["haystack_session_ids"]
        ]
        questions.append(question)
    path = tmp_path / "longmemeval_s.json"
    path.write_text(json.dumps(questions))
    return path


@pytest.mark.slow
def test_the_original_form_gives_the_same_figures(original, long):
    for path in (original, original.parent):
        found = longmemeval_benchmark.run(path, progress=quiet, budgets=(2_000, 4_000))
        assert found.figures() == long.figures()
    assert len(list(LongMemEvalCorpus.at(original).pooled())) == 13


def test_fields_that_may_be_missing_are_not_missed(original):
    questions = json.loads(original.read_text())
    for question in questions:
        for name in (
            "question_type", "question_date", "haystack_dates", "haystack_session_ids",
            "answer_session_ids", "answer",
        ):  # fmt: skip
            question.pop(name, None)
    original.write_text(json.dumps(questions))
    figures = longmemeval_benchmark.run(original, progress=quiet, budgets=(2_000,)).figures()
    assert list(figures) == ["exchange"]
    assert set(figures["exchange"]) == {"all", "question"}


def test_pooled_holds_every_session_once():
    found = longmemeval_benchmark.run_pooled(LONG, progress=quiet, baseline=True)
    assert found.notes[-1].startswith("One memory with 13 sessions, ")
    assert found.figures()["session"]["all"]["any@5"] == 1.0
    assert found.figures()["exchange"]["all"]["questions"] == 4
    assert found.figures(BM25)["session"]["all"]["any@5"] == 1.0


def test_locomo_has_exchanges_turns_and_categories():
    found = locomo_benchmark.run(TALKS, progress=quiet, baseline=True, budgets=(2_000,))
    figures = found.figures()
    assert set(figures["exchange"]) == {"all"} | {f"category {n}" for n in range(1, 6)}
    assert figures["exchange"]["all"]["questions"] == 7
    assert figures["turn"]["all"]["questions"] == 7
    assert figures["exchange"]["category 4"]["any@5"] == 1.0
    assert found.as_dict()["questions"]["without evidence"] == 1
    assert found.recalled()["adversarial"]["questions"] == 1
    assert found.figures(BM25)["turn"]["all"]["frac@10"] > 0.5


def test_a_turn_is_found_with_its_exchange():
    found = locomo_benchmark.run(TALKS, progress=quiet, budgets=())
    by_id = {
        case.id: out.values for case, out in zip(found.cases, found.outcomes[OURS], strict=True)
    }
    carved = by_id["talk-1/1"]
    assert carved["exchange"]["any@1"] == carved["turn"]["any@1"] == 1
    assert by_id["talk-1/3"]["turn"]["any@1"] == 1


def test_a_run_that_is_interrupted_keeps_what_it_has(monkeypatch):
    asked = 0

    def examined(*given):
        nonlocal asked
        asked += 1
        if asked == 3:
            raise KeyboardInterrupt
        return recall_questions.examined(*given)

    for module, run, data in (
        (longmemeval_benchmark, longmemeval_benchmark.run, LONG),
        (longmemeval_benchmark, longmemeval_benchmark.run_pooled, LONG),
        (locomo_benchmark, locomo_benchmark.run, TALKS),
    ):
        asked = 0
        monkeypatch.setattr(module, "examined", examined)
        found = run(data, progress=quiet, budgets=())
        assert found.interrupted
        assert len(found.cases) == len(found.outcomes[OURS]) == 2
        assert found.as_dict()["questions"]["asked"] == 2
        monkeypatch.undo()


@pytest.mark.parametrize(
    "run", [longmemeval_benchmark.run, longmemeval_benchmark.run_pooled, locomo_benchmark.run]
)
def test_a_wrong_path_or_format_is_a_typed_error(run, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "other.json").write_text('[{"role": "user", "content": "hi"}]')
    (tmp_path / "broken.json").write_text('[{"question_id": "q", ')
    for name in ("missing", "empty", "other.json", "broken.json"):
        with pytest.raises(TransferError) as raised:
            run(tmp_path / name, progress=quiet)
        assert raised.value.hint


def test_questions_without_their_sessions_say_so(tmp_path):
    shutil.copy(LONG / "questions.jsonl", tmp_path / "questions.jsonl")
    with pytest.raises(TransferError, match="not in it") as raised:
        longmemeval_benchmark.run(tmp_path, progress=quiet)
    assert "sessions.jsonl" in raised.value.hint


def test_a_memory_budget_is_what_was_asked_for():
    with filled(list(LongMemEvalCorpus.at(LONG).pooled())) as subject:
        for budget in (1_000, 16_000):
            prepared = subject.prepare("What did we call the rowing boat?", budget)
            assert prepared.whole
            assert "Petronella" in prepared.text
            assert "What did we call the rowing boat?" not in prepared.text
        assert len(subject.seconds["prepare"]) >= 2
