"""What was salvaged, in words: what is there, what is missing by session and time, where it lies."""

from collections.abc import Sequence
from itertools import groupby

from unabridged.cli.format import count, moment
from unabridged.domain.backup_results import Missing, Recovery

SHOWN = 12
"""Missing exchanges that are named, of each session."""
UNSURE = (
    "Its counts cannot be read, so more may be missing. `unabridged backup list` shows what could be "
    "restored."
)


def recovery_lines(found: Recovery) -> list[str]:
    """Say what became of a damaged space that was set aside."""
    name = found.space.name if found.space else "a space"
    said = f"The file of {name} was damaged. {taken(found)}"
    return [said, *missing_lines(found), f"The damaged file lies in {found.path} now, untouched."]


def taken(found: Recovery) -> str:
    """Say in a sentence what was taken."""
    parts = [count(found.exchanges, "whole exchange")]
    if found.incomplete:
        parts.append(f"{found.incomplete:,} in part")
    said = f"Salvaged: {', '.join(parts)} of {count(found.sessions, 'session')}"
    return f"{said}, and {count(found.records, 'record')}."


def missing_lines(found: Recovery) -> list[str]:
    """Say what is missing, by session and time."""
    if not found.lost:
        lines = [UNSURE if found.unsure else "Nothing that was said is missing."]
    else:
        lines = [f"Not whole: {count(found.lost, 'exchange')}."]
        for session, missing in groupby(found.missing, key=lambda one: (one.session, one.title)):
            lines += _session(session[1] or session[0] or "unknown session", list(missing))
        if found.unknown:
            lines.append(f"  {found.unknown:,} more, of which nothing is left but that they were.")
        lines += [UNSURE] if found.unsure else []
    if found.records_missing:
        said = count(found.records_missing, "record")
        lines.append(f"{said} beside what was said are missing; most are made anew in time.")
    return lines


def _session(title: str, missing: Sequence[Missing]) -> list[str]:
    lines = [f"  {title}:"]
    for one in missing[:SHOWN]:
        kept = "kept in part" if one.kept else "lost"
        lines.append(f"    {moment(one.at) or 'time unknown'}  {one.exchange}  {kept}: {one.what}")
    if len(missing) > SHOWN:
        lines.append(f"    … and {len(missing) - SHOWN:,} more")
    return lines
