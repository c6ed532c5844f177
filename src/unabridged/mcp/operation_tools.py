"""Tools that follow the table of operations: names, schemas, descriptions, rights and hints."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import msgspec
from mcp.server.mcpserver.tools.base import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, model_validator

from unabridged.domain.permissions import Grant, Right
from unabridged.errors import InputError
from unabridged.mcp.request_context import Ctx, ToolRequests
from unabridged.operations.call import Call
from unabridged.operations.operation import Effect, Operation, Params, Place
from unabridged.operations.parameters import (
    Schema,
    fault_of,
    read,
    result_schema,
    schemas_of,
    subset,
    texts_of,
)
from unabridged.operations.sessions import LAST
from unabridged.space.recalled_text import fenced, text_of
from unabridged.wire.json_api import to_json, to_plain
from unabridged.wire.json_api.schemas import Schemas

ACTION = "action"
"""The parameter of a grouping that chooses the operation."""
_SESSION = "session"
_BY_NAME = " Its title, or its number in `sessions`, works too."
"""What is added to the description of a session: tools also find it by its name."""

Shown = tuple[str, BaseModel | None]
"""A result as text for a model, and as data for a program."""


@dataclass(frozen=True, slots=True)
class Action:
    """One operation of a tool.

    Attributes:
        operation: The operation.
        takes: The parameters that the tool offers; None for all.
        fixed: The values of other parameters.
        about: What it does, if it does only a part of what the operation can do.
    """

    operation: Operation[Any, Any]
    takes: tuple[str, ...] | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that the tool offers."""
        return self.operation.params.__struct_fields__ if self.takes is None else self.takes


@dataclass(frozen=True, slots=True)
class ToolView:
    """How a tool looks; every field may be omitted.

    Attributes:
        title: Its title for people.
        show: Returns the result as text and data. It takes the call, the name of the action, the
            parameters and the result.
        out: The type of the data.
        takes: The parameters that the tool offers; None for all.
        fixed: The values of other parameters.
        defaults: Other defaults, by parameter.
        advice: What a model should know in addition: when to use it.
        actions: Other operations that the tool groups, by the value of its parameter ``action``.
    """

    title: str = ""
    show: Callable[[Call, str, Any, Any], Shown] | None = None
    out: type[BaseModel] | None = None
    takes: tuple[str, ...] | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    advice: str = ""
    actions: Mapping[str, Action] = field(default_factory=dict)


