"""Answers in the context: how many stand there word for word, with condensation and without.

Every question that counts in ``bench longmemeval`` and ``bench locomo`` and has an answer is asked
of a memory that holds its history, at the question's time, with so much room for memory: with the
setting ``condenser`` at ``none``; as it is by default before maintenance ran; and after it ran, which
stores readings, facts and condensations. All on the same store, in this order.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from bench.condense.answers_kept import POOLED, WORDS, stands
from bench.condense.condense_findings import OURS, FiguresTable
from bench.condense.condense_text import searchable
from bench.formats.locomo import load
from bench.formats.longmemeval import LongMemEvalCorpus
from bench.recall import locomo_benchmark, longmemeval_benchmark
from bench.recall.recall_questions import EXCHANGE, RecallCase
from bench.recall.subject import RecallSubject, opened
from unabridged.domain.results import Transcript
from unabridged.domain.settings import Settings

BUDGETS = (2_000, 4_000)
"""Memory budgets in tokens."""
OVERVIEW = "What have we talked about so far?"
"""A message that asks for none of the answers: what is in its context was not searched for."""
WITHOUT, BEFORE = "without", "before upkeep"
"""The names of the baselines."""

# What maintenance adds to the store is not there before it ran.
_WAYS: tuple[tuple[str, Mapping[str, str]], ...] = (
    (WITHOUT, {"condenser": "none"}),
    (BEFORE, {}),
    (OURS, {}),
)

Say = Callable[[str], None]


class QuestionHistory(NamedTuple):
    """Questions about one history.

    Attributes:
        group: The data that it is of.
        sessions: The history.
        now: When they are asked.
        cases: The questions.
    """

    group: str
    sessions: Sequence[Transcript]
    now: datetime | None
    cases: Sequence[RecallCase]


def of_longmemeval(path: Path, first: int | None) -> Iterator[QuestionHistory]:
    """Each question with its own history.

    Args:
        path: What ``LongMemEvalCorpus.at`` reads.
        first: Only this number of questions.

    Raises:
        TransferError: The data cannot be read.
    """
    corpus = LongMemEvalCorpus.at(path)
    for name in list(corpus.questions)[:first]:
        haystack = corpus.haystack(name)
        case = longmemeval_benchmark.case_of(haystack, {})
        if case.counted and case.answer:
            yield QuestionHistory("longmemeval", haystack.conversations, case.now, [case])


def of_locomo(path: Path, first: int | None) -> Iterator[QuestionHistory]:
    """Each conversation with the questions about it.

    Args:
        path: A file or folder of LoCoMo's form.
        first: Only this number of questions of each conversation.

    Raises:
        TransferError: The data cannot be read.
    """
    for talk in load(path):
        now = max(c.session.updated for c in talk.sessions)
        cases = [
            locomo_benchmark.case_of(talk, n, q, now)
            for n, q in enumerate(talk.questions[:first], 1)
        ]
        counted = [case for case in cases if case.counted and case.answer]
        yield QuestionHistory("locomo", talk.sessions, now, counted)


def table() -> FiguresTable:
    """Return an empty table for this measure."""
    about = (
        "Share of the answers that stand word for word in a context with so many tokens for memory,"
        f" with the setting condenser at {Settings().condenser!r}, before upkeep ran and after, and"
        " without condensing. answers: the question is the message; overview: the message is"
        f" {OVERVIEW!r}. all: of every"
        f" answer; evidence: of those of {WORDS} words or more that stand in the evidence."
    )
    return FiguresTable("answers_in_context", about, "questions")


def measure(histories: Iterator[QuestionHistory], into: FiguresTable, say: Say) -> None:
    """Ask every question with and without condensation.

    Args:
        histories: The questions, by history.
        into: The table to add to.
        say: Told in a few words what continues.
    """
    for number, history in enumerate(histories, 1):
        say(f"Answers in context, {history.group}: history {number} …")
        said = searchable(m.text for c in history.sessions for e in c.exchanges for m in e.messages)
        asked = [case for case in history.cases if stands(case.answer, said)]
        held = _asked(history, asked) if asked else {}
        for case in history.cases:
            values = held.get(case.id) or dict.fromkeys((method for method, _ in _WAYS), _none())
            for group in (POOLED, history.group):
                into.add(f"{group}, all", values)
                if _in_evidence(case, history):
                    into.add(f"{group}, evidence", values)


def _none() -> dict[str, float]:
    return {f"{name}@{budget}": 0.0 for name in ("answers", "overview") for budget in BUDGETS}


def _asked(
    history: QuestionHistory, cases: Sequence[RecallCase]
) -> dict[str, dict[str, Mapping[str, float]]]:
    found: dict[str, dict[str, Mapping[str, float]]] = {case.id: {} for case in cases}
    with tempfile.TemporaryDirectory(prefix="unabridged-bench-") as home:
        told: Sequence[Transcript] = history.sessions
        for method, settings in _WAYS:
            maintained = method == OURS
            with opened(home, told, history.now, settings, maintained=maintained) as subject:
                for case in cases:
                    subject.ask_at(case.now)
                    asked = _stood(subject, case.question, [case], "answers")
                    found[case.id][method] = asked[case.id]
                told_of = _stood(subject, OVERVIEW, cases, "overview")
                for case in cases:
                    found[case.id][method] = {**found[case.id][method], **told_of[case.id]}
            told = ()
    return found


def _stood(
    subject: RecallSubject, message: str, cases: Sequence[RecallCase], name: str
) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {case.id: {} for case in cases}
    for budget in BUDGETS:
        text = searchable([subject.prepare(message, budget).text])
        for case in cases:
            found[case.id][f"{name}@{budget}"] = float(stands(case.answer, text))
    return found


def _in_evidence(case: RecallCase, history: QuestionHistory) -> bool:
    if len(case.answer.split()) < WORDS:
        return False
    gold = case.gold.get(EXCHANGE, frozenset())
    held = (e for c in history.sessions for e in c.exchanges if e.id in gold)
    return stands(case.answer, searchable(m.text for e in held for m in e.messages))
