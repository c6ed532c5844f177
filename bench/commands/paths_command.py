"""``python -m bench paths``."""

from bench.core import call_paths
from bench.report_output import progress_printer, show
from unabridged.cli.options import Invocation
from unabridged.cli.plain_command import plain_command


@plain_command("paths", "python -m bench paths", options=("json",))
def paths_command(invocation: Invocation) -> None:
    """Count the files and functions that one call passes through.

    A prepared context, a recorded answer and a chat completion, in a folder that it removes.
    """
    show(invocation, call_paths.run(progress=progress_printer(quiet=invocation.json)))
