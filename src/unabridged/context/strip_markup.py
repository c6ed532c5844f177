"""Remove imitations: text from memory that could be read as our markup or a model template's.

Three kinds are found, and one character of each is replaced by one that nothing reads as markup:

- the recall block's tags, as a person, a model or a program that folds Unicode would read them:
  full-width and other brackets, characters without width, combining marks, letters that look the same;
- control tokens of chat templates: ``<|im_start|>`` and all of that form, DeepSeek's full-width
  ones, ``<start_of_turn>``, ``[INST]``. Model servers read them in a message's text too, since
  they tokenise the filled template as one text (llama.cpp: ``parse_special``);
- tags that name a role, such as ``<system>``.

Sources: the chat templates of the models' own repositories (ChatML and Qwen, Llama 2 to 4, Mistral,
Gemma, Phi, DeepSeek, Command R, GLM, Granite, gpt-oss); Unicode 16, UAX #15 (NFKC), UTS #39
(confusables; only the letters of ``recalled`` and the brackets are from there) and the property
Default_Ignorable_Code_Point.
"""

import re
from collections.abc import Callable
from unicodedata import category, normalize

_BRACKETS = "<\u226e\uff1c\ufe64\u02c2\u1438\u16b2\u226a\u227a\u22d6\u2329\u276c\u276e\u2770\u27e8\u2991\u29fc\u3008\u300a\u00ab"
"""What opens a tag, or looks as if; not U+2039, which is the replacement."""
_ANGLES, _SQUARES = "<\u226e\uff1c\ufe64", "[\uff3b"
"""What opens a token for a program: those that NFKC maps to one, and U+226E, which contains one."""
_SLASHES = frozenset("/\\\u2044\u2215\u29f8\u29f5\u2571\uff0f\uff3c\ufe68!?")
_PIPES = frozenset("|\uff5c\u2223\u01c0\u2502\uffe8")
_ENDS = frozenset(
    ">\u226f\uff1e\ufe65\u02c3\u226b\u232a\u276d\u276f\u27e9\u3009\u300b\u00bb\u203a]\uff3d"
)
_BRACKET, _SQUARE = re.compile(f"[{_BRACKETS}]"), re.compile(f"[{re.escape(_SQUARES)}]")
_STRANGE = r"[^\x21-\x7e]"
_FENCE = re.compile(rf"[{_BRACKETS}](?=[\s/\\!?]*(?:[rR]|{_STRANGE}))")
_MARKUP = re.compile(rf"[{_BRACKETS}](?=[\s/\\!?]*(?:[A-Za-z|]|{_STRANGE}))")
"""Brackets that need a closer look: what follows most others begins nothing."""
HARMLESS_ANGLE, HARMLESS_SQUARE = "\u2039", "\u2045"

_LOOKALIKES: tuple[str, ...] = (
    "r\u0433\u1d26\u2c85\uab47\uab48\uab81\u027c\u027e\u0280",
    "e\u0435\u0454\u04bd\u212e\uab32\u03b5\u025b",
    "c\u0441\u03c2\u03c3\u1d04\u2ca5\uabaf",
    "a\u0430\u0251\u03b1\u237a\u1d00",
    "l\u04cf\u0456i1|\u01c0\u2223\u0627\u05df\u07ca\u2d4f\ua4f2\u16c1\u0196\u0269\u23fd\u05c0\u0142\u029f",
    "l\u04cf\u0456i1|\u01c0\u2223\u0627\u05df\u07ca\u2d4f\ua4f2\u16c1\u0196\u0269\u23fd\u05c0\u0142\u029f",
    "e\u0435\u0454\u04bd\u212e\uab32\u03b5\u025b",
    "d\u0501\u13e7\u146f\ua4d2\u1d05",
)
"""Each letter of ``recalled`` with its lookalikes, in lower case."""
_NAMES = frozenset(
    "s bos eos pad unk mask cls sep sys sop eop gmask start_of_turn end_of_turn start_of_image "
    "end_of_image image tool_call tool_response tools tool think system user assistant developer "
    "model human function function_call function_calls function_results function_response "
    "fim_prefix fim_suffix fim_middle fim_pad repo_name file_sep im_start im_end endoftext eot_id "
    "start_header_id end_header_id begin_of_text end_of_text".split()
)
"""Names in angle brackets in templates, in lower case."""
_SQUARE_NAMES = frozenset(
    "INST SYS SYSTEM_PROMPT TOOL_CALLS AVAILABLE_TOOLS TOOL_RESULTS TOOL_CONTENT MODEL_SETTINGS "
    "IMG IMG_BREAK IMG_END AUDIO BEGIN_AUDIO ARGS CALL_ID THINK PREFIX SUFFIX MIDDLE gMASK sMASK "
    "BOS EOS CLS SEP PAD UNK MASK".split()
)
"""Names in square brackets, case-sensitive: in lower case they are indexes of programs."""
_LONGEST = 24
"""Letters of the longest name that is looked for."""


