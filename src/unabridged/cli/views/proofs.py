"""Results of verifying, as text."""

from collections.abc import Iterator

import click

from unabridged.cli.format import count
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo
from unabridged.domain.hash_chain import Proof


def show_proofs(invocation: Invocation, proofs: Iterator[Proof]) -> None:
    """Show each space's result as it arrives; exit with 1 if anything is wrong."""
    flaws: list[object] = []

    def noted() -> Iterator[Proof]:
        for proof in proofs:
            flaws.extend(proof.flaws)
            yield proof

    invocation.answer_each(noted(), _show, "There is no space yet.")
    if flaws:
        raise click.exceptions.Exit(1)


def _show(proof: Proof) -> None:
    if not proof.flaws:
        echo(f"✓ {proof.space}: {_held(proof)}", "good")
        return
    echo(f"✗ {proof.space}", "bad")
    for flaw in proof.flaws:
        echo(f"  {flaw}")


def _held(proof: Proof) -> str:
    sealed = proof.sealed
    if proof.note:
        return proof.note
    if sealed is None:
        return "sound, without a key and without an anchor"
    parts = [f"{count(sealed.links, 'message')} in its chain"] if sealed.links else ["sealed"]
    if sealed.forgotten:
        parts.append(f"{sealed.forgotten:,} of them forgotten")
    if sealed.since:
        parts.append(f"sealed on {sealed.since[:10]} with {count(sealed.found, 'older message')}")
    parts.append(f"with the key {sealed.mark}" if sealed.mark else "without a key")
    parts.append("matches the anchor" if proof.anchored else "without an anchor")
    return ", ".join(parts)
