"""The keys of upstreams in the environment under the names that other programs use."""

from collections.abc import Mapping
from typing import Any


def foreign_keys(
    settled: Mapping[str, tuple[Any, str]], environ: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    """Return the keys that settings lack and the environment has, each with its source.

    Args:
        settled: The settings so far, each with its source.
        environ: The environment.
    """
    named = _value(settled, "upstream")
    found: dict[str, tuple[str, str]] = {}
    for upstream in ("openai", "anthropic"):
        name, variable = f"{upstream}_key", f"{upstream.upper()}_API_KEY"
        wanted = _value(settled, f"{upstream}_url") or named == upstream == "anthropic"
        if wanted and not _value(settled, name) and (key := environ.get(variable)):
            found[name] = (key, f"${variable}")
    return found


def _value(settled: Mapping[str, tuple[Any, str]], name: str) -> Any:
    return settled[name][0] if name in settled else ""
