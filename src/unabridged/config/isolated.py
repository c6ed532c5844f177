"""Settings that ignore the user's environment, for the tour."""

import os
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path

from unabridged.config import PREFIX

_OTHERS = ("OLLAMA_HOST", "OPENAI_API_KEY", "ANTHROPIC_API_KEY")
"""Foreign variables that settings are read from."""


@contextmanager
def alone(
    home: Path,
    environ: MutableMapping[str, str] = os.environ,  # noqa: TID251 - this package may
    **settings: str,
) -> Iterator[None]:
    """Hide every variable of a setting and set some, within the block."""
    hidden = [name for name in environ if name.startswith(PREFIX) or name in _OTHERS]
    before = {name: environ.pop(name) for name in hidden}
    told = {f"{PREFIX}{name.upper()}": value for name, value in settings.items()}
    told[f"{PREFIX}HOME"] = str(home)
    environ.update(told)
    try:
        yield
    finally:
        for name in told:
            environ.pop(name, None)
        environ.update(before)
