"""``unabridged requirements``."""

from pathlib import Path
from typing import Any

import click

from unabridged.cli.format import count
from unabridged.cli.learn import add_learning, change_lines
from unabridged.cli.open_from_options import look_into, open_space
from unabridged.cli.operation_command import View, from_operation
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo_raw
from unabridged.cli.plain_command import PlainGroup
from unabridged.cli.terminal_text import one_line
from unabridged.cli.views.requirements import conflict_lines, requirement_card, requirements_lines
from unabridged.errors import TransferError

command = PlainGroup(
    "requirements",
    """List, add, change or export stated requirements.

    Each has the fields of a Volere snow card.
    """,
    "unabridged requirements",
    'unabridged requirements add "The system must answer within 2 seconds."',
    "unabridged requirements export --format csv > requirements.csv",
    options=MEMORY,
    default="list",
    explained={"requirement": "REQUIREMENT is its id or its number: REQ-3 or 3."},
)


def _card(what: str = "") -> View:
    return lambda each, _: requirement_card(each, what)


from_operation(
    command,
    "list",
    "requirements.list",
    "List the requirements by number.",
    "unabridged requirements list --json",
    view=requirements_lines,
)
from_operation(
    command,
    "show",
    "requirements.get",
    "Show every field of a requirement.",
    "unabridged requirements show REQ-1",
    view=_card(),
)
from_operation(
    command,
    "add",
    "requirements.add",
    "Add a requirement; fields that are not given follow from its wording.",
    'unabridged requirements add "The app should work offline." --originator Ann',
    view=_card("Added"),
)
from_operation(
    command,
    "edit",
    "requirements.edit",
    "Change the text or the fields of a requirement; its history keeps the old text.",
    "unabridged requirements edit REQ-1 --priority should --satisfaction 4",
    fixed={"pinned": None},
    view=_card("Changed"),
)
_FIELDS = "type rationale fit_criterion originator satisfaction dissatisfaction priority conflicts"
_NO_FIELDS: dict[str, Any] = dict.fromkeys([*_FIELDS.split(), "text"])
from_operation(
    command,
    "pin",
    "requirements.edit",
    "Pin a requirement: put it into every prompt.",
    "unabridged requirements pin REQ-1",
    fixed={**_NO_FIELDS, "pinned": True},
    view=_card("Pinned"),
)
from_operation(
    command,
    "unpin",
    "requirements.edit",
    "Unpin a requirement.",
    "unabridged requirements unpin REQ-1",
    fixed={**_NO_FIELDS, "pinned": False},
    view=_card("Unpinned"),
)
from_operation(
    command,
    "forget",
    "requirements.withdraw",
    "Withdraw a requirement: delete its text; its number is not used again.",
    "unabridged requirements forget REQ-1",
    view=lambda gone, _: [f"Withdrawn: {gone.id} {one_line(gone.text)}"],
)
from_operation(
    command,
    "history",
    "requirements.history",
    "Show the changes of a requirement.",
    "unabridged requirements history REQ-1",
    view=lambda changes, _: change_lines(changes),
)
from_operation(
    command,
    "conflicts",
    "requirements.conflicts",
    "Show pairs that cannot be met together: different numbers, must against must not.",
    "unabridged requirements conflicts",
    view=lambda pairs, _: conflict_lines(pairs),
    empty="No conflicts found.",
)


@command.sub(
    "export",
    "unabridged requirements export > requirements.md",
    "unabridged requirements export --format json > requirements.json",
    audit="requirements.export",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "csv", "json"]),
    default="markdown",
    show_default=True,
    help="markdown to read, csv for tables, json for `requirements import`.",
)
def export_command(invocation: Invocation, form: str) -> None:
    """Write the requirements with all their fields to standard output."""
    from unabridged.transfer import requirements as forms  # noqa: PLC0415 - for this command only

    chosen = "json" if invocation.json else form
    write = {"markdown": forms.to_markdown, "csv": forms.to_csv, "json": forms.to_json}[chosen]
    echo_raw(write(look_into(invocation).requirements.all()), end=chosen != "csv")


@command.sub(
    "import", "unabridged requirements import requirements.json", audit="requirements.import"
)
@click.argument("file")
def import_command(invocation: Invocation, file: str) -> None:
    """Import requirements that were exported as JSON; those already here are skipped."""
    from unabridged.transfer.requirements import from_json  # noqa: PLC0415 - for this command only

    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TransferError(
            f"Cannot read {file!r}: {error}.",
            hint="Name a file that `unabridged requirements export --format json` wrote.",
        ) from error
    new = open_space(invocation).requirements.admit(from_json(text))
    invocation.answer({"requirements": new}, f"Imported {count(new, 'requirement')}.")


add_learning(
    command,
    "Find requirements in new exchanges; if interrupted, the next run continues.",
    ("Found", "in"),
    lambda space: space.requirements,
    lambda space: space.requirements.all(),
)
