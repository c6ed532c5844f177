"""Assembling reads nothing: only what gathers, stores or reads again a context knows the store."""

import ast
from pathlib import Path

import unabridged.context

FOLDER = Path(unabridged.context.__file__).parent
READERS = {
    "earlier_blocks",
    "gather",
    "manifest",
    "neighbors",
    "restore_context",
    "session_path",
    "why",
    "working_folders",
}


def names_from_ports(path):
    tree = ast.parse(path.read_text("utf-8"))
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return {n.name for node in imports if node.module == "unabridged.ports" for n in node.names}


def test_only_readers_know_the_store():
    found = {path.stem for path in FOLDER.glob("*.py") if "Store" in names_from_ports(path)}
    assert found == READERS
