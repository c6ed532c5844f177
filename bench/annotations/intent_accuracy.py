"""How often intent is read as a person labelled it."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from bench.figures.timer import timed
from unabridged.domain.intent import Intent
from unabridged.errors import BadRecordError
from unabridged.intent.detect import detect


def read(lines: Iterable[str]) -> list[tuple[Intent, str]]:
    r"""Read labelled messages: a head line, then an intent, a tab and a message a line.

    In a message ``\n`` stands for a line break.

    Raises:
        BadRecordError: A line has no tab, or an unknown intent.
    """
    found = []
    for number, line in enumerate(lines, 1):
        label, tab, text = line.rstrip("\n").partition("\t")
        if number == 1 and label == "intent":
            continue
        try:
            intent = Intent(label)
        except ValueError as error:
            raise BadRecordError(
                f"Line {number} is labelled {label!r}.",
                line=number,
                hint=f"Use one of: {', '.join(Intent)}.",
            ) from error
        if not tab:
            raise BadRecordError(
                f"Line {number} has no message.", line=number, hint="Write a tab before it."
            )
        found.append((intent, text.replace("\\n", "\n")))
    return found


def run(labelled: Iterable[tuple[Intent, str]]) -> list[dict[str, Any]]:
    """Measure on labelled messages.

    Returns:
        A row per intent and one for all: ``intent``, ``messages``, ``recall`` (the share of its
        messages that were read as it), ``precision`` (the share of those read as it that were it)
        and, as ``as_<intent>``, how many of its messages were read as each; for all, ``accuracy``
        and ``milliseconds`` (mean per message) in place of these.
    """
    messages = list(labelled)
    took, found = timed(lambda: [detect(text).intent for _, text in messages])
    pairs = Counter(zip((intent for intent, _ in messages), found, strict=True))
    rows = [_row(intent, pairs) for intent in Intent]
    total = max(1, len(messages))
    right = sum(pairs[intent, intent] for intent in Intent)
    accuracy, each = round(right / total, 4), round(took / total, 4)
    return [
        *rows,
        {"intent": "all", "messages": len(messages), "accuracy": accuracy, "milliseconds": each},
    ]


def _row(intent: Intent, pairs: Counter[tuple[Intent, Intent]]) -> dict[str, Any]:
    right = pairs[intent, intent]
    read_as = {f"as_{other}": pairs[intent, other] for other in Intent}
    taken = sum(pairs[label, intent] for label in Intent)
    meant = sum(read_as.values())
    return {
        "intent": str(intent),
        "messages": meant,
        "recall": round(right / meant, 4) if meant else None,
        "precision": round(right / taken, 4) if taken else None,
        **read_as,
    }
