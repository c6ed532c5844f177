"""A rule: a pattern with a value in it, and a check of the value."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from unabridged.knowledge.fact_rules.lexicon import JOB, NUMBER, PET, RELATIVE, THING

Check = Callable[[str, re.Match[str]], bool]
"""A check of a value, by the value and the match."""

_STOP = (
    r"(?=\s*(?:$|[.;!?\n(),:]|\s[-–—]+\s|[–—]|\b(?:and|but|so|because|which|who|whose|that|since|when"
    r"|while|where|with|as|if|though|although|however|right\ now|at\ the\ moment|these\ days"
    r"|and\ I|but\ I|for|to\ be|or)\b))"
)
_HARD = (
    r"(?=\s*(?:$|[;!?\n]|\.+[\s\"'”’)]*$|\s[-–—]+\s|[–—]|:\s"
    r"|,?\s*\b(?:but|so|because|which|although|though|however|whereas|where\ I|while\ I|by\ the\ way)\b"
    r"|,?\s*\band\ (?:I|I['’]\w+|it|they|we|now|was|am|he|she|my|the|that|would|had|have|this|need"
    r"|want|looking|wondering|also|then|noticed|realized|can)\b"
    r"|,\s*(?:I\b|I['’]|can|could|do|does|what|any|is|are|it|he|she|they|we|you|so|my|the|this|that"
    r"|who|where|how|would|have|just|right|thanks|please|if|when|as|not|especially|like|such"
    r"|maybe|since|while|after|before)\b))"
)
BLOCKS = {
    "V": r"(?P<value>(?:[^\n.;!?,():]|\.(?=\S))+?)" + _STOP,  # a few words
    "C": r"(?P<value>[^\n;!?]+?)" + _HARD,  # to the end of the clause
    "REST": r"(?:[^\n;!?]|(?<=\d)\.(?=\d))*?" + _HARD,  # the same, after the first words of a value
    "NAME": r"(?P<value>(?-i:[A-ZÀ-ÖØ-Þ][\w'’-]+(?:\s[A-ZÀ-ÖØ-Þ][\w'’-]+){0,2}))",
    "A": r"(?:\s+(?:currently|now|also|just|actually|still|really|always|recently|finally|already"
    r"|only|originally|mostly|mainly|absolutely|definitely|truly|particularly|especially|personally"
    r"|very|super|so|quite|pretty|both|totally|generally|usually|typically|often|either))*",
    "IM": r"\bI(?:['’]?m|\s+am)",
    "IVE": r"\bI(?:['’]ve|\s+have)?",
    "REL": RELATIVE,
    "PET": PET,
    "THING": THING,
    "JOB": JOB,
    "N": NUMBER,
}


@dataclass(frozen=True)
class FactRule:
    """A rule that extracts facts.

    Attributes:
        attribute: The attribute; ``{name}`` inserts a group of the pattern.
        words: The pattern, with the group ``value``, and ``who`` if it is about somebody else.
        check: The check of the value.
        presupposed: Whether it is true also within a question.
        corrects: Whether its words say that something changed.
        text: The template of the statement; empty for the user's own words.
        cue: Letters without which the pattern cannot match.
    """

    attribute: str
    words: str
    check: Check | None = None
    presupposed: bool = False
    corrects: bool = False
    text: str = ""
    cue: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled on first use: compiling all takes 0.2 s."""
        return re.compile(self.words, re.IGNORECASE)


def rule(
    attribute: str,
    pattern: str,
    check: Check | None = None,
    *,
    presupposed: bool = False,
    corrects: bool = False,
    text: str = "",
    cue: str = "",
) -> FactRule:
    """Make a rule; ``<V>`` and other blocks are replaced by longer patterns."""
    for name, block in BLOCKS.items():
        pattern = pattern.replace(f"<{name}>", block)
    return FactRule(attribute, pattern, check, presupposed, corrects, text, cue)
