"""``python -m bench longmemeval`` and ``longmemeval-pooled``: recall in long histories of chat.

Questions whose id ends in ``_abs`` ask for something that was never said; they are counted apart.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bench.core.core_benchmark import machine
from bench.formats.longmemeval import LongMemEvalCorpus, QuestionHaystack, asked_at
from bench.recall.coverage import BUDGETS
from bench.recall.default_embedder import embedder_for
from bench.recall.recall_findings import RecallFindings
from bench.recall.recall_questions import (
    EXCHANGE,
    OURS,
    SESSION,
    Baselines,
    RecallCase,
    all_said,
    examined,
)
from bench.recall.subject import filled
from unabridged.domain.results import Transcript

UNITS = (EXCHANGE, SESSION)
_ABSTAINS = "_abs"
ID_TIME_CHARACTERS = 10
"""An exchange's id begins with its date; the rest comes from the conversation alone."""

Progress = Callable[[str], None]


def run(
    data: str | Path,
    *,
    progress: Progress,
    baseline: bool = False,
    budgets: Sequence[int] = BUDGETS,
    first: int | None = None,
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> RecallFindings:
    """Ask each question of a memory that holds its own history.

    Args:
        data: What ``LongMemEvalCorpus.at`` reads.
        progress: Told in a few words what continues.
        baseline: Whether plain BM25 and plain dense are measured too.
        budgets: Memory budgets in tokens; empty to search only.
        first: Only this number of questions.
        settings: Settings that differ from the defaults: ``embedder``, ``reranker`` …

    Raises:
        TransferError: The data cannot be read.
        NotFoundError: A session is missing.
    """
    corpus = LongMemEvalCorpus.at(data)
    names = list(islice(corpus.questions, first))
    findings = RecallFindings("longmemeval", machine(), len(names), budgets)
    embedder = embedder_for(findings, settings, baseline=baseline)
    try:
        for number, name in enumerate(names, 1):
            progress(f"Question {number} of {len(names)} …")
            haystack = corpus.haystack(name)
            held = haystack.conversations
            case = case_of(haystack, {c.session.foreign_id or "": c.session.id for c in held})
            with filled(held, case.now, settings) as subject:
                outcomes = {OURS: examined(subject, case, budgets, all_said(held))}
            if baseline:
                outcomes |= Baselines(held, case.gold, embedder).examined(case, budgets)
            findings.add(case, outcomes)
            findings.took(subject.seconds)
    except KeyboardInterrupt:
        findings.interrupted = True
    return findings


def run_pooled(
    data: str | Path,
    *,
    progress: Progress,
    baseline: bool = False,
    budgets: Sequence[int] = (),
    first: int | None = None,
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> RecallFindings:
    """Ask every question of one memory that holds the sessions of all of them.

    Args:
        data: What ``LongMemEvalCorpus.at`` reads.
        progress: Told in a few words what continues.
        baseline: Whether plain BM25 and plain dense are measured too.
        budgets: Memory budgets in tokens; empty to search only.
        first: Only this number of questions.
        settings: Settings that differ from the defaults: ``embedder``, ``reranker`` …

    Raises:
        TransferError: The data cannot be read.
    """
    corpus = LongMemEvalCorpus.at(data)
    names = list(islice(corpus.questions, first))
    findings = RecallFindings("longmemeval-pooled", machine(), len(names), budgets)
    embedder = embedder_for(findings, settings, baseline=baseline)
    progress("Reading …")
    pool = list(corpus.pooled())
    sessions = {c.session.foreign_id or "": c.session.id for c in pool}
    stored = {_undated(e.id): e.id for c in pool for e in c.exchanges}
    findings.notes.append(f"One memory with {len(pool):,} sessions, {len(stored):,} exchanges.")
    try:
        with filled(_told(pool, progress), settings=settings) as subject:
            theirs = Baselines(pool, UNITS, embedder) if baseline else None
            for number, name in enumerate(names, 1):
                progress(f"Question {number} of {len(names)} …")
                case = case_of(_pooled(corpus.haystack(name), stored), sessions)
                subject.ask_at(case.now)
                outcomes = {OURS: examined(subject, case, budgets)}
                outcomes |= theirs.examined(case, budgets) if theirs else {}
                findings.add(case, outcomes)
            findings.took(subject.seconds)
    except KeyboardInterrupt:
        findings.interrupted = True
    return findings


def case_of(haystack: QuestionHaystack, sessions: dict[str, str]) -> RecallCase:
    """Take a question with its evidence.

    Args:
        haystack: The question with its history.
        sessions: A session's id in the file to its id in the memory.
    """
    question = haystack.question
    name = str(question["question_id"])
    abstains = name.endswith(_ABSTAINS)
    named = question.get("answer_session_ids")
    wanted = [sessions[s] for s in named if s in sessions] if isinstance(named, list) else []
    gold = {EXCHANGE: frozenset(haystack.gold), SESSION: frozenset(wanted)}
    return RecallCase(
        id=name,
        group=str(question.get("question_type") or "question"),
        question=str(question.get("question") or ""),
        answer=_answer(question.get("answer")),
        now=asked_at(question),
        gold={} if abstains else {unit: ids for unit, ids in gold.items() if ids},
        abstains=abstains,
        counted=not abstains,
    )


def _answer(given: Any) -> str:
    return "" if given is None else str(given)


def _told(pool: Sequence[Transcript], progress: Progress) -> Iterator[Transcript]:
    for number, conversation in enumerate(pool):
        if number % 500 == 0:
            progress(f"Storing session {number:,} of {len(pool):,} …")
        yield conversation


def _pooled(haystack: QuestionHaystack, stored: Mapping[str, str]) -> QuestionHaystack:
    gold = (stored[_undated(name)] for name in haystack.gold if _undated(name) in stored)
    return haystack._replace(gold=tuple(gold))


def _undated(derived: str) -> str:
    return derived[ID_TIME_CHARACTERS:]
