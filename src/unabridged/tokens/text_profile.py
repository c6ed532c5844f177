"""The shape of a text: counts of words by length, digits, marks and letters by script.

Letters, marks and digits become large numbers with a byte for each character. Shifting and masking
whole numbers counts runs, so a long prompt takes a few milliseconds.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping, MutableMapping

from unabridged.language.lazy_pattern import lazy_pattern

WORD_BINS = (3, 5, 7, 9, 12, 16)
"""The longest word of each bin, in letters; longer ones count in ``letters_over``."""
_BINS = tuple(f"words_{longest}" for longest in WORD_BINS)

TANGLES, KNOTS = 0.06, 0.012
"""The share of letters that begin three and four consonants, or vowels, in a row in a language."""

RARE_MARKS = (b"\\", b"^", b"$", b"~")
"""Marks that source code has few of."""

SCRIPTS: Mapping[str, str] = {
    "cjk": "\u3005-\u3007\u4e00-\u9fff",
    "kana": "\u3040-\u30ff",
    "hangul": "\uac00-\ud7a3",
    "cyrillic": "\u0400-\u045f\u0490-\u0493\u0496\u0497\u049a\u049b\u04a2\u04a3\u04ae-\u04b3\u04ba\u04bb\u04d8\u04d9\u04e8\u04e9",
    "greek": "\u0370-\u03ff",
    "arabic": "\u0590-\u06ff",
    "indic": "\u0900-\u0dff",
    "thai": "\u0e00-\u0e7f",
    "southern": "\u0e80-\u0eff\u1000-\u10ff\u1200-\u137f\u1780-\u17ff\u0530-\u058f",
    "latin_more": "\u0100-\u024f\u0300-\u036f\u1e00-\u1eff",
    "typographic": "\u2010-\u2026\u2030\u2032\u2033\u2039\u203a\u20ac",
    "wide": "\u3000-\u3003\u3008-\u3011\uff01\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff5e",
    "emoji": "\u200d\u2190-\u27ff\u2900-\u2bff\ufe0f\U0001f000-\U0001faff",
}
"""Script to its characters beyond Latin-1. All others are ``rare``."""

SEVERAL = 30
"""Knots from which one letter all over is told from letters at random."""

_REPEATED = lazy_pattern(r"([A-Za-z])\1{3,}")
_OTHERS = {name: lazy_pattern(f"[{chars}]+") for name, chars in SCRIPTS.items()}
_BEYOND = lazy_pattern("[^\x00-\xff]+")


def _mask(wanted: Callable[[str], bool]) -> bytes:
    return bytes(int(wanted(chr(code))) for code in range(256))


def _plain(letters: str) -> Callable[[str], bool]:
    return lambda char: unicodedata.normalize("NFD", char)[0].lower() in letters


_LETTERS = _mask(str.isalpha)
_CONSONANTS = _mask(_plain("bcdfghjklmnpqrstvwxz"))
_VOWELS = _mask(_plain("aeiou"))
_ACCENTS = _mask(lambda char: char.isalpha() and not char.isascii())
_UPPER = _mask(str.isupper)
_DIGITS = _mask(lambda char: char.isascii() and char.isdigit())
_BREAKS = _mask(lambda char: char in "\n\r\v\f")
_MARKS = _mask(
    lambda char: (
        (char.isprintable() and not (char.isalnum() or char.isspace())) or char in "²³¹¼½¾\xad"
    )
)
_SYMBOLS = _mask(lambda char: char >= "\xa0" and not char.isalpha())
_CONTROLS = _mask(lambda char: (char < " " and char not in "\t\n\r\v\f") or char == "\x7f")
_HIGH = _mask(lambda char: "\x80" <= char < "\xa0")


def shape(text: str) -> Mapping[str, int]:
    """Return the counts of a text's features."""
    found: defaultdict[str, int] = defaultdict(int)
    narrow = text.encode("latin-1", "ignore")
    letters, marks = _bits(narrow, _LETTERS), _bits(narrow, _MARKS)
    _words(letters, found)
    _knots(narrow, letters.bit_count(), found)
    found["marks"] = marks.bit_count()
    found["mark_runs"] = _starts(marks).bit_count()
    if upper := _bits(narrow, _UPPER):
        capitals = (upper & (upper << 8)).bit_count()
        found["humps"] = (upper & (letters << 8)).bit_count() - (capitals + 1) // 2
    if digits := _bits(narrow, _DIGITS):
        found["digits"] = digits.bit_count()
        found["digit_runs"] = _starts(digits).bit_count()
    found["tabs"] = narrow.count(b"\t")
    found["breaks"] = narrow.translate(_BREAKS).count(1)
    found["underlines"] = narrow.count(b"_")
    found["signs"] = sum(map(narrow.count, RARE_MARKS))
    found["controls"] = narrow.translate(_CONTROLS).count(1)
    if not text.isascii():
        found["accents"] = narrow.translate(_ACCENTS).count(1)
        found["symbols"] = narrow.translate(_SYMBOLS).count(1)
        found["controls"] += 2 * narrow.translate(_HIGH).count(1)
    return found


def _bits(narrow: bytes, table: bytes) -> int:
    # The characters of a class as one large number: a byte of 1 for each, else 0.
    return int.from_bytes(narrow.translate(table), "little")


def _starts(bits: int) -> int:
    return bits ^ (bits & (bits << 8))


def _knots(narrow: bytes, letters: int, found: MutableMapping[str, int]) -> None:
    # Consonants or vowels in a row, beyond what languages have: letters at random.
    tangles = knots = 0
    for table in (_CONSONANTS, _VOWELS):
        bits = _bits(narrow, table)
        two = bits & (bits >> 8)
        if three := two & (two >> 8):
            tangles += three.bit_count()
            knots += (three & (bits >> 24)).bit_count()
    if knots > SEVERAL:
        repeated = sum(len(run[0]) for run in _REPEATED.finditer(narrow.decode("latin-1")))
        tangles, knots = tangles - repeated, knots - repeated
    found["tangles"] = max(0, tangles - round(TANGLES * letters))
    found["knots"] = max(0, knots - round(KNOTS * letters))


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


def scripts(text: str) -> Mapping[str, tuple[str, int]]:
    """Return the characters beyond Latin-1 by script, and their runs."""
    found: dict[str, tuple[str, int]] = {}
    beyond = " ".join(_BEYOND.findall(text))
    for name, pattern in _OTHERS.items():
        if not beyond or beyond.isspace():
            break
        if runs := pattern.findall(beyond):
            found[name] = ("".join(runs), len(runs))
            beyond = pattern.sub("", beyond)
    if rare := beyond.replace(" ", ""):
        found["rare"] = (rare, len(beyond.split()))
    return found


def most_bytes(text: str) -> int:
    """Return the UTF-8 bytes of a text, before or after normalization: whichever are more."""
    bytes_ = len(text.encode("utf-8", "surrogatepass"))
    if unicodedata.is_normalized("NFKC", text):
        return bytes_
    return max(bytes_, len(unicodedata.normalize("NFKC", text).encode("utf-8", "surrogatepass")))
