"""Checks of the values that rules match."""

import re

from unabridged.knowledge.fact_rules.lexicon import (
    ADJECTIVES_OF_NO_NAME,
    DATED,
    DIET,
    JOB,
    PET,
    RELATIVE,
    THING,
)

_POINTING = re.compile(
    r"(?:your|that|this|it|its|these|those|how|what|why|them|myself|ourselves|yourself|himself|herself|themselves|him|his|her|their|they|you|both|all|"
    r"everything|anything|something|nothing|ones?|each|either|any|some of|another|more|most|best|"
    r"around|along|with|"
    r"the (?!(?:outdoors|beach|ocean|sea|mountains|rain|snow|sun|cold|heat|summer|winter|autumn|fall|"
    r"spring|night|city|countryside|gym|piano|guitar|violin|theat(?:er|re)|opera|(?-i:[A-Z])|[\"“]))|"
    r"hers|theirs|mine|yours|a (?:good|great|better|clear) (?:idea|sense|start|point|one)|a good|an idea|my last|to (?:hear|know|see|learn|get|be|start|try|have|find|make|add|use|think|"
    r"go with)|missing|gone|lost|broken|when|\w+ing (?:it|him|her|them|this|that|these|those)|hearing|knowing|seeing|being|having|getting|trying|using|adding|such)\b",
    re.IGNORECASE,
)
"""Values that refer to something said before, or that only praise."""
_POINTING_END = re.compile(
    r"\b(?:option|feature|idea|ideas|suggestion|suggestions|one|part|approach|format|version)$",
    re.IGNORECASE,
)
_CUT = re.compile(
    r"\b(?:a|an|the)\s+[\w-]+$|^[\w-]+(?:al|ive|ic|ous|ful|less|able|ible|ern|ish)$", re.IGNORECASE
)
_THAT_ONE = re.compile(r"(?:[\w'’]+\s+){1,4}?(?:it|them|mine|ones?)\b(?!['’])", re.IGNORECASE)
_OF_THAT = re.compile(
    r"(?:\S+\s+){1,9}?(?:on|with|for|from|to|of|about|in) (?:it|them|that one)\b|"
    r".*\b(?:this|that) (?:new |same |other )?(?:place|thing|one|way|method|stuff)\b|"
    r"(?:saw|read|learned|discovered|found|noticed) that\b|"
    r"(?:started|began) (?:playing|collecting|using|making|reading|taking|doing|working|learning|"
    r"trying|watching|getting|going|having|writing|building)(?: again)? (?:again|last|one|two|three|"
    r"four|five|six|after|about|around|a|in|on|\d|recently|this|today|yesterday)\b|"
    r"going to (?:try|start|need|have|be|do|use|make sure|go with|give|keep|look|check)\b|"
    r"(?:saved|spent|earned|paid|lost|made|got|won) (?:around |about |over |only |just )?[$€£]?\d\S*$|"
    r"(?:won|completed|finished|watched|read|did|got)\s+(?:the first |the last |another |up to )?"
    r"[\d-]+(?:\s\w+)?$",
    re.IGNORECASE,
)
_WHOSE = re.compile(r"\b(?:her|him|hers|his|he|she)\b", re.IGNORECASE)
_SOMEBODY = re.compile(
    rf"(?-i:[A-Z])(?-i:[a-z])\w+|\b(?:{RELATIVE}|{PET}|man|woman|guy|girl|boy|lady|someone|somebody|author|"
    r"teacher|artist|colleague|person)\b",
    re.IGNORECASE,
)
"""Whom *her* and *him* may refer to within a value."""
_WHICH = re.compile(r"\b(?:it|them|they|its|their|theirs)\b", re.IGNORECASE)
_SOMETHING = re.compile(
    r"\b(?:an?|my|the|some|our|two|three|four|five|\d+)\s|[\"“]|(?-i:[A-Z])(?-i:[a-z])"
)
_ELSEWHEN = re.compile(
    r"\bthat (?:day|time|night|evening|morning|\w+day|year|week|weekend|month|trip|event)\b|"
    r"\bto attend$|\bsince I (?:got|started|bought|began|moved)(?: it| them| this| that)?$|"
    r"^(?:tried|used|seen|read|watched|heard)\s.{1,30}\sbefore$|^\w+ (?:\w+ )?there\b|"
    r"^participated (?:for|on|with|there|this|last)\b",
    re.IGNORECASE,
)
_NO_OBJECT = re.compile(
    r"(?:attended|bought|visited|got|went|came back|got back|stayed|moved|returned|purchased|completed|started|learned|learned about|took|made|"
    r"participated in|went to|tried|joined|met|saw|read|watched|finished|ordered|received|ran out)"
    r"\s+(?:on|in|at|from|with my|last|this|yesterday|today|one|two|three|four|a\s(?:few|couple|week|month)|"
    r"about|around|recently|during|was|were|is|over)\b",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"(?:visited|attended|bought|purchased|finished|completed|joined|adopted|won|volunteered|moved|"
    r"participated|signed up|celebrated|hosted|hiked|baked|planted|got (?:married|engaged|promoted|"
    r"divorced|a job|my)|married|retired|quit|met my|graduated|inherited)\s+(?:in\s|for\s|to\s|at\s)?"
    r"(?:an?|my|our|two|three|four|five|\d+|some|(?-i:[A-Z])|[\"“])",
    re.IGNORECASE,
)
"""Activities worth storing even without a date."""
_NO_AIM = re.compile(
    r"\w+ (?:to )?(?:visit|attend|buy|see|try|make|do|use|start|go) (?:in|on|at|next|this|soon|later|"
    r"today|tomorrow|it|there)\b|spent? (?:around |about |over )?[$€£]?\d",
    re.IGNORECASE,
)
_OPEN_END = re.compile(
    r"\b(?:from|with|at|to|of|for|the|an?|and|or|by|about|that|my|some|into|than|as|like|called|named|"
    r"is|are|was|were|called|be)$",
    re.IGNORECASE,
)
_MILESTONE = re.compile(
    r"(?:lost|quit|left) my job|got (?:married|divorced|engaged|promoted|fired|laid off|pregnant)|"
    r"had a (?:baby|heart attack|stroke|miscarriage)|(?:died|passed away|got married|had a baby)\b",
    re.IGNORECASE,
)
_SPECIFIC = re.compile(
    r"\d|[\"“][^\"”]+[\"”]|(?<=\s)(?-i:[A-Z])(?-i:[a-z])\w+|\b(?:two|three|four|five|six|seven|eight|nine|"
    r"ten|eleven|twelve|dozen|hundred|half)\b",
    re.IGNORECASE,
)
"""Numbers, titles and names: what makes an activity worth storing."""
_AT_WORK_HERE = re.compile(
    r"\b(?:errors?|exceptions?|code|functions?|files?|output|bugs?|scripts?|commands?|servers?|query|"
    r"queries|column|table|class|variable|package|version|api|url|json|html|css|python|java|excel|"
    r"prompt|answer|answers|question|response|text|sentence|paragraph|questions|example|results?|"
    r"above|below|following|chatgpt|gpt)\b",
    re.IGNORECASE,
)
"""Words of messages that work on something and say nothing about the user."""
_HARDLY = re.compile(
    r"running (?:a bit |a little )?(?:behind|late|low|out)\b|"
    r"(?:having|taking)\s+(?:an?\s+(?:hard|difficult|tough|great|good|bad)|trouble|issues|problems|"
    r"it|some)\b",
    re.IGNORECASE,
)
_CAPITALS = re.compile(r"[A-ZÀ-ÖØ-Þ](?!['’]|\b)")
"""Capital letters of a clause, except *I*."""
_LOWER = re.compile(
    r"(?:an?|the|this|that|my|our|another|different|real|big|small|new|old|same|here|there)\b"
)
_ONLY_POINTING = re.compile(
    r"(?:it|that|this|them|these|those|so|one|there|here|with it|for it|the same)\b[\s\w]{0,12}$",
    re.IGNORECASE,
)
_JOB_END = re.compile(rf"\b{JOB}s?(?:\s+(?:at|for|in|with|from)\s.+)?$", re.IGNORECASE)
_AMATEUR = re.compile(
    r"(?:intermediate|beginner|beginning|novice|avid|amateur|hobby|home|good|bad|great|big|keen|new|"
    r"pretty|very|quite|really|fairly|careful|cautious|safe|decent|terrible|poor|natural|visual|fast|slow|quick|better|professional)\b",
    re.IGNORECASE,
)
_THING_END = re.compile(
    rf"\b(?:{THING}|{PET})s?(?:\s+(?:at|for|in|with|from|of|named|called|on|that|to|model|since|which)"
    r"\b.*)?$",
    re.IGNORECASE,
)
_NO_THING = re.compile(
    r"(?:a |an |some |no |any |my )?(?:few |couple |lot |little |bit |new |big |good |great |quick "
    r"|specific |follow-up )*(?:questions?|idea|feeling|hard time|problem|issue|plan|meeting|chance|"
    r"look|doubt|clue|hunch|tendency|preference|thought|concern|request|task|project|point|"
    r"reason|goal|budget|deadline|sense|lot|bit)\b",
    re.IGNORECASE,
)
_DIET = re.compile(rf"^(?:strict |mostly |lifelong |mainly |a )*{DIET}$", re.IGNORECASE)


