"""Names: a class and a file are found by name alone, and the page of the packages is true."""

import ast
import re
from collections import defaultdict
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
SOURCE = CHECKOUT / "src" / "unabridged"
BENCH = CHECKOUT / "bench"
MODULES = [path for path in sorted(SOURCE.rglob("*.py")) if path.name != "__init__.py"]

GERUNDS = {"recording", "forgetting", "sharing", "testing", "embedding"}
"""Subjects; every other module is called after a thing or by a verb."""
SUBJECTS = set(
    """
    annotations anthropic audit clock contexts english exchanges facts forgetting gguf log maintenance
    markdown messages models ollama openai personas pins record requirements responses search sessions
    sharing store text_completion tiers vectors words
    """.split()
)
"""What several layers have a module for: one each for the rules, the routes, the views."""


def test_every_public_class_has_a_name_of_its_own():
    places = defaultdict(list)
    for path in sorted([*SOURCE.rglob("*.py"), *BENCH.rglob("*.py")]):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(CHECKOUT)))
    assert len(places) > 100
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_modules_are_called_after_things_or_by_verbs():
    found = [path for path in MODULES if path.stem.endswith("ing") and path.stem not in GERUNDS]
    packages = [
        path
        for path in SOURCE.rglob("*")
        if path.is_dir() and path.name.endswith("ing") and path.name not in GERUNDS
    ]
    assert [str(path.relative_to(SOURCE)) for path in [*found, *packages]] == []


def test_only_subjects_are_modules_of_several_layers():
    places = defaultdict(list)
    for path in MODULES:
        places[path.stem].append(str(path.relative_to(SOURCE)))
    shared = {name: where for name, where in places.items() if len(where) > 1}
    assert {name: where for name, where in shared.items() if name not in SUBJECTS} == {}
    assert sorted(SUBJECTS - set(shared)) == [], "no longer shared"


def test_the_page_lists_the_layers_of_the_contract():
    contract = (CHECKOUT / ".importlinter").read_text("utf-8")
    listed = contract.partition("layers =\n")[2].partition("exhaustive")[0]
    layers = [{name.strip() for name in line.split("|")} for line in listed.splitlines() if line]
    page = (CHECKOUT / "AGENTS.md").read_text("utf-8")
    table = page.partition("| Layer |")[2].partition("\n\n")[0].splitlines()[2:]
    rows = [set(re.findall(r"`(\w+)`", re.split(r"(?<!\\)\|", row)[1])) for row in table]
    assert [row for row in rows if row != {"profiles"}] == layers
