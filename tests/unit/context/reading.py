"""How others read a prompt: programs that fold Unicode, and the tokenizers of real models.

It shares nothing with what makes texts harmless: it folds by NFKC and NFKD, strips what has no width,
and looks for tags in what is left.
"""

import re
from unicodedata import category, normalize

from tests.unit.context.injections import TOKENS
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

_ALIKE = {
    ord(other): letter
    for letter, others in {
        "r": "гᴦⲅʀ",
        "e": "еєҽ℮",
        "c": "сϲςσᴄⲥ",
        "a": "аɑα",
        "l": "ӏ|ǀⵏ",
        "d": "ԁᑯᴅ",
        "<": "＜﹤〈⟨❬❮❰《«≪≺ᐸ",
        "/": "∕⁄＼⧸",
    }.items()
    for other in others
}
_EMPTY = "\u115f\u1160\u3164\uffa0\u034f\u17b4\u17b5"
_TAG = re.compile(r"<[\s?!]*([/\\]?)[\s?!/\\]*recalled(-[a-z]+)?")


def folded(text):
    """The text as whoever folds hardest reads it."""
    text = normalize("NFKD", normalize("NFKC", text).casefold())
    kept = (
        one
        for one in text
        if (category(one) not in ("Mn", "Me", "Cf") and one not in _EMPTY)
        and (one.isspace() or category(one) != "Cc")
    )
    return normalize("NFKD", "".join(kept).translate(_ALIKE))


def tags(text):
    """Every tag of ours that somebody could read in a text, in order: ``recalled``, ``/recalled`` …"""
    annotations = [folded(text), folded(text).replace("i", "l").replace("1", "l")]
    found = [
        [m[1].replace("\\", "/") + "recalled" + (m[2] or "") for m in _TAG.finditer(r)]
        for r in annotations
    ]
    return max(found, key=len)


def _tokenizer(*, folds):
    """The engine of Hugging Face's tokenizers, with the control tokens of every family."""
    made = Tokenizer(models.WordLevel({"[none]": 0}, unk_token="[none]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if folds:
        strip = normalizers.Replace("\u200b", "")
        made.normalizer = normalizers.Sequence([normalizers.NFKC(), strip])
    made.add_special_tokens([AddedToken(token, normalized=folds) for token in TOKENS])
    return made


_READERS = [_tokenizer(folds=False), _tokenizer(folds=True)]


def control_tokens(text):
    """The control tokens that a real tokenizer reads in a text."""
    return [token for one in _READERS for token in one.encode(text).tokens if token != "[none]"]
