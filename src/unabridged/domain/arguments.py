"""Check what a caller gives to a public method, by the type hints of the method."""

import difflib
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache, wraps
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from unabridged.errors import InputError

Checked = TypeVar("Checked")

_NOT_NEGATIVE = frozenset({"limit", "pages"})
_SHARES = frozenset({"min_relevance"})
_LISTS = (Sequence, Iterable, Collection)
_NO_LISTS = (str, bytes, bytearray, Mapping)
_WORDS: Mapping[Any, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    datetime: "a datetime",
    NoneType: "None",
}


def checks_arguments(kind: type[Checked]) -> type[Checked]:
    """Let the public methods of a class refuse a wrong argument with an ``InputError``.

    A datetime without a time zone is taken as the machine's local time. A value of an enum may be
    given as its text. Hints that say nothing of a type (``Any``, protocols) are not checked.
    """
    for name, member in list(vars(kind).items()):
        if name.startswith("_"):
            continue
        if inspect.isfunction(member):
            setattr(kind, name, _checking(member))
        elif isinstance(member, classmethod):
            setattr(kind, name, classmethod(_checking(member.__func__)))
    return kind


def _checking(method: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(method)
    positional = [
        name
        for name, parameter in list(signature.parameters.items())[1:]
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]

    @cache
    def hints() -> Mapping[str, Any]:
        return _hints_of(method)

    @cache
    def plain() -> Mapping[str, frozenset[Any] | None]:
        return {name: _plain_types(name, hint) for name, hint in hints().items()}

    def is_plain(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        # True for most calls, and ten times as fast as binding them.
        known = plain()
        given = [*zip(positional, args[1:], strict=False), *kwargs.items()]
        taken = ((known.get(name, frozenset()), value) for name, value in given)
        return len(args) - 1 <= len(positional) and all(
            types is None or type(value) in types for types, value in taken
        )

    @wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        if is_plain(args, kwargs):
            return method(*args, **kwargs)
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError:
            return method(*args, **kwargs)  # Python's own error names the method
        for name, value in list(given.arguments.items())[1:]:
            parameter = signature.parameters[name]
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            if parameter.kind is parameter.VAR_POSITIONAL:
                fit = tuple(checked(name, each, hints()[name]) for each in value)
            else:
                fit = checked(name, value, hints()[name])
            given.arguments[name] = fit
        _check_order(given.arguments)
        return method(*given.args, **given.kwargs)

    return call


def _hints_of(method: Callable[..., Any]) -> dict[str, Any]:
    # Of the arguments alone: what a method returns may be imported for type checkers only.
    given = {name: hint for name, hint in method.__annotations__.items() if name != "return"}
    bare = SimpleNamespace(__annotations__=given)
    return get_type_hints(bare, globalns=getattr(inspect.unwrap(method), "__globals__", {}))


def _plain_types(name: str, hint: Any) -> frozenset[Any] | None:
    # The types of which every value is right as it is; None where the hint leaves a value free.
    kinds = _kinds(hint)
    if kinds is None:
        return None
    has_range = name in _NOT_NEGATIVE | _SHARES
    is_named = any(isinstance(kind, type) and issubclass(kind, StrEnum) for kind in kinds)
    unsure = {datetime, *((int, float) if has_range else ()), *((str,) if is_named else ())}
    return frozenset(kind for kind in kinds if get_origin(kind) is None and kind not in unsure)


def checked(name: str, value: Any, hint: Any) -> Any:
    """Return an argument as a method takes it.

    Raises:
        InputError: It has another type, or is out of range.
    """
    kinds = _kinds(hint)
    if kinds is None:
        return value
    if isinstance(value, str) and (named := _named(name, value, kinds)) is not None:
        return named
    if not any(_is_a(value, kind) for kind in kinds):
        wanted = " or ".join(dict.fromkeys(_described(kind) for kind in kinds))
        raise InputError(
            f"{name} cannot be {_shown(value)}: it is of the type {type(value).__name__}.",
            hint=f"Give {wanted}.",
        )
    if isinstance(value, datetime):
        return _zoned(name, value)
    if isinstance(value, str) and not isinstance(value, StrEnum):
        return str.__str__(value)  # a subclass becomes plain text
    return _in_range(name, value)


def _kinds(hint: Any) -> tuple[Any, ...] | None:
    # None where the hint leaves a value free.
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    plain = tuple(kind if get_origin(kind) is None else get_origin(kind) for kind in kinds)
    free = (kind is Any or not isinstance(kind, type) or _is_protocol(kind) for kind in plain)
    return None if any(free) else kinds


def _is_protocol(kind: type) -> bool:
    # One that cannot be checked while the program runs.
    is_checkable = getattr(kind, "_is_runtime_protocol", False)
    return bool(getattr(kind, "_is_protocol", False)) and not is_checkable


def _is_a(value: Any, kind: Any) -> bool:
    plain = get_origin(kind) or kind
    if plain in (int, float):
        wide = (int, float) if plain is float else int
        return isinstance(value, wide) and not isinstance(value, bool)
    if plain in _LISTS:
        is_list = isinstance(value, plain) and not isinstance(value, _NO_LISTS)
        return is_list and _holds(value, get_args(kind))
    return isinstance(value, plain)


def _holds(value: Any, kinds: Sequence[Any]) -> bool:
    # An iterator can be read only once, and items of several forms are read by the method.
    items = _kinds(kinds[0]) if len(kinds) == 1 else None
    if items is None or len(items) > 1 or not isinstance(value, Collection):
        return True
    return all(_is_a(each, items[0]) for each in value)


def _described(kind: Any) -> str:
    plain = get_origin(kind) or kind
    if plain in _LISTS:
        items = [each.__name__ for each in get_args(kind) if isinstance(each, type)]
        of = "texts" if items == ["str"] else f"{items[0]}s" if items else ""
        return f"a list of {of}" if of else "a list"
    return _WORDS.get(plain, f"a {plain.__name__}")


def _shown(value: Any) -> str:
    try:
        line = repr(value)
    except Exception as error:  # noqa: BLE001 - a foreign object's repr; its type is shown too
        line = f"<{type(error).__name__} in repr>"
    return line if len(line) <= 60 else f"{line[:59]}…"


def _named(name: str, value: str, kinds: Sequence[Any]) -> StrEnum | None:
    enums = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, StrEnum)]
    return choice(enums[0], value, name) if enums else None


