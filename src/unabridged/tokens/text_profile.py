"""The shape of a text: counts of words by length, digits, marks and letters by script.

Letters, marks and spaces become large numbers with a byte for each character. Shifting and masking
whole numbers counts runs, so a long prompt takes a few milliseconds.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, MutableMapping

from unabridged.language.lazy_pattern import lazy_pattern

WORD_BINS = (3, 5, 7, 9, 12, 16)
"""The longest word of each bin, in letters; longer ones count in ``letters_over``."""
_BINS = tuple(f"words_{longest}" for longest in WORD_BINS)

SAMPLE = 4_000
"""Characters of each of three samples for counting the function words of a long text."""

_FUNCTION_WORDS = frozenset(
    "the to and of is that for you it with I are be your can this my was have not".split()
)

SCRIPTS: Mapping[str, str] = {
    "cjk": "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
    "kana": "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f",
    "hangul": "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff",
    "cyrillic": "\u0400-\u052f",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "arabic": "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc",
    "indic": "\u0900-\u0dff\u0e00-\u109f\u1780-\u17ff",
    "latin_more": "\u0100-\u024f\u0300-\u036f\u1e00-\u1eff",
    "typographic": "\u2000-\u206f\u20a0-\u20bf",
    "wide": "\u3000-\u3004\u3008-\u303f\uff00-\uff65\uffe0-\uffef",
    "emoji": "\u200d\u2190-\u2bff\ufe0f\U0001f000-\U0001faff",
}
"""Script to its characters beyond Latin-1."""

_OTHERS = {name: lazy_pattern(f"[{chars}]+") for name, chars in SCRIPTS.items()}
_BEYOND = lazy_pattern("[^\x00-\xff]+")


def _mask(wanted: Callable[[str], bool]) -> bytes:
    return bytes(int(wanted(chr(code))) for code in range(256))


_LETTERS = _mask(str.isalpha)
_ACCENTS = _mask(lambda char: char.isalpha() and not char.isascii())
_UPPER = _mask(str.isupper)
_DIGITS = _mask(lambda char: char.isascii() and char.isdigit())
_BREAKS = _mask(lambda char: char in "\n\r\v\f")
_SPACES = _mask(lambda char: char.isspace() and char not in "\n\r\v\f")
_MARKS = _mask(lambda char: not (char.isalpha() or char.isspace() or "0" <= char <= "9"))


def shape(text: str) -> Mapping[str, int]:
    """Return the counts of a text's features."""
    found: defaultdict[str, int] = defaultdict(int)
    if not text.isascii():
        _other_scripts(text, found)
    narrow = text.encode("latin-1", "ignore")
    letters, marks, spaces = _bits(narrow, _LETTERS), _bits(narrow, _MARKS), _bits(narrow, _SPACES)
    _words(letters, found)
    found["marks"] = marks.bit_count()
    found["mark_runs"] = _starts(marks).bit_count()
    if upper := _bits(narrow, _UPPER):
        capitals = (upper & (upper << 8)).bit_count()
        found["humps"] = (upper & (letters << 8)).bit_count() - (capitals + 1) // 2
    if gaps := spaces & (spaces << 8):
        found["gaps"] = gaps.bit_count()
        found["gap_runs"] = _starts(gaps).bit_count()
    found["digits"] = narrow.translate(_DIGITS).count(1)
    found["breaks"] = narrow.translate(_BREAKS).count(1)
    if len(narrow) != len(text) or not text.isascii():
        found["accents"] = narrow.translate(_ACCENTS).count(1)
    found["function"] = _function_words(text)
    return found


def _bits(narrow: bytes, table: bytes) -> int:
    # The characters of a class as one large number: a byte of 1 for each, else 0.
    return int.from_bytes(narrow.translate(table), "little")


def _starts(bits: int) -> int:
    return bits ^ (bits & (bits << 8))


def _function_words(text: str) -> int:
    read = text
    if len(text) > 4 * SAMPLE:
        middle = len(text) // 2
        read = text[:SAMPLE] + text[middle : middle + SAMPLE] + text[-SAMPLE:]
    count = sum(map(_FUNCTION_WORDS.__contains__, read.split(" ")[1:-1]))
    return count if read is text else round(count * len(text) / len(read))


def _words(letters: int, found: MutableMapping[str, int]) -> None:
    starts = _starts(letters)
    two = letters & (letters >> 8)
    four = two & (two >> 16)
    eight = four & (four >> 32)
    found["words"] = reaching = starts.bit_count()
    reaches = (
        (four, four & (two >> 32), 0, 0, 0, 0)
        if not eight
        else (
            four,
            four & (two >> 32),
            eight,
            eight & (two >> 64),
            eight & (four >> 64) & (letters >> 96),
            eight & (eight >> 64) & (letters >> 128),
        )
    )
    for name, reach in zip(_BINS, reaches, strict=True):
        longer = (starts & reach).bit_count()
        found[name] = reaching - longer
        reaching = longer
    found["words_over"] = reaching
    found["letters_over"] = reaches[-1].bit_count()


def _other_scripts(text: str, found: MutableMapping[str, int]) -> None:
    runs = _BEYOND.findall(text)
    beyond = "".join(runs)
    found["beyond_runs"] = len(runs)
    for name, pattern in _OTHERS.items():
        if not beyond:
            return
        rest = pattern.sub("", beyond)
        found[name] = len(beyond) - len(rest)
        beyond = rest
    found["other"] = len(beyond)
