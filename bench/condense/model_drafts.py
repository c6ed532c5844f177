"""Measures what a model writes: how often it is used, and whether it adds anything.

The beginning of a session is condensed to a quarter of its tokens by ``condense.written.Written`` with the embedded
model. What it takes is checked here once more, in another way than there: every run of digits and
every capitalised word that does not begin a sentence must be in the sources, or be of a day on
which they were said.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import accumulate, islice, zip_longest
from pathlib import Path
from statistics import median
from typing import Any

from bench.condense.condense_check import CondenseTrial, violations
from bench.condense.condense_text import SplitTexts, sources_of
from bench.figures.timer import timed
from bench.formats.locomo import load
from bench.formats.longmemeval import LongMemEvalCorpus
from unabridged import config
from unabridged.condense.extractive_condenser import ExtractiveCondenser
from unabridged.condense.llm_condenser import FELL_BACK, LlmCondenser
from unabridged.domain.condensation import CondensationDraft, CondenseSource
from unabridged.domain.results import Transcript
from unabridged.language.sentences import sentences
from unabridged.models.gguf import GgufModel
from unabridged.models.smollm2 import fetched
from unabridged.ports import ChatModel

SHARE = 0.25
"""Of its tokens, what a session is condensed to."""
MOST = 1_000
"""The most tokens of a session for the model, which is slow."""
LEAST = 40
"""Tokens of a limit under which nothing is asked of a model."""
NO_MODEL = (
    "There is no embedded model: `unabridged models get smollm2` fetches one; nothing was written."
)

_DIGITS = re.compile(r"\d+")
_CAPITALISED = re.compile(r"(?<=[^\W_] )[A-Z][^\W\d_]{2,}")


def embedded() -> ChatModel | None:
    """Return the embedded model: the configured one, else the fetched one, else None."""
    if find_spec("xllamacpp") is None:
        return None
    settings = config.load()
    path = Path(settings.gguf) if settings.gguf else fetched(Path(settings.home) / "cache")
    return GgufModel(path) if path is not None else None


def sessions(held: Mapping[str, Path], count: int) -> list[Transcript]:
    """Some sessions: LongMemEval's of the first questions and LoCoMo's first, in turns.

    Args:
        held: The data that are there, by name.
        count: How many sessions at most.

    Raises:
        TransferError: The data cannot be read.
    """
    parts = [_read(name, held[name], count) for name in ("locomo", "longmemeval") if name in held]
    mixed = (session for each in zip_longest(*parts) for session in each if session is not None)
    return list(islice(mixed, count))


def _read(name: str, path: Path, count: int) -> Iterator[Transcript]:
    if name == "locomo":
        talks = load(path)
        yield from islice((s for talk in talks for s in talk.sessions), count)
        return
    corpus = LongMemEvalCorpus.at(path)
    for question in islice(corpus.questions, count):
        haystack = corpus.haystack(question)
        gold = set(haystack.gold)
        yield from (c for c in haystack.conversations if gold & {e.id for e in c.exchanges})


@dataclass(slots=True)
class DraftTally:
    """The results of the sessions so far.

    Attributes:
        model: The model's name.
        taken: How often its words were taken.
        reasons: Why they were not, with how often.
        unsaid: Names and numbers in what was taken that are not in the sources.
        violations: Of the limit in what was taken, and of every check in what fell back.
        seconds: What each session took.
    """

    model: str
    taken: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    unsaid: int = 0
    violations: int = 0
    seconds: list[float] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Everything, for JSON; ``fallback`` is the share that fell back, ``p50 s`` a session."""
        asked = len(self.seconds)
        return {
            "model": self.model,
            "sessions": asked,
            "taken": self.taken,
            "fell back": asked - self.taken,
            "fallback": round((asked - self.taken) / asked, 4) if asked else None,
            "reasons": dict(self.reasons.most_common()),
            "unsaid": self.unsaid,
            "violations": self.violations,
            "p50 s": round(median(self.seconds), 2) if self.seconds else None,
        }


def measure(
    held: Sequence[Transcript], model: ChatModel, trial: CondenseTrial, say: Callable[[str], None]
) -> Iterator[DraftTally]:
    """Condense sessions by the model.

    Args:
        held: The sessions.
        model: The model.
        trial: Splits, counts and checks.
        say: Told in a few words what continues.

    Yields:
        The tally so far, after each session.
    """
    texts = trial.texts
    written = LlmCondenser(model, ExtractiveCondenser(texts.count), texts.count)
    tally = DraftTally(model.model)
    for number, session in enumerate(held, 1):
        say(f"Written by {model.model}: session {number} of {len(held)} …")
        sources = opening(sources_of(session), texts)
        limit = int(texts.tokens(sources) * SHARE)
        if limit < LEAST:
            continue
        took, draft = timed(written.condense, sources, limit)
        tally.seconds.append(took / 1000)
        reason = _reason(draft)
        if draft is None or reason:
            tally.reasons[reason or "nothing was made"] += 1
            tally.violations += violations(sources, draft, limit, texts).total() if draft else 0
        else:
            tally.taken += 1
            text = "\n".join(line.text for line in draft.lines)
            tally.unsaid += len(unsaid(text, sources))
            tally.violations += texts.count(text) > limit
        yield tally


def opening(sources: Sequence[CondenseSource], texts: SplitTexts) -> list[CondenseSource]:
    """Return the first messages, while they take ``MOST`` tokens together at most."""
    spent = accumulate(texts.count(source.text) for source in sources)
    return [source for source, total in zip(sources, spent, strict=True) if total <= MOST]


def _reason(draft: CondensationDraft | None) -> str:
    notes = draft.notes if draft else ()
    told = next((note for note in notes if note.startswith(FELL_BACK)), "")
    fault = told.partition(": ")[2]
    return _DIGITS.sub("N", fault.partition(":")[0].rstrip("."))


def unsaid(text: str, sources: Sequence[CondenseSource]) -> list[str]:
    """Numbers and capitalised words of a text that are not in its sources.

    Args:
        text: What a model wrote.
        sources: What it wrote it from; their days count as said.
    """
    said = " ".join(source.text for source in sources)
    days = " ".join(source.at.strftime("%d %-d %m %-m %Y %B %A") for source in sources)
    numbers = set(_DIGITS.findall(f"{said} {days}"))
    words = set(re.findall(r"[^\W\d_]+", f"{said} {days}".casefold()))
    found = [number for number in _DIGITS.findall(text) if number not in numbers]
    for sentence in sentences(text):
        named = (match.group() for match in _CAPITALISED.finditer(sentence))
        found += [name for name in named if name.casefold() not in words]
    return found
