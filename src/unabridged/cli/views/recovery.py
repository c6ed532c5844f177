"""A recovery as text: what was recovered, what is missing, and where the damaged file is."""

from collections.abc import Sequence
from itertools import groupby

from unabridged.cli.format import count, moment
from unabridged.domain.backup_results import Missing, Recovery

SHOWN = 12
"""The most missing exchanges of a session to list."""
UNSURE = (
    "Its counts cannot be read, so more may be missing. Backups to restore: unabridged backup list"
)


def recovery_lines(found: Recovery) -> list[str]:
    """Report the recovery of a damaged space."""
    name = found.space.name if found.space else "a space"
    said = f"The file of {name} was damaged. {taken(found)}"
    return [said, *missing_lines(found), f"The damaged file is now in {found.path}, unchanged."]


def taken(found: Recovery) -> str:
    """Return a sentence about what was recovered."""
    parts = [count(found.exchanges, "whole exchange")]
    if found.incomplete:
        parts.append(f"{found.incomplete:,} partial")
    said = f"Recovered: {', '.join(parts)} of {count(found.sessions, 'session')}"
    return f"{said}, and {count(found.records, 'record')}."


def missing_lines(found: Recovery) -> list[str]:
    """List what is missing, by session and time."""
    if not found.lost:
        lines = [UNSURE if found.unsure else "No exchange is missing."]
    else:
        lines = [f"Damaged or lost: {count(found.lost, 'exchange')}."]
        for session, missing in groupby(found.missing, key=lambda one: (one.session, one.title)):
            lines += _session(session[1] or session[0] or "unknown session", list(missing))
        if found.unknown:
            lines.append(f"  {found.unknown:,} more, fully lost.")
        lines += [UNSURE] if found.unsure else []
    if found.records_missing:
        said = count(found.records_missing, "record")
        lines.append(f"{said} with derived data missing; most will be rebuilt later.")
    return lines


def _session(title: str, missing: Sequence[Missing]) -> list[str]:
    lines = [f"  {title}:"]
    for one in missing[:SHOWN]:
        kept = "partial" if one.kept else "lost"
        lines.append(f"    {moment(one.at) or 'time unknown'}  {one.exchange}  {kept}: {one.what}")
    if len(missing) > SHOWN:
        lines.append(f"    … and {len(missing) - SHOWN:,} more")
    return lines
