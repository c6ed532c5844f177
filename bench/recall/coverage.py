"""Coverage: how much of the evidence of a question is whole in the prepared context."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from statistics import fmean

from bench.figures.report import ReportRow, row
from bench.formats.longmemeval import LongMemEvalCorpus, QuestionHaystack, asked_at
from bench.recall.subject import RecallSubject, filled

BUDGETS = (2_000, 4_000, 8_000, 16_000)
"""Memory budgets in tokens."""
FLOOR: Mapping[int, float] = {2_000: 0.650, 4_000: 0.784, 8_000: 0.881, 16_000: 0.931}
"""Plain BM25 with stemming and stop words, measured on the held-out part of LongMemEval."""


def rows(corpus: LongMemEvalCorpus, say: Callable[[str], None]) -> Iterator[ReportRow]:
    """Measure the mean share of gold exchanges that are whole in the context, per question."""
    shares: dict[int, list[float]] = defaultdict(list)
    for number, question in enumerate(corpus.questions, 1):
        if number % 10 == 0:
            say(f"Coverage: {number} questions of {len(corpus.questions)} …")
        haystack = corpus.haystack(question)
        if haystack.gold:
            for budget, share in _covered(haystack):
                shares[budget].append(share)
    for budget, found in shares.items():
        note = f"{len(found)} questions; baseline: plain BM25"
        name = f"retrieval coverage: {budget // 1000}k"
        yield row(name, fmean(found), unit="share", baseline=FLOOR[budget], note=note)


def _covered(haystack: QuestionHaystack) -> Iterator[tuple[int, float]]:
    with filled(haystack.conversations, asked_at(haystack.question)) as subject:
        for budget in BUDGETS:
            yield budget, _share(subject, haystack, budget)


def _share(subject: RecallSubject, haystack: QuestionHaystack, budget: int) -> float:
    whole = subject.prepare(str(haystack.question["question"]), budget).whole
    return sum(gold in whole for gold in haystack.gold) / len(haystack.gold)
