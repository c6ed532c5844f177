"""``unabridged facts``."""

from unabridged.cli.learn import add_learning, change_lines
from unabridged.cli.operation_command import from_operation
from unabridged.cli.options import MEMORY
from unabridged.cli.plain_command import PlainGroup
from unabridged.cli.views.facts import CORRECTED, UNPINNED, facts_lines, told_fact, withdrawn_fact

command = PlainGroup(
    "facts",
    """List, add, correct or withdraw facts about you.

    Every fact names the words that it comes from.
    """,
    "unabridged facts",
    'unabridged facts add --pin "Call me Ann."',
    "unabridged facts edit 3 --value Bern",
    "unabridged facts forget 4",
    options=MEMORY,
    default="list",
    explained={
        "fact": "FACT is a fact's number in the list, its id, or the beginning or end of its id."
    },
)
from_operation(
    command,
    "list",
    "facts.list",
    """List the facts, oldest first.

    ● marks a pinned fact, ≠ a fact that contradicts another.""",
    "unabridged facts list",
    "unabridged facts list --state all --json",
    view=facts_lines,
    empty="No facts yet. Add one: unabridged facts add TEXT",
)
from_operation(
    command,
    "show",
    "facts.get",
    "Show a fact with the words that it comes from.",
    "unabridged facts show 2",
    view=lambda fact, _: told_fact(fact),
)
from_operation(
    command,
    "add",
    "facts.add",
    "Add a fact in your own words; - reads standard input.",
    'unabridged facts add "I am allergic to nuts." --pin',
    'unabridged facts add "Rex is my dog." --attribute dog --value Rex',
    view=lambda fact, call: told_fact(fact, "Added", call),
)
from_operation(
    command,
    "edit",
    "facts.edit",
    "Correct a fact; its history keeps the old text.",
    'unabridged facts edit 3 "I live in Bern."',
    "unabridged facts edit 3 --value Bern",
    fixed={"pinned": None},
    view=lambda fact, call: told_fact(fact, CORRECTED, call),
)
from_operation(
    command,
    "pin",
    "facts.edit",
    "Pin a fact: put it into every prompt.",
    "unabridged facts pin 3",
    fixed={"pinned": True, "text": None, "value": None},
    view=lambda fact, call: told_fact(fact, "Pinned", call),
)
from_operation(
    command,
    "unpin",
    "facts.edit",
    "Unpin a fact: put it only into prompts that it is relevant to.",
    "unabridged facts unpin 3",
    fixed={"pinned": False, "text": None, "value": None},
    view=lambda fact, call: told_fact(fact, UNPINNED, call),
)
from_operation(
    command,
    "forget",
    "facts.withdraw",
    """Withdraw a fact: delete its text, and do not learn it again.

    The messages that it comes from stay stored.""",
    "unabridged facts forget 3",
    view=withdrawn_fact,
)
from_operation(
    command,
    "history",
    "facts.history",
    "Show the changes of a fact, and of those that it replaced.",
    "unabridged facts history 3",
    view=lambda changes, _: change_lines(changes),
)
from_operation(
    command,
    "export",
    "facts.list",
    "Write every fact in every state to standard output, as JSON.",
    "unabridged facts export > facts.json",
    fixed={"state": "all"},
)
add_learning(
    command,
    "Learn facts from new exchanges; if interrupted, the next run continues.",
    ("Learned", "from"),
    lambda space: space.facts,
    lambda space: space.facts.all(None),
)
