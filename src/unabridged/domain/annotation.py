"""Annotations: the category, importance and emotion of a message."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

USER = "user"
"""The author of an annotation that a person corrected."""
FILE = "file"
"""The author of an annotation that an imported file gave."""
_NAME_WORD = re.compile(r"[^\W_]+")
_LONGEST_NAME = 64
"""Characters of a category's name."""


def category_name(text: str) -> str:
    """Return the name of a category as schemes write it: lower case with underscores."""
    return "_".join(_NAME_WORD.findall(text.lower()))[:_LONGEST_NAME]


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of content.

    Attributes:
        name: Its name, in lower case with underscores.
        about: What belongs to it, in a line for people and models.
        keep: 0 to 1: the share of its exchanges that stays verbatim.
        importance: 0 to 1: how much a typical message of it matters.
        critical: Whether names in its messages must survive every condensation.
        examples: Short messages of it, from which others are recognised.
        cues: Regular expressions that indicate it, for folded text (lower case, no accents).
        by_user: Whether it usually comes from the user; other roles need stronger evidence.
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
    """The categories of one kind of conversation.

    Attributes:
        about: What kind of conversation it is for, in one line.
        categories: Its categories, the most important first.
        fallback: The name of the category for messages that fit no other.
    """

    name: str
    about: str
    categories: tuple[Category, ...]
    fallback: str

    def category(self, name: str) -> Category:
        """Return a category by name; the fallback for an unknown name."""
        by_name = {category.name: category for category in self.categories}
        return by_name.get(name) or by_name[self.fallback]


@dataclass(frozen=True, slots=True)
class Annotation:
    """The annotation of one message.

    Attributes:
        category: A category of the scheme, or the one that an imported file gave, which the scheme
            may lack; its fallback counts instead.
        importance: 0 to 1: how much it matters.
        valence: 0 (bad) to 1 (good); 0.5 for neither.
        intensity: 0 to 1: how strong the emotion is.
        by: Its author: ``rules`` with a version, ``model:NAME``, ``file`` or ``user``.
        scores: Category to how well it fits, 0 to 1; empty if not computed.
    """

    category: str
    importance: float
    valence: float = 0.5
    intensity: float = 0.0
    by: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stated:
    """What a person or an imported file said of a message; None for what they left open."""

    category: str | None = None
    importance: float | None = None


@dataclass(frozen=True, slots=True)
class ExchangeReading:
    """The annotations of the messages of one exchange.

    Attributes:
        messages: Message id to annotation; messages without text are missing.
    """

    exchange: str
    scheme: str
    messages: Mapping[str, Annotation]

    @property
    def foremost(self) -> Annotation | None:
        """The annotation of the most important message, the first of equals; None without any."""
        return max(self.messages.values(), key=lambda reading: reading.importance, default=None)

    @property
    def importance(self) -> float:
        """0 to 1: the highest of its messages."""
        return self.foremost.importance if self.foremost else 0.0

    @property
    def intensity(self) -> float:
        """0 to 1: the highest of its messages."""
        return max((reading.intensity for reading in self.messages.values()), default=0.0)
