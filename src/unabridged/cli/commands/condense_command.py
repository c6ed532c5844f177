"""``unabridged condense``."""

from collections.abc import Sequence

import click

from unabridged.cli.format import count
from unabridged.cli.maintain import judge_pending, maintain_all
from unabridged.cli.operation_command import call_of, performed
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import PAIRS, Column, table, width
from unabridged.cli.plain_command import plain_command
from unabridged.cli.progress import Stages
from unabridged.cli.views.condensations import outlook_lines, run_rows
from unabridged.domain.condensation import Level
from unabridged.domain.results import CondensePreview
from unabridged.domain.session import Session
from unabridged.errors import InputError
from unabridged.space.space import Space


@plain_command(
    "condense",
    "unabridged condense --test",
    "unabridged condense",
    "unabridged condense --force --session 2",
    options=(*MEMORY, "only_session"),
)
@click.option("--test", is_flag=True, help="Only show what a run would do.")
@click.option("--force", is_flag=True, help="Run even if no run is due.")
def command(invocation: Invocation, *, test: bool, force: bool) -> None:
    """Condense what outgrew its budget; every original stays.

    The most important of the oldest messages of a session stay verbatim, category by category; the rest becomes shorter text. Every original stays searchable, and `unabridged expand` shows it.

    The chat does this step by step. This command does all of it at once, for example after an import: it classifies messages, learns facts, and condenses every session, or only that of --session. You can interrupt it; the next run continues.
    """
    if test and force:
        raise InputError("--test and --force exclude each other.", hint="Remove one.")
    call = call_of(invocation, "condensations.add")
    space, wanted = call.space, invocation.given("session")
    sessions = [space.sessions.find(str(wanted))] if wanted else space.sessions.all()
    if not test:
        judge_pending(space, quiet=invocation.json)
    shown: list[CondensePreview] = []
    with Stages(quiet=invocation.json) as stages:
        for done, session in enumerate(sessions, 1):
            asked = {"session": session.id, "force": force, "dry_run": test}
            shown.append(performed(invocation, "condensations.add", call=call, **asked)[0])
            stages.show("Checking" if test else "Condensing", done, len(sessions))
    wholes = 0 if test or wanted else _round_off(invocation, space)
    if invocation.json:
        stats = space.condensations.stats()
        invocation.emit({"test": test, "sessions": shown, "stats": stats})
        return
    if not sessions:
        echo("There is no session yet. Begin one: unabridged chat", "dim")
    elif wanted:
        echo_lines(outlook_lines(shown[0], test=test))
    else:
        _tell(sessions, shown, test=test)
        if wholes:
            echo(f"{count(wholes, 'condensation')} of whole conversations or months made.")
        echo()
        echo_lines(table(PAIRS, run_rows(space.condensations.stats()), width()))


def _round_off(invocation: Invocation, space: Space) -> int:
    # Learn facts, and condense whole conversations that were left and months that ended.
    before = _wholes(space)
    with Stages(quiet=invocation.json) as stages:
        maintain_all(space, space.sessions.newest(), stages=stages)
    return len(_wholes(space) - before)


def _wholes(space: Space) -> set[str]:
    held = space.condensations.condensations()
    return {one.id for one in held if one.level is not Level.EXCHANGES}


def _tell(sessions: Sequence[Session], shown: Sequence[CondensePreview], *, test: bool) -> None:
    columns = [
        Column("session", flexible=True),
        Column("messages", right=True),
        Column("condensed", right=True),
        Column("tokens", right=True),
        Column("", style="warn"),
    ]
    rows = []
    for session, outlook in zip(sessions, shown, strict=True):
        if not outlook.made or (test and not outlook.due):
            continue
        check = outlook.coherence
        rows.append(
            (
                session.title or session.id,
                f"{outlook.messages:,}",
                f"{sum(outlook.condense.values()):,}",
                f"{check.tokens_before:,} → {check.tokens_after:,}" if check else "",
                "" if outlook.usable else "not used",
            )
        )
    if rows:
        echo_lines(table(columns, rows, width()))
    idle = len(shown) - len(rows)
    if idle:
        verb = "would change" if test else "changed"
        echo(f"Nothing {verb} in {count(idle, 'session')}: no run is due.", "dim")