@dataclass(frozen=True)
class OperationTool:
    """A tool over one operation, or over several that a parameter ``action`` chooses from.

    Attributes:
        name: Its name.
        actions: Its operations; the key is empty if there is only one.
        view: How it looks.
    """

    name: str
    actions: Mapping[str, Action]
    view: ToolView

    @property
    def operations(self) -> list[Operation[Any, Any]]:
        """Its operations."""
        return [each.operation for each in self.actions.values()]

    @property
    def rights(self) -> frozenset[Right]:
        """The rights that it needs."""
        return frozenset(each.right for each in self.operations)

    @cached_property
    def model(self) -> type[Params]:
        """The type of its parameters."""
        if "" in self.actions:
            action = self.actions[""]
            return subset(action.operation.params, action.names, self.view.defaults)
        kinds = {
            name: _kind_of(action.operation.params, name)
            for action in self.actions.values()
            for name in action.names
        }
        choice = Literal[tuple(self.actions)]  # type: ignore[valid-type]  # made from the table
        optional = [(name, kind | None, None) for name, kind in kinds.items()]
        return msgspec.defstruct(
            self.name, [(ACTION, choice), *optional], bases=(Params,), kw_only=True
        )  # type: ignore[return-value]  # its base says so

    @property
    def description(self) -> str:
        """What it does, and when to use it."""
        if "" in self.actions:
            about = self.actions[""].operation.about.partition("\n\n")[0]
        else:
            lines = (f"- `{n}`: {a.about or a.operation.about}" for n, a in self.actions.items())
            about = "\n".join((f"{self.view.title or self.name}. Choose an `{ACTION}`:", *lines))
        return f"{about}\n\n{self.view.advice}".strip()

    @property
    def schema(self) -> Schema:
        """The JSON Schema of its parameters."""
        return schema_of(self.model, self.texts)

    @property
    def texts(self) -> dict[str, str]:
        """The description of each parameter."""
        told: dict[str, str] = {}
        for action in self.actions.values():
            texts = texts_of(action.operation.params)[1]
            told = {name: texts[name] for name in action.names if name in texts} | told
        if "" in self.actions:
            return told
        used = {
            name: [key for key, action in self.actions.items() if name in action.names]
            for name in self.model.__struct_fields__
        }
        lines = {
            name: f"{told.get(name, '')} For {', '.join(f'`{key}`' for key in keys)}.".strip()
            for name, keys in used.items()
        }
        return {**lines, ACTION: "What to do."}

    def read(self, given: Mapping[str, Any]) -> tuple[str, Operation[Any, Any], dict[str, Any]]:
        """Return the chosen action, its operation and the values of its parameters.

        Raises:
            InputError: Something is missing, unknown or of another type.
        """
        values = read_given(self.name, self.model, given)
        key = values.pop(ACTION, "") if "" not in self.actions else ""
        action = self.actions[key]
        if key:
            values = {name: value for name, value in values.items() if value is not None}
            self._check(key, action, values)
        return key, action.operation, {**values, **action.fixed}

    def _check(self, key: str, action: Action, values: Mapping[str, Any]) -> None:
        other = sorted(values.keys() - set(action.names))
        if other:
            takes = ", ".join(f"`{name}`" for name in action.names)
            raise InputError(f"`{key}` does not take `{other[0]}`.", hint=f"It takes {takes}.")
        for each in msgspec.structs.fields(action.operation.params):
            if each.required and each.name in action.names and each.name not in values:
                raise InputError(f"`{key}` needs `{each.name}`.", hint=f"Give `{each.name}`.")
        changes = [n for n in action.names if action.operation.place_of(n) is Place.BODY]
        is_change = action.operation.method == "PATCH" and changes
        if is_change and not values.keys() & set(changes):
            either = " or ".join(f"`{name}`" for name in changes)
            raise InputError(f"`{key}` needs {either}.", hint=f"Give {either}.")


def tools_of(
    table: Sequence[Operation[Any, Any]], views: Mapping[str, ToolView]
) -> list[OperationTool]:
    """Return the tools of a table of operations: those with a tool's name, and the groupings.

    Args:
        table: The operations.
        views: How tools look, by name. Tools are listed in this order, then those without a view.
    """
    named = {each.tool: each for each in table if each.tool}
    tools = []
    for name in dict.fromkeys((*views, *named)):
        view = views.get(name, ToolView())
        if view.actions and all(each.operation in table for each in view.actions.values()):
            tools.append(OperationTool(name, view.actions, view))
        elif name in named:
            tools.append(
                OperationTool(name, {"": Action(named[name], view.takes, view.fixed)}, view)
            )
    return tools


def sdk_tool(tool: OperationTool, requests: ToolRequests) -> Tool:
    """Return a tool for the SDK."""

    async def answer(ctx: Ctx, given: Any) -> CallToolResult:
        request = ctx.request_context.request
        tried: list[Operation[Any, Any]] = []

        def check(grant: Grant) -> None:
            for each in tool.operations:
                each.check(grant)

        def work(call: Call) -> CallToolResult:
            key, operation, values = tool.read(given)
            params = operation.params(**with_session(call, values))
            planned = operation.plan(call, params)
            result = operation(planned, params)
            tried.append(operation)
            show = tool.view.show
            return result_of(*(show(planned, key, params, result) if show else _plain(result)))

        creates = any(each.effect is not Effect.READS for each in tool.operations)
        shown = await requests.run(request, work, check=check, creates=creates)
        if any(each.records for each in tried):
            requests.note_recorded(request)
        return shown

    return described_tool(
        Tool.from_function(answer, name=tool.name),
        title=tool.view.title or tool.name.replace("_", " ").capitalize(),
        description=tool.description,
        parameters=tool.schema,
        annotations=hints_of(tool.operations),
        out=tool.view.out or _plain_schema(tool.operations[0]),
    )


class _AnyArguments(ArgModelBase):
    """The arguments of a call as they came; the table of operations describes and checks them."""

    given: dict[str, Any]

    @model_validator(mode="before")
    @classmethod
    def _keep_whole(cls, given: Any) -> Any:
        return {"given": given}


