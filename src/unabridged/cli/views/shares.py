"""Shares as text."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from unabridged.cli.format import count, moment
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.terminal_text import clip, one_line
from unabridged.cli.views.forgetting import receipt_lines
from unabridged.domain.share import Share, ShareKind, ShareResult, ShareSide, ShareState

if TYPE_CHECKING:
    from unabridged.operations.operation_results import RevokedShare

ID_DIGITS = 6
"""Characters of the end of an id that a list shows; they name it."""
SHOWN = 20
"""The most sessions and facts that a dry run names; ``--json`` has all."""
_ARROWS = {ShareSide.GIVEN: "→", ShareSide.TAKEN: "←"}


def carried_lines(done: ShareResult, *, dry_run: bool = False) -> Iterator[str]:
    """Show what a share copied, or would copy."""
    share = done.share
    amount = f"{count(done.exchanges, 'new exchange')} and {count(done.facts, 'new fact')}"
    if dry_run:
        yield f"Would copy to {share.other.name}: {amount}."
        said = [
            *(f"“{one_line(t) or '(untitled)'}”" for t in done.titles),
            *map(one_line, done.texts),
        ]
        yield from ("  " + clip(text, width() - 2) for text in said[:SHOWN])
        if len(said) > SHOWN:
            yield paint(f"  and {len(said) - SHOWN:,} more", "dim")
    elif share.kind is ShareKind.HANDOFF:
        yield f"Handed off to {share.other.name}, which continues it: {amount}."
    else:
        yield f"Shared with {share.other.name}: {amount}."
    if done.passed_over:
        left = count(done.passed_over, "exchange")
        yield paint(f"Skipped because they were forgotten there: {left}.", "warn")
    if done.refused:
        left = count(done.refused, "fact")
        yield paint(f"Skipped because they were withdrawn there: {left}.", "warn")
    if not dry_run:
        yield paint(
            f"Share {share.id}. Revoke it: unabridged share revoke {share.id[-ID_DIGITS:]}",
            "dim",
        )


def share_lines(shares: Sequence[Share]) -> list[str]:
    """List shares with direction, contents and state."""
    columns = [
        Column("id", style="dim"),
        Column("", style="accent"),
        Column("space", flexible=True),
        Column("holds", flexible=True),
        Column("last copied", style="dim"),
        Column("state"),
    ]
    rows = [
        (
            share.id[-ID_DIGITS:],
            _ARROWS[share.side],
            share.other.name,
            _held(share),
            moment(share.carried),
            _state(share),
        )
        for share in shares
    ]
    return table(columns, rows, width())


def revoked_lines(done: "RevokedShare", _: object) -> Iterator[str]:
    """Show what revoking a share removed."""
    other = done.share.other.name
    yield f"Revoked the share with {other}."
    if done.receipt is not None:
        yield from receipt_lines(done.receipt)
    else:
        yield "Nothing of it was left there." if done.reached else f"There is no space {other} now."


def _held(share: Share) -> str:
    parts = [count(len(share.sessions), "session")] if share.sessions else []
    parts += [count(len(share.exchange_ids), "exchange")] if share.exchange_ids else []
    parts += [count(len(share.fact_ids), "fact")] if share.fact_ids else []
    return ", ".join(parts) or "nothing new"


def _state(share: Share) -> str:
    if share.state is ShareState.REVOKED:
        return f"revoked {moment(share.revoked)}"
    handed = share.kind is ShareKind.HANDOFF
    if share.state is ShareState.HELD and handed:
        return "handed off"
    return share.state.value
