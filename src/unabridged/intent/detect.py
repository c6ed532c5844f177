"""What a message asks of memory; the full table of signals takes this file's place."""

from unabridged.domain.intent import Intent, IntentReading

SIGNALS = (
    ("what have we talked", Intent.SUMMARY),
    ("what did we discuss", Intent.SUMMARY),
    ("remember", Intent.VIVID_RECALL),
    ("what did i", Intent.VIVID_RECALL),
    ("what is my", Intent.VIVID_RECALL),
)
GREETINGS = frozenset({"hi", "hello", "hey", "thanks", "thanks!", "thank you"})


def detect(text: str) -> IntentReading:
    """Read the intent of a message."""
    folded = text.casefold().strip()
    if folded in GREETINGS:
        return IntentReading(Intent.CASUAL, (folded,), 1.0)
    for signal, intent in SIGNALS:
        if signal in folded:
            return IntentReading(intent, (signal,), 1.0)
    return IntentReading(Intent.CONTEXTUAL)
