"""Settings by agent: what a server needs, where each request may name another agent."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from unabridged import config
from unabridged.domain.settings import Settings


@dataclass(frozen=True, slots=True)
class ByAgent:
    """Settings for every agent.

    Attributes:
        common: For an agent without settings of its own.
        own: By name, for those that have a table in the settings file.
    """

    common: Settings
    own: Mapping[str, Settings]

    def of(self, agent: str) -> Settings:
        """Give the settings of an agent."""
        return self.own.get(agent) or replace(self.common, agent=agent)


def by_agent(
    *,
    home: str | os.PathLike[str] | None = None,
    environ: Mapping[str, str] | None = None,
    **overrides: Any,
) -> ByAgent:
    """Read the settings of every agent; arguments as ``config.load``, None for this environment.

    Raises:
        SettingError: A name is unknown or a value cannot be used, for any agent.
    """
    overrides.pop("agent", None)
    given = {} if environ is None else {"environ": environ}

    def of(agent: str) -> Settings:
        return config.load(home=home, agent=agent, **given, **overrides)

    path = config.file_of(config.home_of(home, **given))
    tables = config.parse_file(path).get(config.AGENTS)
    named = tables if isinstance(tables, dict) else {}
    unnamed = "any"
    while unnamed in named:
        unnamed += "-"
    common = of(unnamed)  # a file in which `agents` is no table of tables is refused here
    return ByAgent(common, {agent: of(agent) for agent in named})