def capital(value: str, found: re.Match[str]) -> bool:
    """Return whether it is spelt like a name."""
    if not _CAPITALS.search(found.string):  # people who write no capitals mean names too
        return len(value.split()) <= 3 and not _POINTING.match(value) and not _LOWER.match(value)
    first = value.removeprefix("the ").removeprefix("The ").lstrip()
    word = re.split(r"[\s'’]", first, maxsplit=1)[0]
    return first[:1].isupper() and word.lower() not in ADJECTIVES_OF_NO_NAME


def named(value: str, found: re.Match[str]) -> bool:
    """Return whether it is somebody's name: capitals, and no word that begins a clause."""
    if not capital(value, found):
        return False
    return all(word.lower() not in ADJECTIVES_OF_NO_NAME for word in value.split())


def age(value: str, found: re.Match[str]) -> bool:
    """Return whether it can be a person's age in years."""
    digits = re.search(r"\d+", value)
    told = re.search(r"\d\s*-?\s*(?:years?|months?|weeks?)", found[0], re.IGNORECASE)
    return digits is None or (0 if told else 4) <= int(digits[0]) <= 110


def job(value: str, _found: re.Match[str]) -> bool:
    """Return whether it names a job, not how well somebody does something."""
    return len(value.split()) <= 8 and bool(_JOB_END.search(value)) and not _AMATEUR.match(value)


