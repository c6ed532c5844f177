"""Split text into pieces of a vocabulary like BERT's uncased tokenizer (WordPiece).

Words are lower-cased runs of letters and digits without accents; every other visible character is a
word, and so is every ideograph. A word is split from the left into the longest pieces of the
vocabulary. One difference from BERT: a symbol next to a word, such as an emoji, does not make the
word unknown.

Source: Devlin et al. 2018, arXiv:1810.04805; the reference is ``BertTokenizer`` of the
transformers package, against which the fixture of the tests was made.
"""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from unabridged.language.lazy_pattern import lazy_pattern

CONTINUES = "##"
"""The prefix of a piece that continues a word."""

LONGEST_WORD = 100
"""The longest word in characters; longer ones are unknown, as in BERT."""

_ASCII = lazy_pattern(r"[a-z0-9]+|[^\sa-z0-9\x00-\x1f\x7f]")
_IDEOGRAPHS = (
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f"
)
_UNICODE = lazy_pattern(rf"[{_IDEOGRAPHS}]|(?:(?![{_IDEOGRAPHS}])[^\W_])+|[^\w\s]|_")
_UNSEEN = ("Cc", "Cf", "Cn", "Co", "Cs", "Mn")


def words_of(text: str) -> list[str]:
    """Return the words and marks of a text, lower-cased and without accents."""
    text = text.lower()
    if text.isascii():
        return _ASCII.findall(text)
    return _UNICODE.findall(unicodedata.normalize("NFD", text).translate(_SEEN))


class _Seen(dict[int, int | None]):
    """The map of ``str.translate``: a character to itself, accents and controls to nothing."""

    def __missing__(self, code: int) -> int | None:
        character = chr(code)
        hidden = unicodedata.category(character) in _UNSEEN and not character.isspace()
        self[code] = left = None if hidden else code
        return left


_SEEN = _Seen()


class WordPiece:
    """Splits words into the longest pieces of a vocabulary.

    Args:
        vocabulary: The pieces; the position of each is its id.
    """

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self.vocabulary = tuple(vocabulary)
        self._ids = {piece: place for place, piece in enumerate(self.vocabulary)}

    def __len__(self) -> int:
        return len(self._ids)

    def pieces(self, word: str) -> tuple[int, ...]:
        """Return the ids of a word's pieces; none if a part is not in the vocabulary."""
        whole = self._ids.get(word)
        if whole is not None:
            return (whole,)
        if len(word) > LONGEST_WORD:
            return ()
        found: list[int] = []
        start, length = 0, len(word)
        while start < length:
            before = CONTINUES if start else ""
            for end in range(length, start, -1):
                place = self._ids.get(before + word[start:end])
                if place is not None:
                    break
            else:
                return ()
            found.append(place)
            start = end
        return tuple(found)


@lru_cache(maxsize=2)
def load_wordpiece(vocabulary: Path) -> WordPiece:
    """Return what cuts by a file of pieces, one a line; two that read one file share it."""
    return WordPiece(vocabulary.read_text("utf-8").split("\n"))
