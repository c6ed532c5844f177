"""Forgetting as text: plans and receipts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from unabridged.cli.format import count, day, moment, size
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.terminal_text import clip, one_line, wrap
from unabridged.domain.backup_results import RewrittenBackup
from unabridged.domain.forgetting import ForgetPlan, OutOfReach, Receipt, SpacePlan
from unabridged.domain.record import RecordKind

SHOWN = 20
"""The most items of a kind to show; `--json` has all."""
_NAMES = {
    RecordKind.CONTEXT: "prompt account",
    RecordKind.OVERVIEW: "condensed text",
    RecordKind.FACT: "fact",
    RecordKind.CONDENSATION: "summary",
    RecordKind.READING: "classification",
    RecordKind.REQUIREMENT: "requirement",
    RecordKind.OPENING: "mark of an opening",
    RecordKind.COMPACTION: "link of a summary",
    RecordKind.FOLDER: "working folder",
}


def plan_lines(plan: ForgetPlan) -> Iterator[str]:
    """Show what a forgetting would do."""
    if plan.exchanges:
        yield _title(f"{count(len(plan.exchanges), 'exchange')} would be forgotten:")
        said = [f"{day(e.at)}  {one_line(e.user.text) or '(no words)'}" for e in plan.exchanges]
        yield from _some(said)
    if plan.facts:
        yield _title("Withdrawn; the messages stay:")
        yield from _some([one_line(fact.text) for fact in plan.facts])
    if plan.sessions:
        yield _title("Sessions that would be empty:")
        yield from _some([one_line(s.title) or "(untitled)" for s in plan.sessions])
    if plan.titles:
        yield _title("Titles that quote it and would be cleared:")
        yield from _some([one_line(session.title) for session in plan.titles])
    if plan.going or plan.given:
        kinds = Counter(one.kind for one in (*plan.going, *plan.given))
        said = [count(number, _NAMES.get(kind, kind.value)) for kind, number in kinds.items()]
        yield _title(f"Also removes {', '.join(said)}.")
        stays = {"", *(one_line(fact.text) for fact in plan.staying)}
        texts = dict.fromkeys(one_line(one.text) for one in (*plan.going, *plan.given))
        yield from _some([text for text in texts if text not in stays])
    if plan.staying:
        yield _title("Facts that stay, since other messages state them:")
        yield from _some([one_line(fact.text) for fact in plan.staying])
    if plan.repeats:
        yield _title("These also mention it and will be kept:")
        yield from _some([f"{r.id[-6:]}  {one_line(r.text)} ({r.reason})" for r in plan.repeats])
    yield from _outside(plan.outside)


def space_lines(plans: Sequence[SpacePlan]) -> Iterator[str]:
    """Show what forgetting whole spaces would do."""
    for plan in plans:
        held = f"{count(plan.exchanges, 'exchange')} in {count(plan.sessions, 'session')}"
        wiped = f"{count(len(plan.files), 'file')}, {size(plan.bytes)}"
        yield _title(f"The space {plan.space.name} would be wiped: {held}; {wiped}.")
        yield from _outside(plan.outside)


def receipt_lines(receipt: Receipt) -> Iterator[str]:
    """Show a receipt."""
    yield f"Forgotten: {_amount(receipt)}."
    if receipt.records:
        said = [count(n, _NAMES[RecordKind(kind)]) for kind, n in receipt.records.items()]
        yield f"Also removed {', '.join(said)}."
    if receipt.pieces:
        found = f"{receipt.left:,} found" if receipt.left else "none found"
        yield (
            f"{count(len(receipt.files), 'file')} searched ({size(receipt.scanned)}) for"
            f" {count(receipt.pieces, 'piece')} of the words: {found}."
        )
    if receipt.left:
        yield paint("Please report this as a bug: nothing should be left.", "bad")
    if receipt.repeats:
        yield f"It is still mentioned in {count(len(receipt.repeats), 'other place')}."
    for note in receipt.notes:
        yield from wrap(note, width())
    yield from _outside(receipt.outside)
    yield paint(f"Receipt {receipt.id}", "dim")


def rewritten_lines(done: Sequence[RewrittenBackup], *, dry_run: bool = False) -> list[str]:
    """Show what was taken out of backups."""
    would = "Would take" if dry_run else "Took"
    lines: list[str] = []
    for one in done:
        name = Path(one.path).name
        if one.trouble:
            lines.append(paint(f"{name} may still hold it. {one.trouble}", "warn"))
        else:
            end = ", which held nothing else: it is removed." if one.removed else "."
            lines.append(f"{would} {count(one.exchanges, 'exchange')} out of {name}{end}")
    return lines


def receipts_lines(receipts: Sequence[Receipt]) -> list[str]:
    """List receipts; nothing if there is none."""
    columns = [Column("receipt"), Column("when"), Column("what"), Column("", flexible=True)]
    rows = [
        (
            receipt.id,
            moment(receipt.done),
            receipt.what,
            _amount(receipt),
            f"lifted {day(receipt.lifted)}" if receipt.lifted else "",
        )
        for receipt in receipts
    ]
    return table([*columns, Column("", style="dim")], rows, width()) if rows else []


def _amount(receipt: Receipt) -> str:
    said = [count(receipt.exchanges, "exchange")]
    if receipt.messages:
        said.append(f"{count(receipt.messages, 'message')} ({size(receipt.bytes)})")
    if receipt.what == "space":
        said = [f"the space {receipt.space}", *said]
    return ", ".join(said)


def _outside(outside: OutOfReach) -> Iterator[str]:
    if outside.backups:
        yield paint("Backups that may still hold it:", "warn")
        yield from _some(list(outside.backups))
    if outside.shared:
        yield paint("Shared with other spaces, which keep it until the share is revoked:", "warn")
        yield from _some([f"{name}" for name in outside.shared])
    if outside.aside:
        yield paint("Other files that may still hold it:", "warn")
        yield from _some(list(outside.aside))


def _title(text: str) -> str:
    return "\n".join(wrap(text, width()))


def _some(texts: Sequence[str]) -> Iterator[str]:
    for text in texts[:SHOWN]:
        yield "  " + clip(text, width() - 2)
    if len(texts) > SHOWN:
        yield paint(f"  and {len(texts) - SHOWN:,} more", "dim")
