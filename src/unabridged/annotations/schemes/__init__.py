"""Schemes of categories, as data: the verbatim share, examples and cues of each."""

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from unabridged.annotations.schemes.assistant import ASSISTANT
from unabridged.annotations.schemes.build import scheme_from
from unabridged.annotations.schemes.companion import COMPANION
from unabridged.annotations.schemes.story import STORY
from unabridged.domain.annotation import Scheme
from unabridged.errors import SettingError

__all__ = ["DEFAULT", "SCHEMES", "scheme", "scheme_from"]

SCHEMES: Mapping[str, Scheme] = MappingProxyType(
    {each.name: each for each in (ASSISTANT, STORY, COMPANION)}
)
"""Every shipped scheme, by name."""

DEFAULT = ASSISTANT.name
"""The default scheme."""


def scheme(name: str) -> Scheme:
    """Return a scheme by name.

    Raises:
        SettingError: There is none.
    """
    if name in SCHEMES:
        return SCHEMES[name]
    near = difflib.get_close_matches(name.lower(), SCHEMES, 1, 0.5)
    meant = f"Did you mean {near[0]!r}? " if near else ""
    raise SettingError(
        f"There is no scheme {name!r}.", hint=f"{meant}Use one of: {', '.join(SCHEMES)}."
    )
