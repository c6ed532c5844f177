"""Runs of marks and of white space: which are ordinary, and the most tokens of the others.

The tables are what holds in each of ten vocabularies: those of GPT-4o, GPT-4, Llama 2 and 3, Qwen 2.5
and 3.6, Mistral's, DeepSeek's, Gemma 3's and an early one of Claude.
"""

import re
import string
from collections import Counter, defaultdict
from collections.abc import Mapping
from types import MappingProxyType

from unabridged.language.lazy_pattern import lazy_pattern
from unabridged.tokens.text_profile import most_bytes

PAIRS: Mapping[str, str] = MappingProxyType(
    dict(
        row.split()
        for row in r"""
        ! "')=[\
        " %)+,.:;>?\]}_
        # [
        $ (,.\_{
        % ),.;
        & #
        ' "()+,.:;>\]_}
        ( !"$%&')*-/:@[\_`{
        ) "$&'(*+,-./:;=>?[\]^_{|}
        * (),-./\
        + "'(-=\
        , "$'(*-.\_
        - $%(),.>\
        . "$'()*,-/:;<[\]_
        / "#$%'()*,.:>\_{
        : "%'*-\_`{
        ; "&/\
        < /=>?
        = "$%'(->[\_{
        > "&'(),./:<=\{
        ? !"'),.:
        [ "'(-:@\]_
        \ "'-/[
        ] ()*+,./:;<=[\{}
        ^ -\{
        _ (),-.;[\{
        ` ),.
        { "$'-\}
        | \
        } "$&'(),-./:;=>[\]_`{|
        """.strip().splitlines()
    )
)
"""Mark to the marks that are one token with it when they follow it; a doubled mark always is."""

LONGER = frozenset(
    r"""
    !-- ")) "), "). "); "," "/> ":" ">< "></ "]) "], "]. "][" "}, ')) ')). '), '). '); ',' ']) '])) '],
    ']. ']; '][ '][' ("# ("% (", ("- (". ("/ ("< ("[ ("\ ('# ('. ('./ ('/ ('< ('\ (() ()) ())) ()), ()).
    ()); (), ()-> (). (): (); ()[ (){ ()} ([' (__ )", )', )), )). )); )** )-> )</ )}, **) **, ++) ++;
    --> .", .', .), .). ..." ...) ..., ...</ ../ ../../ .</ .__ /** :", :** :// :</ ;</ <!-- ="" ="# ="$
    ="${ ="- ="../ ="/ ="_ =$( =\" ={' >:: ></ [:, []) [], []{ \", \": ]", ])) ]), ]). ]); ]-> ][' ]],
    ^{- __( __, __. {}, }", }', })) }), }). }); },{ }</ }\\ }_{ }},
    ``` !==
    """.split()
)
"""Runs of three marks and more that are one token."""

RULES = "#*-./="
"""Marks of which up to sixteen of one kind are one token …"""

RULE_LENGTH = 16

UNDERLINE_LENGTH = 8
"""… and how many underlines."""

BLANK_LENGTH = 8
"""Spaces that are one token. Tabs and line breaks are one each."""

PLAIN_BLANKS = 40
"""Spaces and tabs up to which an indentation is ordinary."""

PLAIN_BREAKS = 3
"""Empty lines up to which a gap is ordinary, less one."""

UNDOUBLED = "JKQUV"
"""Letters that some vocabulary never joins with themselves."""

PERIOD = 8
"""Characters of the longest pattern that is looked for repeated …"""

REPEATED = 24
"""… and the characters after its first time."""

_ORDINARY = LONGER.union(one + other for one, others in PAIRS.items() for other in one + others)
_MARKS = r"!-/:-@\[-`{-~"
_LINKED = "|".join(
    f"{re.escape(one)}(?=[{re.escape(one + others)}])" for one, others in PAIRS.items()
)
_RULE = lazy_pattern(rf"([{re.escape(RULES)}])\1{{2,{RULE_LENGTH - 1}}}|_{{3,{UNDERLINE_LENGTH}}}")
_STRETCH = lazy_pattern(rf"(?:{_LINKED}|@(?=@)|~(?=~))*[{_MARKS}]")
_SAME = lazy_pattern(f"\0{{{REPEATED},}}")
_WORD = lazy_pattern("[A-Za-z0-9]")
_ANY_MARK = lazy_pattern(f"[{_MARKS}]")
_SEGMENT = lazy_pattern(rf" {{1,{BLANK_LENGTH}}}|[\t\n\r\v\f]")
_PLAIN_GAP = lazy_pattern(
    rf"(?:\r?\n){{0,{PLAIN_BREAKS}}} {{0,{PLAIN_BLANKS}}}|(?:\r?\n){{0,{PLAIN_BREAKS}}}\t{{0,2}}"
)


