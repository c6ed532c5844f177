"""WhisperEngine (its *Success Metrics*): how full, how whole, how well understood, how fast."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.annotations import intent_accuracy, labelled_messages
from bench.core.bare_sqlite import BareSqlite
from bench.figures.timer import spread, timed
from bench.generator import TalkGenerator
from bench.seeds.companion_texts import PastConversation, as_stream, ended, pasts, rich_persona
from bench.seeds.metric import SeedMetric, share, skipped, within
from bench.seeds.seed_setup import SeedRun, asks, opened
from unabridged.condense.history_summary import earlier_from_data
from unabridged.context.recall_block import as_line
from unabridged.context.strip_markup import without_markup
from unabridged.domain.context import Context, Decision, ItemKind, Tier
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.results import Transcript
from unabridged.language.sentences import OMITTED, sentences
from unabridged.memory import Memory
from unabridged.testing.clock import ManualClock
from unabridged.turn.conversation import Conversation

SEED = "companion"
STORED = 10_000
"""Exchanges in store while ``prepare`` is timed."""
CALLS = 120
REPLAYED = 20
"""Exchanges at the end of a conversation that are said again, one after the other."""
ANEW, STREAM, RICH = "a new session", "one conversation", "a rich persona"
"""Where messages are said: the seed knows no sessions, so the second is its way."""
BEFORE = 33
"""Per cent of the budget that the seed uses before it is changed."""


@dataclass
class _Seen:
    """Figures over many contexts.

    Attributes:
        memory: Shares of the memory budget that are used.
        window: Shares of the window that prompt and answer may use together.
        pairs: Recalled exchanges that have an answer, with both sides whole.
        answered: Recalled exchanges that have an answer.
        whole: Exchanges and excerpts of which every sentence is whole.
        shown: Exchanges and excerpts in prompts.
    """

    memory: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    window: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    pairs: int = 0
    answered: int = 0
    whole: int = 0
    shown: int = 0


def measure(course: SeedRun) -> Iterator[SeedMetric]:
    """Measure what the seed asks for."""
    seen = _Seen()
    found = pasts(course)
    for number, past in enumerate(found, 1):
        course.say(f"companion: {past.origin}, {number} of {len(found)} …")
        _look(past, seen)
    yield from _used(seen)
    name = "recalled pairs with both sides whole"
    yield share(SEED, name, seen.pairs, seen.answered, least=0.95)
    note = "exchanges and excerpts in prompts of which every sentence is whole"
    yield share(SEED, "no mid-sentence truncation", seen.whole, seen.shown, least=1, note=note)
    yield from _intents(course)
    yield _latency(course)


def _look(past: PastConversation, seen: _Seen) -> None:
    _ask(past, ANEW, past.talks, (), seen)
    stream = as_stream(past.talks)
    cut = max(1, len(stream.exchanges) - REPLAYED)
    before = ended(stream, cut)
    for way in (STREAM, RICH):
        _ask(past, way, [before], stream.exchanges[cut:], seen)


def _ask(
    past: PastConversation,
    way: str,
    talks: Sequence[Transcript],
    said: Sequence[Exchange],
    seen: _Seen,
) -> None:
    changes: dict[str, Any] = {"system": rich_persona()} if way == RICH else {}
    clock = ManualClock(past.now)
    with opened(SEED, Path("unused"), clock=clock, store="memory", **changes) as memory:
        for past_talk in talks:
            memory.space.log.import_transcript(past_talk)
        talk = memory.conversation(None if way == ANEW else talks[-1].session.id)
        held = _Held(memory)
        for exchange in said:
            context = talk.prepare(exchange.user.text)
            _look_at(past.origin, way, context, held, seen)
            talk.record(context, exchange.answer.text if exchange.answer else "I see.")
        for question in past.questions:
            _look_at(past.origin, way, talk.prepare(question), held, seen)


class _Held(dict[str, Exchange]):
    """The exchanges of a memory, looked up as they are named."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def __missing__(self, name: str) -> Exchange:
        self[name] = self._memory.get(name)
        return self[name]


def _look_at(origin: str, way: str, context: Context, held: _Held, seen: _Seen) -> None:
    _count(context, held, seen)
    _fill((origin, way), context, seen)


def _fill(name: tuple[str, str], context: Context, seen: _Seen) -> None:
    ledger = context.ledger
    used = sum(ledger.parts[tier] for tier in Tier)
    seen.memory.setdefault(name, []).append(used / context.budget.memory)
    seen.window.setdefault(name, []).append(ledger.prompt_tokens / ledger.window)


def _used(seen: _Seen) -> Iterator[SeedMetric]:
    for (origin, way), found in seen.memory.items():
        prompts = 100 * fmean(seen.window[origin, way])
        note = f"mean of {len(found)} messages, the least {100 * min(found):.0f} %"
        if way == RICH:
            yield SeedMetric(
                SEED, f"24k tokens used by the prompt: {origin}, {way}", "≥ 60 %",
                ours=round(prompts, 1), baseline=BEFORE, of="the seed before it was changed",
                met=prompts >= 60, note=f"mean of {len(found)} messages",
            )  # fmt: skip
        else:
            yield SeedMetric(
                SEED, f"memory budget used: {origin}, {way}", "≥ 60 %" if way == STREAM else "",
                ours=round(100 * fmean(found), 1), baseline=BEFORE,
                of="the seed before it was changed",
                met=fmean(found) >= 0.6 if way == STREAM else None,
                note=note if way == STREAM else f"{note}; what does not bear on a message is not "
                "recalled, and a new session has no history yet",
            )  # fmt: skip


