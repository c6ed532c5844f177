"""``unabridged annotations``."""

from unabridged.cli.maintain import judge_pending
from unabridged.cli.open_from_options import open_space
from unabridged.cli.operation_command import from_operation, performed
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.plain_command import PlainGroup
from unabridged.cli.views.annotations import annotated_lines, distribution_lines, scheme_lines

command = PlainGroup(
    "annotations",
    """Show how messages were classified, and correct it.

    Each message has a category and an importance. The category decides how many messages of its kind stay verbatim when a session is condensed.
    """,
    "unabridged annotations",
    "unabridged annotations stats",
    "unabridged annotations set 01KAJ3 decision",
    options=MEMORY,
    default="list",
    explained={"exchange": "EXCHANGE is an exchange's id, or the beginning or end of one."},
)
from_operation(
    command,
    "list",
    "annotations.list",
    "List the annotations of the newest exchanges of a session.",
    "unabridged annotations list",
    "unabridged annotations list --session 2 --limit 50",
    options=("session",),
    view=annotated_lines,
    empty="There is no exchange yet. Begin one: unabridged chat",
)
from_operation(
    command,
    "categories",
    "annotations.scheme",
    "List the categories, with the share of each that stays verbatim.",
    "unabridged annotations categories",
    view=lambda scheme, _: scheme_lines(scheme),
)


@command.sub("stats", "unabridged annotations stats --json")
def stats_command(invocation: Invocation) -> None:
    """Count the messages of each category.

    Messages that are not classified yet are classified first.
    """
    judge_pending(open_space(invocation), quiet=invocation.json)
    counts, _ = performed(invocation, "annotations.stats")
    invocation.answer(counts, *distribution_lines(counts))


from_operation(
    command,
    "set",
    "annotations.set",
    "Set the category of a message; later classification does not change it.",
    "unabridged annotations set 01KAJ3 decision",
    "unabridged annotations set 01KAJ3 small talk --side assistant",
    view=lambda reading, call: annotated_lines([reading], call),
)
