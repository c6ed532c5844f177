"""The system prompts, by mode, as data. A persona takes their place."""

from collections.abc import Mapping
from types import MappingProxyType

from unabridged.domain.budget import Mode

SYSTEM: Mapping[Mode, str] = MappingProxyType(
    {
        Mode.CHAT: "You are a helpful assistant.",
        Mode.TOOLS: (
            "You are a helpful assistant. Call a tool where it helps to answer; "
            "when you have what you need, answer in words."
        ),
    }
)
"""Used where the user gives none."""
