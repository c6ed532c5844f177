"""Patterns that are compiled when they are first used."""

import gc
import pkgutil
import re
from importlib import import_module

import pytest

import unabridged
from unabridged.language.lazy_pattern import lazy_pattern

EXTRAS = ("unabridged.server", "unabridged.mcp", "unabridged.testing", "unabridged.cli.chat")
"""Packages that need an extra."""


def test_it_does_what_a_compiled_pattern_does() -> None:
    lazy, compiled = lazy_pattern(r"(\w+)@b", re.IGNORECASE), re.compile(r"(\w+)@b", re.IGNORECASE)
    for _ in range(2):
        assert lazy.findall("x@B y@b z@c") == compiled.findall("x@B y@b z@c") == ["x", "y"]
        assert lazy.sub(r"<\1>", "x@b") == compiled.sub(r"<\1>", "x@b") == "<x>"
    assert (lazy.pattern, lazy.flags) == (compiled.pattern, compiled.flags)


def test_a_mistake_is_raised_at_the_first_use() -> None:
    wrong = lazy_pattern("(")
    with pytest.raises(re.error, match="missing"):
        wrong.search("text")


def test_every_pattern_of_the_package_compiles() -> None:
    for module in pkgutil.walk_packages(unabridged.__path__, "unabridged."):
        if not module.name.startswith(EXTRAS):
            import_module(module.name)
    gc.collect()  # the wrong one of the test above
    lazy = type(lazy_pattern(""))
    held = [each for each in gc.get_objects() if type(each) is lazy]
    assert len(held) > 200
    for pattern in held:
        assert pattern.flags & re.UNICODE, pattern.pattern
