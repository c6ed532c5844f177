"""Descriptions and JSON Schemas of parameters and results; how to read parameters from JSON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast, get_type_hints

import msgspec

from unabridged.operations.operation import Operation, Params
from unabridged.wire.json_api.schemas import Schemas, described

Schema = dict[str, Any]
REQUIRED = msgspec.NODEFAULT
_TEXTS = (
    msgspec.inspect.StrType,
    msgspec.inspect.LiteralType,
    msgspec.inspect.EnumType,
    msgspec.inspect.DateTimeType,
    msgspec.inspect.AnyType,
)


def texts_of(params: type[Params]) -> tuple[str, dict[str, str]]:
    """Return the description of parameters, and that of each field, from their docstrings."""
    return described(params)


def subset(
    params: type[Params], names: Iterable[str], defaults: Mapping[str, Any] | None = None
) -> type[Params]:
    """Return a type with some fields of parameters.

    Args:
        params: The parameters.
        names: The fields.
        defaults: Other defaults, by field; ``REQUIRED`` for a field that must be given.
    """
    fields = {each.name: each for each in msgspec.structs.fields(params)}
    hints = get_type_hints(params, include_extras=True)
    other = defaults or {}
    made = msgspec.defstruct(
        params.__name__,
        [
            (
                name,
                hints[name],
                msgspec.field(default=other[name]) if name in other else _default_of(fields[name]),
            )
            for name in names
        ],
        bases=(Params,),
        kw_only=True,
    )
    return cast("type[Params]", made)


def schemas_of(
    models: Sequence[tuple[type[Params], type[Params]]], place: str = "#/components/schemas/"
) -> dict[str, Schema]:
    """Return the JSON Schemas of parameters by name, with those of the types that they hold.

    Args:
        models: Pairs of a type and the type whose docstring describes its fields. The first may be
            a subset of the second.
        place: The place of the schemas in the document: a reference is this and a name.
    """
    kinds = [model for model, _ in models]
    _, drawn = msgspec.json.schema_components(kinds, ref_template=f"{place}{{name}}")
    made = {name: _tidied(schema) for name, schema in drawn.items()}
    told_by = _classes(kinds) | {model.__name__: named for model, named in models}
    for name, kind in told_by.items():
        made[name]["description"], fields = described(kind)
        for field, about in fields.items():
            if field in made[name]["properties"]:
                made[name]["properties"][field]["description"] = about
    return made


def result_schema(operation: Operation[Any, Any], schemas: Schemas) -> Schema:
    """Return the JSON Schema of what an operation returns.

    Args:
        operation: The operation.
        schemas: Collects the schemas of the types that the result holds.
    """
    made = schemas.of(operation.result)
    if not operation.is_page:
        return made
    return {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": made},
            "next": {
                "type": ["string", "null"],
                "description": "The cursor of the next page; null if this is the last.",
            },
        },
        "required": ["items", "next"],
        "additionalProperties": False,
    }


def read(model: type[Params], given: Mapping[str, Any]) -> dict[str, Any]:
    """Read parameters that a language model or a person filled in.

    An optional parameter that is null or blank counts as left out. A list, number or truth value
    may be sent as JSON text, since some clients send every value as text.

    Raises:
        ValueError: Something is missing, unknown or of another type.
    """
    fields = {each.name: each for each in msgspec.structs.fields(model)}
    kept: dict[str, Any] = {}
    for name, sent in given.items():
        field = fields.get(name)
        if field is None:
            kept[name] = sent
            continue
        value = sent if _takes(field, *_TEXTS) else _from_json(sent)
        is_blank = value is None or (isinstance(value, str) and not value.strip())
        if is_blank and not field.required:
            continue
        is_null = is_blank and _takes(field, msgspec.inspect.NoneType)
        kept[name] = None if is_null else value
    return msgspec.structs.asdict(msgspec.convert(kept, model))


def fault_of(error: Exception) -> tuple[str, str]:
    """Return the path and the fault that an error of reading parameters names."""
    what, _, where = str(error).partition(" - at `$")
    if what.endswith("matching regex '\\\\S'"):
        what = "It must not be empty"
    return where.rstrip("`"), what


def _from_json(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _takes(field: msgspec.structs.FieldInfo, *kinds: type) -> bool:
    info = msgspec.inspect.type_info(field.type)
    infos = info.types if isinstance(info, msgspec.inspect.UnionType) else (info,)
    return any(isinstance(each, kinds) for each in infos)


def _default_of(field: msgspec.structs.FieldInfo) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return msgspec.field(default_factory=field.default_factory)
    return msgspec.field(default=field.default)


def _classes(models: Sequence[type[Params]]) -> dict[str, type[Params]]:
    found: dict[str, type[Params]] = {}
    waiting: list[Any] = [*msgspec.inspect.multi_type_info(models)]
    while waiting:
        info = waiting.pop()
        if isinstance(info, msgspec.inspect.StructType):
            found[info.cls.__name__] = cast("type[Params]", info.cls)
            waiting += [field.type for field in info.fields]
        waiting += getattr(info, "types", ())
        if hasattr(info, "item_type"):
            waiting.append(info.item_type)
    return found


def _tidied(value: Any) -> Any:
    # A default of null, or an empty list of required fields, repeats that a field is optional.
    if isinstance(value, list):
        return [_tidied(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {
        key: _tidied(each)
        for key, each in value.items()
        if not ((key == "default" and each is None) or (key == "required" and not each))
    }
    if all(isinstance(each, str) for each in kept.get("enum", [None])):
        kept["type"] = "string"
    return kept
