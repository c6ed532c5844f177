"""The account of a prompt, for people and for programs."""

from collections.abc import Sequence
from typing import Any

from unabridged.cli.format import count, day, moment, percent
from unabridged.cli.output import plain
from unabridged.cli.paint import PARTS, STYLES, Column, bar, paint, table
from unabridged.cli.terminal_text import safe, wrap
from unabridged.domain.context import Decision, Ledger, LedgerRow, Tier
from unabridged.domain.results import ContextReport

_SIGNS = {Decision.KEPT: "●", Decision.CONDENSED: "◐", Decision.LEFT_OUT: "○"}
_RECALLED = (Tier.KNOWLEDGE, Tier.SEMANTIC)
"""What was chosen for this message stands before the session's own history."""
ROWS_SHOWN = 12
"""Rows of a verdict that a list shows unless all are asked for."""
BY_MEANING = "meaning or date"
"""Why an exchange is recalled that has no word of the message."""
SCORED = (
    "What was recalled has behind it how much it bears on the message, 0 to 1, and which of the "
    "message's words it has too."
)


def account_data(account: ContextReport, *, prompt: bool = False) -> dict[str, Any]:
    """Give an account for JSON."""
    ledger = plain(account.ledger)
    rest = {"count": ledger.pop("rest_count"), "tokens": ledger.pop("rest_tokens")}
    data = {
        "id": account.id,
        "at": account.at,
        "hash": account.hash,
        "intact": account.intact,
        "missing": account.missing,
        "words": account.words,
        **ledger,
        "prompt_tokens": account.ledger.prompt_tokens,
        "rest": rest,
        "usage": account.usage,
    }
    return {**data, "messages": account.messages} if prompt else data


def account_lines(
    account: ContextReport, room: int, *, colour: bool, everything: bool = False
) -> list[str]:
    """Give an account as lines of at most ``room`` cells.

    Args:
        account: The account.
        room: Cells of a line.
        colour: Whether colours are shown; without them the bar is drawn in letters.
        everything: Whether to list every candidate, however many.
    """
    ledger = account.ledger
    lines = [*_head(account, room), ""]
    lines += [bar(ledger.parts, room, colour=colour), *_legend(ledger, room, colour=colour), ""]
    lines += _candidates(account, room, None if everything else ROWS_SHOWN)
    if ledger.rest_count:
        rest = f"{count(ledger.rest_count, 'other exchange')} of {ledger.rest_tokens:,} tokens"
        lines.append(paint(f"○ {rest} were not considered", "dim"))
    for note in ledger.notes:
        lines += [paint(line, "warn") for line in wrap(f"Note: {safe(note)}", room)]
    return [*lines, "", *_proof(account, room)]


def _head(account: ContextReport, room: int) -> list[str]:
    ledger = account.ledger
    signals = f" ({', '.join(ledger.signals[:3])})" if ledger.signals else ""
    reused = "" if ledger.prefix_reuse is None else f", {percent(ledger.prefix_reuse)} same prefix"
    said = [
        f"{account.id} · {moment(account.at)} · {ledger.model}",
        f"intent {ledger.intent.value}{signals}, complexity {ledger.complexity:.2f}",
        f"{ledger.prompt_tokens:,} tokens planned of {ledger.window:,}{reused}"
        f", counted by {ledger.tokenizer}",
    ]
    if account.usage and account.usage.prompt is not None:
        answer = account.usage.answer
        said.append(
            f"{account.usage.prompt:,} tokens reported"
            + (f", {answer:,} of the answer" if answer is not None else "")
        )
    return [paint(line, "dim") for text in said for line in wrap(safe(text), room)]


def _legend(ledger: Ledger, room: int, *, colour: bool) -> list[str]:
    columns = [
        Column(""),
        Column("part"),
        Column("tokens", right=True),
        Column("share", right=True),
        Column("", flexible=True, style="dim"),
    ]
    names = [name for name in PARTS if ledger.parts.get(name)]
    names += sorted(name for name in ledger.parts if name not in PARTS and ledger.parts[name])
    rows = []
    for name in names:
        letter, block, meaning = PARTS.get(name, ("?", "█", ""))
        if name == "unused" and ledger.bound:
            meaning = f"kept from memory by the setting {ledger.bound}"
        tokens = ledger.parts[name]
        sign = block if colour else letter
        rows.append((sign, name, f"{tokens:,}", _share(tokens, ledger.window), meaning))
    total = sum(ledger.parts.values())
    rows.append(("", "window", f"{total:,}", _share(total, ledger.window), ""))
    lines = table(columns, rows, room)
    if not colour:
        return lines
    styled = [
        paint(line[:1], name if name in STYLES else "dim") + line[1:]
        for name, line in zip(names, lines[1:-1], strict=True)
    ]
    return [lines[0], *styled, lines[-1]]


def _share(tokens: int, window: int) -> str:
    return f"{100 * tokens / window:.1f} %" if window else ""


def _candidates(account: ContextReport, room: int, limit: int | None) -> list[str]:
    shown: list[LedgerRow] = []
    hidden: list[str] = []
    for decision in Decision:
        rows = [row for row in account.ledger.rows if row.decision is decision]
        rows.sort(key=lambda row: row.tier not in _RECALLED)
        shown += rows[:limit]
        if limit and len(rows) > limit:
            tokens = sum(row.tokens for row in rows[limit:])
            hidden.append(
                f"{_SIGNS[decision]} {len(rows) - limit:,} more {decision.value}, {tokens:,} tokens"
            )
    if not shown:
        return [paint("No exchange was considered.", "dim")]
    columns = [
        Column(""),
        Column("tier"),
        Column("tokens", right=True),
        Column("date", style="dim"),
        Column("what", flexible=True),
        Column("why", flexible=True, style="dim"),
    ]
    lines = table(columns, [_row(row, account) for row in shown], room)
    if any(row.decision is Decision.KEPT and row.id in account.words for row in shown):
        lines += [paint(line, "dim") for line in wrap(SCORED, room)]
    if hidden:
        lines += [paint(line, "dim") for line in hidden]
        lines.append(paint(f"unabridged why --all {account.id} lists all of them", "dim"))
    return lines


def _row(row: LedgerRow, account: ContextReport) -> Sequence[str]:
    tier = row.tier.value if row.tier else row.kind.value
    score = "" if row.score is None else f"{row.score:.2f}"
    what = account.texts.get(row.id, row.id)
    words = account.words.get(row.id)
    if words is not None and row.decision is Decision.KEPT:
        reason = f"{score} {', '.join(words) or BY_MEANING}"
    else:
        reason = row.reason if score in row.reason else f"{row.reason} {score}"
    return (_SIGNS[row.decision], tier, f"{row.tokens:,}", day(row.at), what, reason)


def _proof(account: ContextReport, room: int) -> list[str]:
    if account.intact:
        proof = f" (SHA-256 {account.hash[:12]}…)" if account.hash else ""
        said = f"Rendered again from what is stored, it is the same byte for byte{proof}."
        return [paint(line, "dim") for line in wrap(said, room)]
    gone = f": gone since are {', '.join(account.missing)}" if account.missing else ""
    return [paint(line, "warn") for line in wrap(f"It cannot be rendered again whole{gone}.", room)]
