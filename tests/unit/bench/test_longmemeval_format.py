import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench.formats.longmemeval import (
    FORMAT,
    LongMemEvalCorpus,
    dated_format,
    dates_from,
    load_questions,
    question_haystack,
)
from unabridged.errors import NotFoundError, TransferError, UnknownFormatError
from unabridged.transfer.formats.table import FORMATS

DATA = Path(__file__).parents[4] / "shared" / "data" / "longmemeval"
QUESTION = {
    "question_id": "q1",
    "question": "Which tea?",
    "haystack_dates": ["2023/05/20 (Sat) 06:37", "2023/05/21 (Sun) 12:00"],
    "haystack_session_ids": ["s1", "s2"],
}
TURNS = [
    [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"},
     {"role": "user", "content": "I drink oolong", "has_answer": True},
     {"role": "assistant", "content": "noted"}],
    [{"role": "assistant", "content": "too early"}, {"role": "user", "content": "bye"}],
]  # fmt: skip


@pytest.fixture
def files(tmp_path):
    questions, sessions = tmp_path / "q.jsonl", tmp_path / "s.jsonl"
    question = {**QUESTION, "answer_turns": {"s1": [2]}}
    questions.write_text(json.dumps(question))
    stored = [{"id": f"s{n + 1}", "turns": turns} for n, turns in enumerate(TURNS)]
    sessions.write_text("".join(json.dumps(each) + "\n" for each in stored))
    return questions, sessions


def test_the_gold_exchange_is_the_one_that_holds_the_turn(files):
    question, conversations, gold = question_haystack(*files, "q1")
    assert question["question"] == "Which tea?"
    (exchange,) = [e for c in conversations for e in c.exchanges if e.id in gold]
    assert exchange.text == "I drink oolong\nnoted"
    assert conversations[0].session.created == datetime(2023, 5, 20, 6, 37, tzinfo=UTC)


def test_both_shapes_give_the_same(files, tmp_path, read):
    original = tmp_path / "original.json"
    original.write_text(json.dumps([{**QUESTION, "haystack_sessions": TURNS}], indent=1))
    inside = question_haystack(original, None, "q1")
    beside = question_haystack(*files, "q1")
    assert (inside.conversations, inside.gold) == (beside.conversations, beside.gold)
    assert read(original, formats=(FORMAT,)).conversations == inside.conversations
    got = read(files[1], formats=(dated_format(dates_from(files[0])),))
    assert (got.format, got.conversations) == ("longmemeval", inside.conversations)
    assert [item.where for item in got.unread] == ["session s2, turn 0"]
    assert list(LongMemEvalCorpus.load(*files).pooled()) == inside.conversations


def test_questions_without_sessions_say_so(read):
    with pytest.raises(UnknownFormatError, match="without the sessions"):
        read(b'{"question_id": "q", "haystack_session_ids": []}\n', formats=(FORMAT, *FORMATS))


def test_unknown_questions_and_wrong_files_are_typed_errors(files):
    with pytest.raises(NotFoundError, match="q9"):
        question_haystack(*files, "q9")
    with pytest.raises(TransferError, match="line 1"):
        load_questions(files[1])
    with pytest.raises(TransferError, match="not a LongMemEval sessions file"):
        LongMemEvalCorpus.load(files[0], files[0])


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason="the public data is not beside the checkout")
def test_every_gold_turn_of_the_real_file_is_in_a_whole_exchange(read):
    corpus = LongMemEvalCorpus.load(DATA / "questions.jsonl", DATA / "sessions.jsonl.xz")
    assert len(corpus.questions) == 97
    for name, question in list(corpus.questions.items())[::8]:
        haystack = corpus.haystack(name)
        exchanges = {e.id: e for c in haystack.conversations for e in c.exchanges}
        assert set(haystack.gold) <= set(exchanges)
        assert bool(haystack.gold) == bool(question["answer_turns"])
        for session, places in question["answer_turns"].items():
            turns = json.loads(corpus.turns[session])
            for place in places:
                words = turns[place]["content"]
                assert any(words in exchanges[each].text for each in haystack.gold)


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason="the public data is not beside the checkout")
def test_the_real_file_is_read_and_what_is_left_is_told(read):
    form = dated_format(dates_from(DATA / "questions.jsonl"))
    got = read(DATA / "sessions.jsonl.xz", formats=(form,))
    assert (got.format, got.progress.share) == ("longmemeval", 1.0)
    assert len(got.conversations) == 4412
    assert len(set(got.ids)) == len(got.ids)
    assert all("no user" in reason or "without words" in reason for reason in got.reasons)
