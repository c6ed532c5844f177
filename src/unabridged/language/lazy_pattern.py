"""Regular expressions that are compiled when they are first used."""

import re
from typing import Any, cast


class _LazyPattern:
    # Each method is kept after its first use, so that later calls cost what those of ``re`` cost.

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = self.__dict__.get("_compiled") or re.compile(self._source, self._flags)
        value = getattr(compiled, name)
        self.__dict__ |= {"_compiled": compiled, name: value}
        return value


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return what ``re.compile`` returns, but compile it at the first use of a method.

    For a table at the top of a module: most calls need few of its patterns. A mistake in a pattern
    is raised at its first use too, so each needs a test.
    """
    return cast("re.Pattern[str]", _LazyPattern(source, flags))
