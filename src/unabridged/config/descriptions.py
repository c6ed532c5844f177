"""What each setting means, in the words of ``Settings`` itself."""

import inspect
import re
from functools import cache

from unabridged.domain.settings import Settings

_SETTING = re.compile(r"^    (\w+): (.+?)(?=^    \w+: |\Z)", re.MULTILINE | re.DOTALL)


@cache
def meanings() -> dict[str, str]:
    """Return every setting's meaning by name; empty without docstrings (python -OO)."""
    told = (inspect.getdoc(Settings) or "").partition("Attributes:")[2]
    return {name: " ".join(text.split()) for name, text in _SETTING.findall(told)}
