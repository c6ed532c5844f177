"""``unabridged bench``."""

import importlib
from typing import Any

import click

from unabridged.cli.commands.bench_condense import condense_command
from unabridged.cli.commands.bench_emotion import emotion_command
from unabridged.cli.commands.bench_facts import facts_command
from unabridged.cli.commands.bench_histories import histories_command
from unabridged.cli.commands.bench_intent import intent_command
from unabridged.cli.commands.bench_peers import peers_command
from unabridged.cli.commands.bench_proxy import proxy_command
from unabridged.cli.commands.bench_recall import (
    INTERRUPTED,
    locomo_command,
    longmemeval_command,
    pooled_command,
    teller,
)
from unabridged.cli.commands.bench_seeds import seeds_command
from unabridged.cli.commands.bench_stores import stores_command
from unabridged.cli.options import Invocation, common, example, invoked
from unabridged.cli.output import echo
from unabridged.cli.reported import show


@click.group("bench", epilog=example("unabridged bench core", "unabridged bench core --json"))
def command() -> None:
    """Measure this installation."""


for each in (
    longmemeval_command,
    pooled_command,
    locomo_command,
    condense_command,
    intent_command,
    facts_command,
    emotion_command,
    histories_command,
    stores_command,
    peers_command,
    proxy_command,
    seeds_command,
):
    command.add_command(each)


@command.command(
    "core",
    epilog=example(
        "unabridged bench core --size 100 --size 10000",
        "unabridged bench core --data ../shared/data/longmemeval --json > figures.json",
    ),
)
@click.option(
    "--size",
    "sizes",
    multiple=True,
    type=click.IntRange(1),
    help="Measure at so many stored exchanges; repeatable.",
)
@click.option(
    "--data", metavar="FOLDER", help="LongMemEval's questions and sessions, to measure coverage."
)
@common("json")
@invoked
def core_command(invocation: Invocation, sizes: tuple[int, ...], data: str | None) -> None:
    """Measure storing, preparing and counting, beside a bare baseline.

    It works in folders of its own and leaves nothing behind.
    """
    core = importlib.import_module("unabridged.evals.core")
    chosen: dict[str, Any] = {"sizes": sizes} if sizes else {}
    show(invocation, core.run(progress=teller(quiet=invocation.json), data=data, **chosen))


@command.command(
    "scale",
    epilog=example(
        "unabridged bench scale --size 10000 --size 100000",
        "unabridged bench scale --json > scale.json",
    ),
)
@click.option(
    "--size",
    "sizes",
    multiple=True,
    type=click.IntRange(100),
    help="Measure at so many stored exchanges; repeatable.",
)
@common("json")
@invoked
def scale_command(invocation: Invocation, sizes: tuple[int, ...]) -> None:
    """Measure search, prepare, record, import and memory in large stores, on one core.

    Without --size at 10,000, 100,000 and 1,000,000 exchanges as long as LoCoMo's, which takes some
    minutes and 2 GB in the folder for temporary files. Interrupted, it shows what it has.
    """
    scale = importlib.import_module("unabridged.evals.scale")
    chosen: dict[str, Any] = {"sizes": sizes} if sizes else {}
    report = scale.run(progress=teller(quiet=invocation.json), **chosen)
    show(invocation, report)
    if "interrupted" in report.machine:
        echo("Interrupted: these are the figures until then.", "warn", err=True)
        raise click.exceptions.Exit(INTERRUPTED)
