"""Every command of the benchmarks that a page names is there, with its options and values."""

import re
import shlex
from pathlib import Path

import click
import pytest

from bench.main import bench

CHECKOUT = Path(__file__).parents[2]
PAGES = [
    *(CHECKOUT / name for name in ("README.md", "AGENTS.md", "CHANGELOG.md")),
    *(CHECKOUT / "docs").rglob("*.md"),
]
PROGRAM = "python -m bench"


def lines_of(text):
    """Commands in code blocks, which must run as they are."""
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        yield from (line for line in block.splitlines() if line.startswith(f"{PROGRAM} "))


def marks_of(text):
    """Commands in sentences, which may leave values out."""
    yield from re.findall(rf"`({PROGRAM}\b[^`]*)`", text)


TEXTS = [page.read_text("utf-8") for page in PAGES]
LINES = sorted({line for text in TEXTS for line in lines_of(text)})
MARKS = sorted({mark for text in TEXTS for mark in marks_of(text)})


def command_of(words):
    context = click.Context(bench, info_name=PROGRAM)
    name, command, rest = bench.resolve_command(context, words)
    assert command is not None
    return click.Context(command, info_name=name, parent=context), command, rest


def test_pages_name_benchmarks():
    assert len(LINES) > 15
    assert len(MARKS) > 10


@pytest.mark.parametrize("line", LINES)
def test_every_line_to_run_parses(line):
    words = shlex.split(line, comments=True)[3:]
    context, command, rest = command_of(words)
    command.parse_args(context, rest)


@pytest.mark.parametrize("mark", MARKS)
def test_every_command_in_a_sentence_is_there(mark):
    words = shlex.split(mark)[3:]
    if words in ([], ["…"]):
        return
    for name in words[0].split("|"):
        _, command, rest = command_of([name, *words[1:]])
        options = {flag for each in command.params for flag in each.opts}
        assert {word for word in rest if word.startswith("--")} <= options


def test_no_page_names_the_command_that_was_moved():
    assert [str(page) for page, text in zip(PAGES, TEXTS, strict=True)
            if "unabridged bench" in text] == []  # fmt: skip
