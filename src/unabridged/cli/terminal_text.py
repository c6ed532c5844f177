"""Text in cells of a terminal: width, clipping, wrapping, and characters that are not shown.

``Safe`` is the only type that ``output.write`` prints. ``safe`` and ``paint`` make it.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import final

from unabridged.domain.control_characters import without_controls

_NARROWED = "\u200d"  # zero width joiner: what follows merges with what precedes
_WIDENED = "\ufe0f"  # variation selector 16: the character before is shown as an emoji
_TAB = "    "
_UNITS = re.compile(
    r"""\s+
    | (?<=:[ ]) (?:unabridged|ollama|docker|uv|pipx?|[\w./~-]*/(?:pip|python))[ ][^`\n]*$
    | (?:`[^`\n]*`|\S)+""",
    re.VERBOSE,
)
"""What a line is broken between: words, and commands that a person copies."""


@final
class Safe(str):
    """Text that controls a terminal only by the colours that ``paint`` added.

    What is added to it or joined by it is made safe. Other methods of ``str`` return a plain ``str``,
    which is made safe again when it is written: a colour is lost then, and nothing else.
    """

    __slots__ = ()

    def __add__(self, other: str) -> "Safe":  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        return Safe(str.__add__(self, safe(other)))

    def __radd__(self, other: str) -> "Safe":
        return Safe(str.__add__(safe(other), self))

    def __format__(self, form: str) -> str:  # type: ignore[explicit-override]  # as above
        assert "\x1b" not in self, "Join painted text with +: an f-string is not safe."  # noqa: S101 - a slip of ours
        return str.__format__(self, form)

    def join(self, parts: Iterable[str], /) -> "Safe":  # type: ignore[explicit-override]  # as above
        """Return the parts, made safe, with this text between them."""
        return Safe(str.join(self, map(safe, parts)))


def safe(text: str) -> Safe:
    """Replace the characters that could control a terminal by ``\ufffd``."""
    if isinstance(text, Safe):
        return text
    return Safe(without_controls(text).replace("\t", _TAB))


def one_line(text: str) -> Safe:
    """Return a text as one line that is safe to show."""
    return safe(" ".join(safe(text).split()))


def cells(text: str) -> int:
    """Return the width of a text in cells of a terminal (Unicode TR11, TR51)."""
    if text.isascii():
        return len(text)
    return sum(width for _, width in _clusters(text))


def clip(text: str, width: int) -> str:
    """Shorten a text to ``width`` cells, with an ellipsis if something is left out."""
    text = safe(text)
    if cells(text) <= width:
        return text
    kept, used = [], 0
    for cluster, size in _clusters(text):
        if used + size > width - 1:
            break
        kept.append(cluster)
        used += size
    return "".join(kept).rstrip() + "…" if width > 0 else ""


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Fill a text with spaces to ``width`` cells; ``right`` aligns it right."""
    text = safe(text)
    space = " " * max(0, width - cells(text))
    return space + text if right else text + space


def wrap(text: str, width: int, *, breaks: bool = True) -> list[str]:
    """Break a text into lines of at most ``width`` cells, at spaces or between wide characters.

    A command in backticks, or after a colon at the end, stays whole if a line has room for it.

    Args:
        text: The text.
        width: Cells of a line.
        breaks: Whether a word that is wider than a line is broken; a path is not copied then.
    """
    return [
        line for part in safe(text).split("\n") for line in _wrap_line(part, width, breaks=breaks)
    ]


def _wrap_line(text: str, width: int, *, breaks: bool) -> list[str]:
    lines, line, used = [], "", 0
    for word in _units(text, width):
        size = cells(word)
        if used + size <= width:
            line, used = line + word, used + size
        elif word.isspace():
            continue
        elif size == len(word) and (size <= width or not breaks):
            lines += [line.rstrip()] if line.strip() else []
            line, used = word, size
        else:
            for cluster, step in _clusters(word):
                if used + step > width:
                    lines.append(line.rstrip())
                    line, used = "", 0
                line, used = line + cluster, used + step
    return [*lines, line.rstrip()]


def _units(text: str, width: int) -> Iterator[str]:
    for unit in _UNITS.findall(text):
        if cells(unit) <= width:
            yield unit
        else:
            yield from re.findall(r"\s+|\S+", unit)


def _clusters(text: str) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    joined = False
    for char in text:
        size = _cells_of(char)
        if found and (joined or size == 0 or _modifies(found[-1][0], char)):
            whole, width = found[-1]
            width = 2 if char == _WIDENED and width else width
            found[-1] = (whole + char, width)
        else:
            found.append((char, size))
        joined = char == _NARROWED
    return found


def _cells_of(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me", "Cf"} or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} or _is_flag(char) else 1


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _modifies(before: str, char: str) -> bool:
    if "\U0001f3fb" <= char <= "\U0001f3ff":
        return cells(before) == 2
    return _is_flag(char) and len(before) == 1 and _is_flag(before)
