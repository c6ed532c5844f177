"""Extract statements from a message by the rules."""

import re
from collections.abc import Iterator, Sequence

from unabridged.domain.exchange import Exchange
from unabridged.domain.fact import SELF
from unabridged.knowledge.fact_rules.english import LIKES, PERSON, THINGS
from unabridged.knowledge.fact_rules.english_life import LIFE, OTHERS
from unabridged.knowledge.fact_rules.german_spanish_french import FRENCH, GERMAN, SPANISH
from unabridged.knowledge.fact_rules.lexicon import DATED
from unabridged.knowledge.fact_rules.own_clauses import Clause, clauses, speaker
from unabridged.knowledge.fact_rules.rule import FactRule
from unabridged.knowledge.fact_rules.value_checks import capital, job, named
from unabridged.knowledge.statements import ExtractedStatement, Statement, tied
from unabridged.language.strip_pasted import own_words

VERSION = "rules-1"
"""The author of statements from the rules; a change of the rules needs a new version."""

_ENGLISH = (*PERSON, *LIKES, *THINGS, *LIFE, *OTHERS)
_LANGUAGES: Sequence[tuple[re.Pattern[str], Sequence[FactRule]]] = (
    (re.compile(r"\b(?:Im?|my|we)\b", re.IGNORECASE), _ENGLISH),
    (re.compile(r"\b(?:ich|meine?)\b", re.IGNORECASE), GERMAN),
    (re.compile(r"\b(?:me|soy|vivo|tengo|mi|trabajo)\b", re.IGNORECASE), SPANISH),
    (re.compile(r"\b(?:je|mon|ma)\b|\bj['’]", re.IGNORECASE), FRENCH),
)
"""The words that a clause needs before a language's rules are tried, and these rules."""

