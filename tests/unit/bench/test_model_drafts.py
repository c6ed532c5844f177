from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench.condense import condense_benchmark, model_drafts
from bench.condense.condense_check import CondenseChecks, CondenseTrial
from bench.condense.condense_text import SplitTexts
from unabridged.domain.condensation import CondensationDraft, CondenseSource, Line
from unabridged.domain.message import Role
from unabridged.models.scripted import ScriptedModel
from unabridged.tokens.estimate import EstimateTokenizer

FIXTURES = Path(__file__).parents[2] / "fixtures" / "bench"
HELD = {"locomo": FIXTURES / "locomo.json", "longmemeval": FIXTURES / "longmemeval"}
AT = datetime(2026, 5, 3, tzinfo=UTC)
SOURCES = [
    CondenseSource(
        "x", 0, Role.USER, "Runa pays 1,200 euros for a boat in Oslo. It is called Petronella.", AT
    )
]


@pytest.fixture
def trial(monkeypatch):
    monkeypatch.setattr(model_drafts, "LEAST", 12)
    texts = SplitTexts(EstimateTokenizer().count)
    return CondenseTrial({}, texts, CondenseChecks(texts), lambda _: None)


def measured(trial, script, count=3):
    held = model_drafts.sessions(HELD, count)
    *_, tally = model_drafts.measure(held, ScriptedModel(script), trial, lambda _: None)
    return tally.as_dict()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("In Oslo, Runa pays 1,200 euros on 3 May 2026.", []),
        ("Runa pays 1,300 euros.", ["300"]),
        ("Bergen is nice. She met Ingrid in Oslo.", ["Ingrid"]),
        ("Her boat Petronella cost 7 euros in June.", ["7", "June"]),
    ],
)
def test_what_was_not_said_is_found(text, wrong):
    assert model_drafts.unsaid(text, SOURCES) == wrong


def test_sessions_come_from_both_data_in_turns():
    held = model_drafts.sessions(HELD, 4)
    formats = [session.session.source for session in held]
    assert formats == ["locomo", "longmemeval"] * 2
    assert len(model_drafts.sessions(HELD, 100)) == 5 + 5


def test_only_the_beginning_is_read(trial, monkeypatch):
    monkeypatch.setattr(model_drafts, "MOST", 30)
    assert model_drafts.opening(SOURCES * 5, trial.texts) == SOURCES
    assert model_drafts.opening([], trial.texts) == []


def test_words_that_hold_are_taken(trial):
    found = measured(trial, ["They talked."])
    assert (found["sessions"], found["taken"], found["fell back"]) == (3, 3, 0)
    assert found["unsaid"] == found["violations"] == 0
    assert found["fallback"] == 0


def test_what_does_not_hold_falls_back_with_its_reason(trial):
    found = measured(trial, ["Cost 98765."])
    assert (found["taken"], found["fallback"]) == (0, 1.0)
    assert found["reasons"] == {"it names what was not said": 3}
    silent = measured(trial, [""])
    assert silent["reasons"] == {"it is empty": 3}
    assert found["violations"] == silent["violations"] == 0


def test_reasons_hold_no_words_of_anybody():
    reason = model_drafts._reason
    note = "Written without the model m: it takes 90 tokens, and may take 50."
    draft = CondensationDraft((Line("x"),), 1, "m", (note,))
    assert reason(draft) == "it takes N tokens, and may take N"
    named = CondensationDraft(
        (), 0, "m", ("Written without the model m: it names what was not said: Ada.",)
    )
    assert reason(named) == "it names what was not said"
    assert reason(CondensationDraft((Line("x"),), 1, "m")) == ""


def test_what_the_check_lets_through_is_counted(trial, monkeypatch):
    monkeypatch.setattr("unabridged.condense.llm_condenser.invented", lambda *_: [])
    found = measured(trial, ["Cost 98765."])
    assert (found["taken"], found["unsaid"]) == (3, 3)


def test_without_a_model_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(model_drafts, "embedded", lambda: None)
    (tmp_path / "locomo").mkdir()
    (tmp_path / "locomo" / "l.json").write_bytes(HELD["locomo"].read_bytes())
    found = condense_benchmark.run(tmp_path, progress=lambda _: None, only=["crd3"], written=2)
    assert model_drafts.NO_MODEL in found.notes
    assert found.written == {}


def test_a_run_lets_the_embedded_model_write(tmp_path, monkeypatch, trial):
    monkeypatch.setattr(model_drafts, "embedded", lambda: ScriptedModel(["They talked."]))
    (tmp_path / "locomo").mkdir()
    (tmp_path / "locomo" / "l.json").write_bytes(HELD["locomo"].read_bytes())
    found = condense_benchmark.run(
        tmp_path, progress=lambda _: None, only=["crd3"], written=2
    ).as_dict()
    assert found["written"]["taken"] == found["written"]["sessions"] == 2
