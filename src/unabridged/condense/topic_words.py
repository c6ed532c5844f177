"""The words of exchanges that may name their topic, with their spelling.

Code, addresses and numbers mean little to a reader, and so do the words of any request.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from unabridged.language.lazy_pattern import lazy_pattern
from unabridged.language.words import STOP_PAIRS, STOP_WORDS, UNSPACED, fold, stem

_CODE = lazy_pattern(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_ADDRESS = lazy_pattern(r"\b(?:https?://|www\.)\S+|\S+@\S+\.\w+|(?<!\w)[~.]?/[\w./-]+")
_WORD = lazy_pattern(
    rf"[{UNSPACED}]+|[^\W{UNSPACED}]+(?:['’-][^\W{UNSPACED}]+)*|[.!?:;,()\n\[\]|*#\"“”]"
)
_RUN = lazy_pattern(rf"^[{UNSPACED}]")
_HIRAGANA = lazy_pattern("[\u3040-\u309f]+")
_HUMP = lazy_pattern("[a-z0-9][A-Z]|_")
_BOUND = lazy_pattern(r"['’]s$|^(?:l|d|qu|j|n|s|c|m|t)['’](?=\w)", re.IGNORECASE)
SHORTEST = 3
"""Letters of a significant word."""
_LONGEST = 30
_GRAMS = (2, 3, 4)
"""Lengths of the pieces of a run without spaces that may be words."""

GENERIC = frozenset(
    """
    able absolutely add additional advice agree allow almost along already alright also although
    always amazing another answer anything anyway appreciate approach around article ask available
    away awesome awhile bad based basic beautiful become begin believe best better big bit bring
    bunch buy call care case cause certain chance change check choose clear close come common
    complete consider continue cool couple course create curious current day days deal decide
    definitely depend describe detail details develop different difficult discover does doesn dont
    easily easy effective effectively else end enjoy enough ensure especially essential etc even
    ever every everyone everything exactly example excellent excited exciting expect experience
    explain explore fact far favorite favourite feel feeling find fine first focus following forward
    found fun general generally get getting give given glad go going gonna good got great guess guy
    guys haha happen happy hard hear hello help helpful here's hey hi high honestly hope hour hours
    however huge idea ideas improve include including increase incredible individual information
    inspire inspiring instead interested interesting involve isn issue item items i'll i'm i've job keep
    kind know known large last lately later lead learn least leave less let let's level life like
    likely list little living long look lot lots love lovely low made main maintain make making man
    many matter maybe mean means meet might mind minute minutes moment month months morning much must
    name near necessary need never new next nice nope note nothing number offer oh ok okay old one
    ones open option options order others overall part particular past people perfect perhaps person
    personal perspective place plan plenty plus point popular possible potential prefer pretty
    previously probably problem process provide put question questions quick quickly quite rather
    ready real really reason recent recently recommend recommendation recommendations related
    remain remember respond response result right role run same saw say see seem seen sense set
    several share short show significant similar simple since single small someone something
    sometimes soon sorry sort sound sounds special specific spend start step steps still stop story
    strong stuff such suggest suggestion suggestions suitable super support sure take talk tell
    thank thanks that's thing things think though thought three tip tips today together told
    tomorrow tonight total totally tried truly try turn two type types typically understand unique
    unless update use used useful user using usual usually value various via view wait want wanted
    way ways week weekend weeks welcome well went what's whatever whether while whole willing win
    wish without wonder wonderful wondering word words work working world worth wow write wrong
    yeah year years yes yesterday yet you're you've appropriate assist assistant benefit benefits
    provided importance important key major often towards within across may million hundred four
    yep whoa aww wow haha lol kinda fave dude wanna gonna gotta btw bye oof congrats prob back hold gotten
    five six seven eight nine ten second third saturday sunday monday tuesday wednesday thursday
    friday january february march april june july august september october november december
    noch auch aber oder doch dass kann kannst können habe haben hatte wird werden wurde sein mein
    meine meinen dein deine sehr mehr viel gut ja nein bitte danke hallo gerne etwas dann denn weil
    wenn als bei nach über unter vor durch ohne gegen um noch schon nur man einen einem einer eines
    welche welcher welches welchen brauche brauchst braucht brauchen gibt geht möchte muss müssen
    soll sollte weiß mal ganz immer wieder heute morgen machen macht gut guter gute helfen hilf
    diese dieser dieses quels quelles faire peut peux veux voudrais cuál cuáles dónde cuándo está
    pour avec sur pas plus mais bien merci bonjour oui non comme être avoir fait
    cette ces mon ma mes ton ta tes son sa ses nos vos leur leurs aux par sans quel quelle
    para con por una del las como más pero muy hola gracias sí mi mis tu tus su sus este esta esto
    qué cómo tengo quiero puedo hacer
    """.split()
)
"""Words of any conversation, whatever its topic."""
_SAYS_NOTHING = frozenset(
    shape for word in (*GENERIC, *STOP_WORDS) for shape in (word, fold(word), stem(fold(word)))
)
_BEFORE_NAMES = frozenset(
    """
    a an the my your his her our their this these those some of for with in on at from by about
    its new der die das den dem ein eine einen mein meine le la les un une des mon ma el los las
    una mi
    """.split()
)
"""Words that usually precede a name."""
_BEFORE_DEEDS = frozenset(
    """
    to i you we they he she can could would will should must may might don't didn't can't won't
    i'll i'm i've you'll we'll they'll i'd be been being is are was were am have has had very so too
    really more most
    """.split()
)
"""Words that usually precede a verb or an adjective."""


class Word(NamedTuple):
    """A word of a text that may name its topic.

    Attributes:
        named: 1 if the word before it makes a name likely, -1 a verb or adjective, else 0.
        follows: Stem and spelling of the word directly before it, if that is significant too.
    """

    stem: str
    spelling: str
    named: int
    follows: tuple[str, str] | None


def prose(text: str) -> str:
    """Return a text without code and addresses."""
    if "`" in text:
        text = _CODE.sub("\n", text)
    return _ADDRESS.sub(" ", text) if "/" in text or "@" in text else text


def beginning(text: str, most: int) -> str:
    """Return the first characters of a text, without the part of a word that they would end in."""
    if len(text) <= most:
        return text
    cut = text[: most + 1]
    space = max(cut.rfind(" "), cut.rfind("\n"))
    return cut[:space] if space > most // 2 else text[:most]


def stems(text: str) -> list[str]:
    """Return the stems of the significant words of a text, in order, with repeats."""
    found: list[str] = []
    for token in _WORD.findall(text):
        if token.isascii() or not _RUN.match(token):
            if root := _read(token)[0]:
                found.append(root)
        else:
            found += _grams(token)
    return found


def telling(text: str) -> Iterator[Word]:
    """Return the significant words of a text, in order, with repeats."""
    before: tuple[str, str] | None = None
    led = 0
    for token in _WORD.findall(text):
        if not token.isascii() and _RUN.match(token):
            yield from (Word(gram, gram, 0, None) for gram in _grams(token))
            before, led = None, 0
            continue
        root, bare, leads = _read(token)
        if root:
            yield Word(root, bare, led, before)
            before, led = (root, bare), 0
        else:
            before, led = None, leads


@lru_cache(maxsize=8192)
def _read(token: str) -> tuple[str, str, int]:
    bare = _BOUND.sub("", token)
    folded = fold(bare)
    leads = 1 if folded in _BEFORE_NAMES else -1 if folded in _BEFORE_DEEDS else 0
    return (_root(bare, folded), bare, leads)


def _root(bare: str, folded: str) -> str:
    if not SHORTEST <= len(folded) <= _LONGEST or not any(map(str.isalpha, folded)):
        return ""
    if "'" in folded or folded.endswith("ly"):  # they'll, don't; quickly
        return ""
    if _HUMP.search(bare) and not bare[0].isupper():
        return ""
    root = stem(folded)
    return "" if folded in _SAYS_NOTHING or root in _SAYS_NOTHING else root


def _grams(run: str) -> list[str]:
    found = [
        part[i : i + size]
        for part in _HIRAGANA.split(run)
        for size in _GRAMS
        for i in range(len(part) - size + 1)
    ]
    return [gram for gram in found if gram not in STOP_PAIRS]
