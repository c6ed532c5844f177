"""The length of the window and its source; it is never raised silently."""

from collections.abc import Mapping
from dataclasses import dataclass

from unabridged.domain.chat import Abilities

USUAL_WINDOW = 16_384
"""The longest window that is chosen by default: a model's trained length may need more memory than
the machine has."""
LEAST_WINDOW = 512
"""The shortest window that fits a conversation."""
MAX_PROMPT_TOKENS = 16_384
"""Tokens of one prompt by default."""
MAX_PROMPT_BY_PROVIDER: Mapping[str, int] = {"gguf": 2_000}
"""Providers that are slow on long prompts: the embedded model reads a few hundred tokens a second
on two cores."""


@dataclass(frozen=True, slots=True)
class Window:
    """A window's length.

    Attributes:
        tokens: Tokens that prompt and answer may take together.
        origin: Its source: ``client``, ``setting``, ``loaded``, ``trained``, ``table`` (of known
            models), ``default``.
        note: A remark for people, or empty.
    """

    tokens: int
    origin: str
    note: str = ""


def window(
    abilities: Abilities, *, client: int | None = None, setting: int | None = None
) -> Window:
    """Return the window: the client's, else the setting's, else the loaded or trained one."""
    asked = client or setting
    trained = abilities.trained_window
    if asked:
        more = trained is not None and asked > trained and abilities.source != "default"
        note = f"the model was trained for {trained:,} tokens only" if more else ""
        return Window(max(asked, LEAST_WINDOW), "client" if client else "setting", note)
    if abilities.loaded_window:
        return Window(abilities.loaded_window, "loaded")
    if trained is None or abilities.source == "default":
        tokens = min(trained or USUAL_WINDOW // 4, USUAL_WINDOW)
        note = f"the context window of this model is unknown; using {tokens:,} tokens. "
        note += "Set it: --set window=N"
        return Window(tokens, "default", note)
    origin = "table" if abilities.source == "table" else "trained"
    return Window(min(trained, USUAL_WINDOW), origin)


def max_prompt_tokens(provider: str, setting: int | None = None) -> int:
    """Return the most tokens of one prompt: the setting, else the provider's default."""
    return setting or MAX_PROMPT_BY_PROVIDER.get(provider, MAX_PROMPT_TOKENS)
