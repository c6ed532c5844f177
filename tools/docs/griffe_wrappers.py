"""An extension of Griffe: document methods that are made from others like those.

``AsyncMemory`` has lines ``name = _read(Class.method)``, ``RemoteMemory`` has
``name = called(Class.method, …)`` and ``@like(Class.method)``. Griffe reads source without running
it, so it sees attributes, and functions without a docstring.
"""

from typing import Any

import griffe


class Wrappers(griffe.Extension):
    """Copy signature and docstring of the wrapped method."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Replace the attributes once the whole package is read."""
        for module in _modules(pkg):
            for owner in module.classes.values():
                if not owner.is_alias:
                    _replace_in(owner)
                    _describe_fields(owner)


def _modules(module: griffe.Module) -> list[griffe.Module]:
    inside = [each for each in module.modules.values() if not each.is_alias]
    return [module, *(deeper for each in inside for deeper in _modules(each))]


def _describe_fields(owner: griffe.Class) -> None:
    # Each field gets its line of the section, so that the page has an anchor for it.
    sections = owner.docstring.parse("google") if owner.docstring is not None else []
    for section in sections:
        if section.kind is not griffe.DocstringSectionKind.attributes:
            continue
        for line in section.value:
            field = owner.attributes.get(line.name)
            if field is not None and not field.is_alias and field.docstring is None:
                field.docstring = griffe.Docstring(line.description, parent=field)


_ASYNC = {"_replied": "AsyncReply"}
"""What a wrapper's method returns, if it is not what the wrapped one returns."""


def _replace_in(owner: griffe.Class) -> None:
    for function in owner.functions.values():
        for decorator in function.decorators:
            wrapped = _wrapped_by(function, decorator.value, ("like",))
            if wrapped is not None and function.docstring is None:
                function.docstring = wrapped.docstring
                function.parameters = wrapped.parameters
                function.returns = wrapped.returns
    for name, attribute in list(owner.attributes.items()):
        if attribute.is_alias:
            continue
        wrapped = _wrapped_by(attribute, attribute.value, ("_", "called"))
        if wrapped is None:
            continue
        wrapper = str(attribute.value.function)
        returns = _ASYNC.get(wrapper, wrapped.returns)
        if wrapper == "_iterated":
            returns = f"Async{wrapped.returns}"
        method = griffe.Function(
            name,
            lineno=attribute.lineno,
            endlineno=attribute.endlineno,
            parameters=wrapped.parameters,
            returns=returns,
            docstring=wrapped.docstring,
            parent=owner,
        )
        if wrapper.startswith("_") and wrapper != "_iterated":
            method.labels.add("async")
        owner.set_member(name, method)


def _wrapped_by(owner: griffe.Object, value: Any, wrappers: tuple[str, ...]) -> Any:
    if not isinstance(value, griffe.ExprCall) or not value.arguments:
        return None
    if not str(value.function).startswith(wrappers):
        return None
    try:
        found = owner.modules_collection[value.arguments[0].canonical_path]
    except (AttributeError, KeyError):
        return None
    return found if isinstance(found, griffe.Function) else None
