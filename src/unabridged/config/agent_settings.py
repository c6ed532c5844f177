"""Settings by agent and profile, for a server whose requests differ in both."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from unabridged import config
from unabridged.domain.settings import Settings
from unabridged.errors import SettingError


@dataclass(frozen=True, slots=True)
class ByAgent:
    """Settings for every agent.

    Attributes:
        common: The settings of agents without their own.
        own: The settings by name, for agents with a table in the settings file.
        under: Returns the settings of an agent under a request's profile.
    """

    common: Settings
    own: Mapping[str, Settings]
    under: Callable[[str, str], Settings] | None = None
    _read: dict[tuple[str, str], Settings] = field(default_factory=dict, compare=False)

    def of(self, agent: str, profile: str = "") -> Settings:
        """Return the settings of an agent, under the profile of a request, if any.

        Raises:
            SettingError: The profile does not exist, or has an invalid value.
        """
        if not profile:
            return self.own.get(agent) or replace(self.common, agent=agent)
        if self.under is None:
            raise SettingError(
                f"The profile {profile!r} is not available here.",
                hint="Start the server with settings from a home folder.",
            )
        known = agent if agent in self.own else ""
        if (known, profile) not in self._read:
            self._read[known, profile] = self.under(agent, profile)
        return replace(self._read[known, profile], agent=agent)


def by_agent(
    *,
    home: str | os.PathLike[str] | None = None,
    environ: Mapping[str, str] | None = None,
    **overrides: Any,
) -> ByAgent:
    """Return the settings of all agents; arguments as ``config.load``, None for this environment.

    Raises:
        SettingError: A name is unknown or a value is not valid, for any agent.
    """
    overrides.pop("agent", None)
    given = {} if environ is None else {"environ": environ}

    def of(agent: str, profile: str = "") -> Settings:
        said = {**overrides, "profile": profile} if profile else overrides
        return config.load(home=home, agent=agent, **given, **said)

    path = config.file_of(config.home_of(home, **given))
    tables = config.parse_file(path).get(config.AGENTS)
    named = tables if isinstance(tables, dict) else {}
    unnamed = "any"
    while unnamed in named:
        unnamed += "-"
    common = of(unnamed)  # refuses a file in which `agents` is not a table of tables
    return ByAgent(common, {agent: of(agent) for agent in named}, of)
