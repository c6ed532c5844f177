"""Prefix reuse over exchanges that people and models really had."""

import random
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean

from bench.core.fixed_costs import NARROW, TALK, TALKS
from bench.core.store_sizes import in_memory
from bench.figures.report import ReportRow, row
from bench.formats.longmemeval import LongMemEvalCorpus
from unabridged.budget.count import Counter
from unabridged.domain.exchange import Exchange
from unabridged.tokens.estimate import EstimateTokenizer

LARGEST = (250, 500)
"""The most tokens of the exchanges that are taken, by estimate."""
EVERY = 3
"""How often a message asks instead of continuing."""
SHAPES = (
    "hi",
    "thanks!",
    "ok, great",
    "Do you remember what I said about {}?",
    "What have we talked about so far?",
    "Like last time, help me with {}.",
    "What about {}?",
    "Analyze this in detail, explain {}, list the issues and suggest detailed improvements.",
)


def rows(corpus: LongMemEvalCorpus, say: Callable[[str], None]) -> Iterator[ReportRow]:
    """Hold sessions of 60 exchanges, alone in a space, in a window of 8,192 tokens."""
    say("Holding sessions of LongMemEval's exchanges …")
    counter = Counter(EstimateTokenizer())
    pool = [exchange for held in corpus.pooled() for exchange in held.exchanges]
    for most in LARGEST:
        fitting = [e for e in pool if sum(map(counter.message, e.messages)) <= most and e.answer]
        shares = [
            share
            for seed in range(TALKS)
            for share in _session(random.Random(seed).sample(fitting, TALK), seed)  # noqa: S311 - a draw, no secret
        ]
        mean = fmean(sum(map(counter.message, e.messages)) for e in fitting)
        note = f"{mean:.0f} tokens an exchange"
        yield row(f"prefix_reuse: up to {most} tokens", fmean(shares), unit="share", note=note)


def _session(exchanges: Sequence[Exchange], seed: int) -> Iterator[float]:
    chance = random.Random(seed)  # noqa: S311 - a draw, no secret
    with in_memory(NARROW) as memory:
        talk = memory.conversation()
        for number, exchange in enumerate(exchanges):
            said = exchange.user.text
            if number % EVERY == EVERY - 1:
                earlier = exchanges[chance.randrange(number)].user.text.split()
                few = " ".join([word for word in earlier if len(word) > 5][:3])
                said = chance.choice(SHAPES).format(few or "that")
            context = talk.prepare(said)
            if context.ledger.prefix_reuse is not None:
                yield context.ledger.prefix_reuse
            talk.record(context, exchange.answer.text if exchange.answer else "")
