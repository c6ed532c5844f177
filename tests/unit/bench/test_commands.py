import json
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bench.core import core_benchmark
from bench.recall import locomo_benchmark
from bench.scale import scale_benchmark


@dataclass(frozen=True)
class Row:
    name: str
    size: int | None
    p50: float
    met: bool | None = None
    note: str = ""


class Report:
    def __init__(self):
        self.machine = {"cores": "2"}

    def __iter__(self):
        return iter([Row("begin + record", 10_000, 1.25, met=True), Row("open", None, 0.5)])


@pytest.fixture
def asked(monkeypatch):
    found = {}

    def run(**options):
        options.pop("progress")("measuring")
        found.update(options)
        return Report()

    monkeypatch.setattr(core_benchmark, "run", run)
    return found


def test_figures_are_a_table(run, asked):
    ran = run("core", "--size", "100", "--size", "10000", "--data", "x")
    assert ran.code == 0, ran.err
    assert asked == {"sizes": (100, 10_000), "data": "x"}
    assert ran.out.splitlines()[:3] == [
        "name              size   p50  met",
        "begin + record  10,000  1.25  ✓",
        "open                     0.5",
    ]
    assert ran.err == "measuring\n"


def test_figures_are_json(run, asked):
    ran = run("core", "--json")
    assert ran.data["machine"] == {"cores": "2"}
    assert ran.data["rows"][0]["p50"] == 1.25
    assert asked == {"data": None}
    assert ran.err == ""


FIXTURES = Path(__file__).parents[2] / "fixtures" / "bench"
RECALL = {
    "longmemeval": FIXTURES / "longmemeval",
    "longmemeval-pooled": FIXTURES / "longmemeval",
    "locomo": FIXTURES / "locomo.json",
}


@pytest.mark.parametrize("name", RECALL)
def test_recall_is_measured_as_json_with_the_keys_of_the_figures(run, name):
    ran = run(name, "--data", str(RECALL[name]), "--first", "2", "--baseline", "--json")
    assert ran.code == 0, ran.err
    assert ran.err == ""
    held = ran.data["figures"]["exchange"]["all"]
    keys = {f"{m}@{k}" for m in ("any", "all", "frac") for k in (1, 3, 5, 10, 20, 50)}
    coverage = {f"coverage@{budget}" for budget in (2000, 4000, 8000, 16000)}
    assert keys | {"mrr", "ndcg@10", "questions"} <= set(held)
    assert coverage <= set(held) or name == "longmemeval-pooled"
    assert {"any@1", "any@5"} <= set(ran.data["figures"]["session"]["all"])
    assert set(ran.data["standard_errors"]["exchange"]["all"]) == set(held) - {"questions"}
    gain = ran.data["baselines"]["bm25"]["differences"]["exchange"]["all@5"]
    assert set(gain) == {"mean", "error", "low", "high"}
    assert ran.data["seconds"]["search"]["p95"] >= ran.data["seconds"]["search"]["p50"] > 0
    assert ran.data["interrupted"] is False


def test_recall_is_a_table_with_baselines_and_types(run):
    ran = run("longmemeval", "--data", str(RECALL["longmemeval"]), "--baseline")
    assert ran.code == 0, ran.err
    assert "exchange, 4 questions" in ran.out
    assert "ours ± s.e." in ran.out
    assert "bm25" in ran.out
    assert "coverage@16000" in ran.out
    assert "knowledge-update" in ran.out
    assert "abstention" in ran.out
    assert "search: p50" in ran.out
    assert "Question 5 of 5" in ran.err
    assert max(map(len, ran.out.splitlines())) <= 80


def test_only_a_search_prepares_nothing(run):
    ran = run("locomo", "--data", str(RECALL["locomo"]), "--search-only", "--json")
    assert "coverage@2000" not in ran.data["figures"]["exchange"]["all"]
    assert list(ran.data["seconds"]) == ["first search", "search"]
    assert [held["calls"] for held in ran.data["seconds"].values()] == [2, 9]


def test_recall_is_a_plot(run, tmp_path):
    path = tmp_path / "recall.svg"
    words = ("--data", str(RECALL["locomo"]), "--baseline", "--plot", str(path))
    assert run("locomo", *words).code == 0
    text = path.read_text("utf-8")
    assert ET.fromstring(text).tag.endswith("svg")
    assert "unabridged" in text
    assert "bm25" in text
    refused = run("locomo", *words[:-1], str(tmp_path / "recall.png"))
    assert refused.code == 2
    assert ".svg" in refused.err


def test_a_wrong_path_says_what_to_do(run, tmp_path):
    for name in RECALL:
        ran = run(name, "--data", str(tmp_path / "missing"))
        assert ran.code == 7
        assert "missing" in ran.err


