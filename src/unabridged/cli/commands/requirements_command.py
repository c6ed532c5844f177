"""``unabridged requirements``."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from unabridged.cli.format import count
from unabridged.cli.learn import change_lines, learn
from unabridged.cli.open_from_options import look_into, open_space, words_from
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.terminal_text import one_line, safe
from unabridged.cli.views.requirements import conflict_lines, requirement_card, requirement_lines
from unabridged.domain.fact import Requirement
from unabridged.errors import TransferError
from unabridged.transfer.requirements import from_json, to_csv, to_json, to_markdown

WRITERS: Mapping[str, Callable[[Sequence[Requirement]], str]] = {
    "markdown": to_markdown,
    "csv": to_csv,
    "json": to_json,
}
_Command = Callable[..., Any]


def _fields(command: _Command) -> _Command:
    for option in (
        click.option("--conflicts", metavar="IDS", help="What it cannot be met with: REQ-1,REQ-2."),
        click.option("--dissatisfaction", metavar="1-5", help="How unhappy if it is not met."),
        click.option(
            "--satisfaction", metavar="1-5", help="How glad the customer is if it is met."
        ),
        click.option("--originator", metavar="NAME", help="Who raised it."),
        click.option("--fit-criterion", metavar="TEXT", help="How one can tell that it is met."),
        click.option("--rationale", metavar="TEXT", help="Why."),
        click.option("--priority", metavar="NAME", help="must, should, could or wont."),
        click.option("--type", metavar="NAME", help="functional, non-functional or constraint."),
    ):
        command = option(command)
    return command


@click.group(
    "requirements",
    invoke_without_command=True,
    epilog=example(
        "unabridged requirements",
        'unabridged requirements add "The system must answer within 2 seconds."',
        "unabridged requirements export --format csv > requirements.csv",
    ),
)
@common(*MEMORY)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List, change or export the requirements that were stated.

    Each has the fields of a Volere snow card. WHICH is its id or its number: REQ-3 or 3.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command)


@command.command("list", epilog=example("unabridged requirements list --json"))
@click.option("--withdrawn", is_flag=True, help="Also those that were withdrawn.")
@common(*MEMORY)
@invoked
def list_command(invocation: Invocation, *, withdrawn: bool) -> None:
    """List the requirements by number."""
    requirements = look_into(invocation).requirements
    held = requirements.all(withdrawn=withdrawn)
    if invocation.json:
        invocation.emit(held)
        return
    echo_lines(requirement_lines(held))
    if requirements.waits:
        words = (
            "Not everything that was said was looked at yet" if held else "No requirement is known"
        )
        echo(f"{words}: unabridged requirements learn", "dim")
    elif not held:
        echo("No requirement was stated; `unabridged requirements add` adds one.", "dim")


@command.command("show", epilog=example("unabridged requirements show REQ-1"))
@click.argument("which")
@common(*MEMORY)
@invoked
def show_command(invocation: Invocation, which: str) -> None:
    """Show every field of a requirement."""
    _tell(invocation, look_into(invocation).requirements.get(which), "")


@command.command(
    "add",
    epilog=example('unabridged requirements add "The app should work offline." --originator Ann'),
)
@click.argument("text", nargs=-1, required=True)
@_fields
@common(*MEMORY)
@invoked
def add_command(invocation: Invocation, text: Sequence[str], **fields: str | None) -> None:
    """Add a requirement; what is not given follows from its wording."""
    requirements = open_space(invocation).requirements
    made = requirements.add(
        words_from(tuple(text)), **{n: v for n, v in fields.items() if v is not None}
    )
    _tell(invocation, made, "Added")


@command.command(
    "edit", epilog=example("unabridged requirements edit REQ-1 --priority should --satisfaction 4")
)
@click.argument("which")
@click.argument("text", nargs=-1)
@_fields
@common(*MEMORY)
@invoked
def edit_command(
    invocation: Invocation, which: str, text: Sequence[str], **fields: str | None
) -> None:
    """Change the text or fields of a requirement; its history keeps what it said."""
    given = {name: value for name, value in fields.items() if value is not None}
    if text:
        given["text"] = words_from(tuple(text))
    _tell(invocation, open_space(invocation).requirements.edit(which, **given), "Changed")


@command.command("pin", epilog=example("unabridged requirements pin REQ-1"))
@click.argument("which")
@common(*MEMORY)
@invoked
def pin_command(invocation: Invocation, which: str) -> None:
    """Let every prompt carry a requirement."""
    _tell(invocation, open_space(invocation).requirements.pin(which), "Pinned")


@command.command("unpin", epilog=example("unabridged requirements unpin REQ-1"))
@click.argument("which")
@common(*MEMORY)
@invoked
def unpin_command(invocation: Invocation, which: str) -> None:
    """Let prompts carry a requirement no more."""
    _tell(invocation, open_space(invocation).requirements.unpin(which), "Unpinned")


@command.command("forget", epilog=example("unabridged requirements forget REQ-1"))
@click.argument("which")
@common(*MEMORY)
@invoked
def forget_command(invocation: Invocation, which: str) -> None:
    """Take a requirement back: its words go, its number is not given again."""
    gone = open_space(invocation).requirements.withdraw(which)
    invocation.answer({"withdrawn": gone.id}, f"Withdrawn: {gone.id} {safe(one_line(gone.text))}")


@command.command("history", epilog=example("unabridged requirements history REQ-1"))
@click.argument("which")
@common(*MEMORY)
@invoked
def history_command(invocation: Invocation, which: str) -> None:
    """Show what happened to a requirement."""
    changes = look_into(invocation).requirements.history(which)
    invocation.answer(changes, *change_lines(changes))


@command.command("conflicts", epilog=example("unabridged requirements conflicts"))
@common(*MEMORY)
@invoked
def conflicts_command(invocation: Invocation) -> None:
    """Show pairs that cannot be met together: other numbers, must against must not."""
    pairs = look_into(invocation).requirements.conflicts()
    if invocation.json:
        invocation.emit([[one.id, other.id] for one, other in pairs])
        return
    if not pairs:
        echo("No conflict shows.", "dim")
    echo_lines(conflict_lines(pairs))


@command.command(
    "export",
    epilog=example(
        "unabridged requirements export > requirements.md",
        "unabridged requirements export --format json > requirements.json",
    ),
)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(WRITERS)),
    default="markdown",
    show_default=True,
    help="markdown is to read, csv for tables; json is read back by `import`.",
)
@common(*MEMORY)
@invoked
def export_command(invocation: Invocation, form: str) -> None:
    """Write the requirements out, with all their fields."""
    chosen = "json" if invocation.json else form
    held = look_into(invocation).requirements.all()
    click.echo(WRITERS[chosen](held), nl=chosen != "csv")


@command.command("import", epilog=example("unabridged requirements import requirements.json"))
@click.argument("file")
@common(*MEMORY)
@invoked
def import_command(invocation: Invocation, file: str) -> None:
    """Take over requirements that were exported as JSON; what is here already is passed over."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TransferError(
            f"{file!r} cannot be read: {error}.", hint="Name a file that `export` wrote."
        ) from error
    new = open_space(invocation).requirements.admit(from_json(text))
    invocation.answer({"requirements": new}, f"{count(new, 'requirement')} taken over.")


@command.command(
    "learn",
    epilog=example("unabridged requirements learn", "unabridged requirements learn --with-model"),
)
@click.option("--with-model", is_flag=True, help="Ask the model too; every quote is checked.")
@common(*MEMORY, "model", "upstream", "ollama_url", "openai_url", "gguf")
@invoked
def learn_command(invocation: Invocation, *, with_model: bool) -> None:
    """Draw requirements from what was not looked at yet; interrupted, it goes on."""
    space = open_space(invocation)
    before = len(space.requirements.all())
    looked = learn(
        space, space.requirements.learn_pending, space.requirements.asking, with_model=with_model
    )
    new = len(space.requirements.all()) - before
    invocation.answer(
        {"exchanges": looked, "requirements": new},
        f"{count(new, 'requirement')} from {count(looked, 'exchange')}.",
    )


def _tell(invocation: Invocation, each: Requirement, what: str) -> None:
    invocation.answer(each, *requirement_card(each, what))
