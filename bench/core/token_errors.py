"""How near token counts come to a model's own tokenizer, before and after calibration.

Conversations are drawn by a seeded generator from text of the project's own and, where given, from
other texts. The rows answer two questions: how often a conversation costs more than counted by more
than the safety margin, and how far counts are off after some exchanges of calibration.
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import fmean
from typing import Any

from bench.core.token_texts import CODE_LINES, CODE_NAMES, EMOJI, SENTENCES
from unabridged.budget.allocate import MARGIN_SHARE
from unabridged.budget.calibration import Calibration
from unabridged.budget.count import Counter
from unabridged.domain.message import Message, Role, Text
from unabridged.ports import Tokenizer

LEARNED_FROM = 20
"""Exchanges of calibration before the second measurement."""

_AT = datetime(2026, 1, 1, tzinfo=UTC)
_TEMPLATE = (5, 3)
"""Template tokens a message and a prompt that the measured server takes, as ChatML does."""


@dataclass(frozen=True, slots=True)
class _Conversation:
    kind: str
    messages: tuple[Message, ...]

    def cost(self, truth: Tokenizer) -> int:
        """Tokens that the model takes for it."""
        per_message, per_prompt = _TEMPLATE
        return per_prompt + sum(truth.count(m.text) + per_message for m in self.messages)


def run(
    tokenizer: Tokenizer,
    truth: Tokenizer,
    *,
    conversations: int = 1_000,
    seed: int = 7,
    texts: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Measure a tokenizer against a model's own.

    Args:
        tokenizer: What is measured, such as the estimate.
        truth: The model's own tokenizer.
        conversations: How many are drawn, in equal parts of each kind.
        seed: Of the generator.
        texts: Further texts to draw from, as the kind ``sampled``.

    Returns:
        A row per kind and one for all: ``kind``, ``conversations``, ``mean_error`` and
        ``worst_under`` (shares of the true count; under is positive), ``under_margin``
        (conversations under by more than the margin), and the same after calibration.
    """
    maker = random.Random(seed)  # noqa: S311 - a seeded generator of test text
    kinds = [*_MAKERS, "mixed"] + (["sampled"] if texts else [])
    each = max(1, conversations // len(kinds))
    rows = []
    for kind in kinds:
        drawn = [_conversation(kind, maker, texts) for _ in range(each)]
        taught = [_conversation(kind, maker, texts) for _ in range(LEARNED_FROM)]
        rows.append(_row(kind, drawn, taught, tokenizer, truth))
    return [*rows, _altogether(rows)]


def lessons(kind: str, tokenizer: Tokenizer, truth: Tokenizer, *, seed: int = 7) -> Calibration:
    """Return what a tokenizer learns from conversations of one kind."""
    maker = random.Random(seed)  # noqa: S311 - a seeded generator of test text
    drawn = [_conversation(kind, maker, ()) for _ in range(LEARNED_FROM)]
    return _learned(drawn, tokenizer, truth)


def _learned(drawn: Sequence[_Conversation], tokenizer: Tokenizer, truth: Tokenizer) -> Calibration:
    learned = Counter(tokenizer).calibration
    for conversation in drawn:
        counts = Counter(tokenizer).by_script(conversation.messages)
        learned = learned.learn(counts, conversation.cost(truth))
    return learned


def _row(
    kind: str,
    drawn: Sequence[_Conversation],
    taught: Sequence[_Conversation],
    tokenizer: Tokenizer,
    truth: Tokenizer,
) -> dict[str, Any]:
    before = _errors(Counter(tokenizer), drawn, truth)
    learned = _learned(taught, tokenizer, truth)
    after = _errors(Counter(tokenizer, learned), drawn, truth)
    return {
        "kind": kind,
        "conversations": len(drawn),
        **_figures(before, MARGIN_SHARE),
        **{f"learned_{key}": v for key, v in _figures(after, learned.margin_share()).items()},
        "learned_margin": round(learned.margin_share(), 4),
        "learned_reports": learned.reports,
    }


def _errors(counter: Counter, drawn: Sequence[_Conversation], truth: Tokenizer) -> list[float]:
    # By how much each conversation was counted too low (above 0) or too high, as a share.
    errors = []
    for conversation in drawn:
        cost = conversation.cost(truth)
        errors.append((cost - counter.prompt(conversation.messages)) / cost)
    return errors


def _figures(errors: Sequence[float], margin: float) -> dict[str, Any]:
    return {
        "mean_error": round(fmean(map(abs, errors)), 4),
        "bias": round(-fmean(errors), 4),
        "worst_under": round(max(0.0, *errors), 4),
        "under_margin": sum(error > margin for error in errors),
    }


def _altogether(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    total = sum(row["conversations"] for row in rows)
    found: dict[str, Any] = {"kind": "all", "conversations": total}
    for key in ("mean_error", "learned_mean_error"):
        weighted = sum(row[key] * row["conversations"] for row in rows)
        found[key] = round(weighted / total, 4)
    for key in ("worst_under", "learned_worst_under"):
        found[key] = max(row[key] for row in rows)
    for key in ("under_margin", "learned_under_margin"):
        found[key] = sum(row[key] for row in rows)
    return found


def _conversation(kind: str, maker: random.Random, texts: Sequence[str]) -> _Conversation:
    messages = []
    for place in range(2 * maker.randint(2, 12)):
        role = Role.ASSISTANT if place % 2 else Role.USER
        chosen = maker.choice(list(_MAKERS)) if kind == "mixed" else kind
        if chosen == "sampled":
            text = maker.choice(texts)[: maker.randint(200, 4_000)]
        else:
            text = _MAKERS[chosen](maker, maker.randint(1, 4 if role is Role.USER else 10))
        messages.append(Message(f"{kind}-{place}", role, (Text(text),), _AT))
    return _Conversation(kind, tuple(messages))


def _prose(language: str) -> Callable[[random.Random, int], str]:
    def make(maker: random.Random, sentences: int) -> str:
        chosen = maker.choices(SENTENCES[language], k=sentences)
        joined = "" if language in {"chinese", "japanese"} else " "
        return maker.choice((joined, joined, "\n", "\n\n- ")).join(chosen)

    return make


def _code(maker: random.Random, size: int) -> str:
    def line() -> str:
        names = {letter: maker.choice(CODE_NAMES) for letter in "abc"}
        return maker.choice(CODE_LINES).format(n=maker.randint(0, 5_000), **names)

    lines = [line() for _ in range(2 * size + 1)]
    head = f"def {maker.choice(CODE_NAMES).split('.')[-1]}({maker.choice(CODE_NAMES)}):"
    opening = maker.choice(SENTENCES["english"])
    return "\n".join([opening, "```python", head, *lines, "```"])


def _json(maker: random.Random, size: int) -> str:
    rows = [
        {
            "id": maker.randrange(10**7),
            "name": maker.choice(CODE_NAMES),
            "price": round(maker.uniform(0, 1_000), 2),
            "active": maker.random() < 0.5,
            "tags": maker.sample(CODE_NAMES, 2),
            "at": f"2026-0{maker.randint(1, 9)}-1{maker.randint(0, 9)}T08:30:00Z",
            "digest": f"{maker.getrandbits(96):024x}",
        }
        for _ in range(size)
    ]
    return json.dumps(rows, indent=maker.choice((None, 2)))


def _emoji(maker: random.Random, size: int) -> str:
    words = maker.choice(SENTENCES["english"]).split()
    mixed = [maker.choice((*EMOJI, *words)) for _ in range(6 * size)]
    return " ".join(mixed)


_MAKERS: Mapping[str, Callable[[random.Random, int], str]] = {
    **{language: _prose(language) for language in SENTENCES},
    "code": _code,
    "json": _json,
    "emoji": _emoji,
}