def described_tool(
    tool: Tool,
    *,
    out: type[BaseModel] | Schema,
    **described: Any,
) -> Tool:
    """Return a tool whose parameters the table of operations describes and checks.

    Args:
        tool: The tool; its function takes ``given``, the arguments as they came.
        out: The type of its data, or the JSON Schema of it.
        **described: Its title, description, parameters and annotations.
    """
    kind = {"output_schema": out} if isinstance(out, dict) else {"output_model": out}
    metadata = FuncMetadata(arg_model=_AnyArguments, **kind)
    return tool.model_copy(update={**described, "fn_metadata": metadata})


def hints_of(operations: Sequence[Operation[Any, Any]]) -> ToolAnnotations:
    """Return the hints of a tool: whether it reads, destroys, or may be repeated."""
    effects = {each.effect for each in operations}
    reads = effects == {Effect.READS}
    return ToolAnnotations(
        read_only_hint=reads,
        destructive_hint=None if reads else Effect.DESTROYS in effects,
        idempotent_hint=all(each.is_idempotent for each in operations),
        open_world_hint=False,
    )


def schema_of(model: type[Params], texts: Mapping[str, str]) -> Schema:
    """Return the JSON Schema of a tool's parameters.

    An optional one is not said to take null, which some clients cannot handle; it may be sent.
    """
    schemas = schemas_of([(model, model)], "#/$defs/")
    made = schemas.pop(model.__name__)
    for name, each in made["properties"].items():
        kinds = [kind for kind in each.get("anyOf", ()) if kind != {"type": "null"}]
        if len(kinds) == 1 and name not in made.get("required", ()):
            del each["anyOf"]
            each.update(kinds[0])
        if name in texts:
            each["description"] = texts[name] + (_BY_NAME if name == _SESSION else "")
    kept = {key: made[key] for key in ("type", "properties", "required") if key in made}
    return kept | {"additionalProperties": False} | ({"$defs": schemas} if schemas else {})


def read_given(name: str, model: type[Params], given: Mapping[str, Any]) -> dict[str, Any]:
    """Read the arguments of a tool.

    Raises:
        InputError: Something is missing, unknown or of another type.
    """
    try:
        return read(model, given)
    except ValueError as error:
        where, what = fault_of(error)
        takes = ", ".join(f"`{each}`" for each in model.__struct_fields__) or "nothing"
        raise InputError(
            f"{where.lstrip('.')}: {what}." if where else f"{what}.",
            hint=f"`{name}` takes {takes}.",
        ) from None


def with_session(call: Call, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with the id of the session that they name by id, title or number."""
    wanted = values.get(_SESSION)
    if wanted in {None, LAST, call.scope.session}:
        return dict(values)
    return {**values, _SESSION: call.find_session(wanted).id}


def result_of(text: str, data: BaseModel | dict[str, Any] | None) -> CallToolResult:
    """Return a tool's result: text for a model, and data for a program."""
    plain = data.model_dump(mode="json", by_alias=True) if isinstance(data, BaseModel) else data
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=plain)


def harmless(value: Any) -> Any:
    """Return plain data whose texts cannot close the fence around it."""
    match value:
        case str():
            return text_of(value)
        case dict():
            return {text_of(key): harmless(one) for key, one in value.items()}
        case list() | tuple():
            return [harmless(one) for one in value]
        case _:
            return value


def _plain_schema(operation: Operation[Any, Any]) -> Schema:
    # The schema of the data of an operation that has no view.
    schemas = Schemas("#/$defs/")
    made = result_schema(operation, schemas)
    if "$ref" in made:
        made = schemas.named[made["$ref"].rpartition("/")[2]]
    return {**made, "$defs": schemas.named}


def _plain(result: Any) -> tuple[str, dict[str, Any] | None]:
    # The view of an operation that has none: JSON.
    data = harmless(to_plain(result))
    text = fenced([f"{to_json(data).decode()}\n"])
    return text, data if isinstance(data, dict) else None


def _kind_of(params: type[Params], name: str) -> Any:
    return msgspec.structs.fields(params)[params.__struct_fields__.index(name)].type
