"""Tools: functions with type hints become schemas, and calls become results."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_type_hints

import msgspec

from unabridged.domain.chat import ToolSpec
from unabridged.domain.message import ToolCall, ToolResult
from unabridged.domain.results import SearchResult
from unabridged.errors import InputError, ToolError
from unabridged.wire.openai import tool_spec

SearchMemory = Callable[[str, int], Sequence[SearchResult]]
"""Searches a memory: takes words and a limit, returns results."""
NAME_LENGTH = 64
"""Characters that servers allow in a tool's name."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that can be called.

    Attributes:
        run: Takes the call's arguments as JSON text and returns the result as text.
        is_async: Whether its result must be awaited; such a tool can be described, not run.
    """

    spec: ToolSpec
    run: Callable[[str], str]
    is_async: bool = False


def tool_from(function: Callable[..., Any]) -> Tool:
    """Make a tool from a function: its name, docstring and type hints become the schema.

    Raises:
        ToolError: A parameter has no type hint or one that JSON cannot carry, or takes ``*args``.
    """
    if inspect.isclass(function):
        raise ToolError(
            f"The class {function.__name__} cannot be a tool.", hint="Give a function or a method."
        )
    name = getattr(function, "__name__", "")
    if not isinstance(name, str) or not name.isidentifier() or len(name) > NAME_LENGTH:
        raise ToolError(
            f"The tool {name!r} has no usable name.",
            hint="Use a function with a plain name of at most 64 characters.",
        )
    arguments = _arguments_type(name, function)
    schema = _schema(name, arguments)
    description = inspect.getdoc(function) or name.replace("_", " ")

    def run(text: str) -> str:
        values = msgspec.json.decode(text or "{}", type=arguments)
        fields = msgspec.structs.asdict(values)
        return _as_text(function(**fields))

    is_async = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
    return Tool(ToolSpec(name, description, schema), run, is_async)


Offered = Callable[..., Any] | Mapping[str, Any] | ToolSpec | Tool
"""A function with type hints, an OpenAI-style dict, a description or a tool."""


def as_tool(given: Offered) -> ToolSpec | Tool:
    """Return a tool, or the description of one, in whatever form it is given.

    Raises:
        ToolError: It cannot be a tool.
    """
    if isinstance(given, ToolSpec | Tool):
        return given
    if callable(given):
        return tool_from(given)
    try:
        return tool_spec(given)
    except (InputError, TypeError, ValueError) as error:
        raise ToolError(
            f"A value of the type {type(given).__name__} is not a tool.",
            hint="Use a function with type hints, or an OpenAI-style tool definition.",
        ) from error


def as_tools(given: Sequence[Offered]) -> list[ToolSpec | Tool]:
    """Return several tools, or their descriptions.

    Raises:
        ToolError: One cannot be a tool, or two have the same name.
    """
    tools = [as_tool(one) for one in given]
    names = [tool.spec.name if isinstance(tool, Tool) else tool.name for tool in tools]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ToolError(f"Two tools are called {twice[0]!r}.", hint="Give each its own name.")
    return tools


def check_plain(tool: ToolSpec | Tool) -> None:
    """Refuse a tool that would have to be awaited.

    Raises:
        ToolError: It is an ``async def`` function.
    """
    if isinstance(tool, Tool) and tool.is_async:
        raise ToolError(
            f"The tool {tool.spec.name} is an async function: it would never be awaited.",
            hint="Give a plain function; tools run in a thread. To await something in it: "
            "asyncio.run_coroutine_threadsafe(work(), loop).result().",
        )


def _arguments_type(name: str, function: Callable[..., Any]) -> type[msgspec.Struct]:
    try:
        hints = get_type_hints(function)
        parameters = inspect.signature(function).parameters
    except (NameError, TypeError, ValueError) as error:
        raise ToolError(
            f"The tool {name} has a type hint that cannot be resolved: {error}.",
            hint="Use a Python function with types that its module imports.",
        ) from error
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    for parameter in parameters.values():
        if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}:
            raise ToolError(
                f"The tool {name} takes {parameter}.", hint="Name every parameter; no * or **."
            )
        if parameter.name not in hints:
            raise ToolError(
                f"The parameter {parameter.name!r} of the tool {name} has no type hint.",
                hint=f"Write for example {parameter.name}: str.",
            )
        hint = hints[parameter.name]
        if parameter.default is parameter.empty:
            fields.append((parameter.name, hint))
        else:
            fields.append((parameter.name, hint, parameter.default))
    return msgspec.defstruct(name, fields, kw_only=True, forbid_unknown_fields=True)


def _schema(name: str, arguments: type[msgspec.Struct]) -> Mapping[str, Any]:
    try:
        (schema,), definitions = msgspec.json.schema_components([arguments])
    except TypeError as error:
        raise ToolError(
            f"The tool {name} has a parameter that JSON cannot carry: {error}.",
            hint="Use str, int, float, bool, lists, dicts, literals, enums or dataclasses.",
        ) from error
    own = dict(definitions.pop(name, schema))
    own.pop("title", None)
    own.pop("additionalProperties", None)
    if definitions:
        own["$defs"] = definitions
    return own


def _as_text(value: Any) -> str:
    # A result as text: text as it is, all else as JSON.
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def call_tool(tools: Sequence[Tool], call: ToolCall) -> ToolResult:
    """Run a call; a failure becomes a result that the model can read."""
    tool = next((t for t in tools if t.spec.name == call.name), None)
    if tool is None:
        known = ", ".join(t.spec.name for t in tools) or "none"
        text = f"There is no tool {call.name!r}. Known: {known}."
        return ToolResult(call.id, call.name, text, failed=True)
    try:
        return ToolResult(call.id, call.name, tool.run(call.arguments))
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        text = f"The arguments do not fit: {error}."
        return ToolResult(call.id, call.name, text, failed=True)
    except Exception as error:  # noqa: BLE001 - a tool is foreign code; whatever it raises is its result
        text = f"{type(error).__name__}: {error}"
        return ToolResult(call.id, call.name, text, failed=True)
