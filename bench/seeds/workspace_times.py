"""WorkspaceAI's six times (its plan, *Performance Requirements*), in the profile ``workspace``.

The baseline of each is the seed's own way in the same run: ``json.load`` of the model's file,
``len(text) // 3``, a walk from the newest exchange backwards, words looked for in the message, and
the whole file written again by ``json.dump`` with an fsync.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.core.store_sizes import newest_conversation
from bench.figures.timer import Spread, each, spread, timed
from bench.generator import TalkGenerator
from bench.seeds.metric import SeedMetric, within
from bench.seeds.seed_setup import (
    TYPICAL,
    USER,
    SeedRun,
    asks,
    loaded,
    opened,
    plainly_saved,
    recalling,
    settings,
)
from unabridged.budget.complexity import complexity
from unabridged.budget.count import Counter
from unabridged.domain.budget import Mode
from unabridged.domain.message import Message
from unabridged.domain.scope import Scope
from unabridged.factory.space_pool import SpacePool
from unabridged.tokens.estimate import EstimateTokenizer
from unabridged.turn.conversation import Conversation

SEED = "workspace"
SIZES = (20, 200, 2_000)
"""Exchanges of a model's history."""
TYPICAL_EXCHANGES = 200
"""The largest typical history, of about 300 tokens an exchange."""
WINDOW = 32_768
MODELS = ("qwen2.5:7b", "qwen2.5:3b")
CALLS = {"load": 25, "count": 21, "talk": 60, "save": 10, "switch": 40, "complexity": 300}
"""How often each is measured."""
WARMING = 12
"""Messages that are prepared for before anything is measured."""


def times(course: SeedRun) -> Iterator[SeedMetric]:
    """Measure at every size."""
    for size in SIZES:
        exchanges = course.scaled(size)
        course.say(f"workspace: {exchanges:,} exchanges for each of two models …")
        home = course.folder(f"workspace-{size}")
        drawn = TalkGenerator(7, TYPICAL)
        for name in MODELS:
            with opened(SEED, home, model=name) as memory:
                memory.space.log.import_transcript(drawn.conversation(exchanges))
        stage = _Stage(course, home, exchanges, drawn)
        yield from stage.loading()
        yield from stage.switching()
        yield from stage.talking()
    yield _complexity(course)


class _Stage:
    """One home with the histories of two models."""

    def __init__(self, course: SeedRun, home: Path, exchanges: int, drawn: TalkGenerator) -> None:
        self._course = course
        self._home = home
        self._drawn = drawn
        self._at = f", {exchanges:,} exchanges"
        self._is_typical = exchanges <= TYPICAL_EXCHANGES
        self._files = sorted(path for path in (home / "memory").glob("qwen*.json"))

    def _calls(self, name: str) -> range:
        return range(self._course.scaled(CALLS[name]))

    def _metric(self, name: str, found: Spread, most: float, base: Spread, of: str) -> SeedMetric:
        return within(SEED, name + self._at, found, most=most, baseline=base, of=of)

    def loading(self) -> Iterator[SeedMetric]:
        """From nothing to the model's loaded history."""

        def load() -> None:
            with opened(SEED, self._home) as memory:
                newest_conversation(memory).history(50)

        base = spread(_alone(lambda: loaded(self._files[-1])) for _ in self._calls("load"))
        found = spread(_alone(load) for _ in self._calls("load"))
        yield self._metric("memory loading", found, 100, base, "json.load of the same file")

    def talking(self) -> Iterator[SeedMetric]:
        """A continued conversation: contexts, the counting in one, and what is made durable."""
        questions = asks(self._drawn, len(self._calls("talk")))
        base = each(lambda text: seeds_context(self._files[-1], text), questions)
        saved = plainly_saved(self._files[-1], len(self._calls("save")))
        with opened(SEED, self._home) as memory:
            talk = newest_conversation(memory)
            first, _ = timed(talk.prepare, recalling(self._drawn))
            for question in questions[:WARMING]:
                talk.prepare(question)  # tables that every memory of a process shares
            took = list(_talk(talk, questions, self._drawn))
            largest = talk.prepare("What have we discussed so far?")
        of = "the seed's way: json.load, the newest exchanges by len // 3"
        made = self._metric("context assembly", spread(t[0] for t in took), 50, base, of)
        note = f"{first:.0f} ms for the first, which indexes what is stored"
        yield replace(made, note=f"{len(took)} messages of one conversation; {note}")
        yield from self._counting(largest.prompt)
        of = "json.dump of the exchanges, fsync, rename"
        kept = self._metric("atomic save of an exchange", spread(t[1] for t in took), 50, saved, of)
        yield replace(kept, note="begin and record: two durable writes")

    def _counting(self, sent: Sequence[Message]) -> Iterator[SeedMetric]:
        prompt = [replace(message, tokens=None, tokenizer=None) for message in sent]
        counters = [Counter(EstimateTokenizer()) for _ in self._calls("count")]
        found = spread(timed(counter.prompt, prompt)[0] for counter in counters)
        base = each(lambda _: _thirds(prompt), self._calls("count"))
        metric = self._metric("token counting", found, 10, base, "len(text) // 3 of the same")
        tokens = counters[0].prompt(prompt)
        yield replace(metric, note=f"a context of {tokens:,} tokens, nothing remembered")

    def switching(self) -> Iterator[SeedMetric]:
        """From one model's memory to the other's: its context at hand, and its history read."""
        of = "json.load of the other model's file"
        base = each(lambda n: loaded(self._files[n % 2]), self._calls("switch"))
        firsts, agains = [], []
        for _ in self._calls("load"):
            pool = SpacePool(settings(SEED, self._home))
            _switched(pool, MODELS[0])
            gc.collect()
            firsts.append(timed(_switched, pool, MODELS[1])[0])
            agains += [timed(_switched, pool, MODELS[n % 2])[0] for n in range(4)]
            pool.close()
        name = "switching between models' memories"
        yield self._metric(name, spread(agains), 10, base, of)
        opening = self._metric(f"{name}, the first time", spread(firsts), 10, base, of)
        yield opening if self._is_typical else beyond(opening)


