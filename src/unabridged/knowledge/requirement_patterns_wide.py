"""Patterns for conversations about requirements, where people seldom say "the system".

Wider than ``requirement_patterns``: people who describe a product say "owners should be able to
book online" or "it must be live before March". The subject and the modal verb of a clause decide;
what people say about themselves, each other and the conversation does not count.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from unabridged.knowledge.requirement_patterns import (
    RequirementMatch,
    RequirementRules,
    described,
    quotes,
    stated,
)

_TALK = (
    r"(?:talk|discuss|meet|think|decide|figure|look|know|understand|start|finish|chat|hurry|wait|go|leave|"
    r"be\s+careful|consider|remember|focus|agree|ask|speak|say|admit|call\s+me|send\s+me|tell\s+me|"
    r"help|get\s+(?:going|some|back|used)|come\s+back|sleep|run|eat|drink|read|confess|"
    r"get\s+rid)"
)
_EMPTY = (
    r"(?:be|have|stay)\s+(?:\w+ly\s+|so\s+|really\s+|pretty\s+|very\s+)?(?:fine|ok|okay|great|good|enough|"
    r"nice|fun|true|easy|clear|obvious|possible|said|noted|kidding|joking|quiet|busy|home|here|there|crazy|mad|tired|hungry|"
    r"rich|nuts|an?\s+opinion|been)\b"
)
_GUESSED = (
    r"(?:feel|love|hate|mean|remind|bring|think|seem|miss|enjoy)\b|be\s+(?:(?:so|really|super|such|very|quite|"
    r"pretty|a|an)\s+)*(?:awesome|amazing|scary|tough|hard|satisfying|rewarding|fulfilling|thrilled|cool|"
    r"exciting|lovely|liberating|difficult|stressful|exhausting|blast|proud|happy|sad|fantastic|"
    r"incredible|wonderful|challenging|over\s+the\s+moon)\b"
)
"""Guesses about somebody: "that must be hard"."""
_PAST = r"have\s+(?!to\b)(?:\w+ed|been|had|gone|done|known|seen|said|come|taken|told|made|left|felt|heard|thought|met|got|bought)\b"
_LED = (
    r"(?:and|but|so|then|also|well|yes|yeah|no|ok(?:ay)?|right|exactly|plus|oh|ah|sure|again|of\s+course|"
    r"maybe|perhaps|still|now|ideally|obviously|basically|and\s+also|in\s+that\s+case|"
    r"in\s+the\s+(?:first|next)\s+version|later(?:\s+on)?|one\s+(?:correction|more\s+thing|thing)|"
    r"I\s+(?:do\s+not|don['’]t)\s+think|I\s+(?:really\s+)?think|"
    r"(?:\w+\s+){1,3}?(?:also\s+|always\s+)?(?:said|says|insists?|thinks|told\s+(?:me|us)|mentioned)(?:\s+that)?|"
    r"(?:one|the\s+main|an(?:other)?|the\s+other)\s+(?:thing|point|rule)\s+is(?:\s+that)?)[\s,:]+"
)
_MODAL = re.compile(
    r"\b(?P<modal>must(?:\s+(?:never|not|only|always|also)|n['’]t)?|shall(?:\s+not)?|"
    r"should(?:\s+(?:never|not|only|always|also)|n['’]t)?|"
    r"(?:has|have|needs?)\s+to|(?:does|do)\s+not\s+(?:have|need)\s+to|"
    r"(?:does|do)n['’]t\s+(?:have|need)\s+to|may(?=\s+(?:not|only|never)\b)|"
    r"cannot|can\s+(?:only|never|not)|can['’]t|"
    r"(?:is|are)\s+(?:required|supposed|not\s+allowed|only\s+allowed|allowed)\s+to|ought\s+to|"
    r"will\s+not|won['’]t|(?<=only\s)(?:sees?|edits?|access(?:es)?|changes?|reads?))\b\s*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NOBODY = re.compile(
    r"^(?:nobody|no\s+one|nothing|only|none)\b[^,;]{0,80}?\b(?:may|can|shall|should|must|is|are)\b",
    re.IGNORECASE,
)
_CLAUSES = re.compile(
    r"\s*(?:[,;:]|\s[–—-]\s|\b(?:and|but|so|because|since|while|though|although|as|that|if|when|"
    r"where|until|unless|otherwise)\b)\s*",
    re.IGNORECASE,
)
_NO_SUBJECT = frozenset(
    """
    i you he she that this there these those what who which let let's lets here one someone somebody
    anyone we they people's how why where when not ich du sie er das dies ihr
    """.split()
)
"""First words of a clause whose subject is a person in the conversation, or what was just said."""
_SPOKEN_OF = frozenset({"i", "you", "we", "btw", "i'm", "i’m"})
_PERSONS = frozenset({"they", "he", "she"})
_OWN = re.compile(
    r"\b(?:my|his|her|your)\s+(?:\w+\s+)?(?:son|daughter|wife|husband|mother|father|mum|mom|dad|kids?|"
    r"child(?:ren)?|dog|cat|friend|neighbou?r|sister|brother|parents|doctor|car|day|life|"
    r"boss|partner|colleague)\b",
    re.IGNORECASE,
)
_VERB_IN_SUBJECT = re.compile(
    r"\b(?:is|are|was|were|did|does|do|had|has|have|goes|went|said|says|thinks?|knows?|means?|feels?|"
    r"seems?|'m|'re)\b",
    re.IGNORECASE,
)
_THEY_ASKED = re.compile(
    r"^(?:must|should|may)|^can\S*\s+(?:(?:only|not|never)\s+)?(?:see|edit|change|delete|access|book|open|read)\b",
    re.IGNORECASE,
)
_NOT_REST = re.compile(
    rf"^(?:\w+ly\s+|also\s+|just\s+)?(?:{_TALK}\b|{_EMPTY}|{_PAST}|{_GUESSED})", re.IGNORECASE
)
_WEATHER = re.compile(r"^(?:be\s+)?(?:rain|snow|pour|cold|hot|late|monday|friday)", re.IGNORECASE)
_NO_WISH = (
    rf"(?!to\s+{_TALK}\b)(?!(?:you|it|this|that|me|your|my|them|him|her|everyone|the\s+best|results|help|some\s+(?:help|sleep|rest|time)|more\s+time|"
    r"time|noch|ihre?|zeit|hilfe|to)\b)"
    r"(?!(?:an?|eine?n?)\s+(?:\w+\s+)?(?:answer|break|moment|minute|coffee|holiday|vacation|beer|tea|"
    r"nap|drink|hand|lawyer|pause|kaffee|moment|urlaub)\b)"
)
_WISHES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # wishes for a thing, or for an ability of somebody else
        rf"\b(?:we|I|they)(?:['’]d\s+(?:like|want)|\s+would\s+(?:like|want)|\s+(?:do\s+|also\s+|really\s+|definitely\s+)*want)\s+{_NO_WISH}\w",
        rf"\bwe\s+(?:also\s+|really\s+|definitely\s+|absolutely\s+)*(?:need|require)\s+{_NO_WISH}\w",
        rf"\bwe\s+(?:do\s+not|don['’]t)\s+(?:need|want)\s+{_NO_WISH}\w",
        r"\b(?:I|we)(?:['’]d\s+like|\s+would\s+like|\s+want|\s+need)\s+to\s+(?:be\s+able|see\s+(?:a|all|the|who|"
        r"which|how|at|when)|export|print|search|filter|sort|edit|add|delete|view|download|upload|"
        r"track|share|book|receive|get\s+(?:a|an|the)\s+(?:report|list|message|notification|alert|"
        r"mail|e-?mail|reminder))\b",
        r"\bwhat\s+(?:I|we)\s+(?:do\s+|really\s+|also\s+)*(?:want|need)\s+is\b",
        r"\bwe\s+(?:cannot|can['’]t|must\s+not|must\s+never|may\s+not|mustn['’]t)\s+"
        r"(?:lose|have|allow|afford|risk|store|keep|send|show|share|pay|spend|exceed)\b",
        rf"\b(?:our|the)\s+(?:[\w-]+\s+){{1,2}}(?:wants?|requires?|insists?\s+on|expects?)\s+{_NO_WISH}\w",
        r"^no\s+(?!problem|worr|doubt|way|idea|rush|hurry|need|wonder)[^,;]{3,60}\b(?:anywhere|ever|at\s+all|without)\b",
        r"\b(?:they|nobody|no\s+one|the\s+\w+)\s+won['’]t\s+(?:use|accept|pay|touch)\b",
        r"\b(?:my|our|the)\s+(?:boss|partner|manager|lawyer|director|team|client|customers?|users?|owners?|"
        r"accountant|auditors?|board|management|staff)\s+(?:also\s+)?(?:wants?|needs?|requires?|insists?\s+on|"
        rf"expects?|asks?\s+for)\s+{_NO_WISH}\w",
        # wishes that may wait
        r"\bit\s*(?:would|['’]d)\s+(?:also\s+|really\s+)?be\s+(?:nice|great|good|helpful|useful|perfect|cool|"
        r"important|wonderful|handy|ideal|lovely)\s+(?:if\s+(?!you\b|I\b|we\s+could\s+(?:talk|meet|go|stop|continue))|"
        r"to\s+(?:have|see|be\s+able|get)\b)",
        r"\bwould\s+be\s+(?:a\s+)?nice[\s-]to[\s-]have\b|\b(?:is|are)\s+(?:a\s+)?nice[\s-]to[\s-]have\b",
        r"^(?!\W*(?:it|that|this|which|there)\b)[^,;]{3,60}\bwould\s+be\s+(?:nice|useful|helpful|handy|lovely|great)\b",
        # what is left out, and what is enough
        r"\b(?:is|are)\s+(?:out\s+of\s+scope|mandatory|not\s+(?:needed|required|in\s+scope)|required|"
        r"obligatory|optional)\b",
        r"^(?!\W*(?:it|that|this|there|which)\b)[\w’' -]{3,40}\s(?:is|are)\s+(?:enough|sufficient)\b",
    )
)
_WISHES_DE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bwir\s+(?:brauchen|benötigen)\s+(?:außerdem\s+|auch\s+|noch\s+|unbedingt\s+)*{_NO_WISH}\w",
        rf"\b(?:brauchen|benötigen)\s+wir\s+(?:außerdem\s+|auch\s+|noch\s+)*{_NO_WISH}\w",
        r"\b(?:ich|wir)\s+(?:hätten?|möchten?|wollen|will|wünschen?)\b.{0,80}\b(?:können|haben|sehen|"
        r"exportieren|drucken|suchen|gern)\b",
        r"\bes\s+wäre\s+(?:auch\s+)?(?:schön|gut|hilfreich|praktisch|toll)\s*,\s*wenn\s+(?!Sie\b|du\b|ich\b|wir\s+uns)",
        r"\b(?:will|wollen|möchten?)\s+(?:ich|wir)\b.{0,60}\b(?:nicht\s+\w+|haben|sehen|können)\b",
        r"^(?!\W*(?:das|es|dies)\b)[^,;]{3,60}\bwären?\s+(?:auch\s+)?(?:schön|gut|hilfreich|praktisch|toll)\b",
        r"\b(?:ist|sind)\s+(?:nicht\s+nötig|Pflicht|zwingend|optional)\b",
    )
)
_MODAL_DE = re.compile(
    r"^(?P<front>[^,;:]{1,80}?)\s*\b(?:muss|müssen|soll|sollen|sollte|sollten|darf|dürfen)\b\s*"
    r"(?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)
_LED_DE = re.compile(
    r"^(?:(?:und|aber|also|dann|ja|nein|genau|außerdem|zudem|auch|gut|okay|noch\s+etwas)[\s,:]+)+",
    re.IGNORECASE,
)
_NO_FRONT_DE = re.compile(
    r"^(?:ich|du|ihr|wir|man|Sie|er|das|dies|was|wer|wie|so|da|hier|jetzt|vielleicht|heute|morgen|leider|"
    r"mein\w*|dein\w*)\b",
    re.IGNORECASE,
)
_NO_REST_DE = re.compile(
    r"^(?:ich|du|ihr|wir|man|Sie|er|es\s+(?:sein|geben|regnen)|mir|das\s+(?:sein|doch|mal|auch|nicht|jetzt))\b|\b(?:sagen|zugeben|lachen|gehen|"
    r"reichen|klappen|stimmen)\W*$",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    r"^\W*(?:please|bitte|imagine|suppose|what\s+if|write|explain|describe|let['’]?s|could\s+you|can\s+you|"
    r"thanks?\b[^.]*\byou)\b|\bI\s+wonder\b|\b(?:not\s+sure|don['’]t\s+know)\b",
    re.IGNORECASE,
)
_TIE = re.compile(
    r"^(?:(?:and|but|so|also|then|well|yes|yeah|right|ok(?:ay)?|oh|ah|plus|exactly|one\s+(?:correction|more\s+thing)|"
    r"und|aber|also|ja|außerdem|zudem)(?:\s*[,:!]\s*|\s+(?!as\b)))+",
    re.IGNORECASE,
)
_LEAD = re.compile(rf"^(?:{_LED})+", re.IGNORECASE)
_MOST = 9
"""Words of the longest subject."""


def elicited(text: str) -> Iterator[RequirementMatch]:
    """Return the requirements of a message in a conversation about requirements, in order.

    They include those of ``stated``; a question states none.
    """
    known = {each.quote for each in stated(text)}
    for quote in quotes(text):
        if quote in known or (not _ADDRESSED.search(quote) and _is_asked_for(quote)):
            yield replace(described(quote), text=_bare(quote))


def _bare(quote: str) -> str:
    bare = _TIE.sub("", quote)
    return bare[:1].upper() + bare[1:] if bare else quote


def _is_asked_for(quote: str) -> bool:
    if any(wish.search(quote) for wish in (*_WISHES, *_WISHES_DE)):
        return True
    begun = _LEAD.sub("", quote)
    if _NOBODY.search(begun):
        return True
    clauses = [part for part in _CLAUSES.split(begun) if part and part.strip()]
    return any(_obliges(clause) or _obliges_in_german(clause) for clause in clauses)


def _obliges(clause: str) -> bool:
    clause = _LEAD.sub("", clause.strip())
    found = _MODAL.search(clause)
    if found is None:
        return False
    subject, rest = clause[: found.start()].strip(), found["rest"]
    parts = subject.lower().split()
    if not parts or len(parts) > _MOST or _NOT_REST.search(rest) or _OWN.search(subject):
        return False
    if (
        not _SPOKEN_OF.isdisjoint(parts)
        or not _PERSONS.isdisjoint(parts[1:])
        or all(part.endswith("ly") for part in parts)
    ):
        return False
    if parts[0] == "they":
        return len(parts) == 1 and bool(_THEY_ASKED.search(found[0]))
    if parts == ["it"]:
        return not _WEATHER.search(rest) and not found["modal"].lower().startswith("w")
    return parts[0].split("'")[0].split("’")[0] not in _NO_SUBJECT and not _VERB_IN_SUBJECT.search(
        subject
    )


def _obliges_in_german(clause: str) -> bool:
    clause = _LED_DE.sub("", clause.strip())
    found = _MODAL_DE.search(clause)
    if found is None or _NO_FRONT_DE.search(found["front"]):
        return False
    return not _NO_REST_DE.search(found["rest"])


WIDE = RequirementRules("wide-1", elicited)
"""Rules for conversations about requirements."""