_IS_MARK = bytes(chr(code) in string.punctuation for code in range(256))
_IS_BLANK = bytes(chr(code) in " \t\n\r\v\f" for code in range(256))
_SECONDS = lazy_pattern("\1\1*")


def _runs(text: str, table: bytes) -> list[str]:
    # The runs of two ASCII characters and more that are in a table. Whole numbers find their places
    # many times faster than a pattern that looks at each character.
    data = text.encode("utf-8", "surrogatepass")
    bits = int.from_bytes(data.translate(table), "little")
    both = bits & (bits << 8)
    if not both:
        return []
    seconds = both.to_bytes(len(data) + 1, "little").decode("latin-1")
    whole = text if text.isascii() else data.decode("latin-1")
    return [whole[found.start() - 1 : found.end()] for found in _SECONDS.finditer(seconds)]


def odd_marks(text: str) -> tuple[int, int, int]:
    """Return the runs of marks that no table has, their marks, and the most tokens they take."""
    odd = [run for run in _runs(text, _IS_MARK) if not _plain(run)]
    if not odd:
        return 0, 0, 0
    joined = " ".join(odd)
    marks = len(joined) - len(odd) + 1
    rest, rules = _RULE.subn(" ", joined)
    found = list(map(len, _STRETCH.findall(rest)))
    pairs = sum(length // 2 for length in found)
    # A tokenizer joins at least half as many: one pair that no table has may part two that ours have.
    return len(odd), marks, rules + sum(found) - (pairs + 1) // 2


def _plain(run: str) -> bool:
    return run in _ORDINARY or (
        run[0] in RULES and not run.strip(run[0]) and len(run) <= RULE_LENGTH
    )


def gaps(text: str) -> Mapping[str, int]:
    """Return the white space of a text: what is ordinary by its features, and ``odd`` tokens."""
    found: defaultdict[str, int] = defaultdict(int)
    for run, times in Counter(_runs(text, _IS_BLANK)).items():
        if _PLAIN_GAP.fullmatch(run):
            blanks = run.count(" ")
            if blanks > 1:
                found["gap_runs"] += times
                found["gaps"] += times * blanks
                found["long_gaps"] += times * (blanks // BLANK_LENGTH)
        else:
            found["odd"] += times * len(_SEGMENT.findall(run))
            found["odd_tabs"] += times * run.count("\t")
            found["odd_breaks"] += times * sum(map(run.count, "\n\r\v\f"))
    return found


def repeated(text: str) -> tuple[int, int]:
    """Return the characters of repeated short patterns without words, and their most tokens.

    Pairs that a vocabulary has help little there: if one pattern holds none of them, none does.
    """
    if not text.isascii():
        return _repeated_all_over(text)
    whole = int.from_bytes(text.encode(), "little")
    chars = tokens = 0
    for period in range(1, PERIOD + 1):
        same = (whole ^ (whole >> 8 * period)).to_bytes(len(text), "little")
        if b"\0" * REPEATED not in same:
            continue
        for found in _SAME.finditer(same.decode("latin-1")):
            pattern = text[found.start() : found.start() + period]
            if _is_wordless(pattern) and (2 * pattern).find(pattern, 1) == period:
                stretch = text[found.start() : found.end() + period]
                chars += len(stretch)
                tokens += len(_RULE.sub("-", stretch))
    return chars, tokens


def _repeated_all_over(text: str) -> tuple[int, int]:
    if len(text) > REPEATED:
        for period in range(1, PERIOD + 1):
            if text.startswith(text[period:]):
                wordless = not _WORD.search(text[:period])
                return (len(text), most_bytes(text)) if wordless else (0, 0)
    return 0, 0


def _is_wordless(pattern: str) -> bool:
    # Rules and indentations have their prices.
    if pattern in UNDOUBLED:
        return True
    return len(_ANY_MARK.findall(pattern)) > 1 and not _WORD.search(pattern)
