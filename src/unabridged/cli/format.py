"""Numbers, dates and counts as people read them."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from unabridged.domain.context import Context, LedgerRow, Tier
from unabridged.domain.sizes import size as size  # noqa: PLC0414 - views import it from here

_MONTHS = (
    "January February March April May June July August September October November December".split()
)


def count(number: int, thing: str) -> str:
    """Write ``1 exchange``, ``2,000 exchanges``, ``2 summaries``."""
    if number == 1:
        return f"{number:,} {thing}"
    ends = thing[-1:] == "y" and thing[-2:-1] not in {"a", "e", "o", "u"}
    return f"{number:,} {thing[:-1]}ies" if ends else f"{number:,} {thing}s"


def model_name(model: str, provider: str) -> str:
    """Name a model and what serves it; once if both have the same name."""
    return f"{model} ({provider})" if model and model != provider else provider


def moment(at: datetime | None) -> str:
    """Write a time to the minute, in the machine's time zone."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M") if at else ""


def day(at: datetime | None) -> str:
    """Write a date, in the machine's time zone."""
    return at.astimezone().strftime("%Y-%m-%d") if at else ""


def date(at: datetime | None) -> str:
    """Write a date in words, as in 3 May 2024, in the machine's time zone."""
    if at is None:
        return ""
    at = at.astimezone()
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"


def percent(share: float) -> str:
    """Write a share of 0 to 1."""
    return f"{100 * share:.0f}%"


def seconds(took: float) -> str:
    """Write how long something took."""
    return f"{took:.2f} s" if took < 10 else f"{took:,.0f} s"


def month(at: datetime, now: datetime) -> str:
    """Name the month of a date as people say it: today, March, March 2024."""
    at, now = at.astimezone(), now.astimezone()
    if at.date() == now.date():
        return "today"
    name = _MONTHS[at.month - 1]
    return name if at.year == now.year else f"{name} {at.year}"


def recalled(rows: Sequence[LedgerRow], now: datetime, *, history: bool = False) -> str:
    """Describe what was recalled: ``recalled 3 exchanges, 2 from March``.

    Args:
        rows: What was recalled.
        now: The time.
        history: Whether the prompt has earlier exchanges of this session.
    """
    if not rows:
        return "nothing recalled beyond this session" if history else "nothing recalled"
    said = f"recalled {count(len(rows), 'exchange')}"
    months = Counter(month(row.at, now) for row in rows if row.at)
    if not months:
        return said
    name, often = months.most_common(1)[0]
    if often == len(rows):
        return f"{said} from {name}"
    return f"{said}, {often} from {name}" if often > 1 or len(months) == 1 else said


def footer(context: Context, prompt: int | None = None) -> str:
    """Return the line under an answer.

    Args:
        context: What was sent.
        prompt: Tokens of the prompt as the server reported them; None for the plan.
    """
    ledger = context.ledger
    history = bool(ledger.kept(Tier.IMMEDIATE) or ledger.kept(Tier.RECENT))
    tokens = ledger.prompt_tokens if prompt is None else prompt
    came = recalled(ledger.kept(Tier.SEMANTIC), context.at, history=history)
    return f"{came} · {tokens:,} of {ledger.window:,} tokens"
