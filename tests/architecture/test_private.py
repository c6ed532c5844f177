"""How often tests look inside of what they test: hardly ever, and less with every step."""

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]
OPENED = TESTS / "opened.py"  # hands out the inside; nobody else should need to

MOST_PRIVATE_NAMES = 39
PUBLIC = {"os._exit"}  # documented, in spite of its name
PATCHES = {"getattr", "setattr", "delattr", "hasattr", "patch"}


def is_private(name):
    return name.startswith("_") and name != "_" and not name.startswith("__")


def is_own(node):
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def named(node):
    """The private names of others that a node of code uses."""
    if isinstance(node, ast.Attribute):
        text = ast.unparse(node)
        return [text] if is_private(node.attr) and not is_own(node.value) | (text in PUBLIC) else []
    if isinstance(node, ast.ImportFrom):
        return [alias.name for alias in node.names if is_private(alias.name)]
    if isinstance(node, ast.Call) and node.args and not is_own(node.args[0]):
        function = (
            node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        )
        texts = [a.value for a in node.args if isinstance(a, ast.Constant)]
        names = [text for text in texts if isinstance(text, str)]
        return [n for n in names if function in PATCHES and is_private(n.rpartition(".")[2])]
    return []


def private_names():
    """Every place in the tests where a private name of another is used."""
    return [
        f"{path.relative_to(TESTS)}:{node.lineno}: {name}"
        for path in sorted(TESTS.rglob("*.py"))
        if path != OPENED
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for name in named(node)
    ]


def test_private_names_of_every_kind_are_found():
    code = (
        "memory._store; self._own; os._exit(0); x.__dict__; patch.setattr(scale, '_rows', rows)\n"
        "patch.setattr('unabridged.transfer.foreign_database._GIVEN_FREE', 1)\nfrom a import _b, c"
    )
    found = [name for node in ast.walk(ast.parse(code)) for name in named(node)]
    assert sorted(found) == [
        "_b",
        "_rows",
        "memory._store",
        "unabridged.transfer.foreign_database._GIVEN_FREE",
    ]


def test_hardly_any_private_name_is_used():
    found = private_names()
    assert len(found) <= MOST_PRIVATE_NAMES, "\n".join(found)
