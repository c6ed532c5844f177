"""``unabridged facts``."""

import sys
from collections.abc import Sequence

import click

from unabridged.cli.format import count
from unabridged.cli.learn import change_lines, learn
from unabridged.cli.open_from_options import look_into, open_space, words_from
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import paint
from unabridged.cli.terminal_text import one_line, safe
from unabridged.cli.views.facts import fact_card, fact_lines
from unabridged.domain.fact import SELF, Fact, FactState
from unabridged.space.space import Space

EVERY = "all"
"""The state that stands for all states."""


@click.group(
    "facts",
    invoke_without_command=True,
    epilog=example(
        "unabridged facts",
        'unabridged facts add --pin "Call me Ann."',
        "unabridged facts edit 3 --value Bern",
        "unabridged facts forget 4",
    ),
)
@common(*MEMORY)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List, correct or withdraw what was learned of you.

    Every fact names the words that say so. WHICH is a fact's number in the list, its id, or the
    beginning of its id.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command)


@command.command(
    "list", epilog=example("unabridged facts list", "unabridged facts list --state all --json")
)
@click.option(
    "--state",
    type=click.Choice([*(state.value for state in FactState), EVERY]),
    default=FactState.CURRENT.value,
    show_default=True,
    help="Those that hold, that were superseded, that were withdrawn, or all.",
)
@common(*MEMORY)
@invoked
def list_command(invocation: Invocation, state: str) -> None:
    """List the facts, the oldest first."""
    space = look_into(invocation)
    facts = space.facts.all(None if state == EVERY else state)
    if invocation.json:
        invocation.emit(facts)
        return
    if not facts:
        echo("Nothing is known yet; `unabridged facts add TEXT` adds a fact.", "dim")
        return
    echo_lines(fact_lines(facts, first=1 if state == FactState.CURRENT else None))
    groups = space.facts.disputes()
    if groups and sys.stdout.isatty():
        echo(f"\n{count(len(groups), 'contradiction')}: marked ≠; settle one with `edit`.", "warn")


@command.command("show", epilog=example("unabridged facts show 2"))
@click.argument("which")
@common(*MEMORY)
@invoked
def show_command(invocation: Invocation, which: str) -> None:
    """Show a fact with the words that say so."""
    fact = look_into(invocation).facts.get(which)
    invocation.answer(fact, *fact_card(fact))


@command.command(
    "add",
    epilog=example(
        'unabridged facts add "I am allergic to nuts." --pin',
        'unabridged facts add "Rex is my dog." --attribute dog --value Rex',
    ),
)
@click.argument("text", nargs=-1, required=True)
@click.option("--pin", "pinned", is_flag=True, help="Let every prompt carry it.")
@click.option("--about", "subject", default=SELF, metavar="NAME", help="Whom it is about.")
@click.option("--attribute", default="", help="What of them: `lives in`, `favourite colour` …")
@click.option("--value", default="", help="What it is; then a newer value takes its place.")
@common(*MEMORY)
@invoked
def add_command(
    invocation: Invocation,
    text: Sequence[str],
    *,
    pinned: bool,
    subject: str,
    attribute: str,
    value: str,
) -> None:
    """Add a fact in your own words; a - stands for standard input."""
    space = open_space(invocation)
    fact = space.facts.add(
        words_from(tuple(text)), pinned=pinned, subject=subject, attribute=attribute, value=value
    )
    _tell(invocation, space, fact, "Known")


@command.command(
    "edit",
    epilog=example(
        'unabridged facts edit 3 "I live in Bern."', "unabridged facts edit 3 --value Bern"
    ),
)
@click.argument("which")
@click.argument("text", nargs=-1)
@click.option("--value", help="Put another value into the text that it has.")
@common(*MEMORY)
@invoked
def edit_command(
    invocation: Invocation, which: str, text: Sequence[str], value: str | None
) -> None:
    """Correct a fact; what it said before stays in its history."""
    space = open_space(invocation)
    fact = space.facts.edit(which, text=words_from(tuple(text)) or None, value=value)
    _tell(invocation, space, fact, "Corrected")


@command.command("pin", epilog=example("unabridged facts pin 3"))
@click.argument("which")
@common(*MEMORY)
@invoked
def pin_command(invocation: Invocation, which: str) -> None:
    """Let every prompt carry a fact."""
    space = open_space(invocation)
    _tell(invocation, space, space.facts.pin(which), "Pinned")


@command.command("unpin", epilog=example("unabridged facts unpin 3"))
@click.argument("which")
@common(*MEMORY)
@invoked
def unpin_command(invocation: Invocation, which: str) -> None:
    """Let prompts carry a fact only where it bears on the message."""
    space = open_space(invocation)
    _tell(invocation, space, space.facts.unpin(which), "Unpinned")


@command.command("forget", epilog=example("unabridged facts forget 3"))
@click.argument("which")
@common(*MEMORY)
@invoked
def forget_command(invocation: Invocation, which: str) -> None:
    """Take a fact back: its words go, and it is not drawn again from what was said.

    What you said stays stored.
    """
    space = open_space(invocation)
    before = {fact.id for fact in space.facts.all()}
    gone = space.facts.withdraw(which)
    again = [fact for fact in space.facts.all() if fact.id not in before]
    shared = space.sharing.copies([gone.id])
    if invocation.json:
        holding = [fact.id for fact in again]
        invocation.emit({"withdrawn": gone.id, "holds_again": holding, "shared": shared})
        return
    echo(f"Withdrawn: {safe(one_line(gone.text))}")
    for fact in again:
        echo(f"This holds again: {safe(one_line(fact.text))}", "dim")
    for other in shared:
        echo(f"Still held by {safe(other)}; sharing again lets it know.", "warn")


@command.command("history", epilog=example("unabridged facts history 3"))
@click.argument("which")
@common(*MEMORY)
@invoked
def history_command(invocation: Invocation, which: str) -> None:
    """Show what happened to a fact, and to those whose place it took."""
    changes = look_into(invocation).facts.history(which)
    invocation.answer(changes, *change_lines(changes))


@command.command("export", epilog=example("unabridged facts export > facts.json"))
@common(*MEMORY)
@invoked
def export_command(invocation: Invocation) -> None:
    """Write every fact of every state out, as JSON."""
    invocation.emit(look_into(invocation).facts.all(None))


@command.command(
    "learn",
    epilog=example("unabridged facts learn", "unabridged facts learn --with-model"),
)
@click.option("--with-model", is_flag=True, help="Ask the model too; every quote is checked.")
@common(*MEMORY, "model", "upstream", "ollama_url", "openai_url", "gguf")
@invoked
def learn_command(invocation: Invocation, *, with_model: bool) -> None:
    """Draw facts from what was not looked at yet; interrupted, it goes on where it stopped."""
    space = open_space(invocation)
    before = len(space.facts.all(None))
    looked = learn(space, space.facts.learn_pending, space.facts.asking, with_model=with_model)
    new = len(space.facts.all(None)) - before
    invocation.answer(
        {"exchanges": looked, "facts": new},
        f"{count(new, 'fact')} from {count(looked, 'exchange')}.",
    )


def _tell(invocation: Invocation, space: Space, fact: Fact, what: str) -> None:
    if invocation.json:
        invocation.emit(fact)
        return
    echo(f"{what}: {safe(one_line(fact.text))}")
    others = {other.id: other for other in space.facts.all()}
    for name in fact.disputed_by:
        if name in others:
            echo(paint(f"Contradicted by: {safe(one_line(others[name].text))}", "warn"))
