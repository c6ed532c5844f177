"""An extension of Griffe: document ``name = _wrapper(Class.method)`` as that method.

``AsyncMemory`` is made of such lines. Griffe reads source without running it, so it sees attributes.
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


def _modules(module: griffe.Module) -> list[griffe.Module]:
    inside = [each for each in module.modules.values() if not each.is_alias]
    return [module, *(deeper for each in inside for deeper in _modules(each))]


def _replace_in(owner: griffe.Class) -> None:
    for name, attribute in list(owner.attributes.items()):
        wrapped = None if attribute.is_alias else _wrapped_by(attribute)
        if wrapped is None:
            continue
        method = griffe.Function(
            name,
            lineno=attribute.lineno,
            endlineno=attribute.endlineno,
            parameters=wrapped.parameters,
            returns=wrapped.returns,
            docstring=wrapped.docstring,
            parent=owner,
        )
        method.labels.add("async")
        owner.set_member(name, method)


def _wrapped_by(attribute: griffe.Attribute) -> griffe.Function | None:
    value = attribute.value
    if not isinstance(value, griffe.ExprCall) or len(value.arguments) != 1:
        return None
    if not str(value.function).startswith("_"):
        return None
    try:
        found = attribute.modules_collection[value.arguments[0].canonical_path]
    except (AttributeError, KeyError):
        return None
    return found if isinstance(found, griffe.Function) else None
