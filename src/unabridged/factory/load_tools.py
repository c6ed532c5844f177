"""Loads tools: Python files and modules, entry points, and two built-in ones."""

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from datetime import datetime
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from unabridged.domain.results import SearchResult
from unabridged.errors import ToolError
from unabridged.space.tools import Tool, check_plain, tool_from

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "unabridged.tools"
"""The entry point group in which packages offer tools."""


def load(spec: str) -> list[Tool]:
    """Load the tools that a setting names.

    Args:
        spec: ``file.py`` (every public function in it), ``file.py:function``,
            ``module:function``, or the name of an entry point.

    Raises:
        ToolError: It cannot be found or loaded, or a function cannot be a tool.
    """
    place, _, name = spec.partition(":")
    if place.endswith(".py"):
        return _from_module(_file_module(Path(place)), name)
    for point in _entry_points():
        if point.name == spec:
            return [_quiet(tool_from(point.load()))]
    if name:
        try:
            return _from_module(importlib.import_module(place), name)
        except ImportError as error:
            raise ToolError(
                f"The tools {spec!r} cannot be loaded: {error}.",
                hint="Check the module's name, and that it is installed.",
            ) from error
    raise ToolError(
        f"No tool is called {spec!r}.",
        hint="Use file.py, file.py:function, module:function, or an entry point's name.",
    )


def _entry_points() -> "Iterable[EntryPoint]":
    from importlib.metadata import entry_points  # noqa: PLC0415 - 10 ms that only tools need

    return entry_points(group=ENTRY_POINTS)


class _Uncached(SourceFileLoader):
    """Reads the current file, and writes no ``__pycache__`` next to it."""

    def path_stats(self, path: str) -> Mapping[str, Any]:  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        """Report an unknown age, so that no bytecode is read or kept."""
        raise OSError(f"the age of {path} does not matter")


def _file_module(path: Path) -> ModuleType:
    if not path.is_file():
        raise ToolError(f"There is no file {path}.", hint="Use the path of a Python file.")
    loader = _Uncached(f"unabridged_tools_{path.stem}", str(path))
    module = ModuleType(loader.name)
    module.__file__ = str(path)
    try:
        loader.exec_module(module)
    except Exception as error:  # foreign code may raise anything
        raise ToolError(
            f"The tools in {path} cannot be loaded: {type(error).__name__}: {error}.",
            hint="Run the file with Python to see where it fails.",
        ) from error
    return module


def _from_module(module: ModuleType, name: str) -> list[Tool]:
    if name:
        function = getattr(module, name, None)
        if not callable(function):
            raise ToolError(f"{module.__name__} has no function {name!r}.", hint="Check its name.")
        return [_quiet(tool_from(function))]
    functions = [
        member
        for key, member in vars(module).items()
        if inspect.isfunction(member)
        and member.__module__ == module.__name__
        and not key.startswith("_")
    ]
    if not functions:
        raise ToolError(
            f"{module.__name__} defines no public function.", hint="Write one with type hints."
        )
    return [_quiet(tool_from(function)) for function in functions]


def _quiet(tool: Tool) -> Tool:
    check_plain(tool)

    def run(arguments: str) -> str:
        with redirect_stdout(sys.stderr):
            return tool.run(arguments)

    return replace(tool, run=run)


def built_in(
    now: Callable[[], datetime], search: Callable[[str, int], Sequence[SearchResult]]
) -> list[Tool]:
    """Return the two built-in tools: the time, and a search of the memory."""

    def current_time() -> str:
        """Give the current date and time."""
        return now().astimezone().strftime("%A, %d %B %Y, %H:%M (%Z)")

    def search_memory(query: str, limit: int = 5) -> list[dict[str, Any]]:
        """Search everything that was said in earlier conversations; gives whole exchanges."""
        return [_shown(found) for found in search(query, max(1, min(limit, 20)))]

    return [tool_from(current_time), tool_from(search_memory)]


def _shown(found: SearchResult) -> dict[str, Any]:
    exchange = found.exchange
    answer = exchange.answer
    return {
        "date": exchange.at.strftime("%Y-%m-%d %H:%M"),
        "user": exchange.user.text,
        "assistant": answer.text if answer else "",
    }


def unique(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    """Check that no two tools have one name.

    Raises:
        ToolError: A name is taken twice.
    """
    named: dict[str, Tool] = {}
    for tool in tools:
        if tool.spec.name in named:
            raise ToolError(
                f"Two tools are called {tool.spec.name!r}.", hint="Rename one of the functions."
            )
        named[tool.spec.name] = tool
    return tuple(named.values())
