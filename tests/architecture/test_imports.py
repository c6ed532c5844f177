"""What a test imports of the package is there, also in the folders that are run apart."""

import ast
import importlib.util
from pathlib import Path

TESTS = Path(__file__).parents[1]


def imported():
    """Yield what is imported of the package: module, name, and where."""
    for path in sorted(TESTS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("unabridged"):
                yield from ((node.module, each.name, path) for each in node.names)


def is_there(module, name):
    try:
        return hasattr(importlib.import_module(module), name) or bool(
            importlib.util.find_spec(f"{module}.{name}")
        )
    except ModuleNotFoundError as error:
        return not (error.name or "").startswith("unabridged")  # else an extra is missing


def test_every_name_that_a_test_imports_is_there():
    missing = [
        f"{path.relative_to(TESTS)}: {module}.{name}"
        for module, name, path in imported()
        if not is_there(module, name)
    ]
    assert missing == []
