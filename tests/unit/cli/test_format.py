from datetime import UTC, datetime, timedelta

from unabridged.cli.format import count, percent, recalled, size
from unabridged.domain.context import Decision, ItemKind, LedgerRow, Tier

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def row(at):
    return LedgerRow(Tier.SEMANTIC, ItemKind.EXCHANGE, "x", Decision.KEPT, 1, "found", at=at)


def test_numbers():
    assert count(1, "exchange") == "1 exchange"
    assert count(2000, "exchange") == "2,000 exchanges"
    assert size(999) == "999 bytes"
    assert size(81_920) == "81.9 kB"
    assert size(3_500_000_000_000) == "3.5 TB"
    assert percent(0.62) == "62%"


def test_what_was_recalled_is_said_with_its_month():
    march = datetime(2026, 3, 15, tzinfo=UTC)
    may = datetime(2025, 5, 15, tzinfo=UTC)
    assert recalled([], NOW) == "nothing recalled"
    assert recalled([], NOW, history=True) == "nothing recalled beyond this session"
    assert recalled([row(march)], NOW) == "recalled 1 exchange from March"
    assert recalled([row(march), row(may), row(march)], NOW) == (
        "recalled 3 exchanges, 2 from March"
    )
    assert recalled([row(may), row(may)], NOW) == "recalled 2 exchanges from May 2025"
    assert recalled([row(march), row(may)], NOW) == "recalled 2 exchanges"
    assert recalled([row(NOW), row(NOW - timedelta(minutes=5))], NOW) == (
        "recalled 2 exchanges from today"
    )
    assert recalled([row(None)], NOW) == "recalled 1 exchange"
