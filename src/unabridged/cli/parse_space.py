"""Names of spaces as people write them."""

from collections.abc import Sequence

from unabridged.domain.scope import DEFAULT_ISOLATION, ISOLATION_FIELDS, SpaceId
from unabridged.errors import InputError
from unabridged.wire.ollama import short_name


def parse_space(text: str, isolation: Sequence[str] = DEFAULT_ISOLATION) -> SpaceId:
    """Read the name of a space.

    Args:
        text: The names, separated by slashes.
        isolation: The fields that make a space in the settings.

    Raises:
        InputError: The number of parts does not fit.
    """
    fields = [name for name in ISOLATION_FIELDS if name in isolation]
    parts = text.split("/", max(2, len(fields) - 1))
    if len(parts) != len(fields):
        fields = list(ISOLATION_FIELDS[: len(parts)])
    if (len(parts) < 2 and len(isolation) != 1) or not all(part.strip() for part in parts):
        wanted = "/".join(name.upper() for name in ISOLATION_FIELDS if name in isolation)
        raise InputError(
            f"{text!r} is not the name of a space.",
            hint="Write it USER/AGENT, or USER/AGENT/MODEL"
            + (
                "." if tuple(isolation) == DEFAULT_ISOLATION else f"; with these settings {wanted}."
            ),
        )
    named = dict(zip(fields, parts, strict=True))
    if "model" in named:  # llama3 and llama3:latest are one
        named["model"] = short_name(named["model"])
    return SpaceId(**{"user": "", "agent": "", **named})
