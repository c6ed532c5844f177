"""``unabridged shares``."""

import click

from unabridged.cli.open_from_options import look_into, named
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.views.forgetting import receipt_lines
from unabridged.cli.views.shares import share_data, share_lines


@click.group(
    "shares",
    invoke_without_command=True,
    epilog=example("unabridged shares", "unabridged shares revoke 7K2QMD"),
)
@common(*MEMORY)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List what was shared in both directions, or revoke a share.

    → went to another space, ← came from one. A share that was interrupted is `unfinished`: sharing the same again completes it.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command)


@command.command("list", epilog=example("unabridged shares list --json"))
@common(*MEMORY)
@invoked
def list_command(invocation: Invocation) -> None:
    """List the shares, the oldest first."""
    shares = look_into(invocation).sharing.listing()
    if invocation.json:
        invocation.emit([share_data(share) for share in shares])
        return
    if not shares:
        echo("Nothing was shared; see `unabridged share --help`.", "dim")
        return
    echo_lines(share_lines(shares))


@command.command("revoke", epilog=example("unabridged shares revoke 7K2QMD"))
@click.argument("which", metavar="ID")
@common(*MEMORY)
@invoked
def revoke_command(invocation: Invocation, which: str) -> None:
    """Take a share back, from either side.

    In the space that was given to, what it carried goes, with everything made from it there: index, vectors, facts, condensations; a receipt is kept. What was said there since stays, also in a shared session, and so does what another share holds. It may be shared again.

    ID is the share's id in the list, or the end or beginning of it. Interrupted, revoking again completes it.
    """
    from unabridged.factory.sharing import SpaceShares  # noqa: PLC0415 - for a few commands

    done = SpaceShares(named(invocation), invocation.by_agent()).revoke(which)
    if invocation.json:
        invocation.emit(done)
        return
    echo(f"Revoked: the share with {done.share.other.name}.")
    if done.receipt is not None:
        echo_lines(receipt_lines(done.receipt))
    elif done.reached:
        echo("Nothing of it was left there.", "dim")
    else:
        echo(f"The space {done.share.other.name} is not there any more.", "warn")
