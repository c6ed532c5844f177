"""Text in cells of a terminal: width, clipping, wrapping, and characters that are not shown."""

import re
import unicodedata
from collections.abc import Iterator

_NARROWED = "\u200d"  # zero width joiner: what follows merges with what precedes
_WIDENED = "\ufe0f"  # variation selector 16: the character before is shown as an emoji
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)  # control characters, overrides of direction, and halves of characters
_TAB = "    "
_UNITS = re.compile(
    r"""\s+
    | (?<=:[ ]) (?:unabridged|ollama|docker|uv|pipx?|[\w./~-]*/(?:pip|python))[ ][^`\n]*$
    | (?:`[^`\n]*`|\S)+""",
    re.VERBOSE,
)
"""What a line is broken between: words, and commands that a person copies."""


def safe(text: str) -> str:
    """Replace the characters that could control a terminal by ``\ufffd``."""
    return _UNSAFE.sub("\ufffd", text.replace("\r\n", "\n").replace("\t", _TAB))


def one_line(text: str) -> str:
    """Return a text as one line that is safe to show."""
    return " ".join(safe(text).split())


def cells(text: str) -> int:
    """Return the width of a text in cells of a terminal (Unicode TR11, TR51)."""
    if text.isascii():
        return len(text)
    return sum(width for _, width in _clusters(text))


def clip(text: str, width: int) -> str:
    """Shorten a text to ``width`` cells, with an ellipsis if something is left out."""
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
    return [line for part in text.split("\n") for line in _wrap_line(part, width, breaks=breaks)]


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
