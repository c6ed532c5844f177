"""What the README says is true: its commands parse, its Python runs, its links lead somewhere."""

import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest

from unabridged.cli.main import cli

CHECKOUT = Path(__file__).parents[2]
README = (CHECKOUT / "README.md").read_text("utf-8")
PAGES = [CHECKOUT / "README.md", CHECKOUT / "AGENTS.md", *(CHECKOUT / "docs").rglob("*.md")]


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def commands() -> list[list[str]]:
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    lines += [f"unabridged {rest}" for rest in re.findall(r"`unabridged ([^`]+)`", README)]
    split = [shlex.split(line, comments=True) for line in lines]
    return [words[1:] for words in split if words and words[0] == "unabridged"]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_parses(words):
    context = click.Context(cli, info_name="unabridged")
    command: click.Command = cli
    while isinstance(command, click.Group) and not _works_alone(command, words):
        name, command, words = command.resolve_command(context, words)
        assert command is not None
        context = click.Context(command, info_name=name, parent=context)
    command.make_parser(context).parse_args(list(words))


def _works_alone(group: click.Group, words: list[str]) -> bool:
    """Whether a group does something by itself with what stands behind it."""
    return group.invoke_without_command and (not words or words[0].startswith("-"))


def test_the_make_targets_are_there():
    makefile = (CHECKOUT / "Makefile").read_text("utf-8")
    for target in re.findall(r"`?make (\w+)", README):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_python_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("UNABRIDGED_UPSTREAM", "quote")
    monkeypatch.chdir(tmp_path)
    for code in blocks("python"):
        exec(code, {"your_client": lambda messages: f"{len(messages)} messages"})
    shown = capsys.readouterr().out
    assert "'window'" not in shown
    assert "'answer':" in shown
    assert "Porto in May My hotel is in the Rua das Flores." in shown
    exported = (tmp_path / "everything.jsonl").read_text("utf-8")
    assert "Rua das Flores" in exported
    assert "swordfish" not in exported


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_every_extra_is_named():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    for extra in project["optional-dependencies"]:
        assert f"`{extra}`" in README
