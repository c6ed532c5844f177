"""Text to search terms, for every script; the same for what is stored and what is asked.

Words are folded and lightly stemmed (English plurals and endings). Runs of scripts that write
without spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) become overlapping pairs of
characters, and single characters where a run has only one.
"""

import re
import unicodedata
from functools import lru_cache

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_LETTER = rf"[^\W_{UNSPACED}]"
_TOKEN = re.compile(rf"[{UNSPACED}]+|{_LETTER}+(?:['’]{_LETTER}+)?")
_plain = re.compile("[a-z0-9]+(?:'[a-z0-9]+)?").findall
"""The same as ``_TOKEN`` for folded text of plain letters, several times faster."""
_UNSPACED_RUN = re.compile(rf"^[{UNSPACED}]")
_ENDINGS = (
    ("ational", "ate"), ("ization", "ize"), ("fulness", "ful"), ("ousness", "ous"),
    ("iveness", "ive"), ("ments", "ment"), ("ings", ""), ("ing", ""), ("edly", ""),
    ("ies", "y"), ("ied", "y"), ("ed", ""), ("ly", ""), ("es", "e"), ("s", ""),
)  # fmt: skip
_VOWEL = re.compile("[aeiouy]")

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
"""Words that carry no evidence in a question."""


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Take common English endings off a folded word; others come back as they are."""
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
    """Undo a doubled consonant (``planned``) and a final ``e`` (``hoping`` meets ``hope``)."""
    if ending in {"ing", "ings", "ed"} and base[-1] == base[-2] and base[-1] not in "lsz":
        return base[:-1]
    return base[:-1] if base.endswith("e") and len(base) > 3 else base


def fold(text: str) -> str:
    """Fold case, width, accents and apostrophes, so that spellings meet."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKD", text.replace("’", "'"))
    bare = "".join(c for c in folded if not 0x300 <= ord(c) <= 0x36F)
    return unicodedata.normalize("NFC", bare).casefold()


def terms(text: str) -> list[str]:
    """Every search term of a text, in order, repeats included."""
    folded = fold(text)
    if folded.isascii():
        return [stem(token) if "'" not in token else _joined(token) for token in _plain(folded)]
    found: list[str] = []
    for token in _TOKEN.findall(folded):
        if not token.isascii() and _UNSPACED_RUN.match(token):
            found += _pairs(token)
        else:
            found.append(_joined(token) if "'" in token else stem(token))
    return found


def _joined(token: str) -> str:
    """A word with an apostrophe: its possessive taken off, the rest in one."""
    return stem(token.removesuffix("'s").replace("'", ""))


def _pairs(run: str) -> list[str]:
    """Overlapping pairs of characters; a lone character as it is."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


_STOP_TERMS = frozenset(term for word in STOP_WORDS for term in (word, stem(word)))


def query_terms(text: str) -> list[str]:
    """The terms of a question: each once, without stop words, unless nothing else is there."""
    unique = list(dict.fromkeys(terms(text)))
    telling = [term for term in unique if term not in _STOP_TERMS]
    return telling or unique
