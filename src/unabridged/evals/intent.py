"""How often intent is read as a person labelled it."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

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
        messages that were read as it), ``precision`` (the share of those read as it that were it);
        for all, ``accuracy`` in place of both.
    """
    pairs = Counter((intent, detect(text).intent) for intent, text in labelled)
    rows: list[dict[str, Any]] = []
    for intent in Intent:
        right = pairs[intent, intent]
        meant = sum(count for (label, _), count in pairs.items() if label is intent)
        taken = sum(count for (_, found), count in pairs.items() if found is intent)
        rows.append(
            {
                "intent": str(intent),
                "messages": meant,
                "recall": round(right / meant, 4) if meant else None,
                "precision": round(right / taken, 4) if taken else None,
            }
        )
    total = sum(pairs.values())
    right = sum(pairs[intent, intent] for intent in Intent)
    return [
        *rows,
        {"intent": "all", "messages": total, "accuracy": round(right / max(1, total), 4)},
    ]
