"""``unabridged stats``."""

from unabridged.cli.open_from_options import look_into
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo_lines
from unabridged.cli.plain_command import plain_command
from unabridged.cli.views.stats import figures_data, figures_lines


@plain_command("stats", "unabridged stats", "unabridged stats --json --user ann", options=MEMORY)
def command(invocation: Invocation) -> None:
    """Show how much is stored, known and condensed."""
    memory = look_into(invocation)
    if invocation.json:
        invocation.emit(figures_data(memory))
        return
    echo_lines(figures_lines(memory))
