"""The table of operations on a memory. REST, the client, MCP and the commands follow it."""

from types import ModuleType
from typing import Any

from unabridged.operations import (
    annotations,
    contexts,
    exchanges,
    facts,
    forgetting,
    maintenance,
    requirements,
    search,
    sessions,
    sharing,
    transfer,
)
from unabridged.operations.operation import Operation


def _of(module: ModuleType) -> list[Operation[Any, Any]]:
    return [each for each in vars(module).values() if isinstance(each, Operation)]


_SUBJECTS = (
    search,
    sessions,
    exchanges,
    contexts,
    facts,
    requirements,
    annotations,
    maintenance,
    forgetting,
    sharing,
    transfer,
)
TABLE: tuple[Operation[Any, Any], ...] = tuple(one for each in _SUBJECTS for one in _of(each))
"""Every operation."""
