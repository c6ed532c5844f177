"""``unabridged personas``."""

import click

from unabridged import config
from unabridged.cli.options import PLACE, Invocation, common, example, invoked
from unabridged.cli.output import echo
from unabridged.cli.paint import paint
from unabridged.cli.views.personas import persona_lines, persona_rows
from unabridged.config.personas import own_folder, persona_of, personas


@click.group(
    "personas",
    invoke_without_command=True,
    epilog=example(
        "unabridged personas",
        "unabridged personas show analyst",
        "unabridged chat --persona analyst",
        "cp roles/*.json ~/.local/share/unabridged/config/personas/",
    ),
)
@common(*PLACE)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List the personas: who answers, as a text that begins every prompt.

    A text file in the folder config/personas of the home is a persona of your own; one of the same name goes before the program's. --persona takes a name, or the path of any such file; in the chat, /persona NAME goes on as another.

    Roles that another program keeps as JSON come along as they are: copy NAME.json into that folder. Its text is what stands under the first of these keys: system_prompt, systemPrompt, system, prompt, instructions, persona, content, text, description. What else the file has is left alone.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command)


@command.command("list", epilog=example("unabridged personas list --json"))
@common(*PLACE)
@invoked
def list_command(invocation: Invocation) -> None:
    """List the personas."""
    home = config.home_of(invocation.given("home"))
    rows = persona_rows(home)
    invocation.answer(
        rows,
        *persona_lines(rows),
        paint(f"\nYour own go into {own_folder(home)}, as NAME.txt, NAME.md or NAME.json.", "dim"),
    )


@command.command("show", epilog=example("unabridged personas show analyst"))
@click.argument("name")
@common(*PLACE)
@invoked
def show_command(invocation: Invocation, name: str) -> None:
    """Print a persona's text."""
    home = config.home_of(invocation.given("home"))
    text = persona_of(name, home)
    if invocation.json:
        invocation.emit({"name": name, "path": personas(home)[name], "text": text})
        return
    echo(text)
