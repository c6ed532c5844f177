"""The shape of the house that neither ruff nor the import contracts can see."""

import ast
import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
SOURCE = CHECKOUT / "src" / "unabridged"
BENCH = CHECKOUT / "bench"
FILES = sorted([*SOURCE.rglob("*.py"), *BENCH.rglob("*.py")])
TREES = {path: ast.parse(path.read_text("utf-8")) for path in FILES}
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)

MOST_LINES = 600
MOST_LINES_OF_A_FUNCTION = 60
MOST_LINES_OF_A_LIST = 70  # a function that is one call and its documented arguments
MOST_STATEMENTS_OF_THE_FACADE = 15
SQL = re.compile(
    r"\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|WITH|ATTACH)\s+[\w*(]",
    re.IGNORECASE,
)
BARE = {  # the baselines of benchmarks: SQL alone
    BENCH / "core" / "bare_sqlite.py",
    BENCH / "imports" / "import_benchmark.py",
}
OPENING_A_FILE = "SELECT 1 FROM sqlite_schema LIMIT 1"


def place(path, node):
    return f"{path.relative_to(CHECKOUT)}:{node.lineno}"


def nodes(*kinds):
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, kinds):
                yield path, node


def docstrings(tree):
    for node in ast.walk(tree):
        if isinstance(node, (*FUNCTION, ast.ClassDef, ast.Module)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value


def body_lines(function):
    """Lines of a function without its docstring: what has to be held in the head at once."""
    first = function.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    spent = first.end_lineno - first.lineno + 1 if documented else 0
    return function.end_lineno - function.lineno + 1 - spent


def test_there_is_something_to_look_at():
    assert len(FILES) > 100


def test_no_file_is_long():
    lines = {path: path.read_text("utf-8").count("\n") for path in FILES}
    assert {str(p): n for p, n in lines.items() if n > MOST_LINES} == {}


def test_no_function_is_long():
    found = [
        (place(path, node), node.name, node.end_lineno - node.lineno + 1)
        for path, node in nodes(*FUNCTION)
        if body_lines(node) > MOST_LINES_OF_A_FUNCTION
        or node.end_lineno - node.lineno + 1 > MOST_LINES_OF_A_LIST
    ]
    assert found == []


def test_the_facade_is_thin():
    (memory,) = (
        node
        for node in TREES[SOURCE / "memory.py"].body
        if isinstance(node, ast.ClassDef) and node.name == "Memory"
    )
    methods = [node for node in memory.body if isinstance(node, FUNCTION)]
    sizes = {m.name: sum(isinstance(n, ast.stmt) for n in ast.walk(m)) - 1 for m in methods}
    assert sizes["prepare"] > 0
    assert {n: s for n, s in sizes.items() if s > MOST_STATEMENTS_OF_THE_FACADE} == {}


def test_no_failure_is_swallowed_whole():
    """A broad ``except`` raises in every case, or says beside it why it does not."""
    found = []
    for path, handler in nodes(ast.ExceptHandler):
        names = (
            {n.id for n in ast.walk(handler.type) if isinstance(n, ast.Name)}
            if handler.type
            else {""}
        )
        broad = names & {"", "Exception", "BaseException"}
        raises = isinstance(handler.body[-1], ast.Raise)
        line = path.read_text("utf-8").splitlines()[handler.lineno - 1]
        if broad and not raises and not re.search(r"# noqa: BLE001 - \w+", line):
            found.append(place(path, handler))
    assert found == []


def test_every_silenced_rule_has_its_reason():
    silenced = re.compile(r"#\s*(noqa|type: ignore|pragma: no cover)\b(.*)")
    reasoned = re.compile(r"#\s*(noqa: [A-Z0-9, ]+|type: ignore\[[\w, -]+\])\s*(-|#) *\S")
    found = [
        f"{path.relative_to(CHECKOUT)}:{number}"
        for path in FILES
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if silenced.search(line) and not reasoned.search(line)
    ]
    assert found == []


def test_sql_lives_in_sql_files():
    found = []
    for path, tree in TREES.items():
        if path in BARE:
            continue
        prose = {id(node) for node in docstrings(tree)}
        for node in ast.walk(tree):
            text = ""
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = "" if id(node) in prose else node.value
            elif isinstance(node, ast.JoinedStr):
                text = "".join(
                    part.value if isinstance(part, ast.Constant) else "x" for part in node.values
                )
            # Lower-case words are sentences; SQL is written in capitals everywhere in this house.
            if SQL.match(text) and text.split()[0].isupper() and text != OPENING_A_FILE:
                found.append((place(path, node), text))
    assert found == []


def test_every_named_statement_is_used():
    code = "\n".join(path.read_text("utf-8") for path in FILES)
    for file in sorted(SOURCE.rglob("*.sql")):
        for name in re.findall(r"^-- name: *(.+?) *$", file.read_text("utf-8"), re.MULTILINE):
            # Those of the recovery are named by their table: "recover message up".
            named = re.sub(r"recover (\w+) (up|down|one)", r"\1", name)
            assert f'"{named}"' in code, f"{file.name}: {name}"


@pytest.mark.parametrize("module", ["sqlite3", "logging", "requests", "httpx", "litellm"])
def test_nobody_imports(module):
    found = [
        place(path, node)
        for path, node in nodes(ast.Import, ast.ImportFrom)
        if module
        in (
            [alias.name.partition(".")[0] for alias in node.names]
            if isinstance(node, ast.Import)
            else [(node.module or "").partition(".")[0]]
        )
    ]
    assert found == []


def test_nothing_is_left_to_do():
    found = [
        f"{path.relative_to(CHECKOUT)}:{number}"
        for path in [*FILES, *SOURCE.rglob("*.sql")]
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", line)
    ]
    assert found == []


def test_every_folder_is_a_room():
    """A folder of code without ``__init__`` is not in the import contracts."""
    folders = {path.parent for path in FILES}
    assert [str(f) for f in folders if not (f / "__init__.py").exists()] == []


def test_a_name_of_the_benchmarks_is_used_once():
    """Files inside ``bench/``; public classes in the package too."""
    files = [path.name for path in FILES if path.is_relative_to(BENCH)]
    twice = {name for name in files if files.count(name) > 1} - {"__init__.py"}
    assert twice == set()
    classes = [
        (path.is_relative_to(BENCH), node.name)
        for path, node in nodes(ast.ClassDef)
        if not node.name.startswith("_")
    ]
    ours = [name for in_bench, name in classes if in_bench]
    assert ours
    assert {name for name in ours if ours.count(name) > 1} == set()
    assert {name for in_bench, name in classes if not in_bench} & set(ours) == set()
