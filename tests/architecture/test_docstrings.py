"""Public methods have a docstring; a method of a port has it in the port.

``@like(method)`` copies the docstring of that method.
"""

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "unabridged"
TREES = {path: ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))}
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def classes(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def methods(class_):
    return [node for node in class_.body if isinstance(node, FUNCTION)]


PORT_METHODS = {
    method.name
    for path, tree in TREES.items()
    if path.parent == SOURCE / "ports"
    for class_ in classes(tree)
    for method in methods(class_)
}


def protocol_methods(tree):
    return {
        method.name
        for class_ in classes(tree)
        if any(getattr(base, "id", "") == "Protocol" for base in class_.bases)
        for method in methods(class_)
        if ast.get_docstring(method)
    }


def copies(decorator):
    return isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "like"


def undocumented(path, tree):
    """Yield the public methods of public classes that have no docstring and no port."""
    ports = protocol_methods(tree) | (PORT_METHODS if path.parent != SOURCE / "ports" else set())
    for class_ in classes(tree):
        if class_.name.startswith("_"):
            continue
        for method in methods(class_):
            is_told = method.name in ports or any(map(copies, method.decorator_list))
            if not (method.name.startswith("_") or is_told or ast.get_docstring(method)):
                yield f"{path.relative_to(SOURCE)}:{method.lineno} {class_.name}.{method.name}"


def test_ports_are_found():
    assert {"append", "changes", "chat", "embed"} <= PORT_METHODS


def test_every_public_method_has_a_docstring():
    assert [each for path, tree in TREES.items() for each in undocumented(path, tree)] == []


def test_private_functions_have_none():
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, FUNCTION)
        and node.name.startswith("_")
        and not node.name.startswith("__")
        and ast.get_docstring(node)
    ]
    assert found == []
