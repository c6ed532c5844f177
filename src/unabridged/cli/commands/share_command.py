"""``unabridged share``."""

from collections.abc import Sequence

import click

from unabridged.cli.open_from_options import named
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.parse_space import parse_space
from unabridged.cli.views.shares import carried_lines
from unabridged.errors import InputError


@click.command(
    "share",
    epilog=example(
        "unabridged share --to ann/coder --session 2",
        "unabridged share --to team/pool --all-facts --dry-run",
        "unabridged share --agent research --to ann/coder --to ann/writer --fact 3",
    ),
)
@click.option(
    "--to", "targets", multiple=True, metavar="SPACE", help="Where to; may be given several times."
)
@click.option(
    "--session",
    "sessions",
    multiple=True,
    metavar="WHICH",
    help="A session: id, title or number; several times for several.",
)
@click.option(
    "--fact",
    "facts",
    multiple=True,
    metavar="WHICH",
    help="A fact: its number in `facts`, or its id; several times for several.",
)
@click.option("--all-facts", is_flag=True, help="Every fact that holds now.")
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@common(*MEMORY)
@invoked
def command(
    invocation: Invocation,
    targets: Sequence[str],
    sessions: Sequence[str],
    facts: Sequence[str],
    *,
    all_facts: bool,
    dry_run: bool,
) -> None:
    """Carry chosen sessions and facts into another space, recorded on both sides.

    SPACE is USER/AGENT, or USER/AGENT/MODEL; it is begun where there is none. A session goes with every branch and all that hangs on it; a fact alone goes without the words that said it, and says from where it is. It is a copy: each side goes on by itself, and sharing the same again carries what is new since. What was forgotten there stays forgotten.

    A fact that was changed on both sides is shown as a contradiction (≠ in `facts`), never replaced. `unabridged shares` lists what was shared, and takes it back.
    """
    from unabridged.factory.sharing import SpaceShares  # noqa: PLC0415 - for a few commands

    if not targets:
        raise InputError("No space is named.", hint="Say where to: --to USER/AGENT")
    settings = named(invocation)
    shares = SpaceShares(settings, invocation.by_agent())
    done = [
        shares.share(
            parse_space(target, settings.isolation),
            sessions=sessions,
            facts=facts,
            all_facts=all_facts,
            dry_run=dry_run,
        )
        for target in targets
    ]
    invocation.answer(done, *(line for one in done for line in carried_lines(one, dry_run=dry_run)))
