"""Search terms of a text, in every script; the same for stored texts and questions.

Words are folded and lightly stemmed (English plurals and endings). Runs of scripts that write
without spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) become overlapping pairs of
characters, or a single character if a run has only one. Identifiers (``getUserId``,
``get_user_id``) are found whole, in either spelling, and by their parts; emoji are words.
"""

import re
import unicodedata
from functools import lru_cache

from unabridged.language.lazy_pattern import lazy_pattern

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_LETTER = rf"[^\W_{UNSPACED}]"
_EMOJI = "\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
_THOUSANDS = "[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])"
_TOKEN = lazy_pattern(rf"[{UNSPACED}]+|{_THOUSANDS}|{_LETTER}+(?:['’]{_LETTER}+)?|[{_EMOJI}]")
_PLAIN = lazy_pattern(f"{_THOUSANDS}|[a-z0-9]+(?:'[a-z0-9]+)?")
"""The same as ``_TOKEN`` for folded text of plain letters, several times faster."""
_HUMP = lazy_pattern("[a-z0-9][a-z0-9][A-Z][A-Za-z0-9]")
_IDENTIFIER = lazy_pattern(
    "[A-Za-z0-9]+(?:_+[A-Za-z0-9]+)+|[A-Za-z0-9]*[a-z0-9]{2}[A-Z][A-Za-z0-9]+"
)
_PART = lazy_pattern("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_HIRAGANA = lazy_pattern("^[\u3040-\u309f]+$")
_UNSPACED_RUN = lazy_pattern(rf"^[{UNSPACED}]")
_ENDINGS = (
    ("ational", "ate"), ("ization", "ize"), ("fulness", "ful"), ("ousness", "ous"),
    ("iveness", "ive"), ("ments", "ment"), ("ings", ""), ("ing", ""), ("edly", ""),
    ("ies", "y"), ("ied", "y"), ("ed", ""), ("ly", ""), ("es", "e"), ("s", ""),
)  # fmt: skip
_SENTENCE = lazy_pattern(r"[.!?…][\"'”’)\]]*\s+|[。！？]|\n+")
_ESCAPED = lazy_pattern(r"\\+(?:u([0-9a-fA-F]{4})|.)")
_COMBINING = lazy_pattern("[\u0300-\u036f]+")
_VOWEL = lazy_pattern("[aeiouy]")

STOP_WORDS = frozenset(
    """
    a about above after again against all am an and any are as at be because been before
    being below between both but by can could did do does doing don down during each few
    for from further had has have having he her here hers herself him himself his how i if
    in into is it its itself just ll me more most my myself no nor not now of off on once
    only or other our ours ourselves out over own re s same she should so some such t than
    that the their theirs them themselves then there these they this those through to too
    under until up ve very was we were what when where which while who whom why will with
    would you your yours yourself yourselves tell please remember recall know think said
    say mention told talk discuss der die das ein eine und oder ich du er sie es wir ihr
    ist sind war mit von zu im in auf für nicht was wie wo wer den dem des mir mich dir
    dich le la les un une et ou je tu il elle nous vous est sont dans de du des que qui ce
    el los las y o yo tú es son en que
    """.split()
)
"""Words that carry no meaning in a question."""


FRAME_WORDS = frozenset(
    """
    thinking thought back previous previously conversation conversations chat chats chatted
    discussion discussed discussing wonder wondering remembered remembering remind reminded
    mentioned mentioning talking talked earlier looking follow
    """.split()
)
"""Words that usually mark a question about the past, and seldom its subject."""
STOP_PAIRS = frozenset(
    """
    什么 哪里 哪儿 哪个 哪些 怎么 多少 时候 的是 是什 么时 我的 我在 我们 你的 你们 他的 她的 一个 这个 那个
    了吗 是不 不是 有没 没有 的吗 무엇 어디 언제 누가 누구 어떤 얼마 인가 가요 나요 었나 했나 까요 니까
    습니 어요 아요 해요 에서 에게 何で 何を 何が 何曜 อะไ ะไร ไหน ที่ ใคร ไร เมื มื่ ื่อ
    """.split()
)
"""Pairs of characters that carry no meaning in a question; nor do any of hiragana alone."""


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Remove common English endings from a folded word; return others unchanged."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending):
            base = word[: -len(ending)] + instead
            if len(base) < 3 or not _VOWEL.search(base) or (ending == "s" and word[-2] in "su"):
                return word
            return _tidy(base, ending)
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _tidy(base: str, ending: str) -> str:
    if ending in {"ing", "ings", "ed"} and base[-1] == base[-2] and base[-1] not in "lsz":
        return base[:-1]
    return base[:-1] if base.endswith("e") and len(base) > 3 else base


def fold(text: str) -> str:
    """Fold case, width, accents and apostrophes, so that spellings match."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKD", text.replace("’", "'"))
    bare = _COMBINING.sub("", folded)
    return unicodedata.normalize("NFC", bare).casefold()


def unescaped(text: str) -> str:
    """Return a text with the escapes of JSON strings as what they stand for; others as a space."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)


def spread(text: str) -> str:
    """Return a text with every identifier whole and in its parts: ``getUserId get User Id``."""
    if "_" not in text and not _HUMP.search(text):
        return text
    return _IDENTIFIER.sub(_parted, text)


def _parted(found: re.Match[str]) -> str:
    parts = [part for part in _PART.findall(found[0]) if part != "_"]
    if len(parts) < 2 or max(map(len, parts)) == 1:
        return found[0].replace("_", " ")
    return f"{''.join(parts)} {' '.join(parts)}"


def words(folded: str) -> list[str]:
    """Return every word of a folded text, in order, with repeats; pairs if without spaces."""
    if folded.isascii():
        tokens: list[str] = _PLAIN.findall(folded)
        return [_bare(token) if "'" in token or "," in token else token for token in tokens]
    found: list[str] = []
    for token in _TOKEN.findall(folded):
        if not token.isascii() and _UNSPACED_RUN.match(token):
            found += _pairs(token)
        else:
            found.append(_bare(token) if "'" in token or "," in token else token)
    return found


def words_by_sentence(text: str) -> list[list[str]]:
    """Return the words of a text that is not folded yet: a list for each sentence."""
    return [words(sentence) for sentence in _SENTENCE.split(fold(spread(text)))]


def terms(text: str) -> list[str]:
    """Return every search term of a text, in order, with repeats."""
    return [stem(word) for word in words(fold(spread(text)))]


def _bare(token: str) -> str:
    return token.removesuffix("'s").replace("'", "").replace(",", "")


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


_FRAME_TERMS = frozenset(map(stem, FRAME_WORDS))
_STOP_TERMS = frozenset(term for word in STOP_WORDS for term in (word, stem(word)))


def query_terms(text: str) -> list[str]:
    """Return the terms of a question: each once, without stop words unless there are no others."""
    return list(asked_terms(text))


def asked_terms(text: str) -> dict[str, str]:
    """Return the same, each with its word in the question."""
    unique: dict[str, str] = {}
    for word in words(fold(spread(text))):
        unique.setdefault(stem(word), word)
    telling = {term: word for term, word in unique.items() if not _says_nothing(term)}
    return telling or unique


def says_something(text: str) -> bool:
    """Return whether a query has a word that is not a stop word."""
    return not all(_says_nothing(term) for term in map(stem, words(fold(spread(text)))))


def _says_nothing(term: str) -> bool:
    return term in _STOP_TERMS or term in STOP_PAIRS or bool(_HIRAGANA.match(term))


def is_frame(term: str) -> bool:
    """Return whether a term usually marks a question about the past."""
    return term in _FRAME_TERMS


def is_pair(term: str) -> bool:
    """Return whether a term was cut from a run without spaces: often it spans two words."""
    return not term.isascii() and bool(_UNSPACED_RUN.match(term))
