"""What can be shown of a space: whether anything in it was changed past the program."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChainHead:
    """How far the chain of a space has come.

    Attributes:
        mark: The mark of the key that it is sealed under; empty for none.
        since: When it was sealed from what was there, in ISO 8601; empty where it was from the
            first message on.
        found: Messages that were there then; nothing is shown of what befell them before.
        links: Messages that were ever stored.
        forgotten: Those of them that were forgotten.
        writes: How many writes there were.
        root: The digest that stands for all of them, in hexadecimal digits.
    """

    mark: str = ""
    since: str = ""
    found: int = 0
    links: int = 0
    forgotten: int = 0
    writes: int = 0
    root: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found of one space.

    Attributes:
        space: Its name; its file's where that cannot tell.
        path: Where it lies.
        sealed: How far its chain has come; None where it has none.
        anchored: Whether an anchor outside the home remembers it.
        flaws: What does not fit, in words; empty where everything does.
    """

    space: str
    path: str
    sealed: ChainHead | None
    anchored: bool
    flaws: tuple[str, ...]