Choice = TypeVar("Choice", bound=StrEnum)


def choice(kind: type[Choice], value: str, name: str) -> Choice:
    """Return a value of an enum by its text.

    Raises:
        InputError: There is none; the hint names the nearest.
    """
    try:
        return kind(value)
    except ValueError:
        known = [str(one) for one in kind]
        near = difflib.get_close_matches(value, known, 1)
        mean = f"Did you mean {near[0]!r}? " if near else ""
        raise InputError(
            f"{name} cannot be {_shown(value)}.", hint=f"{mean}Give one of {', '.join(known)}."
        ) from None


def _zoned(name: str, value: datetime) -> datetime:
    has_zone = value.tzinfo is not None and value.utcoffset() is not None
    try:
        zoned = value if has_zone else value.astimezone()
        zoned.astimezone(UTC)
    except (OverflowError, ValueError, OSError):
        what = "UTC" if has_zone else "a local time"
        raise InputError(
            f"{name} cannot be {value}: it is outside of what {what} can be.",
            hint="Give a later datetime." if has_zone else "Give a datetime with a time zone.",
        ) from None
    return zoned


def _in_range(name: str, value: Any) -> Any:
    if name in _NOT_NEGATIVE and isinstance(value, int) and value < 0:
        raise InputError(f"{name} cannot be {value}.", hint="Give 0 or more.")
    if name in _SHARES and value is not None and not 0 <= value <= 1:
        raise InputError(f"{name} cannot be {value}.", hint="Give a number from 0 to 1.")
    return value


def _check_order(given: Mapping[str, Any]) -> None:
    since, until = given.get("since"), given.get("until")
    if isinstance(since, datetime) and isinstance(until, datetime) and since > until:
        raise InputError(
            f"since ({since}) is later than until ({until}).", hint="Exchange the two."
        )
