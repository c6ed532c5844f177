"""What docs/benchmarks.md says can be measured: its commands parse, its rows are the report's."""

import re
import shlex
from pathlib import Path

import click
import pytest

from unabridged.cli.commands.bench_command import command as bench
from unabridged.cli.main import cli
from unabridged.evals import counting, fixed, scale, sized, starting
from unabridged.evals.core import SIZES, run
from unabridged.evals.coverage import BUDGETS
from unabridged.evals.measures import ranked
from unabridged.evals.report import AIMS

PAGE = (Path(__file__).parents[2] / "docs" / "benchmarks.md").read_text("utf-8")
COMMANDS = [
    shlex.split(line)[1:]
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("unabridged ")
]
MEASURES = {*ranked([], {"gold"}), *(f"{m}@{b}" for m in ("coverage", "verbatim") for b in BUDGETS)}
ROWS = re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_parses(words):
    context = click.Context(cli, info_name="unabridged")
    command: click.Command = cli
    while isinstance(command, click.Group):
        name, command, words = command.resolve_command(context, words)
        assert command is not None
        context = click.Context(command, info_name=name, parent=context)
    command.make_parser(context).parse_args(list(words))


def test_every_row_is_one_of_the_report(monkeypatch):
    for count in ("PREPARED", "WRITTEN", "OPENED", "READ", "SPOKEN"):
        monkeypatch.setattr(sized, count, 3)
    monkeypatch.setattr(counting, "CONVERSATIONS", 11)
    monkeypatch.setattr(counting, "COUNTS", 1)
    monkeypatch.setattr(fixed, "TALKS", 1)
    monkeypatch.setattr(fixed, "TALK", 40)
    monkeypatch.setattr(starting, "STARTS", 1)
    names = {row.name.partition(":")[0] for row in run(sizes=[20])}
    # Behind a colon stands what a run may lack: an extra, an intent, a budget of public data.
    names.add("retrieval coverage")
    names |= {*scale.ROWS, *MEASURES}
    assert ROWS
    assert [name for name in ROWS if name.partition(":")[0] not in names] == []


def test_every_target_and_size_is_written_down():
    assert [name for name in AIMS if f"`{name}`" not in PAGE] == []
    assert all(f"{size:,}" in PAGE for size in SIZES)


def test_every_benchmark_is_named():
    assert [name for name in bench.commands if f"unabridged bench {name}" not in PAGE] == []
