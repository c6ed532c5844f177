"""What was said in the usual place, for whoever begins under a profile that keeps its own."""

from dataclasses import replace

from unabridged import config
from unabridged.cli.words import count
from unabridged.domain.scope import Scope
from unabridged.domain.settings import Settings
from unabridged.wiring import Home, space_from

_PLACE = ("store", "layout", "isolation", "custom_filepath")
"""The settings that say where memory lies, and how it is divided."""


def elsewhere(settings: Settings) -> str:
    """Say how to carry over what was said without the profile; empty where there is nothing to.

    Args:
        settings: Under the profile, with the model that answers.
    """
    if not settings.profile or settings.store == "memory":
        return ""
    usual = config.load(home=settings.home, profile="")
    usual = replace(usual, user=settings.user, agent=settings.agent, model=settings.model)
    if all(getattr(usual, name) == getattr(settings, name) for name in _PLACE):
        return ""
    if usual.store == "memory":
        return ""
    here, there = (
        space_from(Scope(one.user, one.agent, one.model or None), one) for one in (settings, usual)
    )
    held = next((info for info in Home(usual).spaces() if info.space == there), None)
    if held is None or not held.exchanges:
        return ""
    return (
        f"The profile {settings.profile} keeps its memory apart. {count(held.exchanges, 'exchange')} "
        f"that you had without it can come along: unabridged copy --profile {settings.profile} "
        f"{usual.store}:{there.name} {settings.store}:{here.name}"
    )
