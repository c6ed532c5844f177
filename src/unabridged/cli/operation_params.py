"""Arguments and options of a command from the parameters of an operation."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, get_args, get_type_hints

import click
from msgspec import NODEFAULT, inspect

from unabridged.cli.parse_moment import DAY
from unabridged.operations.operation import Params
from unabridged.wire.json_api.schemas import described

WORDS = ("text", "category", "query")
"""Parameters that take the remaining words; ``-`` reads standard input."""
_FLAGS: Mapping[str, str] = {"pinned": "--pin", "subject": "--about"}
"""Option names that differ from the names of parameters."""
_TYPES: Mapping[str, click.ParamType[Any]] = {"since": DAY, "until": DAY}
"""Types of parameters that people write in more ways."""


def parameters_of(
    params: type[Params], *, hidden: Collection[str], limit: int | None = None
) -> Iterator[click.Parameter]:
    """Make arguments of required parameters, and options of the others.

    Args:
        params: The parameters of the operation.
        hidden: Parameters that people cannot set.
        limit: The default of ``--limit`` for a list in pages; None for all.
    """
    kind = inspect.type_info(params)
    assert isinstance(kind, inspect.StructType)  # noqa: S101 - parameters are a struct
    fields = [field for field in kind.fields if field.name not in hidden]
    about, hints = described(params)[1], get_type_hints(params)
    if "cursor" in params.__struct_fields__:
        fields = [field for field in fields if field.name not in {"limit", "cursor"}]
        shown: dict[str, Any] = {} if limit is None else {"default": limit, "show_default": True}
        if "limit" not in hidden:
            number = click.IntRange(1)
            yield click.Option(
                ["--limit"], type=number, metavar="N", help="Show at most N.", **shown
            )
    for field in sorted(fields, key=lambda each: each.name in WORDS):
        if field.name in WORDS or field.required:
            many = field.name in WORDS
            metavar = f"{field.name.upper()}{'...' if many else ''}"
            yield click.Argument(
                [field.name],
                nargs=-1 if many else 1,
                required=field.required,
                type=_single(field.type)[0],
                metavar=metavar if field.required else f"[{metavar}]",
            )
    for field in fields:
        if field.name not in WORDS and not field.required:
            order = list(_literals(hints[field.name]))
            yield _option(field, about.get(field.name, "").replace("`", ""), order)


def _literals(hint: Any) -> Iterator[str]:
    # msgspec sorts the values of a choice; people read them in the order of the source.
    for each in get_args(hint):
        if isinstance(each, str):
            yield each
        yield from _literals(each)


def _option(field: inspect.Field, about: str, order: Sequence[str]) -> click.Option:
    flag = _FLAGS.get(field.name, f"--{field.name.replace('_', '-')}")
    kind, is_many = _single(field.type)
    kind = _TYPES.get(field.name, kind)
    if isinstance(kind, click.Choice):
        kind = click.Choice([value for value in order if value in kind.choices])
    near = " Also: today, yesterday, 7d." if kind is DAY else ""
    extra: dict[str, Any] = {"help": about + near}
    if isinstance(_plain(field.type), inspect.BoolType):
        if field.default is None:
            flag = f"{flag}/--no-{flag.removeprefix('--')}"
        return click.Option([flag, field.name], is_flag=True, default=field.default, **extra)
    if field.default not in (None, NODEFAULT, "", ()):
        extra |= {"default": field.default, "show_default": True}
    if not isinstance(kind, click.Choice):
        extra["metavar"] = {click.STRING: "TEXT", DAY: "DAY"}.get(kind, "NUMBER")
    return click.Option([flag, field.name], type=kind, multiple=is_many, **extra)


def _plain(kind: inspect.Type) -> inspect.Type:
    # The type without None.
    if isinstance(kind, inspect.UnionType):
        return next(each for each in kind.types if not isinstance(each, inspect.NoneType))
    return kind


def _single(kind: inspect.Type) -> tuple[click.ParamType[Any], bool]:
    # The type of one value as click knows it, and whether several may be given.
    match _plain(kind):
        case inspect.IntType(ge=low, le=high):
            return (click.IntRange(low, high) if (low, high) != (None, None) else click.INT), False
        case inspect.FloatType(ge=low, le=high):
            return click.FloatRange(low, high), False
        case inspect.LiteralType(values=values):
            return click.Choice([str(value) for value in values if value != ""]), False
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            return _single(item)[0], True
        case _:
            return click.STRING, False
