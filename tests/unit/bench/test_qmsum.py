import json
from pathlib import Path

import pytest

from bench.condense import qmsum
from bench.condense.condense_baselines import same_size
from bench.condense.condense_check import CondenseChecks, CondenseTrial
from bench.condense.condense_text import SplitTexts
from bench.condense.rouge import rouge_l
from unabridged.domain.condensation import CondensationDraft, Line
from unabridged.errors import TransferError

DATA = Path(__file__).parents[4] / "shared" / "data" / "qmsum"
MEETING = {
    "meeting_transcripts": [
        {"speaker": "Ada", "content": "{vocalsound} Good morning . Let us begin ."},
        {"speaker": "Bo", "content": "The remote gets a wooden case . Walnut , I say ."},
        {"speaker": "Ada", "content": "{disfmarker}"},
        {"speaker": "Cy", "content": "Walnut costs four euros . Oak costs three ."},
        {"speaker": "Ada", "content": "We take oak ."},
    ],
    "general_query_list": [{"query": "Summarize", "answer": "They took oak for the case ."}],
    "specific_query_list": [
        {
            "query": "What about costs ?",
            "answer": "Walnut costs four euros and oak three .",
            "relevant_text_span": [["2", "3"]],
        },
        {"query": "Silence ?", "answer": "Nothing .", "relevant_text_span": [["2", "2"]]},
    ],
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "val").mkdir()
    (tmp_path / "val" / "talk.json").write_text(json.dumps(MEETING))
    (tmp_path / "other.json").write_text("{}")
    return tmp_path


def trial(count=lambda text: len(text.split()), **more):
    texts = SplitTexts(count)
    return CondenseTrial(same_size(texts), texts, CondenseChecks(texts), lambda _: None, **more)


def test_turns_are_words_behind_their_speaker_and_keep_their_numbers(folder):
    (meeting,) = qmsum.load(folder)
    assert meeting.name == "talk"
    assert [(s.exchange, s.text) for s in meeting.sources] == [
        ("0", "Ada: Good morning . Let us begin ."),
        ("1", "Bo: The remote gets a wooden case . Walnut , I say ."),
        ("3", "Cy: Walnut costs four euros . Oak costs three ."),
        ("4", "Ada: We take oak ."),
    ]
    assert meeting.general == (qmsum.MeetingQuery("Summarize", "They took oak for the case ."),)
    assert meeting.specific[0].turns == {2, 3}


def test_coverage_counts_the_turns_that_bear_on_the_question(folder):
    (meeting,) = qmsum.load(folder)
    lines = (Line("Walnut , I say .", "1"), Line("Oak costs three .", "3"))
    found = qmsum.covered(
        meeting, meeting.specific[0], CondensationDraft(lines, 9, "x"), trial().texts
    )
    assert found == {"touched": 1.0, "words": 3 / 7, "answer words": 3 / 6}
    nothing = qmsum.covered(meeting, meeting.specific[0], None, trial().texts)
    assert nothing == {"touched": 0.0, "words": 0.0, "answer words": 0.0}
    assert qmsum.covered(meeting, meeting.specific[1], None, trial().texts) == {}


def test_every_query_is_measured_at_every_length(folder):
    asked = []
    tried = trial(about={"about": lambda q: asked.append(q) or same_size(tried.texts)["leading"]})
    general, spans, specific = qmsum.measure(qmsum.load(folder), tried)
    assert list(general.groups) == ["1 × the length", "3 × the length"]
    assert "about" not in general.groups["1 × the length"]
    assert set(asked) == {"What about costs ?", "Silence ?"}
    # Seven words: the first sentence alone; the next that is short enough is the first of the end.
    answer = MEETING["general_query_list"][0]["answer"]
    leading = general.figures("1 × the length")["leading"]["rouge-l"].mean
    assert leading == pytest.approx(rouge_l("Ada: Good morning .", answer).f1, abs=1e-4)
    assert len(spans.groups["25%"]["textrank"]) == 1
    assert len(specific.groups["3 × the length"]["about"]) == 2
    assert set(tried.checks.as_dict()) >= {"leading", "textrank", "about"}
    wrong = sum(n for held in tried.checks.found.values() for n in held.values())
    assert wrong == 0


@pytest.mark.parametrize("text", ["{", "[]", "{}"])
def test_what_is_no_meeting_is_a_typed_error(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(TransferError) as raised:
        qmsum.load(tmp_path)
    assert raised.value.hint


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="QMSum does not lie beside the checkout")
def test_the_real_meetings_are_read():
    meetings = qmsum.load(DATA)
    assert len(meetings) == 35
    assert sum(len(m.specific) for m in meetings) == 237
    for meeting in meetings:
        numbers = {int(s.exchange) for s in meeting.sources}
        assert all(q.turns & numbers for q in meeting.specific)
        assert "{" not in meeting.sources[0].text
