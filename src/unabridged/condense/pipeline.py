"""The condensers by name; each falls back on the one before."""

from collections.abc import Callable, Sequence

from unabridged.condense.extractive_condenser import ExtractiveCondenser
from unabridged.condense.llm_condenser import LlmCondenser
from unabridged.domain.condensation import CondensationDraft, CondenseSource
from unabridged.errors import SettingError
from unabridged.ports import ChatModel, Condenser

QUOTES = "quote"
"""The provider that only quotes."""


class NoCondenser:
    """Condenses nothing: what does not fit is left out."""

    @property
    def identity(self) -> str:
        return "none"

    def condense(self, sources: Sequence[CondenseSource], limit: int) -> CondensationDraft | None:  # noqa: ARG002 -- the seam
        return None


STRATEGIES = ("none", "extract", "model")


def condenser(name: str, count: Callable[[str], int], model: ChatModel | None = None) -> Condenser:
    """Return a condenser by its name.

    Args:
        name: ``none``, ``extract`` (whole sentences, chosen without a model) or ``model`` (written
            by the model and checked, else ``extract``; without a model that writes, ``extract``).
        count: Counts the tokens of a text.
        model: The model that writes.

    Raises:
        SettingError: There is no condenser of that name.
    """
    if name not in STRATEGIES:
        raise SettingError(
            f"There is no condenser {name!r}.", hint=f"Use one of: {', '.join(STRATEGIES)}."
        )
    if name == "none":
        return NoCondenser()
    extractor = ExtractiveCondenser(count)
    if name == "extract" or model is None or model.provider == QUOTES:
        return extractor
    return LlmCondenser(model, extractor, count)
