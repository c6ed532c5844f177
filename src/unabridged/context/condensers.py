"""How one exchange that is too long is shortened, by the name of the condenser.

A prompt never waits for a model: what a model shall write is written by upkeep.
"""

from collections.abc import Mapping
from types import MappingProxyType

from unabridged.context.excerpt import excerpt
from unabridged.context.plan import Condense, nothing
from unabridged.errors import SettingError

CONDENSERS: Mapping[str, Condense] = MappingProxyType(
    {"extract": excerpt, "model": excerpt, "none": nothing}
)
"""Name to function; the setting ``condenser`` chooses."""


def condenser(name: str) -> Condense:
    """Give a condenser by its name.

    Raises:
        SettingError: There is none of that name.
    """
    if name not in CONDENSERS:
        raise SettingError(
            f"There is no condenser {name!r}.", hint=f"Use one of: {', '.join(CONDENSERS)}."
        )
    return CONDENSERS[name]