def _count(context: Context, held: _Held, seen: _Seen) -> None:
    sent = "\n".join(str(message["content"]) for message in context.messages)
    for row in context.ledger.rows:
        if row.kind is not ItemKind.EXCHANGE or row.decision is Decision.LEFT_OUT:
            continue
        exchange = held[row.id]
        if row.sentences:
            split = [sentences(message.text) for message in exchange.messages]
            said = [split[message][number].strip() for message, number in row.sentences]
        else:
            said = [message.text for message in exchange.messages]
        is_whole = all(_stands(text, sent) for text in said)
        seen.shown += 1
        seen.whole += is_whole
        if (
            row.tier is Tier.SEMANTIC
            and exchange.state is ExchangeState.COMPLETE
            and not row.sentences
        ):
            seen.answered += 1
            seen.pairs += is_whole
    for data, _ in context.shared.values():
        for line in earlier_from_data(data).lines if "inner" in data else ():
            seen.shown += 1
            source = held[line.exchange].messages[line.index]
            seen.whole += _is_of(line.text, source.text)


def _stands(text: str, sent: str) -> bool:
    return text in sent or without_markup(text) in sent or as_line(text) in sent


def _is_of(line: str, text: str) -> bool:
    ends, place = {0}, 0
    for sentence in sentences(text):
        place += len(sentence)
        ends |= {place, place - len(sentence) + len(sentence.rstrip())}
    for piece in filter(None, (part.strip() for part in line.split(OMITTED))):
        begin = text.find(piece)
        while begin >= 0 and not (begin in ends and begin + len(piece) in ends):
            begin = text.find(piece, begin + 1)
        if begin < 0:
            return False
    return True


def _intents(course: SeedRun) -> Iterator[SeedMetric]:
    name = "intent read as a person labelled it"
    if course.intent is None:
        why = "no labelled messages here: --intent FOLDER, or run it in a checkout"
        yield skipped(SEED, name, "≥ 85 %", why)
        return
    for path in sorted(course.intent.glob("*.tsv")):
        if path.stem == "dev":
            continue  # what the tables were made on
        messages = labelled_messages.load(str(path))
        *_, altogether = intent_accuracy.run(messages)
        right = round(altogether["accuracy"] * len(messages))
        base = sum(str(label) == seeds_intent(text) for label, text in messages) / len(messages)
        yield share(SEED, f"{name}: {path.stem}", right, len(messages), least=0.85,
                    baseline=base, of="the seed's lists of phrases")  # fmt: skip


_SIGNALS: Mapping[str, tuple[str, ...]] = {
    "vivid_recall": (
        "remember", "recall", "tell me about", "what was that", "you mentioned", "we talked about",
        "that project", "those conversations", "when i said", "you said",
    ),
    "summary": (
        "what did we discuss", "summarize", "overview", "topics we covered", "general conversation",
        "what have we talked about",
    ),
}  # fmt: skip
"""The seed's phrases (its phase 2); whatever has none is ``contextual``."""


def seeds_intent(text: str) -> str:
    """Read an intent as the seed does."""
    lowered = text.lower()
    found = (name for name, signals in _SIGNALS.items() if any(s in lowered for s in signals))
    return next(found, "contextual")


def _latency(course: SeedRun) -> SeedMetric:
    stored = course.scaled(STORED, 100)
    home = course.folder("latency")
    drawn = TalkGenerator(7)
    with opened(SEED, home) as memory:
        for number, conversation in enumerate(drawn.conversations(stored)):
            if number % 200 == 0:
                course.say(f"companion: storing {10 * number:,} of {stored:,} exchanges …")
            memory.space.log.import_transcript(conversation)
        memory.prepare("hi")
    path = max((home / "spaces").glob("*.db"), key=lambda one: one.stat().st_size)
    copy = home / "bare.db"
    shutil.copyfile(path, copy)
    course.say("companion: preparing …")
    questions = asks(drawn, course.scaled(CALLS))
    with opened(SEED, home) as memory, BareSqlite(copy) as baseline:
        took = list(_prepared(memory.conversation(), drawn, questions))
        base = spread(timed(baseline.search, text)[0] for text in questions)
    return within(
        SEED, f"latency of a context, {stored:,} exchanges", spread(took), most=2_000,
        baseline=base, of="one FTS5 query by bm25 and its rows",
        note=f"{len(took)} messages of every intent",
    )  # fmt: skip


def _prepared(talk: Conversation, drawn: TalkGenerator, questions: list[str]) -> Iterator[float]:
    for question in questions:
        took, context = timed(talk.prepare, question)
        yield took
        talk.record(context, drawn.answered(drawn.topics[0]))
