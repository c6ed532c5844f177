"""What the README and the pages for readers say is true: commands parse, Python runs, links lead somewhere."""

import ast
import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest

from unabridged.cli.chat.commands import COMMANDS as CHAT
from unabridged.cli.main import cli
from unabridged.domain.message import ToolCall
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.replies import ScriptedReply

CHECKOUT = Path(__file__).parents[2]
DOCS = CHECKOUT / "docs"
README = (CHECKOUT / "README.md").read_text("utf-8")
PAGES = [CHECKOUT / "README.md", CHECKOUT / "AGENTS.md", *DOCS.rglob("*.md")]
READERS = [
    CHECKOUT / "README.md",
    *sorted(DOCS.glob("*.md")),
    *sorted((DOCS / "start").glob("*.md")),
    *sorted((DOCS / "howto").glob("*.md")),
]
"""Pages whose commands people type; decisions and reports of the past are not among them."""
PATHS = {"/healthz", "/readyz", "/metrics", "/memory", "/mcp"}
"""What begins with a slash and is a path of the server."""
FIGURES = (DOCS / "benchmarks.md").read_text("utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def commands_of(text: str) -> set[str]:
    lines = [line for block in blocks(text, "sh") for line in block.splitlines()]
    lines += [
        line.removeprefix("$ ")
        for block in blocks(text, "console")
        for line in block.splitlines()
        if line.startswith("$ ")
    ]
    lines += re.findall(r"`(unabridged [^`\n]+)`", text)
    return {line.partition(" #")[0].strip() for line in lines if line.startswith("unabridged ")}


COMMANDS = sorted({line for page in READERS for line in commands_of(page.read_text("utf-8"))})


def words_of(line: str) -> list[str]:
    """Return the words of a line without comments, pipes and what a sentence leaves out."""
    words = shlex.split(line, comments=True)[1:]
    return words[: next((n for n, word in enumerate(words) if word in "|<>"), len(words))]


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_parses(line):
    words = [word for word in words_of(line) if "…" not in word]
    context = click.Context(cli, info_name="unabridged")
    command: click.Command = cli
    while isinstance(command, click.Group) and words and not _works_alone(command, words):
        name, command, words = command.resolve_command(context, words)
        assert command is not None
        context = click.Context(command, info_name=name, parent=context)
    if words:
        command.make_parser(context).parse_args(list(words))


def _works_alone(group: click.Group, words: list[str]) -> bool:
    """Whether a group does something by itself with what is after it."""
    return words[0].startswith("-")


def test_every_chat_command_is_there():
    """Commands of the chat are written with a slash, in marks of their own."""
    known = {word for command in CHAT for word in command.name.split()[:1]}
    named = {
        (page.name, name)
        for page in READERS
        for name in re.findall(r"`(/[a-z]+)(?: [^`/]*)?`", page.read_text("utf-8"))
        if name not in PATHS
    }
    assert len(named) > 8
    assert sorted(one for one in named if one[1] not in known) == []


def test_the_readme_has_few_commands_and_the_pages_have_many():
    assert 5 <= len({line.split()[1] for line in commands_of(README)}) <= 8
    assert len(COMMANDS) > 100


def test_the_make_targets_are_there():
    makefile = (CHECKOUT / "Makefile").read_text("utf-8")
    named = {
        name
        for page in READERS
        for name in re.findall(r"(?:^|`)make ([\w-]+)", page.read_text("utf-8"), re.MULTILINE)
    }
    assert named
    assert [name for name in named if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []


def test_the_python_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("UNABRIDGED_UPSTREAM", "quote")
    assert blocks(README, "python")
    for code in blocks(README, "python"):
        exec(code, {"your_client": lambda messages: f"{len(messages)} messages"})


def test_the_python_for_developers_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("UNABRIDGED_UPSTREAM", "quote")
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "start" / "develop.md").read_text("utf-8")
    call = ToolCall("c1", "lucky_number", '{"person": "Ann"}')
    model = OllamaEntry("qwen3:8b", capabilities=("completion", "tools"))
    with OllamaTestServer([ScriptedReply(calls=(call,)), "It is seven."], models=[model]) as ollama:
        monkeypatch.setenv("UNABRIDGED_OLLAMA_URL", ollama.url)
        for code in blocks(page, "python"):
            exec(code, {"your_client": lambda messages: f"{len(messages)} messages"})
        results = [each for each in ollama.requests[-1].body["messages"] if each["role"] == "tool"]
    assert [each["content"] for each in results] == ["7"]
    shown = capsys.readouterr().out
    assert "It is seven." in shown
    assert "'answer':" in shown
    assert "Porto in May My hotel is in the Rua das Flores." in shown
    exported = (tmp_path / "everything.jsonl").read_text("utf-8")
    assert "Rua das Flores" in exported
    assert "swordfish" not in exported


def test_our_side_of_coming_from_runs_and_theirs_is_python(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("UNABRIDGED_UPSTREAM", "quote")
    page = (DOCS / "coming-from.md").read_text("utf-8")
    names = {"client": lambda messages: f"{len(messages)} messages"}
    for code in blocks(page, "python"):
        exec(code, names)
    names["memory"].close()
    assert "I moved to Porto." in capsys.readouterr().out
    theirs = blocks(page, "py")  # ours are marked as `python`
    assert len(theirs) > 8
    for code in theirs:
        ast.parse(code)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", READERS, ids=lambda page: page.name)
def test_every_anchor_is_a_heading(page):
    for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text("utf-8")):
        text = (page.parent / target if target else page).read_text("utf-8")
        headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        slugs = {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}
        assert anchor in slugs, f"{target}#{anchor}"


def test_every_extra_is_named():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    page = (DOCS / "start" / "develop.md").read_text("utf-8")
    assert [each for each in project["optional-dependencies"] if f"| `{each}` |" not in page] == []


def rows_of(text: str, heading: str) -> dict[str, list[str]]:
    """Return the rows of the first table after a heading, by their first cell."""
    table = text.partition(heading)[2].partition("\n| ")[2].partition("\n\n")[0]
    cells = [
        [cell.strip(" *`") for cell in line.strip("| ").split("|")] for line in table.splitlines()
    ]
    return {row[0]: row[1:] for row in cells[1:] if "-" not in row[0]}


def test_the_figures_of_the_readme_are_those_of_the_benchmarks():
    measured = rows_of(FIGURES, "### Compared with other memories")
    shown = rows_of(README, "## How it compares")
    assert len(shown) == 5
    for name, (turns, exchanges, search, stored, size) in shown.items():
        found = measured[name]
        assert [turns, exchanges, stored, size] == [found[0], found[1], found[3], found[5]], name
        assert search == found[2].partition(" / ")[0], name
    ours, langgraph = measured["unabridged"], measured["langgraph"]
    assert float(langgraph[2].split(" / ")[0]) < float(ours[2].split(" / ")[0]), (
        "it searches faster"
    )
    assert 0.2 < float(langgraph[4]) / float(ours[4]) < 0.3, "a quarter of the memory"
    best = max(measured, key=lambda name: float(measured[name][1]))
    assert best == "unabridged"
    assert f"{shown['unabridged'][1]}" in README.partition("| langgraph")[0]


def test_the_readme_repeats_what_was_measured():
    for figure in ("1,972 turns", "510 questions"):
        assert figure in FIGURES
        assert figure in README
    assert "python -m bench peers --data ../shared/data/locomo/locomo4.json" in FIGURES


def test_every_row_of_the_comparison_says_what_it_rests_on():
    page = (DOCS / "coming-from.md").read_text("utf-8")
    table = README.partition("| | Unabridged | mem0")[2].partition("\n\n")[0]
    rows = [line.split("|")[1].strip() for line in table.splitlines()[2:]]
    assert len(rows) > 5
    assert [row for row in rows if f"| {row} |" not in page] == []
