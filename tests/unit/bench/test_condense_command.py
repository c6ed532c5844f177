import json
import shutil
from pathlib import Path

import pytest

from bench.condense import condense_speed, qmsum

FIXTURES = Path(__file__).parents[2] / "fixtures" / "bench"


@pytest.fixture
def data(tmp_path):
    shutil.copytree(FIXTURES / "longmemeval", tmp_path / "data" / "longmemeval")
    (tmp_path / "data" / "locomo").mkdir()
    shutil.copy(FIXTURES / "locomo.json", tmp_path / "data" / "locomo")
    (tmp_path / "data" / "qmsum").mkdir()
    meeting = {
        "meeting_transcripts": [
            {"speaker": "Ada", "content": f"Case {n} is of oak . It costs {n} euros ."}
            for n in range(40)
        ],
        "general_query_list": [{"query": "Summarize", "answer": "Forty cases of oak ."}],
        "specific_query_list": [
            {"query": "And 3 ?", "answer": "It costs 3.", "relevant_text_span": [["3", "4"]]}
        ],
    }
    (tmp_path / "data" / "qmsum" / "m.json").write_text(json.dumps(meeting))
    return str(tmp_path / "data")


def test_what_is_there_is_measured_and_what_is_not_is_said(run, data):
    words = ("--only", "answers", "--only", "qmsum", "--only", "crd3")
    ran = run("condense", "--data", data, *words)
    assert ran.code == 0, ran.err
    for said in (
        "answers_kept", "pooled: 2 questions", "qmsum_spans", "10%: 1 queries", "leading of each",
        "no violation", "must .850, aim .920", "Missing, so not measured: crd3.",
    ):  # fmt: skip
        assert said in ran.out, said
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "QMSum, m: meeting 1 of 1" in ran.err


def test_findings_are_data(run, data):
    ran = run("condense", "--data", data, "--only", "answers", "--json")
    assert ran.code == 0, ran.err
    assert ran.err == ""
    assert ran.data["benchmark"] == "condense"
    assert ran.data["missing"] == ["crd3"]
    assert ran.data["violations"] == 0
    table, by_session = ran.data["tables"]
    assert by_session["name"] == "answers_kept_by_session"
    assert table["groups"]["pooled"]["questions"] == 2
    assert table["groups"]["pooled"]["figures"]["user messages"]["answers_kept"] == 1.0


def test_time_is_shown_beside_the_baselines(run, data, monkeypatch):
    monkeypatch.setattr(condense_speed, "LINEAR", (200, 400))
    monkeypatch.setattr(condense_speed.measure, "__defaults__", ((200, 400),))
    ran = run("condense", "--data", data, "--only", "speed")
    assert ran.code == 0, ran.err
    assert "of splitting" in ran.out
    assert "A token at 1,000,000 to one at 100,000" in ran.out


def test_an_interruption_shows_what_was_measured(run, data, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(qmsum, "measure", interrupted)
    ran = run("condense", "--data", data, "--only", "answers", "--only", "qmsum")
    assert ran.code == 130
    assert "answers_kept" in ran.out
    assert "Interrupted" in ran.err


def test_an_unknown_part_or_an_empty_folder_says_what_to_do(run, data, tmp_path):
    (tmp_path / "empty").mkdir()
    for words in (("--data", data, "--only", "rouge"), ("--data", str(tmp_path / "empty"))):
        ran = run("condense", *words)
        assert ran.code != 0
        assert "locomo" in ran.err or "answers" in ran.err
