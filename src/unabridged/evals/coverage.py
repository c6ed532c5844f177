"""Coverage: how much of what a question needs stands whole in the prepared context."""

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from statistics import fmean

from unabridged.domain.context import Context, Verdict
from unabridged.domain.settings import Settings
from unabridged.evals.report import Row, row
from unabridged.evals.sized import model
from unabridged.testing.clock import ManualClock
from unabridged.transfer.longmemeval import Corpus, Haystack
from unabridged.wiring import Memory

BUDGETS = (2_000, 4_000, 8_000, 16_000)
"""Memory budgets in tokens."""
FLOOR: Mapping[int, float] = {2_000: 0.650, 4_000: 0.784, 8_000: 0.881, 16_000: 0.931}
"""Plain BM25 with stemming and stop words, measured on the held-out part of LongMemEval."""
MEMORY_SHARE = 0.7
"""Memory's share of the window for a question, about; the window is mended until it fits."""
_MENDINGS = 4


def rows(corpus: Corpus, say: Callable[[str], None]) -> Iterator[Row]:
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


def _covered(haystack: Haystack) -> Iterator[tuple[int, float]]:
    """The share of one question's gold at each budget."""
    with (
        tempfile.TemporaryDirectory(prefix="unabridged-bench-") as home,
        Memory.open(
            settings=Settings(home=home), upstream=model("bench"), clock=ManualClock()
        ) as memory,
    ):
        for conversation in haystack.conversations:
            memory.admit(conversation)
        memory.new_session()
        for budget in BUDGETS:
            yield budget, _share(memory, haystack, budget)


def _share(memory: Memory, haystack: Haystack, budget: int) -> float:
    """Prepare under a window whose memory budget comes out as wanted, and look for the gold."""
    window = int(budget / MEMORY_SHARE)
    context = _prepared(memory, haystack, window)
    for _ in range(_MENDINGS):
        if abs(context.budget.memory - budget) <= budget // 200:
            break
        window = round(window * budget / max(1, context.budget.memory))
        context = _prepared(memory, haystack, window)
    kept = {r.id for r in context.ledger.rows if r.verdict is Verdict.KEPT}
    return sum(gold in kept for gold in haystack.gold) / len(haystack.gold)


def _prepared(memory: Memory, haystack: Haystack, window: int) -> Context:
    """Prepare the question under a window."""
    memory.use_upstream(model(f"bench-{window}", window))
    return memory.prepare(str(haystack.question["question"]))
