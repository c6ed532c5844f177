"""``python -m bench paths``."""

import click

from bench.core import call_paths
from bench.report_output import progress_printer, show
from unabridged.cli.options import Invocation, common, example, invoked


@click.command("paths", epilog=example("python -m bench paths"))
@common("json")
@invoked
def paths_command(invocation: Invocation) -> None:
    """Count the files and functions that one call passes through.

    A prepared context, a recorded answer and a chat completion, in a folder that it removes.
    """
    show(invocation, call_paths.run(progress=progress_printer(quiet=invocation.json)))