def test_what_was_measured_before_an_interruption_is_shown(run, monkeypatch):
    asked = []

    def examined(*given):
        if len(asked) == 2:
            raise KeyboardInterrupt
        asked.append(given)
        return examined_before(*given)

    examined_before = locomo_benchmark.examined
    monkeypatch.setattr(locomo_benchmark, "examined", examined)
    ran = run("locomo", "--data", str(RECALL["locomo"]), "--json")
    assert ran.code == 130
    assert ran.data["interrupted"] is True
    assert ran.data["figures"]["exchange"]["all"]["questions"] == 2
    assert "2 of 9 questions" in ran.err


def test_intent_is_measured_on_labelled_messages(run, tmp_path):
    path = tmp_path / "messages.tsv"
    path.write_text("casual\thi\ncasual\tthanks!\nsummary\tWhat have we discussed so far?\n")
    ran = run("intent", "--data", str(path), "--json")
    assert ran.code == 0, ran.err
    assert ran.data["rows"][-1].items() >= {"intent": "all", "messages": 3, "accuracy": 1.0}.items()
    assert "casual" in run("intent", "--data", str(path)).out
    assert run("intent", "--data", str(tmp_path / "missing")).code == 7


def test_an_interrupted_measurement_of_scale_shows_what_it_has(run, monkeypatch):
    def rows(sizes, *_):
        assert list(sizes) == [500]
        yield scale_benchmark.row("search, warm", 2.0, size=500)
        raise KeyboardInterrupt

    monkeypatch.setattr(scale_benchmark, "_rows", rows)
    ran = run("scale", "--size", "500")
    assert ran.code == 130
    assert "search, warm" in ran.out
    assert "Interrupted" in ran.err


@pytest.mark.slow
def test_other_memories_are_a_table_beside_ours(run):
    words = ("peers", "--data", str(RECALL["locomo"]), "--only", "unabridged")
    ran = run(*words)
    assert ran.code == 0, ran.err
    assert "x@10" in ran.out
    assert "unabridged: SpaceLog.import_transcript" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80
    (row,) = run(*words, "--json").data["rows"]
    assert row["turn frac@10"] > 0.5


def test_emotion_is_measured_on_rated_sentences(run, tmp_path):
    path = tmp_path / "emobank.csv"
    path.write_text("V,A,text\n1.2,4.5,I am furious!\n3,2,It rained a little.\n4.8,4.2,We won!\n")
    ran = run("emotion", "--data", str(path), "--json")
    assert ran.code == 0, ran.err
    assert [row["way"] for row in ran.data["rows"]] == ["marks", "words", "meaning", "both"]
    assert "meaning" in run("emotion", "--data", str(path)).out
    assert run("emotion", "--data", str(tmp_path / "missing")).code == 7


def test_the_benchmark_of_facts_shows_what_was_drawn_and_returned(run, tmp_path):
    turns = [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "I love hiking."},
        {"speaker": "Bob", "dia_id": "D1:2", "text": "Nice."},
    ]
    talk = {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    (tmp_path / "locomo").mkdir()
    text = json.dumps([{"sample_id": "c", "conversation": talk, "qa": []}])
    (tmp_path / "locomo" / "locomo1.json").write_text(text)
    belief = {
        "_id": "b-tea", "user_id": "test-user", "type": "preference", "canonical_name": "tea",
        "aliases": ["chai"], "content": "Drinks green tea.", "scope": ["domain:home"],
        "epistemic_status": "active", "pinned": False, "superseded_by": None,
        "resolved_at": None, "created_at": "2026-05-01T00:00:00Z",
    }  # fmt: skip
    expect = {"relevantBeliefs": {"shouldOnlyInclude": ["b-tea"]}}
    case = {"caseId": "c", "scope": ["domain:home"], "query": "my chai?", "expect": expect}
    (tmp_path / "pmb").mkdir()
    (tmp_path / "pmb" / "beliefs.seed.json").write_text(json.dumps([belief]))
    (tmp_path / "pmb" / "retrieval.cases.json").write_text(json.dumps([case]))
    shown = run("facts", "--data", str(tmp_path), "--sample", "1").out
    assert "locomo" in shown
    assert "precisionmembench" in shown
    assert "Ann | likes | hiking | I love hiking" in shown
    data = run("facts", "--data", str(tmp_path), "--json").data
    assert data["precisionmembench"]["facts"]["must_return_recall"] == 1.0
    assert data["drawn"][0]["per_100"] == 100.0
    assert run("facts", "--data", str(tmp_path / "nowhere")).code == 7
