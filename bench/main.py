"""The command line of the benchmarks: ``python -m bench``, run in the folder of the checkout."""

from collections.abc import Sequence

import click

from bench.commands.compare_command import compare_command
from bench.commands.condense_command import condense_command
from bench.commands.core_command import core_command
from bench.commands.emotion_command import emotion_command
from bench.commands.facts_command import facts_command
from bench.commands.histories_command import histories_command
from bench.commands.imports_command import imports_command
from bench.commands.intent_command import intent_command
from bench.commands.long_command import long_command
from bench.commands.parallel_command import parallel_command
from bench.commands.paths_command import paths_command
from bench.commands.peers_command import peers_command
from bench.commands.proxy_command import proxy_command
from bench.commands.recall_command import locomo_command, longmemeval_command, pooled_command
from bench.commands.scale_command import scale_command
from bench.commands.seeds_command import seeds_command
from bench.commands.stores_command import stores_command
from unabridged.cli.main import CommandLine
from unabridged.cli.options import example, shared_options


class BenchCommandLine(CommandLine):
    """The group of all benchmarks."""

    program = "python -m bench"


@click.group(
    cls=BenchCommandLine,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=example("python -m bench core", "python -m bench core --json"),
    params=shared_options(("json", "debug")),
)
def bench() -> None:
    """Measure this installation."""


for each in (
    core_command,
    scale_command,
    parallel_command,
    long_command,
    stores_command,
    proxy_command,
    seeds_command,
    longmemeval_command,
    pooled_command,
    locomo_command,
    condense_command,
    intent_command,
    imports_command,
    facts_command,
    emotion_command,
    histories_command,
    peers_command,
    compare_command,
    paths_command,
):
    bench.add_command(each)


def main(words: Sequence[str] | None = None) -> None:
    """Run the command line of the benchmarks and end the process.

    Args:
        words: The command line without the program's name; None for this process's own.
    """
    bench.main(words)
