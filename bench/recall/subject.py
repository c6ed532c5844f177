"""What is measured: a memory in a temporary folder, filled, searched and prepared.

All calls of the benchmarks of recall to the public API are here.
"""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bench.core.store_sizes import model
from bench.figures.timer import timed
from unabridged import config
from unabridged.domain.context import Context, Decision, ItemKind, LedgerRow, Tier
from unabridged.domain.results import SearchResult, Transcript
from unabridged.domain.settings import Settings
from unabridged.memory import Memory
from unabridged.testing.clock import ManualClock

DEPTH = 50
"""Exchanges that a search is asked for."""
MEMORY_SHARE = 0.7
"""Memory's share of the window for a question, about; the window is adjusted until it fits."""
LARGEST_PROMPT = 1_000_000
"""No bound except the window, so that every memory budget can be reached."""
_MENDINGS = 4
_NEAR = 200
"""A memory budget fits when it is off by at most one part in this many."""


@dataclass(frozen=True, slots=True)
class PreparedPrompt:
    """A prepared context, looked at.

    Attributes:
        whole: The ids of exchanges that are whole in it.
        recalled: How many the semantic tier brought, whole or condensed.
        text: Everything in it but the system prompt and the question.
    """

    whole: frozenset[str]
    recalled: int
    text: str


class RecallSubject:
    """A memory under measurement.

    Args:
        memory: The memory; questions are asked in a new session.
        clock: Its clock.
    """

    def __init__(self, memory: Memory, clock: ManualClock) -> None:
        self._memory = memory
        self._talk = memory.conversation()
        self._clock = clock
        self._last = ("", MEMORY_SHARE)  # memory's share of the window for a question
        self.seconds: dict[str, list[float]] = {"first search": [], "search": [], "prepare": []}
        """What each call took."""

    def ask_at(self, now: datetime | None) -> None:
        """Set the time of the clock; None to keep it."""
        if now is not None:
            self._clock.time = now

    def search(self, question: str, limit: int = DEPTH) -> list[SearchResult]:
        """Search, timed; the first question is asked twice, since the first search reads tables."""
        question = question.replace('"', " ")  # a title that it quotes is no phrase to insist on
        if not self.seconds["first search"]:
            took, _ = timed(self._memory.search, question, limit=limit)
            self.seconds["first search"].append(took / 1000)
        took, found = timed(self._memory.search, question, limit=limit)
        self.seconds["search"].append(took / 1000)
        return found

    def prepare(self, question: str, budget: int) -> PreparedPrompt:
        """Prepare under a window whose memory budget comes out as wanted.

        Args:
            question: The message.
            budget: Tokens for memory.
        """
        asked, share = self._last
        window = int(budget / (share if asked == question else MEMORY_SHARE))
        context = self._under(question, window)
        for _ in range(_MENDINGS):
            if abs(context.budget.memory - budget) <= budget // _NEAR:
                break
            window = round(window * budget / max(1, context.budget.memory))
            context = self._under(question, window)
        self._last = (question, max(1, context.budget.memory) / window)
        exchanges = [r for r in context.ledger.rows if r.kind is ItemKind.EXCHANGE]
        whole = frozenset(r.id for r in exchanges if r.decision is Decision.KEPT)
        return PreparedPrompt(whole, sum(map(_recalled, exchanges)), _text(context, question))

    def _under(self, question: str, window: int) -> Context:
        asked = model(f"bench-{window}", window)
        took, context = timed(self._talk.prepare, question, model=asked)
        self.seconds["prepare"].append(took / 1000)
        return context


@contextmanager
def filled(
    conversations: Iterable[Transcript],
    now: datetime | None = None,
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[RecallSubject]:
    """Put conversations into a temporary space.

    Args:
        conversations: What it holds.
        now: The time at which it is asked; None for the clock's time.
        settings: Settings that differ from the defaults: ``embedder``, ``reranker`` …
    """
    with (
        tempfile.TemporaryDirectory(prefix="unabridged-bench-") as home,
        opened(home, conversations, now, settings) as subject,
    ):
        yield subject


@contextmanager
def opened(
    home: str,
    conversations: Iterable[Transcript] = (),
    now: datetime | None = None,
    settings: Mapping[str, Any] = MappingProxyType({}),
    *,
    maintained: bool = False,
) -> Iterator[RecallSubject]:
    """Open the space of a home, and put conversations into it.

    Args:
        home: Its folder.
        conversations: Conversations to add.
        now: The time at which it is asked; None for the clock's time.
        settings: Settings that differ from the defaults.
        maintained: Whether to run the maintenance: annotate, condense …
    """
    clock = ManualClock(now) if now else ManualClock()
    chosen = Settings(home=home, max_prompt_tokens=LARGEST_PROMPT, **settings)
    if chosen.embedder.startswith("onnx:") and not Path(home, "cache").exists():
        # What was fetched once is not fetched again.
        cache = config.folder(config.home_of(), "cache")
        Path(home, "cache").symlink_to(cache, target_is_directory=True)
    with Memory.open(settings=chosen, upstream=model("bench"), clock=clock) as memory:
        for conversation in conversations:
            memory.space.log.import_transcript(conversation)
        for _ in memory.space.maintenance.embed():
            pass
        for _ in memory.space.maintenance.run() if maintained else ():
            pass
        yield RecallSubject(memory, clock)


def _recalled(row: LedgerRow) -> bool:
    return row.tier is Tier.SEMANTIC and row.decision is not Decision.LEFT_OUT


def _text(context: Context, question: str) -> str:
    sent = [message.text for message in context.prompt if message.role != "system"]
    joined = "\n".join(sent)
    return joined.removesuffix(question)
