"""Remove imitations: text from memory that could be read as our markup or a model template's.

Four kinds are found, and one character of each is replaced by one that nothing reads as markup:

- the recall block's tags, as a person, a model or a program that folds Unicode would read them:
  full-width and other brackets, characters without width, combining marks, letters that look the
  same, letters that are spaced out;
- control tokens of chat templates: ``<|im_start|>`` and all of that form, ``<turn|>``, ``[|user|]``,
  ``<start_of_turn>``, ``[INST]``, ``]~b]``. Model servers read them in a message's text too, since
  they tokenise the filled template as one text (llama.cpp: ``parse_special``);
- tags that name a role, such as ``<system>``;
- roles at the beginning of a line, such as ``Human:``, from templates without control tokens.

``turn_markers`` has the tables. Text behind an escape, such as ``&lt;/recalled>``, is no markup.
"""

import re
from collections.abc import Callable
from unicodedata import category, normalize

from unabridged.context.turn_markers import (
    ANGLE_NAMES,
    CLOSERS,
    FILLERS,
    HEADINGS,
    LOOKALIKES,
    NUMBERED,
    OPENERS,
    PIPES,
    ROLE_NAMES,
    ROLES,
    SLASHES,
    SQUARE_NAMES,
    SUB_WORDS,
)
from unabridged.language.lazy_pattern import lazy_pattern

ANGLE, SQUARE, CLOSING_SQUARE, COLON = "\u2039", "\u2045", "\u2046", "\u2236"
"""What replaces a bracket or a colon; it looks similar, and Unicode folds it to nothing else."""
_ANGLES = frozenset("<\u226e\uff1c\ufe64")
"""What opens a token for a program: those that NFKC maps to one, and U+226E, which contains one."""
_STRANGE = r"[^\x21-\x7e]"
_BRACKET = lazy_pattern(f"[{re.escape(OPENERS)}]")
_FENCE_AT = lazy_pattern(rf"[{re.escape(OPENERS)}](?=[\s/\\!?]*(?:[rR]|{_STRANGE}))")
_MARKUP_AT = lazy_pattern(rf"[{re.escape(OPENERS)}](?=[\s/\\!?]*(?:[\w|]|{_STRANGE}))")
_SQUARE_AT = lazy_pattern(rf"[\[\uff3b](?=[\s/\\]*(?:[A-Za-z|]|{_STRANGE}))")
_CLOSING_AT = lazy_pattern(r"[\]\uff3d](?=\W{0,8}[~\uff5e\u223c])")
_BREAKS = "\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
_COLON_AT = lazy_pattern(f"(?:^|[{_BREAKS}])([^{_BREAKS}:\uff1a\ufe55]{{1,40}})[:\uff1a\ufe55]")
"""Places that are worth a look: most others begin nothing."""

_GAP = r"[\W_]{0,3}?"
_LETTERS = ("r", "[e3]", "c", "[a@4]", "[l1i|]", "[l1i|]", "[e3]", "d")
_FENCE = lazy_pattern(
    rf"[\s/!?]*(?:{''.join(_LETTERS)}"
    rf"|r(?P<gap>[\W_]{{1,3}}){'(?P=gap)'.join(_LETTERS[1:])}"
    rf"|(?<=/){_GAP}{_GAP.join(_LETTERS)}\s*>)"
)
_NAMED = r"[\w:/.-]{1,40}?"
_TOKEN = lazy_pattern(r"\|/*\w")
_CLOSED_TOKEN = lazy_pattern(rf"\s*(?:\|\s*{_NAMED}\s*\|?|{_NAMED}\s*\|)\s*>")
_NAME = lazy_pattern(r"[\s/!?]*([\w:-](?:\s*[_:]\s*|[^\W_]|-){0,40})([\s/!?]*>|\s[^<>]{0,80}=)?")
_NUMBERED = lazy_pattern(NUMBERED)
_SQUARE_TOKEN = lazy_pattern(rf"\s*(?:\|\s*{_NAMED}\s*\|\s*\]|e\s*~\s*[\[\]])")
_SQUARE_NAME = lazy_pattern(r"[\s/]*(\w(?:\s*_\s*|[^\W_]){0,30})[\s/]*\]")
_SQUARE_NUMBER = lazy_pattern(r"(?:UNUSED_TOKEN|control)_\d+")
_CLOSING_TOKEN = lazy_pattern(r"\s*~\s*(?:b\s*\]|!\s*b\s*\[)")
_ROLE_LINE = lazy_pattern(rf"[\s*_>-]*(?:(?:{ROLES})|#+\s*(?:{HEADINGS}))[\s*_]*")
_LOUD = lazy_pattern(r"(?<=\s)(?:USER|ASSISTANT|SYSTEM|HUMAN)(?=:)")
"""A role in the middle of a line, as Vicuna's template has it."""
_LONGEST = 130
"""Characters after a bracket that are compared."""


