"""Categories: what kind of content a message is, how much it matters, and what it feels like."""

from collections.abc import Mapping
from dataclasses import dataclass, field

USER = "user"
"""Who gave a reading that a person corrected."""


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of content.

    Attributes:
        name: Its name, in small letters and underscores.
        about: What belongs to it, in a line for people and models.
        keep: 0 to 1: the share of its exchanges that stays verbatim.
        importance: 0 to 1: how much a typical message of it matters.
        critical: Whether names in its messages must survive every condensation.
        examples: Short messages of it, by which others are recognised.
        cues: Regular expressions that speak for it, for folded text (small letters, no accents).
        by_user: Whether the user's words make it as a rule; of others it takes more.
    """

    name: str
    about: str
    keep: float
    importance: float
    critical: bool = False
    examples: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()
    by_user: bool = False


@dataclass(frozen=True, slots=True)
class Scheme:
    """The categories of one kind of talk.

    Attributes:
        about: What talk it is for, in a line.
        categories: Its categories, the most important first.
        fallback: The name of the category of what fits none.
    """

    name: str
    about: str
    categories: tuple[Category, ...]
    fallback: str

    def category(self, name: str) -> Category:
        """The category of a name; the fallback for a name that the scheme does not have."""
        by_name = {category.name: category for category in self.categories}
        return by_name.get(name) or by_name[self.fallback]


@dataclass(frozen=True, slots=True)
class Annotation:
    """What one message was judged to be.

    Attributes:
        importance: 0 to 1: how much it matters.
        valence: 0 (bad) to 1 (good); 0.5 for neither.
        intensity: 0 to 1: how strongly it is felt.
        by: Who judged: ``rules`` with a version, ``model:NAME``, or ``user``.
        scores: Category to how well it fits, 0 to 1; empty where nobody weighed them.
    """

    category: str
    importance: float
    valence: float = 0.5
    intensity: float = 0.0
    by: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExchangeReading:
    """What the messages of one exchange were judged to be.

    Attributes:
        messages: The id of a message to its reading; messages without words are missing.
    """

    exchange: str
    scheme: str
    messages: Mapping[str, Annotation]

    @property
    def foremost(self) -> Annotation | None:
        """The reading of the most important message, the first of equals; None without any."""
        return max(self.messages.values(), key=lambda reading: reading.importance, default=None)

    @property
    def importance(self) -> float:
        """0 to 1: the highest of its messages."""
        return self.foremost.importance if self.foremost else 0.0

    @property
    def intensity(self) -> float:
        """0 to 1: the highest of its messages."""
        return max((reading.intensity for reading in self.messages.values()), default=0.0)
