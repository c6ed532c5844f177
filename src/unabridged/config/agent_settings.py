"""Settings by agent and profile: what a server needs, where each request may have others."""

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
        common: For an agent without settings of its own.
        own: By name, for those that have a table in the settings file.
        under: Reads what holds for an agent under a profile that a request has.
    """

    common: Settings
    own: Mapping[str, Settings]
    under: Callable[[str, str], Settings] | None = None
    _read: dict[tuple[str, str], Settings] = field(default_factory=dict, compare=False)

    def of(self, agent: str, profile: str = "") -> Settings:
        """Return the settings of an agent, under the profile of a request if that names one.

        Raises:
            SettingError: There is no such profile, or something in it cannot be used.
        """
        if not profile:
            return self.own.get(agent) or replace(self.common, agent=agent)
        if self.under is None:
            raise SettingError(
                f"The profile {profile!r} cannot be had here.",
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
    """Read the settings of every agent; arguments as ``config.load``, None for this environment.

    Raises:
        SettingError: A name is unknown or a value cannot be used, for any agent.
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
    common = of(unnamed)  # a file in which `agents` is not a table of tables is refused here
    return ByAgent(common, {agent: of(agent) for agent in named}, of)
