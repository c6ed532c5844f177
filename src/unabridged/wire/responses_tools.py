"""OpenAI's Responses API, the tools of a request, as chat completions have them.

Source of the format: as ``responses``. Pure functions, without any connection.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unabridged.domain.chat import ToolSpec
from unabridged.errors import InputError
from unabridged.language.lazy_pattern import lazy_pattern
from unabridged.wire.incoming_message import Wire
from unabridged.wire.lenient_json import mapping, mappings, text
from unabridged.wire.openai import function_spec

_KIND = lazy_pattern(r"[a-z0-9_]{1,64}")
_RUN_BY_CLIENTS = ("function", "custom")


@dataclass(frozen=True, slots=True)
class OfferedTools:
    """The tools of a request: functions, and kinds that only OpenAI's servers have.

    A custom tool is offered to other servers as a function with one text, and a tool of a namespace
    as a function whose name begins with it.
    """

    functions: tuple[Mapping[str, Any], ...]
    others: tuple[str, ...]
    custom: frozenset[str]
    spaces: Mapping[str, str]

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks for people on tools that are left out."""
        return tuple(
            f"The tool {kind} was left out: this server does not run it." for kind in self.others
        )


def offered_tools(body: Mapping[str, Any]) -> OfferedTools:
    """Read the tools of a request.

    Raises:
        InputError: They are not a list, or one has no type.
    """
    given = body.get("tools") or ()
    if not isinstance(given, (list, tuple)):
        raise InputError("The tools are not a list.")
    functions: list[Mapping[str, Any]] = []
    others: list[str] = []
    custom: set[str] = set()
    spaces: dict[str, str] = {}
    for space, tool in _flat(given):
        kind = tool["type"]
        if kind not in _RUN_BY_CLIENTS:
            if kind not in others:
                others.append(kind)
            continue
        named = {**tool, "name": within(space, text(tool.get("name")))} if space else tool
        if space:
            spaces[named["name"]] = space
        if kind == "custom":
            custom.add(text(named.get("name")))
            named = _as_function(named)
        functions.append(named)
    return OfferedTools(tuple(functions), tuple(others), frozenset(custom), spaces)


def _flat(given: Sequence[Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for place, tool in enumerate(given):
        kind = tool.get("type") if isinstance(tool, Mapping) else None
        if not isinstance(kind, str) or not _KIND.fullmatch(kind):
            raise InputError(f"Tool {place + 1} has no type.", hint="Offer functions.")
        if kind != "namespace":
            yield "", tool
            continue
        for inner in mappings(tool.get("tools")):
            yield text(tool.get("name")), {"type": "function", **inner}


def within(space: str, name: str) -> str:
    """Return the name of a tool of a namespace for servers that have no namespaces."""
    return f"{space}__{name}" if space else name


def _as_function(tool: Mapping[str, Any]) -> Wire:
    form = mapping(tool.get("format"))
    grammar = text(form.get("definition"))
    about = [text(tool.get("description"))]
    if grammar:
        about.append(f"The input follows this {text(form.get('syntax'))} grammar:\n{grammar}")
    parameters = {
        "type": "object",
        "properties": {"input": {"type": "string"}},
        "required": ["input"],
    }
    described = "\n\n".join(part for part in about if part)
    return {"name": tool.get("name"), "description": described, "parameters": parameters}


def chosen_tools(
    body: Mapping[str, Any], tools: tuple[ToolSpec, ...], spaces: Mapping[str, str]
) -> tuple[tuple[ToolSpec, ...], Any]:
    """Return the tools that may be called, and ``tool_choice`` of chat completions.

    Raises:
        InputError: The choice names a tool that only OpenAI's servers have.
    """
    match body.get("tool_choice"):
        case {"type": "function" | "custom", "name": str(name), **rest}:
            named = within(text(rest.get("namespace")), name)
            return tools, {"type": "function", "function": {"name": named}}
        case {"type": "allowed_tools", "mode": str(mode), "tools": list(allowed)}:
            kept = {text(tool.get("name")) for tool in mappings(allowed)}
            return tuple(t for t in tools if {t.name, spaces.get(t.name)} & kept), mode
        case str() | None as choice:
            return tools, choice
        case _:
            raise InputError(
                "The tool_choice names a tool that only OpenAI's own servers have.",
                hint="Use auto, none, required, a function, or allowed_tools.",
            )


def tool_spec(tool: Mapping[str, Any]) -> ToolSpec:
    """Read a function.

    Raises:
        InputError: It has no name.
    """
    match tool:
        case {"name": str(name), **rest}:
            return function_spec(name, rest)
        case _:
            raise InputError("A function has no name.", hint="Name every function.")
