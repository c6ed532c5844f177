"""Condensing as text: runs, checks, condensations and originals."""

from collections.abc import Iterable, Sequence

from unabridged.cli.format import count, day, moment, percent, seconds
from unabridged.cli.paint import PAIRS, Column, paint, table, width
from unabridged.cli.terminal_text import wrap
from unabridged.cli.views.annotations import called
from unabridged.cli.views.exchanges import exchange_lines
from unabridged.domain.condensation import Coherence, Condensation, Level, Line
from unabridged.domain.message import Role
from unabridged.domain.results import CondensePreview, CondenseStats, ExpandedCondensation

NAMES_SHOWN = 12
"""The most lost names to list."""
ROOM_FOR_SESSIONS = 90
"""Cells that a list of condensations needs to show both dates."""
_SPEAKERS = {Role.USER: "you", Role.ASSISTANT: "assistant", None: ""}


def outlook_lines(outlook: CondensePreview, *, test: bool) -> list[str]:
    """Show what condensing one session did, or would do."""
    rows = [
        (
            "session",
            f"{count(outlook.messages, 'message')}, {outlook.candidates:,} may be condensed",
        ),
        ("view", f"{count(outlook.tokens, 'token')}; a run is due above {outlook.threshold:,}"),
    ]
    if not outlook.made:
        return [
            *table(PAIRS, rows, width()),
            *_wrapped(outlook.reason or "Nothing is due.", "dim"),
        ]
    before = sum(one.source_tokens for one in outlook.made)
    after = sum(one.tokens for one in outlook.made)
    verb = "would be" if test or not outlook.usable else "are"
    moved = sum(outlook.condense.values())
    rows.append(
        (
            "condensed",
            f"{count(moved, 'message')} of {before:,} tokens {verb} {after:,} tokens"
            f" in {count(len(outlook.made), 'condensation')}",
        )
    )
    rows += [*check_rows(outlook.coherence), ("took", seconds(outlook.seconds))]
    lines = table(PAIRS, rows, width())
    lines += ["", *_shares(outlook), "", *condensation_lines(outlook.made)]
    if not outlook.usable:
        lines += _wrapped(f"Not used: {outlook.reason}", "warn")
    elif test:
        lines += _wrapped("Nothing was changed: this was a test.", "dim")
    return lines


def _wrapped(text: str, style: str) -> list[str]:
    return [paint(line, style) for line in wrap(text, width())]


def _shares(outlook: CondensePreview) -> list[str]:
    columns = [
        Column("category"),
        Column("verbatim", right=True),
        Column("condensed", right=True),
    ]
    names = dict.fromkeys([*outlook.condense, *outlook.keep])
    rows = [
        (called(name), f"{outlook.keep.get(name, 0):,}", f"{outlook.condense.get(name, 0):,}")
        for name in names
    ]
    return table(columns, rows, width())


def check_rows(coherence: Coherence | None) -> list[tuple[str, str]]:
    """Return rows of a table: the result of the check of a run."""
    if coherence is None:
        return []
    said = [
        f"{percent(coherence.critical_kept)} of the critical exchanges stay verbatim",
        "shares kept" if coherence.shares_kept else "shares NOT kept",
        "order kept" if coherence.in_order else "order NOT kept",
        f"{percent(coherence.token_reduction)} fewer tokens",
    ]
    rows = [("check", ", ".join(said[:1])), ("", ", ".join(said[1:]))]
    lost = coherence.lost_names
    if lost:
        more = f" and {len(lost) - NAMES_SHOWN:,} more" if len(lost) > NAMES_SHOWN else ""
        rows.append(("names lost", ", ".join(lost[:NAMES_SHOWN]) + more))
    return rows


def condensation_lines(made: Iterable[Condensation]) -> list[str]:
    """List condensations with the ids that open them."""
    room = width()
    wide = room >= ROOM_FOR_SESSIONS
    columns = [
        Column("id", style="accent"),
        Column("of"),
        Column("exchanges", right=True),
        Column("tokens", right=True),
        Column("when", style="dim"),
        Column("", flexible=True),
    ]
    rows = []
    for one in made:
        first, last = day(one.since), day(one.until)
        rows.append(
            (
                one.id,
                called(one.category) if one.level is Level.EXCHANGES else one.level.value,
                f"{len(one.covers):,}",
                f"{one.source_tokens:,} → {one.tokens:,}",
                first if first == last or not wide else f"{first} – {last}",
                " ".join(line.text for line in one.lines),
            )
        )
    return table(columns, rows, room) if rows else []


def expanded_lines(expanded: ExpandedCondensation) -> list[str]:
    """Show a condensation, and the whole exchanges that it replaces."""
    one = expanded.condensation
    covered = count(len(one.covers), "exchange")
    if one.messages:
        covered = f"{count(len(one.messages), 'message')} of {covered}"
    head = [one.id, one.level.value, called(one.category), covered, f"by {one.by}"]
    lines = _wrapped("  ".join(part for part in head if part), "dim")
    lines += _said(one.lines)
    lines += [line for note in one.notes for line in _wrapped(note, "warn")]
    missing = len(one.covers) - len(expanded.exchanges)
    stands = f"It replaces {covered}" + (f", {missing:,} of them forgotten" if missing else "")
    lines += ["", *_wrapped(f"{stands}:", "dim"), ""]
    return lines + [line for exchange in expanded.exchanges for line in exchange_lines(exchange)]


def _said(said: Sequence[Line]) -> list[str]:
    lines: list[str] = []
    for line in said:
        who = _SPEAKERS.get(line.role, "")
        for place, text in enumerate(wrap(line.text, width() - 11)):
            lines.append(paint(f"{who if place == 0 else '':>9}  ", "dim") + text)
    return lines


def run_rows(stats: CondenseStats) -> list[tuple[str, str]]:
    """Return rows of a table: the statistics of condensing."""
    if not stats.runs:
        return [("condensed", "nothing yet")]
    said = (
        f"{count(stats.messages_condensed, 'message')} in {count(stats.runs, 'run')},"
        f" {count(stats.tokens_saved, 'token')} saved"
    )
    rows = [("condensed", said)]
    if stats.by_category:
        ordered = sorted(stats.by_category.items(), key=lambda item: (-item[1], item[0]))
        rows.append(("", ", ".join(f"{called(name)} {number:,}" for name, number in ordered)))
    took = "" if stats.seconds is None else f", in {seconds(stats.seconds)}"
    return [*rows, ("last run", f"{moment(stats.last)}{took}"), *check_rows(stats.coherence)]
