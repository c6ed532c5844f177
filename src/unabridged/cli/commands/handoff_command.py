"""``unabridged handoff``."""

import click

from unabridged.cli.open_from_options import named
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.parse_space import parse_space
from unabridged.cli.views.shares import carried_lines


@click.command(
    "handoff",
    epilog=example(
        "unabridged handoff --to ann/coder",
        "unabridged handoff --to ann/default/qwen3:8b --session 2",
    ),
)
@click.option("--to", "target", required=True, metavar="SPACE", help="Who goes on with it.")
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@common(*MEMORY, "session")
@invoked
def command(invocation: Invocation, target: str, *, dry_run: bool) -> None:
    """Let another agent or model go on with a session.

    The session (the newest one, unless --session names another) is carried into SPACE, USER/AGENT or USER/AGENT/MODEL, with what hangs on it and the pinned facts that bear on it. There it is the newest session, so that the next `unabridged chat` goes on with it. Here it stays as it was, and `sessions` says to whom it was handed. `unabridged shares` takes it back.
    """
    from unabridged.factory.sharing import SpaceShares  # noqa: PLC0415 - for a few commands

    settings = named(invocation)
    shares = SpaceShares(settings, invocation.by_agent())
    wanted = invocation.given("session")
    done = shares.handoff(
        parse_space(target, settings.isolation),
        session=str(wanted) if wanted else None,
        dry_run=dry_run,
    )
    invocation.answer(done, *carried_lines(done, dry_run=dry_run))
