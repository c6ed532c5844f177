"""A ledger's rows come back from plain data as they were."""

import json
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given, strategies as st

from unabridged.context.ledger import rows_from_data, rows_to_data
from unabridged.domain.context import Decision, ItemKind, LedgerRow, Tier

TIMES = st.datetimes(timezones=st.just(UTC) | st.just(timezone(timedelta(hours=5, minutes=30))))
ROWS = st.builds(
    LedgerRow,
    tier=st.none() | st.sampled_from(Tier),
    kind=st.sampled_from(ItemKind),
    id=st.text(),
    decision=st.sampled_from(Decision),
    tokens=st.integers(0, 10**7),
    reason=st.text(),
    score=st.none() | st.floats(0, 1),
    at=st.none() | TIMES,
    sentences=st.lists(st.tuples(st.integers(0, 99), st.integers(0, 9999))).map(tuple),
)


@given(st.lists(ROWS).map(tuple))
def test_rows_come_back_as_they_were(rows):
    assert rows_from_data(json.loads(json.dumps(rows_to_data(rows)))) == rows


def test_many_rows_of_one_session_take_few_bytes():
    at = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
    rows = [
        LedgerRow(
            Tier.RECENT, ItemKind.EXCHANGE, f"{n:026d}", Decision.KEPT, 250, "earlier in this session",
            None, at + timedelta(minutes=n),
        )
        for n in range(100)
    ]  # fmt: skip
    assert len(json.dumps(rows_to_data(rows), separators=(",", ":"))) < 80 * len(rows)
