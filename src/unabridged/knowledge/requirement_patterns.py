"""Patterns of requirements, and words for their type and priority."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from unabridged.language.sentences import sentences
from unabridged.language.words import fold, stem, words

VERSION = "rules-1"
"""The author of requirements from the rules."""

_SYSTEM = (
    r"(?:system|app|application|software|platform|web\s?site|site|service|tool|product|solution|program|"
    r"(?:user\s+)?interface|ui|server|client|back[- ]?end|front[- ]?end|api|database|device|dashboard|"
    r"module|component|portal|bot|chatbot|assistant|game|library|plugin|extension|page|form|screen|"
    r"report|search|login|checkout|feature|data|passwords?|files?|messages?|notifications?|logs?|"
    r"backups?|uploads?|response\s+times?|response|load(?:ing)?\s+times?|users?|customers?|"
    r"admins?|administrators?|operators?|managers?|employees?|members?|visitors?|guests?|teachers?|"
    r"students?|patients?|doctors?|players?|orders?|payments?|invoices?|accounts?|exports?|imports?)"
)
_MODAL = (
    r"(?:must(?:\s+not|n['’]t)?|shall(?:\s+not)?|should(?:\s+not|n['’]t)?|(?:has|have|needs?)\s+to|"
    r"(?:does|do)\s+not\s+have\s+to|may\s+not|can(?:not|['’]t)|could|may|will\s+not|won['’]t|"
    r"ought\s+to|is\s+required\s+to|are\s+required\s+to)"
)
_TALK = (
    r"(?:talk|discuss|meet|think|decide|figure|look|know|understand|start|finish|chat|hurry|wait|go|"
    r"leave|be\s+careful|consider|remember|focus|agree|see|ask|find\s+out|speak)"
)
_NAMED = (
    rf"\b(?:the|our|this|each|every|all|any|a|an|no)\s+(?:[\w'’-]+\s+){{0,3}}?{_SYSTEM}\s+"
    rf"(?:[\w-]+ly\s+|also\s+|(?:of|in|on|for|from)\s+(?:[\w'’-]+\s+){{1,4}})?{_MODAL}\b"
)
_PLURAL = rf"(?:^|[.;:]\s*|[-*•]\s*){_SYSTEM}\s+(?:also\s+)?{_MODAL}\b"
_IT = r"(?:^|[.;:,]\s*|\band\s+)it\s+(?:also\s+)?(?:must|shall|should|has\s+to|needs\s+to|may\s+not)\b(?!\s+(?:be\s+)?(?:noted|said|fine|work|ok|okay|easy|great|good|nice|fun|possible|clear|obvious|rain|snow|depend))"
_WE = (
    rf"\bwe(?:['’]ll)?\s+(?:also\s+|really\s+)?(?:need|require)\s+(?!to\s+{_TALK}\b)(?!it\b|this\b|that\b|"
    r"you\b|help\b|your\b|some\s+help|more\s+time|an?\s+(?:answer|break|moment|minute))\w+"
)
_WANT = rf"\b(?:I|we)\s+(?:want|would\s+like|need)\s+(?:the|our|this)\s+(?:[\w-]+\s+){{0,3}}?{_SYSTEM}\s+to\b"
_STORY = r"^\W*as\s+an?\s+(?P<role>[\w -]{3,40}?),?\s+I\s+(?:want|need|would\s+like)\s+to\b"
_LIMIT = (
    r"\b(?:the|our)\s+(?:total\s+|overall\s+|project\s+)?(?:budget|deadline|launch\s+date|release\s+date)"
    r"\s+(?:is|may\s+not|must|cannot)\b"
)
_SYSTEM_DE = (
    r"(?:System|App|Anwendung|Software|Plattform|Web(?:seite|site)|Seite|Dienst|Werkzeug|Produkt|Lösung|"
    r"Programm|Oberfläche|Server|Datenbank|Gerät|Modul|Portal|Nutzer(?:in)?(?:nen)?|Benutzer(?:in)?"
    r"(?:nen)?|Kunden?|Administrator(?:en)?|Daten|Passwörter|Antwortzeit|Suche|Anmeldung|Bericht)"
)
_MODAL_DE = r"(?:muss|müssen|soll|sollen|sollte|sollten|darf|dürfen|kann|können|könnte)"
_GERMAN = (
    rf"\b(?:das|die|der|jede[rs]?|alle|unsere?)\s+(?:[\w-]+\s+){{0,2}}?{_SYSTEM_DE}\s+{_MODAL_DE}\b",
    rf"(?:^|\.\s*)(?:es|sie|er)\s+(?:muss|soll|sollte|darf)\b.*\b{_SYSTEM_DE}\b",
    rf"(?:^|[.;:]\s*){_SYSTEM_DE}\s+{_MODAL_DE}\b",
)
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (_NAMED, _PLURAL, _WANT, _STORY, _LIMIT, *_GERMAN)
)
_WE_NEED = re.compile(rf"{_WE}|\bwir\s+(?:brauchen|benötigen)\b", re.IGNORECASE)
_FEATURE = re.compile(
    r"\b(?:mode|page|button|log-?in|search|export|import|report|dashboard|feature|view|form|"
    r"notifications?|backups?|api|database|support|integration|fields?|filters?|lists?|charts?|alerts?|"
    r"passwords?|accounts?|suche|export\w*|anmeldung|bericht\w*|schnittstelle|able)\b",
    re.IGNORECASE,
)
"""Features of a product; other wishes have none."""
_ANAPHOR = re.compile(_IT, re.IGNORECASE)
_ABOUT_SYSTEM = re.compile(
    r"\b(?:system|app|application|software|platform|web\s?site|tool|product|interface|api|feature|"
    r"program|dashboard|portal|requirement|chatbot|anwendung|plattform)\b",
    re.IGNORECASE,
)
_STORY_OF = re.compile(_STORY, re.IGNORECASE)
_NOT_STATED = re.compile(
    r"^\W*(?:if|imagine|suppose|what\s+if|wenn|falls|you|describe|explain|identify|start|use|write|"
    r"brief|please|also\s+please|make\s+sure|create|generate|give|provide|list)\b|//|"
    r"\bI\s+(?:think|would\s+say|guess|believe)\b|\bcould\s+be\s+(?:a|an)\s+(?:great|good)\b|\b(?:I\s+wonder|not\s+sure|don['’]t\s+know)"
    r"|\b(?:response|answer|output|essay|story|article|text|paragraph|poem|prompt)\s+(?:must|should)",
    re.IGNORECASE,
)
_FENCE = re.compile(r"```.*?(?:```|\Z)|(?m:^[ \t]*>.*$)", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")

_ONE_TO_TWELVE = (
    r"an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|half\s+an|ein(?:er|em)?|zwei|drei|vier|"
    r"fünf|sechs|zehn|zwölf"
)
_WISHED = re.compile(
    r"\b(?:would|['’]d)\s+(?:\w+\s+)?be\s+(?:nice|great|good|useful|helpful|handy|lovely)\b|"
    r"\bnice[\s-]to[\s-]have\b|\bnot\s+essential\b|\bwären?\s+(?:\w+\s+)?(?:schön|gut|praktisch|toll)\b|"
    r"\bnicht\s+zwingend\b",
    re.IGNORECASE,
)
"""What may wait, whatever other words it has."""
_PRIORITIES: Mapping[str, re.Pattern[str]] = {
    "wont": re.compile(
        r"\b(?:won['’]t|will\s+not|out\s+of\s+scope|do(?:es)?(?:\s+not|n['’]t)\s+(?:have\s+to|need)|"
        r"muss\s+nicht|müssen\s+nicht|nicht\s+nötig)\b",
        re.IGNORECASE,
    ),
    "must": re.compile(
        r"\b(?:must|mustn['’]t|shall|has\s+to|have\s+to|needs?\s+to|need|require[sd]?|cannot|can['’]t|"
        r"may\s+not|muss|müssen|darf|dürfen|brauchen|benötigen|deadline|budget)\b",
        re.IGNORECASE,
    ),
    "should": re.compile(
        r"\b(?:should|shouldn['’]t|ought|wants?|would\s+like|I['’]d\s+like|we['’]d\s+like|soll|sollen|sollte|sollten)\b",
        re.IGNORECASE,
    ),
    "could": re.compile(
        r"\b(?:could|may|can|nice\s+to\s+have|kann|können|könnte)\b", re.IGNORECASE
    ),
}
_CONSTRAINT = re.compile(
    r"\b(?:budget|deadline|compl(?:y|iant|iance)|gdpr|dsgvo|hipaa|iso\s?\d+|licen[cs]e|legal|law|"
    r"live\s+(?:before|by)|in\s+the\s+eu|in\s+der\s+eu|browsers?|android|iphone|windows|"
    r"regulat\w+|written\s+in|run\s+on|runs\s+on|based\s+on|compatible\s+with|integrate\s+with|"
    r"no\s+later\s+than|by\s+(?:the\s+end\s+of|q[1-4]|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)|launch|release\s+date|on[- ]premises?|open[- ]source|"
    r"must\s+use|cost|kosten|frist|gesetz\w*|läuft\s+auf|spätestens)\b",
    re.IGNORECASE,
)
_QUALITY = re.compile(
    r"\b(?:fast|faster|quick(?:ly)?|slow|performan\w+|respon(?:d|se|sive)\w*|latency|secure\w*|security|"
    r"encrypt\w*|protected|privacy|private|reliab\w+|availab\w+|uptime|scal(?:e|able|ability)|"
    r"concurrent\w*|simultaneous\w*|usab\w+|intuitive|easy|simple|accessib\w+|wcag|maintain\w+|robust|"
    r"load\s+times?|offline|backups?|recover\w*|audit\w*|schnell|sicher\w*|verschlüssel\w*|verfügbar\w*|"
    r"zuverlässig\w*|einfach|barrierefrei\w*|antwortzeit\w*|skalier\w*)\b"
    r"|\bwithin\s+\d|\bunder\s+\d|\binnerhalb\s+von\s+\d|\d\s*%|\d\s*(?:ms|seconds?|sekunden?)\b|"
    r"\b(?:within|under|less\s+than|innerhalb\s+von|in\s+weniger\s+als)\s+"
    rf"(?:{_ONE_TO_TWELVE})\b",
    re.IGNORECASE,
)
_BOUND = (
    r"\b(?:within|under|in\s+less\s+than|less\s+than|more\s+than|fewer\s+than|at\s+least|at\s+most|up\s+to|"
    r"no\s+more\s+than|no\s+later\s+than|maximum\s+of|minimum\s+of|innerhalb\s+von|höchstens|mindestens|"
    r"weniger\s+als|bis\s+zu|every)\s+"
)
_MEASURE = re.compile(
    rf"(?:{_BOUND})?[€$£]?\d[\d.,]*\s*(?:%|€|\$|[a-zA-Zäöü]+)(?:\s+(?:per|a|pro)\s+\w+)?"
    rf"|{_BOUND}(?:{_ONE_TO_TWELVE})\s+(?:millis|sec|min|hour|day|week|month|year|tap|click|step|sekun|stund|"
    r"tag|woche|monat|jahr|klick)\w*",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|so\s+that|in\s+order\s+to|since|weil|damit)\s+(?P<why>[^.;!?\n]{4,})",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:must\s+not|mustn['’]t|shall\s+not|should\s+not|shouldn['’]t|may\s+not|cannot|can['’]t|never|"
    r"will\s+not|won['’]t|no|not|nicht|kein\w*|darf\s+nicht)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[€$£]?(?P<n>\d[\d.,]*)\s*(?P<unit>%|€|\$|[a-zA-Zäöü]+)?")
_UNITS = {
    "s": ("second", 1.0), "sec": ("second", 1.0), "second": ("second", 1.0), "sekunde": ("second", 1.0),
    "ms": ("second", 0.001), "millisecond": ("second", 0.001), "minute": ("second", 60.0),
    "min": ("second", 60.0), "hour": ("second", 3600.0), "stunde": ("second", 3600.0),
}  # fmt: skip
_FORM_WORDS = frozenset(
    map(
        stem,
        """
        the a an our this each every all any must shall should have has need to be able not may can
        could will would like want we it that of in on for from with and or within least most more
        less than under up no never at by is are also das die der ein eine muss soll sollte darf kann
        wir brauchen und oder nicht mit von innerhalb i as so because
        """.split(),
    )
)


@dataclass(frozen=True, slots=True)
class RequirementMatch:
    """A requirement as a message states it.

    Attributes:
        text: The statement, without a bullet.
        quote: The words, exactly as in the message.
        type: ``functional``, ``non-functional`` or ``constraint``.
        priority: ``must``, ``should``, ``could`` or ``wont``.
        rationale: The reason, if the text contains one.
        fit_criterion: The measurable part, if the text contains one.
        originator: Whose wish it is, if a user story names them.
        by: Its author.
    """

    text: str
    quote: str
    type: str
    priority: str
    rationale: str = ""
    fit_criterion: str = ""
    originator: str = ""
    by: str = VERSION


@dataclass(frozen=True, slots=True)
class RequirementRules:
    """Rules that extract requirements.

    Attributes:
        version: Their name; under another, everything is read again.
    """

    version: str
    draw: Callable[[str], Iterable[RequirementMatch]]


@dataclass(frozen=True, slots=True)
class Gist:
    """The basis on which requirements are compared.

    Attributes:
        denied: Whether it forbids.
        quantities: Unit to amount.
    """

    terms: frozenset[str]
    denied: bool
    quantities: Mapping[str, float]


def stated(text: str) -> Iterator[RequirementMatch]:
    """Return the requirements that a message states, in order; a question states none."""
    of_system = bool(_ABOUT_SYSTEM.search(_unfenced(text)))
    for quote in quotes(text):
        if not _NOT_STATED.search(quote) and _is_required(quote, of_system=of_system):
            yield described(quote)


def quotes(text: str) -> Iterator[str]:
    """Return the sentences that may state something, verbatim, without bullets."""
    for sentence in sentences(_unfenced(text)):
        quote = _BULLET.sub("", sentence).strip()
        if 12 <= len(quote) <= 600 and not quote.endswith(("?", "？", ":")) and quote in text:
            yield quote


def _unfenced(text: str) -> str:
    return _FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def described(quote: str) -> RequirementMatch:
    """Return a requirement with the fields that its words contain."""
    why, measure = _REASON.search(quote), _MEASURE.search(quote)
    role = _STORY_OF.match(quote)
    return RequirementMatch(
        text=quote,
        quote=quote,
        type=type_of(quote),
        priority=priority_of(quote),
        rationale=why["why"].strip(" ,.") if why else "",
        fit_criterion=measure[0].strip(" ,.") if measure else "",
        originator=role["role"].strip() if role else "",
    )


def _is_required(quote: str, *, of_system: bool) -> bool:
    if any(pattern.search(quote) for pattern in _PATTERNS):
        return True
    if _WE_NEED.search(quote):
        return of_system or bool(_FEATURE.search(quote))
    return of_system and bool(_ANAPHOR.search(quote))


def type_of(text: str) -> str:
    """Return the type of a requirement's text."""
    if _CONSTRAINT.search(text):
        return "constraint"
    return "non-functional" if _QUALITY.search(text) else "functional"


