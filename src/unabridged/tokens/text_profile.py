"""The shape of a text: counts of words by length, digits, marks and letters by script.

Letters, marks and digits become large numbers with a bit for each character. Shifting and masking
whole numbers counts runs, so a long prompt takes a few milliseconds.
"""

import string
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
    return bytes(ord("01"[wanted(chr(code))]) for code in range(256))


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
_ASCII_TO_BLANKS = bytes(code if code > 127 else 32 for code in range(256))
_FREQUENT = f" {string.ascii_letters}{string.digits}".encode()
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
        capitals = (upper & (upper >> 1)).bit_count()
        found["humps"] = (upper & (letters >> 1)).bit_count() - (capitals + 1) // 2
    if digits := _bits(narrow, _DIGITS):
        found["digits"] = digits.bit_count()
        found["digit_runs"] = _starts(digits).bit_count()
    other = narrow.translate(None, _FREQUENT)
    found["tabs"] = other.count(b"\t")
    found["breaks"] = other.translate(_BREAKS).count(b"1")
    found["underlines"] = other.count(b"_")
    found["signs"] = sum(map(other.count, RARE_MARKS))
    found["controls"] = other.translate(_CONTROLS).count(b"1")
    if not text.isascii():
        found["accents"] = other.translate(_ACCENTS).count(b"1")
        found["symbols"] = other.translate(_SYMBOLS).count(b"1")
        found["controls"] += 2 * other.translate(_HIGH).count(b"1")
    return found


def _bits(narrow: bytes, table: bytes) -> int:
    # The characters of a class as one large number: the first is the highest bit.
    return int(narrow.translate(table) or b"0", 2)


def _starts(bits: int) -> int:
    return bits ^ (bits & (bits >> 1))


def _knots(narrow: bytes, letters: int, found: MutableMapping[str, int]) -> None:
    # Consonants or vowels in a row, beyond what languages have: letters at random.
    tangles = knots = 0
    for table in (_CONSONANTS, _VOWELS):
        bits = _bits(narrow, table)
        two = bits & (bits << 1)
        if three := two & (two << 1):
            tangles += three.bit_count()
            knots += (three & (bits << 3)).bit_count()
    if knots > SEVERAL:
        repeated = sum(len(run[0]) for run in _REPEATED.finditer(narrow.decode("latin-1")))
        tangles, knots = tangles - repeated, knots - repeated
    found["tangles"] = max(0, tangles - round(TANGLES * letters))
    found["knots"] = max(0, knots - round(KNOTS * letters))


def _words(letters: int, found: MutableMapping[str, int]) -> None:
    starts = _starts(letters)
    two = letters & (letters << 1)
    four = two & (two << 2)
    eight = four & (four << 4)
    found["words"] = reaching = starts.bit_count()
    reaches = (
        (four, four & (two << 4), 0, 0, 0, 0)
        if not eight
        else (
            four,
            four & (two << 4),
            eight,
            eight & (two << 8),
            eight & (four << 8) & (letters << 12),
            eight & (eight << 8) & (letters << 16),
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
    data = text.encode("utf-8", "surrogatepass")
    high = b" ".join(data.translate(_ASCII_TO_BLANKS).split())
    beyond = " ".join(_BEYOND.findall(high.decode("utf-8", "surrogatepass")))
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
