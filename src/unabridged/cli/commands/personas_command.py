"""``unabridged personas``."""

import click

from unabridged import config
from unabridged.cli.options import Invocation
from unabridged.cli.paint import paint
from unabridged.cli.plain_command import PlainGroup
from unabridged.cli.views.personas import persona_lines, persona_rows
from unabridged.config.personas import own_folder, persona_of, personas

command = PlainGroup(
    "personas",
    """List the personas: texts that say who answers.

    A persona's text begins every prompt. A text file in the folder config/personas of the home is your own persona; it replaces a built-in one of the same name. --persona takes a name or the path of a file; in the chat, /persona NAME changes it.

    Roles that another program stores as JSON work unchanged: copy NAME.json into that folder. The text is the value of the first of these keys: system_prompt, systemPrompt, system, prompt, instructions, persona, content, text, description.
    """,
    "unabridged personas",
    "unabridged personas show analyst",
    "unabridged chat --persona analyst",
    "cp roles/*.json ~/.local/share/unabridged/config/personas/",
    default="list",
)


@command.sub("list", "unabridged personas list --json")
def list_command(invocation: Invocation) -> None:
    """List the personas."""
    home = config.home_of(invocation.given("home"))
    rows = persona_rows(home)
    invocation.answer(
        rows,
        *persona_lines(rows),
        paint(f"\nAdd your own to {own_folder(home)}: NAME.txt, NAME.md or NAME.json.", "dim"),
    )


@command.sub("show", "unabridged personas show analyst")
@click.argument("name")
def show_command(invocation: Invocation, name: str) -> None:
    """Print the text of a persona."""
    home = config.home_of(invocation.given("home"))
    text = persona_of(name, home)
    invocation.answer({"name": name, "path": personas(home).get(name, name), "text": text}, text)