def has_brackets(text: str) -> bool:
    """Return whether a text contains anything that could begin a tag; fast."""
    return "<" in text if text.isascii() else _BRACKET.search(text) is not None


def without_fences(text: str) -> str:
    """Neutralise imitations of the recall block; return other text unchanged."""
    return _replaced(text, _FENCE_AT, ANGLE, lambda _, after: _is_fence(after))


def without_markup(text: str, *, begins_line: bool = True) -> str:
    """Neutralise imitations of the recall block, of control tokens, of role tags and of turns.

    Args:
        text: The text.
        begins_line: Whether it is put at the beginning of a line, where a role would be.
    """
    if has_brackets(text):
        text = _replaced(text, _MARKUP_AT, ANGLE, _is_markup)
    text = _replaced(text, _SQUARE_AT, SQUARE, lambda _, after: _is_square(after))
    text = _replaced(
        text, _CLOSING_AT, CLOSING_SQUARE, lambda _, after: _begins(_CLOSING_TOKEN, after.lower())
    )
    return _without_roles(text, 0 if begins_line else 1)


def _replaced(
    text: str, places: re.Pattern[str], harmless: str, wanted: Callable[[str, str], bool]
) -> str:
    found = [m.start() for m in places.finditer(text) if wanted(m[0], _after(text, m.end()))]
    return _put(text, found, harmless)


def _put(text: str, places: list[int], harmless: str) -> str:
    if not places:
        return text
    characters = list(text)
    for place in places:
        characters[place] = harmless
    return "".join(characters)


def _begins(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.match(text) is not None


def _is_markup(bracket: str, after: str) -> bool:
    after = after.lower()
    if _is_fence(after) or _begins(_CLOSED_TOKEN, after):
        return True
    return bracket in _ANGLES and (_begins(_TOKEN, after) or _is_name(after))


def _is_fence(after: str) -> bool:
    return _begins(_FENCE, after.lower())


def _is_name(after: str) -> bool:
    found = _NAME.match(after)
    if found is None or found[2] is None:
        return False
    name = re.sub(r"\s", "", found[1])
    if found[2].endswith("="):
        return name in ROLE_NAMES
    return any(
        part in ANGLE_NAMES or _NUMBERED.fullmatch(part) for part in (name, *name.split(":"))
    )


def _is_square(after: str) -> bool:
    if _begins(_SQUARE_TOKEN, after.lower()):
        return True
    found = _SQUARE_NAME.match(after)
    name = re.sub(r"\s", "", found[1]) if found else ""
    return name in SQUARE_NAMES or _SQUARE_NUMBER.fullmatch(name) is not None


def _without_roles(text: str, first: int) -> str:
    lines = (
        m
        for m in _COLON_AT.finditer(text)
        if m.start(1) >= first and _ROLE_LINE.fullmatch(m[1].translate(_FOLDS).lower())
    )
    return _put(text, [m.end() - 1 for m in lines] + [m.end() for m in _LOUD.finditer(text)], COLON)


def _after(text: str, at: int) -> str:
    # The next characters as whoever folds hardest reads them, however many invisible ones are between.
    wanted = _LONGEST
    while True:
        found = text[at : at + wanted].translate(_FOLDS)
        if len(found) >= _LONGEST or at + wanted >= len(text):
            return found
        wanted *= 4


class _Folds(dict[int, str]):
    """What each character is read as; filled when a character is met."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = "".join(map(_fold, normalize("NFKD", chr(code))))
        return folded


_ALIKE = {
    **dict.fromkeys(OPENERS, "<"),
    **dict.fromkeys(CLOSERS, ">"),
    **dict.fromkeys(SLASHES, "/"),
    **dict.fromkeys(PIPES, "|"),
    **dict.fromkeys(SUB_WORDS, "_"),
    "\u223c": "~",
    **{one: letter for letter, others in LOOKALIKES.items() for one in others},
    **{
        one.upper(): letter.upper()
        for letter, others in LOOKALIKES.items()
        for one in others
        if len(one.upper()) == 1 and one.upper() != one
    },
}


def _fold(character: str) -> str:
    if character in _ALIKE:
        return _ALIKE[character]
    if character.isspace():
        return " "
    hidden = category(character) in {"Mn", "Me", "Cf", "Cc", "Cn", "Co", "Cs"}
    return "" if hidden or character in FILLERS else character


_FOLDS = _Folds()