def _alone(call: Callable[[], object]) -> float:
    gc.collect()
    return timed(call)[0]


def beyond(metric: SeedMetric) -> SeedMetric:
    """A figure for a history that is not typical, so that the seed's must does not bind it."""
    note = "no typical history: what it takes is held against memory loading"
    return replace(metric, must="", met=None, note=note)


def _switched(pool: SpacePool, name: str) -> None:
    with pool.use(Scope(USER, model=name)) as space:
        newest = space.sessions.newest()
        space.log.history(newest.id if newest else "", 50)


def _talk(
    talk: Conversation, questions: Sequence[str], drawn: TalkGenerator
) -> Iterator[tuple[float, float]]:
    for question in questions:
        prepared, context = timed(talk.prepare, question)
        begun, _ = timed(talk.begin, context)
        recorded, _ = timed(talk.record, context, drawn.answered(drawn.topics[0]))
        yield prepared, begun + recorded


def seeds_context(path: Path, text: str) -> list[dict[str, Any]]:
    """Build a context as the seed's plan does: load, and take the newest that fit 80 %."""
    budget = int(WINDOW * 0.8 * 0.9)
    held: list[dict[str, Any]] = []
    used = 0
    for exchange in reversed(loaded(path)["current_conversation"]):
        sides = [exchange[side]["content"] for side in ("user", "assistant")]
        tokens = sum(max(1, len(side) // 3) for side in sides)
        if used + tokens > budget:
            break
        used += tokens
        roles = zip(("assistant", "user"), reversed(sides), strict=True)
        held += [{"role": role, "content": said} for role, said in roles]
    system = {"role": "system", "content": "You are a helpful assistant."}
    return [system, *reversed(held), {"role": "user", "content": text}]


def _thirds(prompt: Sequence[Message]) -> int:
    return sum(max(1, len(message.text) // 3) for message in prompt)


def _complexity(course: SeedRun) -> SeedMetric:
    drawn = TalkGenerator()
    list(drawn.conversations(100))
    messages = asks(drawn, course.scaled(CALLS["complexity"]))
    found = each(lambda text: complexity(text, Mode.TOOLS), messages)
    base = each(_by_keywords, messages)
    return within(
        SEED, "complexity analysis", found, most=5, baseline=base, of="the seed's five tests"
    )


def _by_keywords(text: str) -> float:
    lowered = text.lower()
    factors = [
        min(1.0, len(text) / 500),
        "create" in lowered,
        "analyze" in lowered,
        text.count("?") > 1,
        True,
    ]
    return sum(map(float, factors)) / len(factors)
