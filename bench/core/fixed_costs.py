"""What is measured whatever the size of the store: counting, reading a message, reuse, starting."""

from collections.abc import Callable, Iterator
from statistics import fmean, median

from bench.core import counter_speed, start_time
from bench.core.store_sizes import in_memory
from bench.figures.report import ReportRow, row
from bench.figures.timer import each
from bench.generator import TalkGenerator
from unabridged.budget.complexity import complexity
from unabridged.domain.budget import Mode
from unabridged.domain.context import Context, Decision, LedgerRow, Tier
from unabridged.domain.reasons import NO_ROOM
from unabridged.intent.detect import detect

MESSAGES = 300
"""Messages whose complexity and intent are read."""
TALKS, TALK, NARROW = 5, 60, 8_192
"""Sessions for ``prefix_reuse``, their exchanges, and the window they are held in."""
EARLIER = 200
"""Exchanges of other conversations that are stored next to a session."""


def rows(say: Callable[[str], None]) -> Iterator[ReportRow]:
    """Measure everything that does not depend on the size of the store."""
    yield _reading()
    yield from counter_speed.rows(say)
    say("Holding sessions of 60 exchanges in a window of 8,192 tokens …")
    yield from _reuse()
    say("Starting interpreters …")
    yield from start_time.rows()


def _reading() -> ReportRow:
    drawn = TalkGenerator()
    list(drawn.conversations(100))
    messages = [drawn.question(drawn.topics[n % len(drawn.topics)]) for n in range(MESSAGES)]
    found = each(lambda text: (detect(text), complexity(text, Mode.CHAT)), messages)
    return row("complexity + intent", found)


def _reuse() -> Iterator[ReportRow]:
    shares, used = _held(_session)
    yield row("prefix_reuse", fmean(shares), unit="share", note=f"mean of {TALKS} sessions")
    yield row("prefix_reuse, median", median(shares), unit="share")
    yield row("prefix_reuse, least", min(shares), unit="share")
    shares, drifting = _held(lambda seed: _session(seed, topics=6))
    yield row("prefix_reuse, six topics", fmean(shares), unit="share")
    shares, beside = _held(lambda seed: _session(seed, earlier=EARLIER))
    note = f"{EARLIER} exchanges stored before"
    yield row("prefix_reuse, beside others", fmean(shares), unit="share", note=note)
    used += drifting + beside
    full = f"{len(used)} requests that found more than there was room for"
    if used:
        yield row("memory used when full", fmean(used), unit="share", note=full)


def _held(session: Callable[[int], Iterator[Context]]) -> tuple[list[float], list[float]]:
    shares: list[float] = []
    used: list[float] = []
    for seed in range(TALKS):
        for context in session(seed):
            ledger = context.ledger
            shares += [] if ledger.prefix_reuse is None else [ledger.prefix_reuse]
            if any(_left_out(row) for row in ledger.rows):
                tiers = sum(ledger.parts[tier] for tier in Tier)
                used.append(tiers / context.budget.memory)
    return shares, used


def _left_out(row: LedgerRow) -> bool:
    relevant = row.tier is Tier.SEMANTIC and row.decision is Decision.LEFT_OUT
    return relevant and row.reason == NO_ROOM


def _session(seed: int, *, topics: int = 1, earlier: int = 0) -> Iterator[Context]:
    drawn = TalkGenerator(seed)
    with in_memory(NARROW) as memory:
        for conversation in drawn.conversations(max(earlier, 10 * topics)):
            if earlier:
                memory.space.log.import_transcript(conversation)
        talk = memory.conversation()
        for number in range(TALK):
            now = number * topics // TALK
            past = number % (len(drawn.topics) if earlier else now + 1)
            context = talk.prepare(drawn.question(drawn.topics[now if number % 4 else past]))
            yield context
            talk.record(context, drawn.answered(drawn.topics[now]))