_UNREAL = re.compile(
    r"\b(?:if|unless|whether|suppose|supposing|imagine|wish(?:ed)?|hope|hoping|pretend|as though|would|"
    r"could|might|maybe|perhaps|once i|in case|should|let['’]?s say|someday|one day|not sure|"
    r"unsure|wonder(?:ing)?|dream(?:ed|t|ing)?|wenn|falls|würde|könnte|vielleicht|ojalá|quizás|"
    r"si|quisiera|peut-être|never said|not true|novel|character|fictional|feels like|"
    r"it(?:['’]s| is) like|joke|kidding|used to)\b",
    re.IGNORECASE,
)
_UNREAL_INSIDE = re.compile(
    r"\b(?:would|could|might|wish|hope to|should have|if i|maybe|perhaps|i['’]d|never)\b",
    re.IGNORECASE,
)
_WHENEVER = re.compile(
    r"\b(?:when|whenever|every time|wenn|cuando|quand)\b[^,.;]*,\s*$", re.IGNORECASE
)
"""A condition right before: the statement holds only under it."""
_REPORTED = re.compile(
    r"\b(?:says?|said|told|tells|thinks?|thought|claims?|claimed|asked|asks|wrote|writes|believes?|"
    r"sagt|sagte|dice|dijo|dit|tells)\b[^.;]{0,25}$",
    re.IGNORECASE,
)
_MINE = re.compile(r"\bI(?:\s+\w+)?\s+(?:said|told|mentioned|think|thought|believe|wrote|say)\b")
_BEGINS = re.compile(
    r"(?:^|[.,;:!?()\"“”–—…*-]|\b(?:and|but|so|because|since|as|while|then|now|well|also|plus|though|"
    r"although|when|after|before|actually|yes|yeah|no|ok|okay|way|lately|recently|today|yesterday|"
    r"ago|week|weekend|month|year|morning|night|evening|\w+day|that['’]s why|btw|lol|haha|hi|hey|"
    r"hello|currently|yet|until|or|19\d\d|20\d\d|unfortunately|luckily|personally|honestly|"
    r"\w+ly|think|mentioned|said|know|because|therefore|however|too|either|anyway))\s*$",
    re.IGNORECASE,
)
"""What may precede *I* at the beginning of a clause; anything else restricts the statement."""
_FIRST = re.compile(r"Im?\b")
_CORRECTS = re.compile(
    r"\b(?:actually|no longer|not anymore|any more|anymore|correction|i meant|i misspoke|"
    r"changed my mind|not (?-i:[A-Z])\w+\s*[.!]*\s*$|eigentlich|nicht mehr|en realidad|ya no|en fait|ne plus)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:\s+(?:now|currently|too|as well|right now|these days|at the moment|though|lately|here|"
    r"anyway|already|myself|actually|so far|much|a lot|very much|so much|in general|anymore|any more|any longer)|[\s,;:'’\"”)(-])+$",
    re.IGNORECASE,
)
_DEEDS = frozenset(("did", "plan", "habit", "experience", "education"))
"""Attributes whose value is the whole statement."""
_WORKPLACE = re.compile(r"\s+(?:at|for|with|in|from)\s.*$", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s?\b.*$")
_NAMES = {
    "live in": "lives in", "living in": "lives in", "work as": "works as", "work at": "works at",
    "work for": "works at", "have": "has", "own": "has", "use": "uses", "like": "likes",
    "play": "plays", "eat": "eats", "drink": "drinks", "color": "colour",
}  # fmt: skip
"""Words of a pattern to the attribute that they mean."""


def extract(exchange: Exchange) -> list[Statement]:
    """Extract statements about the user from the user's own words, never from other roles."""
    drawn = draw(own_words(exchange.user.text))
    return [s for d in drawn if (s := tied(d, exchange, VERSION)) is not None]


def draw(text: str) -> list[ExtractedStatement]:
    """Extract statements from a message, in order, each with a verbatim quote."""
    who = speaker(text)
    found: dict[tuple[str, str, str], ExtractedStatement] = {}
    for clause in clauses(text):
        taken: list[tuple[int, int]] = []
        for drawn in _drawn(clause, who):
            span = (drawn.place, drawn.place + len(drawn.quote))
            if any(a <= span[0] and span[1] <= b for a, b in taken) and drawn.attribute == "did":
                continue  # a more specific rule has extracted it
            taken.append(span)
            found.setdefault((drawn.subject, drawn.attribute, drawn.value.lower()), drawn)
    return sorted(found.values(), key=lambda d: d.place)


def understood(text: str) -> ExtractedStatement | None:
    """Return the only statement of a text, or None if it contains none, several or more."""
    found = draw(text)
    if len(found) != 1 or found[0].attribute in _DEEDS:
        return None
    rest = text.replace(found[0].quote, "", 1).strip(" .,!;:\"'")
    return None if rest else found[0]


def _drawn(clause: Clause, who: str) -> Iterator[ExtractedStatement]:
    lowered = clause.text.lower()
    for cue, rules in _LANGUAGES:
        if not cue.search(clause.text):
            continue
        for rule in rules:
            if (clause.asks and not rule.presupposed) or rule.cue not in lowered:
                continue
            for found in rule.pattern.finditer(clause.text):
                if (drawn := _taken(rule, found, clause, who)) is not None:
                    yield drawn


def _taken(
    rule: FactRule, found: re.Match[str], clause: Clause, who: str
) -> ExtractedStatement | None:
    groups = found.groupdict()
    group = "value" if groups.get("value") else "value2"
    if not groups.get(group):
        return None
    start, end = found.start(), found.end(group)
    value = _TAIL.sub("", found[group].strip())
    if not value or (rule.check is not None and not rule.check(value, found)):
        return None
    if not rule.presupposed and not _is_stated(clause.text[:start], clause.text[start:end]):
        return None
    if rule.check is named:
        value = _POSSESSIVE.sub("", value)
    if rule.check is job:
        value = _WORKPLACE.sub("", value)
    if rule.check is capital:
        value = _undated(value)
    quote = _closed(clause.text[start : max(end, _end_of_names(found))], clause.text)
    place = clause.place + start + len(quote) - len(quote.lstrip())
    subject = _subject(groups.get("subject"), who)
    quote = quote.strip()
    return ExtractedStatement(
        attribute=_attribute(rule.attribute, groups),
        value=value if _is_paired(value) else value.replace('"', ""),
        quote=quote,
        text=_text(rule, groups, value, quote, who),
        subject=subject,
        place=place,
        corrects=rule.corrects or bool(_CORRECTS.search(clause.text)),
    )


def _undated(value: str) -> str:
    found = DATED.search(value)
    return _TAIL.sub("", value[: found.start()]) or value if found else value


def _closed(quote: str, text: str) -> str:
    end = text.index(quote) + len(quote)
    if not _is_paired(quote) and (mark := re.match(r"[,.!?]?\"", text[end:])):
        return quote + mark[0]
    bare = _TAIL.sub("", quote)
    return bare if _is_paired(bare) else quote.rstrip()


def _is_paired(text: str) -> bool:
    return text.count('"') % 2 == 0


def _end_of_names(found: re.Match[str]) -> int:
    ends = [found.end(name) for name in ("what", "who", "subject") if name in found.re.groupindex]
    return max(ends, default=-1)


def _is_stated(before: str, inside: str) -> bool:
    # A statement: no condition, no wish, nobody else's words.
    if _UNREAL.search(before) or _UNREAL_INSIDE.search(inside) or _WHENEVER.search(before):
        return False
    if _FIRST.match(inside) and not _BEGINS.search(before):
        return False
    reported = _REPORTED.search(before)
    return reported is None or bool(_MINE.search(before))


def _attribute(name: str, groups: dict[str, str | None]) -> str:
    for group in ("what", "who"):
        words = " ".join((groups.get(group) or "").lower().split())
        name = name.replace("{" + group + "}", _NAMES.get(words, words))
    return name


def _subject(words: str | None, who: str) -> str:
    named = " ".join((words or "").replace(",", " ").split())
    if not named:
        return who or SELF
    return f"{who}'s {named}" if who else named


def _text(rule: FactRule, groups: dict[str, str | None], value: str, quote: str, who: str) -> str:
    relation = " ".join((groups.get("who") or "").split())
    said = rule.text.replace("{Who}", relation.capitalize()).replace("{value}", value)
    said = said or quote[:1].upper() + quote[1:]
    return f"{who}: {said}" if who else said
