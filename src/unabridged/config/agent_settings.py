"""Settings by agent and profile, for servers whose requests have different ones."""

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
        common: The settings of agents without separate ones.
        own: By name, the settings of agents with a table in the settings file.
        under: Reads an agent's settings under the profile of a request.
    """

    common: Settings
    own: Mapping[str, Settings]
    under: Callable[[str, str], Settings] | None = None
    _read: dict[tuple[str, str], Settings] = field(default_factory=dict, compare=False)

    def of(self, agent: str, profile: str = "") -> Settings:
        """Return the settings of an agent, under the profile of a request if that names one.

        Raises:
            SettingError: There is no such profile, or it is not valid.
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
    """Read the settings of every agent; the arguments are those of ``config.load``.

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
    common = of(unnamed)  # a file in which `agents` is not a table of tables is refused here
    return ByAgent(common, {agent: of(agent) for agent in named}, of)
