"""The rows of a ledger as plain data, small: a record of them is written with every exchange.

Words that many rows share (tier, verdict, reason, session) stand once in a table; a row names them
by their place there. What a row lacks at its end is left away.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from unabridged.domain.context import Decision, ItemKind, LedgerRow, Tier

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_COLUMNS = 10


def rows_to_data(rows: Iterable[LedgerRow]) -> dict[str, Any]:
    """Give rows as plain data: ``words`` and, for each row, its columns."""
    places: dict[str | None, int] = {None: 0}

    def place(word: str | None) -> int:
        return places.setdefault(word, len(places))

    packed = [
        [
            row.id,
            row.tokens,
            place(row.tier),
            place(row.kind),
            place(row.decision),
            place(row.reason),
            place(row.session),
            None if row.at is None else (row.at - _EPOCH) // _MICROSECOND,
            row.score,
            [list(at) for at in row.sentences] or None,
        ]
        for row in rows
    ]
    for columns in packed:
        while columns[-1] is None:
            columns.pop()
    return {"words": [*places], "rows": packed}


def rows_from_data(data: Mapping[str, Any]) -> tuple[LedgerRow, ...]:
    """Read what ``rows_to_data`` gave."""
    words = data["words"]
    return tuple(_row(words, columns) for columns in data["rows"])


def _row(words: Sequence[str | None], columns: Sequence[Any]) -> LedgerRow:
    filled = [*columns, *[None] * (_COLUMNS - len(columns))]
    name, tokens, tier, kind, decision, reason, session, at, score, sentences = filled
    return LedgerRow(
        tier=None if words[tier] is None else Tier(words[tier]),
        kind=ItemKind(words[kind]),
        id=name,
        decision=Decision(words[decision]),
        tokens=tokens,
        reason=words[reason] or "",
        score=score,
        at=None if at is None else _EPOCH + at * _MICROSECOND,
        session=words[session],
        sentences=tuple((i, n) for i, n in sentences or ()),
    )
