"""``python -m bench proxy``."""

from typing import Any

import click

from bench.proxy import proxy_benchmark
from bench.report_output import progress_printer, show
from unabridged.cli.options import Invocation
from unabridged.cli.plain_command import plain_command


@plain_command(
    "proxy",
    "python -m bench proxy",
    "python -m bench proxy --dialect ollama --size 1000",
    "python -m bench proxy --no-figures --soak 30 --requests 10000",
    "python -m bench proxy --no-figures --spaces 60",
    options=("json",),
)
@click.option(
    "--size", default=10_000, show_default=True, type=click.IntRange(10), help="Stored exchanges."
)
@click.option(
    "--dialect",
    "dialects",
    multiple=True,
    type=click.Choice(["ollama", "openai"]),
    help="What clients and upstream speak; repeatable, both by default.",
)
@click.option(
    "--figures/--no-figures", default=True, help="Whether streams are measured, or only the soak."
)
@click.option(
    "--soak",
    metavar="MINUTES",
    type=click.FloatRange(0.1),
    help="Also run a mixed load for this many minutes, and watch the memory.",
)
@click.option(
    "--requests",
    default=10_000,
    show_default=True,
    type=click.IntRange(10),
    help="Requests of that load.",
)
@click.option(
    "--spaces",
    default=0,
    type=click.IntRange(0, 60),
    show_default=True,
    help="Also open this many spaces, and measure the memory of each.",
)
def proxy_command(
    invocation: Invocation,
    *,
    size: int,
    dialects: tuple[str, ...],
    figures: bool,
    soak: float | None,
    requests: int,
    spaces: int,
) -> None:
    """Measure what the server adds to a stream, next to a bare relay.

    A scripted model server, the relay, `unabridged serve` and the load run in separate processes.
    It works in a temporary folder and removes it.
    """
    chosen: dict[str, Any] = {"dialects": dialects} if dialects else {}
    report = proxy_benchmark.run(
        size=size,
        soak=proxy_benchmark.Soak(soak, requests) if soak is not None else None,
        figures=figures,
        spaces=spaces,
        progress=progress_printer(quiet=invocation.json),
        **chosen,
    )
    show(invocation, report)
