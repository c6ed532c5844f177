"""``unabridged verify``."""

from collections.abc import Iterator

import click

from unabridged.cli.format import count
from unabridged.cli.options import PLACE, Invocation, common, example, invoked
from unabridged.cli.output import echo
from unabridged.cli.parse_space import parse_space
from unabridged.domain.hash_chain import Proof
from unabridged.home.verify import moor, verify


@click.command(
    "verify",
    epilog=example("unabridged verify", "unabridged verify ann/default --json"),
)
@click.argument("space", required=False)
@click.option(
    "--anchor-anew",
    is_flag=True,
    help="Let the anchor remember every space as it is now: a backup was put back by right.",
)
@common(*PLACE)
@invoked
def command(invocation: Invocation, space: str | None, *, anchor_anew: bool) -> None:
    """Prove that nothing that is stored was changed past the program.

    Looks at every digest, at the chain over what was said, at the index, and at the anchor where one is set; of one SPACE, written USER/AGENT, or of all. It ends with exit code 1 where something does not fit, and says what and where.
    """
    settings = invocation.settings()
    chosen = parse_space(space, invocation.settings().isolation) if space else None
    proofs = moor(settings) if anchor_anew else verify(settings, chosen)
    found = list(_told(proofs, quiet=invocation.json))
    if invocation.json:
        invocation.emit(found)
    elif not found:
        echo("There is no space yet.", "dim")
    if any(proof.flaws for proof in found):
        raise click.exceptions.Exit(1)


def _told(proofs: Iterator[Proof], *, quiet: bool) -> Iterator[Proof]:
    for proof in proofs:
        if not quiet:
            show(proof)
        yield proof


def show(proof: Proof) -> None:
    """Show what was found of a space."""
    if proof.flaws:
        echo(f"✗ {proof.space}", "bad")
        for flaw in proof.flaws:
            echo(f"  {flaw}")
        return
    echo(f"✓ {proof.space}: {_held(proof)}", "good")


def _held(proof: Proof) -> str:
    sealed = proof.sealed
    if sealed is None:
        return "sound, without a key and without an anchor"
    parts = [f"{count(sealed.links, 'message')} in its chain"] if sealed.links else ["sealed"]
    if sealed.forgotten:
        parts.append(f"{sealed.forgotten:,} of them forgotten")
    if sealed.since:
        day = sealed.since[:10]
        parts.append(f"sealed on {day} from {count(sealed.found, 'message')} that were there")
    parts.append(f"under the key {sealed.mark}" if sealed.mark else "without a key")
    parts.append("as the anchor remembers it" if proof.anchored else "without an anchor")
    return ", ".join(parts)