def has_brackets(text: str) -> bool:
    """Return whether a text contains anything that could begin a tag; fast."""
    return "<" in text if text.isascii() else _BRACKET.search(text) is not None


def without_fences(text: str, *, goes_on: bool = False) -> str:
    """Neutralise imitations of the recall block; return other text unchanged.

    Args:
        text: The text.
        goes_on: Whether more text follows, in which an imitation could end.
    """
    if not has_brackets(text):
        return text
    return _replaced(
        text,
        _BRACKET if goes_on else _FENCE,
        HARMLESS_ANGLE,
        lambda at: _is_fence(text, at, goes_on=goes_on),
    )


def without_markup(text: str) -> str:
    """Neutralise imitations of the recall block, of control tokens and of role tags."""
    if has_brackets(text):
        text = _replaced(text, _MARKUP, HARMLESS_ANGLE, lambda at: _is_markup(text, at))
    if _SQUARE.search(text):
        text = _replaced(text, _SQUARE, HARMLESS_SQUARE, lambda at: _is_square(text, at))
    return text


def _replaced(
    text: str, brackets: re.Pattern[str], harmless: str, wanted: Callable[[int], bool]
) -> str:
    found = [match.start() for match in brackets.finditer(text) if wanted(match.end())]
    if not found:
        return text
    characters = list(text)
    for place in found:
        characters[place] = harmless
    return "".join(characters)


def _is_markup(text: str, at: int) -> bool:
    token = text[at - 1] in _ANGLES and (_is_token(text, at) or _is_name(text, at, _NAMES))
    return token or _is_fence(text, at)


def _is_square(text: str, at: int) -> bool:
    return _is_name(text, at, _SQUARE_NAMES)


def _is_fence(text: str, at: int, *, goes_on: bool = False) -> bool:
    at = _behind(text, at)
    letter = 0
    while letter < len(_LOOKALIKES):
        if at >= len(text):
            return goes_on
        folded = _fold(text[at])
        for one in folded:
            if letter >= len(_LOOKALIKES) or one not in _LOOKALIKES[letter]:
                return False
            letter += 1
        at += 1
    return True


def _is_token(text: str, at: int) -> bool:
    while at < len(text) and not _fold(text[at]):
        at += 1
    if at >= len(text) or text[at] not in _PIPES:
        return False
    at += 1
    while at < len(text) and (not _fold(text[at]) or text[at] in _SLASHES):
        at += 1
    return at < len(text) and (text[at].isalnum() or text[at] == "_")


def _is_name(text: str, at: int, names: frozenset[str]) -> bool:
    at = _behind(text, at)
    name = ""
    while at < len(text) and len(name) <= _LONGEST:
        letters = _letters(text[at])
        if letters and letters != "_" and not letters.isalnum():
            break
        name += letters
        at += 1
    if name not in names and not (names is _NAMES and _is_angle_name(name.casefold())):
        return False
    while at < len(text) and (text[at].isspace() or text[at] in _SLASHES or not _fold(text[at])):
        at += 1
    return at < len(text) and text[at] in _ENDS


def _is_angle_name(name: str) -> bool:
    return name in _NAMES or name.startswith("unused")


def _behind(text: str, at: int) -> int:
    while at < len(text) and (text[at].isspace() or text[at] in _SLASHES or (not _fold(text[at]))):
        at += 1
    return at


def _fold(character: str) -> str:
    if character < "\x7f":
        return character.lower() if character >= " " or character.isspace() else ""
    return _letters(_letters(character).casefold())


def _letters(text: str) -> str:
    if " " <= text <= "~" and len(text) == 1:
        return text
    return "".join(one for one in normalize("NFKD", text) if not _is_invisible(one))


_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u17b4\u17b5\u034f")
"""Invisible characters of other categories."""


def _is_invisible(character: str) -> bool:
    return (
        category(character) in ("Mn", "Me", "Cf", "Cc", "Cn", "Co", "Cs") or character in _FILLERS
    )
