"""The pages name files, and things in them; a stranger must find both."""

import ast
import re
from pathlib import Path

import pytest

from unabridged.domain.settings import Settings

CHECKOUT = Path(__file__).parents[2]
SOURCE = CHECKOUT / "src" / "unabridged"
PAGES = sorted(
    p for p in [CHECKOUT / "README.md", CHECKOUT / "AGENTS.md", *(CHECKOUT / "docs").rglob("*.md")]
)
PATH = re.compile(
    r"`((?:[\w.-]+/)*[\w<>*.-]+\.(?:py|sql|md|toml|sh)|(?:[\w.-]+/)+)`((?: `\w+`(?:, )?)*)"
)
INDEX = (CHECKOUT / "docs" / "adr" / "README.md").read_text("utf-8")
SUPERSEDED = set(re.findall(r"\]\((\S+\.md)\) \|.*\(superseded by \d{4}\)", INDEX))
"""Records that name what was there when they were written."""
NOT_OURS = {"my_tools.py", "file.py", "<name>_command.py", "tests/unit/<room>/"}


def named(page):
    """Paths that a page names, each with the names that stand directly behind it."""
    for path, names in PATH.findall(page.read_text("utf-8")):
        if path not in NOT_OURS and "<" not in path and "*" not in path:
            yield path, re.findall(r"`(\w+)`", names)


def found(path):
    places = [SOURCE / path, CHECKOUT / path, CHECKOUT / "docs" / path]
    exact = [place for place in places if place.exists()]
    return exact or (
        [] if "/" in path else [*SOURCE.rglob(path), *(CHECKOUT / "bench").rglob(path)]
    )


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.name not in SUPERSEDED],
    ids=lambda page: str(page.relative_to(CHECKOUT)),
)
def test_every_path_is_there(page):
    assert [path for path, _ in named(page) if not found(path)] == []


def test_every_name_stands_in_its_file():
    page = CHECKOUT / "docs" / "architecture.md"
    checked = 0
    for path, names in named(page):
        for name in names:
            tree = ast.parse(found(path)[0].read_text("utf-8"))
            defined = {n.name for n in ast.walk(tree) if hasattr(n, "name")}
            assert name in defined, f"{path}: {name}"
            checked += 1
    assert checked > 20


@pytest.mark.parametrize("page", ["promises.md", "threat-model.md"])
def test_every_test_that_a_page_names_is_there(page):
    rows = [
        (path, name)
        for path, names in named(CHECKOUT / "docs" / page)
        for name in names
        if name.startswith("test_")
    ]
    assert len(rows) > 20
    assert [
        (path, name)
        for path, name in rows
        if not re.search(rf"def {name}\b", (CHECKOUT / path).read_text("utf-8"))
    ] == []


def test_every_setting_that_a_page_sets_is_there():
    said = "\n".join(page.read_text("utf-8") for page in PAGES)
    names = set(re.findall(r"config (?:set|get|unset) (\w+)", said)) - {"NAME", "name"}
    names |= {name.lower() for name in re.findall(r"UNABRIDGED_([A-Z_]+)\b", said)} - {"name"}
    assert names
    assert names <= set(Settings.__dataclass_fields__)


def test_every_room_is_in_the_layer_table():
    table = (CHECKOUT / "AGENTS.md").read_text("utf-8").partition("| Layer |")[2]
    rooms = {p.stem for p in SOURCE.iterdir() if p.name[0] != "_" and p.name != "py.typed"}
    assert {room for room in rooms if f"`{room}`" not in table} == set()


def test_every_record_is_in_the_index():
    folder = CHECKOUT / "docs" / "adr"
    index = (folder / "README.md").read_text("utf-8")
    records = [page.name for page in folder.glob("0*.md")]
    assert records
    assert [name for name in records if f"]({name})" not in index] == []