def diet(value: str, _found: re.Match[str]) -> bool:
    """Return whether it names a diet."""
    return bool(_DIET.match(value))


def thing(value: str, _found: re.Match[str]) -> bool:
    """Return whether it names a lasting possession."""
    return bool(_THING_END.search(value)) and not _NO_THING.match(value)


def telling(value: str, found: re.Match[str]) -> bool:
    """Return whether it names its subject and does not refer to something said before."""
    if not re.search(r"\w\w", value) or len(value) > 160:
        return False
    if _POINTING.match(value) or _POINTING_END.search(value) or _OPEN_END.search(value):
        return False
    behind = found.string[found.end("value") :] if found.groupdict().get("value") else ""
    return not (behind.lstrip().startswith((",", "and ")) and _CUT.search(value))


def experienced(value: str, found: re.Match[str]) -> bool:
    """Return whether it names an activity of some duration, not only an opinion or thought."""
    return happened(value, found) and not re.search(
        r"been (?:about|able|doing (?:pretty|really|very|so)? ?(?:well|good|great|better|fine|okay)|using (?:it|this)|meaning|thinking|trying|wondering|considering|looking|hearing|wanting|having|"
        r"feeling|working on (?:it|this|that)|\w+ing (?:it|this|that|them|one|some)\b)|since then",
        value,
        re.IGNORECASE,
    )


def owned(value: str, found: re.Match[str]) -> bool:
    """Return whether it is something to own, not a question to have."""
    return telling(value, found) and not _NO_THING.match(value)


def happened(value: str, _found: re.Match[str]) -> bool:
    """Return whether it says enough of what was done: an object that it names, or a time."""
    words = value.split()
    if len(words) < 2 or len(value) > 240 or _ONLY_POINTING.match(value):
        return False
    pointing = (_THAT_ONE, _OF_THAT, _NO_OBJECT, _NO_AIM)
    if any(each.match(value) for each in pointing) or _OPEN_END.search(value):
        return False
    if _ELSEWHEN.search(value) or _leans(value, _WHOSE, _SOMEBODY):
        return False
    if _leans(value, _WHICH, _SOMETHING):
        return False
    return not re.search(r"\b(?:you|your|yours)\b", value, re.IGNORECASE)


def _leans(value: str, pronoun: re.Pattern[str], noun: re.Pattern[str]) -> bool:
    found = pronoun.search(value)
    return found is not None and noun.search(value[: found.start()]) is None


def dated(value: str, found: re.Match[str]) -> bool:
    """Return whether it says what and when, or names something that lasts."""
    if not happened(value, found):
        return False
    if DATED.search(value) or _LASTING.match(value) or _MILESTONE.match(value):
        return True
    return specific(value, found)


def specific(value: str, found: re.Match[str]) -> bool:
    """Return whether it names a number, a title or a name from outside the conversation."""
    if not happened(value, found) or len(value.split()) < 3 or _AT_WORK_HERE.search(value):
        return False
    return bool(_SPECIFIC.search(value))


def planned(value: str, found: re.Match[str]) -> bool:
    """Return whether it says what will be done, and when."""
    return happened(value, found) and bool(DATED.search(value)) and not _HARDLY.match(value)


def routine(value: str, found: re.Match[str]) -> bool:
    """Return whether it says what people do about themselves."""
    return happened(value, found) and not re.match(
        r"(?:have|had|had been|be|been|was|am|get|feel|think|wonder|wondered|wanted|want|thought|"
        r"(?:usually|always|often|typically|normally|generally|regularly|tend to)\s+(?:have been|had|"
        r"been|was|am|feel|felt|think|thought|wonder|wondered|wanted|want|loved|liked|enjoyed|hear|"
        r"heard|find|found|forget|struggle|end up|considered|seem|assumed|admired|get|hated|dreamed|"
        r"believed|knew|do it|do that|use it)\b|hear|heard|find|found|spent|made|had|did|took|went|forget|struggle|need|loved|liked|considered|seem|end up|assumed)\b",
        value,
        re.IGNORECASE,
    )
