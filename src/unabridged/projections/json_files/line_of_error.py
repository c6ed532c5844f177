"""The line of a place in a JSON file, so that a person finds what is wrong."""

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # the stubs leave it out

_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[(\d+|\.\.\.)\]")
_PLACE = re.compile(r" - at `(?:key in )?(\$[^`]*)`\Z")
_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(strict=False)


def line_and_reason(text: str, error: Exception) -> tuple[int, str]:
    """Give the line that a complaint of msgspec is about, and what it says.

    Args:
        text: The file.
        error: The complaint; where it names no place the line is 1.
    """
    said = str(error)
    found = _PLACE.search(said)
    if found is None:
        return 1, said
    return line_of(text, found[1]), said[: found.start()]


def line_of(text: str, path: str) -> int:
    """Give the line of a value in valid JSON.

    Args:
        text: The file.
        path: As msgspec writes it: ``$.sessions[3].title``; what leads nowhere is left out.
    """
    at = _after_blanks(text, 0)
    for step in _STEP.finditer(path):
        found = _member(text, at, step[1]) if step[1] else _element(text, at, step[2])
        if found is None:
            break
        at = found
    return text.count("\n", 0, at) + 1


def _member(text: str, at: int, name: str) -> int | None:
    if text[at : at + 1] != "{":
        return None
    at = _after_blanks(text, at + 1)
    while text[at : at + 1] == '"':
        key, at = scanstring(text, at + 1, False)  # noqa: FBT003 - its signature
        at = _after_blanks(text, _after_blanks(text, at) + 1)
        if key == name:
            return at
        at = _after_value(text, at)
    return None


def _element(text: str, at: int, number: str) -> int | None:
    if text[at : at + 1] != "[" or not number.isdigit():
        return None
    at = _after_blanks(text, at + 1)
    for _ in range(int(number)):
        if text[at : at + 1] in ("]", ""):
            return None
        at = _after_value(text, at)
    return at


def _after_value(text: str, at: int) -> int:
    _, at = _DECODER.raw_decode(text, at)
    at = _after_blanks(text, at)
    return _after_blanks(text, at + 1) if text[at : at + 1] == "," else at


def _after_blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
