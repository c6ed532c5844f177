"""Memory under other profiles, which the current settings do not show."""

from dataclasses import replace

from unabridged import config
from unabridged.cli.format import count
from unabridged.config.profiles import names
from unabridged.domain.scope import ISOLATION_FIELDS, Scope, SpaceId
from unabridged.domain.settings import Settings
from unabridged.errors import SettingError

_PLACE = ("store", "isolation")
"""The settings that decide where memory is stored and how it is divided."""


def elsewhere(settings: Settings) -> str:
    """Return how to copy the memory from without the profile; empty if there is none.

    Args:
        settings: The settings with the profile and the model that answers.
    """
    if not settings.profile or settings.store == "memory":
        return ""
    usual = config.load(home=settings.home, profile="")
    usual = replace(usual, user=settings.user, agent=settings.agent, model=settings.model)
    if all(getattr(usual, name) == getattr(settings, name) for name in _PLACE):
        return ""
    if usual.store == "memory":
        return ""
    from unabridged.factory.home import Home  # noqa: PLC0415 - slow, and help needs none of it
    from unabridged.home.open_spaces import space_from  # noqa: PLC0415 - as above

    here, there = (
        space_from(Scope(one.user, one.agent, one.model or None), one) for one in (settings, usual)
    )
    held = next((info for info in Home(usual).spaces() if info.space == there), None)
    if held is None or not held.exchanges:
        return ""
    return (
        f"The profile {settings.profile} has its own memory. Copy the {count(held.exchanges, 'exchange')} "
        f"from before: unabridged spaces copy --profile {settings.profile} "
        f"{usual.store}:{there.name} {settings.store}:{here.name}"
    )


def under_profiles(settings: Settings) -> str:
    """Return which profiles have memory in this home that these settings do not show."""
    if settings.store == "memory":
        return ""
    from unabridged.factory.home import Home  # noqa: PLC0415 - as above

    seen, spaces = {_place(settings)}, Home(settings).spaces()
    told = []
    for name in names(settings.home):
        try:
            one = config.load(home=settings.home, profile=name)
        except SettingError:
            continue  # an invalid profile has no memory to show
        if _place(one) in seen:
            continue
        seen.add(_place(one))
        if held := sum(1 for info in spaces if info.exchanges and _is_of(info.space, one)):
            told.append(f"{count(held, 'space')}: --profile {name}")
    return f"Other profiles have memory here: {'; '.join(told)}" if told else ""


def _is_of(space: SpaceId | None, settings: Settings) -> bool:
    named = {name for name in ISOLATION_FIELDS if space and getattr(space, name)}
    return named == set(settings.isolation)


def _place(settings: Settings) -> tuple[object, ...]:
    return tuple(getattr(settings, name) for name in _PLACE)