def priority_of(text: str) -> str:
    """Return the priority by the wording; empty if that does not show it."""
    if _WISHED.search(text):
        return "could"
    found = {name: cue.search(text) for name, cue in _PRIORITIES.items()}
    if found["wont"]:
        return "wont"
    begun = {name: cue.start() for name, cue in found.items() if cue}
    return min(begun, key=lambda name: begun[name], default="")


def gist(text: str) -> Gist:
    """Return the basis on which a requirement is compared."""
    folded = fold(text)
    telling = {stem(word) for word in words(folded) if not word[0].isdigit()} - _FORM_WORDS
    quantities: dict[str, float] = {}
    for found in _NUMBER.finditer(folded):
        unit, factor = _UNITS.get(
            stem_unit(found["unit"] or ""), (stem_unit(found["unit"] or ""), 1.0)
        )
        digits = found["n"].rstrip(".,").replace(",", "")
        if digits.count(".") <= 1:
            quantities.setdefault(unit, float(digits) * factor)
    return Gist(frozenset(telling), bool(_DENIED.search(text)), quantities)


def stem_unit(unit: str) -> str:
    """Return a unit of measure without its plural."""
    return unit.removesuffix("n").removesuffix("s") if len(unit) > 3 else unit


def conflict(one: Gist, other: Gist) -> bool:
    """Return whether two conflict: the same subject with other numbers, or one forbids it."""
    units = one.quantities.keys() & other.quantities.keys()
    if one.denied == other.denied and not units:
        return False
    differ = any(one.quantities[unit] != other.quantities[unit] for unit in units)
    terms, others = _bare(one, units), _bare(other, units)
    if not terms or not others:
        return False
    shared = len(terms & others) / min(len(terms), len(others))
    alike = len(terms & others) / len(terms | others)
    if one.denied != other.denied:
        return shared >= FORBIDS and alike >= ALIKE
    return differ and shared >= SAME and alike >= ALIKE


def _bare(gist_: Gist, units: set[str]) -> frozenset[str]:
    return gist_.terms - {stem(unit) for unit in units} - {"second", "minute", "hour", "m"}


SAME, FORBIDS, ALIKE = 0.6, 0.75, 0.4
"""The shares of terms that two requirements must have in common: of the shorter one, to differ in a
number or to forbid what the other asks; and of both.
"""

NARROW = RequirementRules(VERSION, stated)
"""Rules for any conversation."""
