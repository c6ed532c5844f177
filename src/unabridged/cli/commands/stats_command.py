"""``unabridged stats``."""

from unabridged.cli.operation_command import from_operation
from unabridged.cli.views.stats import figures_lines

command = from_operation(
    None,
    "stats",
    "stats",
    "Show how much is stored, known and condensed.",
    "unabridged stats",
    "unabridged stats --json --user ann",
    view=figures_lines,
)
