"""``python -m bench locomo``: recall in conversations of two people over months.

Categories 1 to 4 count; those of category 5 are adversarial (they ask one speaker for what the
other said) and have a separate group.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bench.core.core_benchmark import machine
from bench.formats.locomo import LocomoTalk, load, places
from bench.recall.coverage import BUDGETS
from bench.recall.default_embedder import embedder_for
from bench.recall.recall_findings import RecallFindings
from bench.recall.recall_questions import (
    EXCHANGE,
    OURS,
    SESSION,
    TURN,
    Baselines,
    RecallCase,
    all_said,
    examined,
)
from bench.recall.subject import filled

UNITS = (EXCHANGE, TURN, SESSION)
ADVERSARIAL = 5
"""The category that is left out of all."""

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
    """Ask the questions of each conversation of a memory that holds it.

    Args:
        data: A file or folder of LoCoMo's form.
        progress: Told in a few words what continues.
        baseline: Whether plain BM25 and plain dense are measured too.
        budgets: Memory budgets in tokens; empty to search only.
        first: Only this number of questions of each conversation.
        settings: Settings that differ from the defaults: ``embedder``, ``reranker`` …

    Raises:
        TransferError: The data cannot be read.
    """
    talks = load(data)
    asked = {talk.id: list(islice(talk.questions, first)) for talk in talks}
    findings = RecallFindings("locomo", machine(), sum(map(len, asked.values())), budgets)
    embedder = embedder_for(findings, settings, baseline=baseline)
    try:
        for talk in talks:
            now = max(c.session.updated for c in talk.sessions)
            with filled(talk.sessions, now, settings) as subject:
                theirs = Baselines(talk.sessions, UNITS, embedder) if baseline else None
                held = all_said(talk.sessions)
                for number, question in enumerate(asked[talk.id], 1):
                    if number % 10 == 1:
                        progress(f"{talk.id}: question {number} of {len(asked[talk.id])} …")
                    case = case_of(talk, number, question, now)
                    subject.ask_at(now)
                    outcomes = {OURS: examined(subject, case, budgets, held)}
                    outcomes |= theirs.examined(case, budgets) if theirs else {}
                    findings.add(case, outcomes)
                findings.took(subject.seconds)
    except KeyboardInterrupt:
        findings.interrupted = True
    return findings


def case_of(
    talk: LocomoTalk, number: int, question: Mapping[str, Any], now: datetime
) -> RecallCase:
    """Take a question with its evidence.

    Args:
        talk: The conversation that it is about.
        number: Its place there.
        question: Its record.
        now: When it is asked.
    """
    turns = [place for place in places(question.get("evidence")) if place in talk.exchange_of]
    exchanges = frozenset(talk.exchange_of[place] for place in turns)
    sessions = {e.id: held.session.id for held in talk.sessions for e in held.exchanges}
    gold = {
        EXCHANGE: exchanges,
        TURN: frozenset(talk.message_of[place] for place in turns),
        SESSION: frozenset(sessions[name] for name in exchanges),
    }
    category = question.get("category")
    answer = question.get("answer")
    return RecallCase(
        id=f"{talk.id}/{number}",
        group=f"category {category}",
        question=str(question.get("question") or ""),
        answer="" if answer is None else str(answer),
        now=now,
        gold={unit: ids for unit, ids in gold.items() if ids},
        counted=category != ADVERSARIAL,
    )
