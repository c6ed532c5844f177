"""``unabridged share``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from unabridged.cli.open_from_options import named
from unabridged.cli.operation_command import from_operation
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.parse_space import parse_space
from unabridged.cli.plain_command import PlainGroup
from unabridged.cli.views.shares import carried_lines, revoked_lines, share_lines

if TYPE_CHECKING:
    from unabridged.factory.sharing import SpaceShares

command = PlainGroup(
    "share",
    """Share sessions and facts with another space, or revoke it.

    A share is a copy that both spaces record. Each side continues on its own; sharing the same again copies what is new since. SPACE is USER/AGENT, or USER/AGENT/MODEL.
    """,
    "unabridged share to ann/coder --session 2",
    "unabridged share list",
    "unabridged share revoke 7K2QMD",
    options=MEMORY,
    default="list",
    explained={"share": "SHARE is its id in the list, or the end or beginning of it."},
)
_dry_run = click.option("--dry-run", is_flag=True, help="Only show what would be copied.")


@command.sub(
    "to",
    "unabridged share to ann/coder --session 2",
    "unabridged share to team/pool --all-facts --dry-run",
    "unabridged share to ann/coder ann/writer --agent research --fact 3",
    audit="shares.add",
)
@click.argument("spaces", metavar="SPACE...", nargs=-1, required=True)
@click.option(
    "--session",
    "sessions",
    multiple=True,
    metavar="WHICH",
    help="A session: id, title or number; repeat for several.",
)
@click.option(
    "--fact",
    "facts",
    multiple=True,
    metavar="WHICH",
    help="A fact: its number in `facts`, or its id; repeat for several.",
)
@click.option("--all-facts", is_flag=True, help="Every current fact.")
@_dry_run
def to_command(
    invocation: Invocation,
    spaces: Sequence[str],
    sessions: Sequence[str],
    facts: Sequence[str],
    *,
    all_facts: bool,
    dry_run: bool,
) -> None:
    """Copy chosen sessions and facts to other spaces.

    SPACE is USER/AGENT, or USER/AGENT/MODEL; it is created if needed. A session is copied with every branch and everything made from it. A fact is copied without the messages that it comes from, and names its origin. What was forgotten there stays forgotten.

    A fact that was changed on both sides is shown as a contradiction (≠ in `facts`), never replaced.
    """
    settings = named(invocation)
    shares = _shares(invocation)
    done = [
        shares.share(
            parse_space(space, settings.isolation),
            sessions=sessions,
            facts=facts,
            all_facts=all_facts,
            dry_run=dry_run,
        )
        for space in spaces
    ]
    invocation.answer(done, *(line for one in done for line in carried_lines(one, dry_run=dry_run)))


from_operation(
    command,
    "list",
    "shares.list",
    """List what was shared in both directions, oldest first.

    → was copied to another space, ← came from one. An interrupted share is `unfinished`; share the same again to complete it.
    """,
    "unabridged share list --json",
    view=lambda views, _: share_lines([view.share for view in views]),
    empty="Nothing was shared yet. Share a session: unabridged share to SPACE --session 1",
)
from_operation(
    command,
    "revoke",
    "shares.revoke",
    """Revoke a share, from either side.

    Everything that it copied is deleted in the space that got it: messages, index, vectors, facts, condensations. A receipt is kept. What was said there since stays, also in a shared session, and so does what another share holds. You can share it again.

    If it is interrupted, revoke it again.
    """,
    "unabridged share revoke 7K2QMD",
    view=revoked_lines,
)


@command.sub(
    "hand-off",
    "unabridged share hand-off ann/coder",
    "unabridged share hand-off ann/default/qwen3:8b --session 2",
    options=(*MEMORY, "session"),
    audit="shares.add",
)
@click.argument("space", metavar="SPACE")
@_dry_run
def hand_off_command(invocation: Invocation, space: str, *, dry_run: bool) -> None:
    """Let another agent or model continue a session.

    The session is copied to SPACE (USER/AGENT, or USER/AGENT/MODEL) with everything made from it and the pinned facts that are relevant to it. It is the newest session there, so that the next `unabridged chat` continues it. Here it stays as it was, and `unabridged sessions` shows to whom it was handed off.
    """
    settings = named(invocation)
    wanted = invocation.given("session")
    done = _shares(invocation).handoff(
        parse_space(space, settings.isolation),
        session=str(wanted) if wanted else None,
        dry_run=dry_run,
    )
    invocation.answer(done, *carried_lines(done, dry_run=dry_run))


def _shares(invocation: Invocation) -> "SpaceShares":
    from unabridged.factory.sharing import SpaceShares  # noqa: PLC0415 - slow, and help needs none of it

    return SpaceShares(named(invocation), invocation.by_agent())
