"""The plain form of a message, in which signals are recognised."""

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from unabridged.language.lazy_pattern import lazy_pattern
from unabridged.language.words import fold

EDGE = 160
"""Characters read at the beginning and at the end of a long message, where requests are."""

_TOKEN = lazy_pattern(r"[^\W_]+(?:'[^\W_]+)?|[?？]|[.!:;\n。！；…]+|[^\w\s,]+")
_DRAWN_OUT = lazy_pattern(r"([a-z])\1{2,}")
_CONTRACTED: Mapping[str, str] = {
    "n't": " not", "'s": " is", "'re": " are", "'ve": " have", "'ll": " will", "'d": " did",
    "'m": " am", "'t": " t",
}  # fmt: skip
_WHOLE: Mapping[str, str] = {
    "can't": "cannot", "won't": "will not", "let's": "let us", "whats": "what is",
    "wat": "what", "wut": "what", "wht": "what", "waht": "what", "hows": "how is",
    "whos": "who is", "wheres": "where is", "whens": "when is", "thats": "that is",
    "dont": "do not", "didnt": "did not", "cant": "cannot", "im": "i am", "ive": "i have",
    "u": "you", "ur": "your", "r": "are", "pls": "please", "plz": "please", "gimme": "give me",
    "lemme": "let me", "wanna": "want to", "gonna": "going to", "teh": "the", "rember": "remember", "convo": "conversation", "adn": "and",
    "what'd": "what did", "where'd": "where did", "who'd": "who did", "yuo": "you",
    "doesnt": "does not", "isnt": "is not", "wasnt": "was not", "moms": "my mom", "abt": "about",
    "mom's": "my mom", "convos": "conversations", "y'all": "you",
}  # fmt: skip

_KEEPS_OWNER = frozenset("what who where when how that it there here which he she".split())
"""After these words ``'s`` means *is*; after others it marks an owner and is removed."""

SHORTEST_MENDED = 6
"""Letters of the shortest word that is corrected; shorter ones are too similar to others."""

TYPED_WRONG = """
remember remembered remembers recall remind summarize summarise summary conversation conversations
discuss discussed discussion discussions overview mentioned recommended recommend previous
previously yesterday morning thanks address birthday teacher everything covered topics
decided talked talking please explain translate suggest restaurant appointment exactly
""".split()
"""Words that are recognised with one letter missing, superfluous, wrong or exchanged."""


SUBSTITUTED = 8
"""Letters from which a wrong letter is corrected too, not only exchanged ones."""


@cache
def _misspelled() -> Mapping[str, str]:
    # Every word with one letter missing, to the word (symmetric deletion, as SymSpell does).
    short: dict[str, str] = {}
    for word in TYPED_WRONG:
        if len(word) >= SHORTEST_MENDED:
            for form in _one_less(word):
                short.setdefault(form, word)
    return short


def _one_less(word: str) -> Iterable[str]:
    return (word[:i] + word[i + 1 :] for i in range(len(word)))


def plain(text: str) -> str:
    """Return the plain form of a message.

    ``. `` precedes each clause, words are between single spaces, and ``?`` is a word. Apostrophes are written out or dropped and common misspellings corrected. Of a long message only
    the beginning and the end are read.
    """
    read = text if len(text) <= 2 * EDGE else f"{text[:EDGE]} . {text[-EDGE:]}"
    known = frozenset(TYPED_WRONG)
    words = ["."]
    for token in _TOKEN.findall(_DRAWN_OUT.sub(r"\1\1", fold(read).replace("tl;dr", "tldr"))):
        if token[0].isalnum():
            words.append(_word(token, known))
        elif token in ("?", "？"):
            if words[-1] != "?":
                words.append("?")
        elif token[0] in ".!:;\n。！；…" and words[-1] not in ".?":
            words.append(".")
    return " ".join(words) + " "


def _word(token: str, known: frozenset[str]) -> str:
    whole = _WHOLE.get(token)
    if whole is not None:
        return whole
    if "'" in token:
        return _written_out(token)
    if token in known or not 4 <= len(token) <= 14 or not token.isascii():
        return token
    return _repaired(token)


def _written_out(token: str) -> str:
    if token.endswith("n't"):
        return token[:-3] + " not"
    stem, mark, ending = token.partition("'")
    if ending == "s" and stem not in _KEEPS_OWNER:
        return stem + "s"
    return stem + _CONTRACTED.get(mark + ending, " " + ending)


@lru_cache(maxsize=2048)
def _repaired(token: str) -> str:
    short = _misspelled()
    found = short.get(token)
    if found is not None:
        return found if found[0] == token[0] else token
    for form in _one_less(token):
        if form in _LISTED and form[0] == token[0] and token[-1] not in "sdyr":
            return form
        other = short.get(form)
        if other is not None and len(other) == len(token) and other[0] == token[0]:
            exchanged = sorted(other) == sorted(token)
            return other if exchanged or len(token) >= SUBSTITUTED else token
    return token


_LISTED = frozenset(word for word in TYPED_WRONG if len(word) >= SHORTEST_MENDED)
