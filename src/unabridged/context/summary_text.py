"""How what was said earlier in a session stands in the prompt.

Behind the pinned facts, at the prompt's beginning; it stays byte for byte what it was until the
shown history's beginning moves.
"""

from unabridged.condense.history_summary import HistorySummary
from unabridged.context.recall_block import NOW, MarkupRules, as_line, day_of

OPENING = (
    '\n\n<recalled-earlier note="earlier in this conversation, condensed: {count}; id {id}">\n'
)
CLOSING = "</recalled-earlier>"
FRAME_TOKENS = 40
"""Tokens that the frame takes, about; what it really takes is counted."""


def earlier_text(earlier: HistorySummary | None, rules: MarkupRules = NOW) -> str:
    """The block as it stands in the system message; empty for none."""
    if earlier is None:
        return ""
    said = f"{earlier.count} exchange" + ("" if earlier.count == 1 else "s")
    lines = []
    day = ""
    for line, at in zip(earlier.lines, earlier.dates, strict=True):
        date = day_of(at)
        if date != day:
            lines.append(f"[{date}]")
        who = line.role.value if line.role else "summary"
        lines.append(f"{who}: {as_line(line.text, rules)}")
        day = date
    return OPENING.format(count=said, id=earlier.id) + "\n".join(lines) + f"\n{CLOSING}"
