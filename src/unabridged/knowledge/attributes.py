"""The table of attributes: single values, contradictions, and the words of questions.

The table is data. An attribute that is not in it has one value at a time, unless its name is a
plural (``skills``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from unabridged.language.words import fold


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of a fact.

    Attributes:
        name: Its name in facts.
        single: Whether it has one value at a time: a newer one replaces the older one.
        asked: Words by which people ask for it, in addition to its name.
        denies: The attribute that it negates for the same value; empty for none.
    """

    name: str
    single: bool
    asked: str = ""
    denies: str = ""


_TABLE = (
    Attribute("name", single=True, asked="called"),
    Attribute("age", single=True, asked="old years"),
    Attribute("birthday", single=True, asked="born birth"),
    Attribute("lives in", single=True, asked="live living home city town address where house"),
    Attribute("does not live in", single=True, asked="live", denies="lives in"),
    Attribute("lived in", single=False, asked="live lived before"),
    Attribute("time zone", single=True, asked="time clock"),
    Attribute("height", single=True, asked="tall"),
    Attribute("weight", single=True, asked="weigh heavy"),
    Attribute("is from", single=True, asked="origin hometown grew born country"),
    Attribute("works as", single=True, asked="job profession occupation work career living role"),
    Attribute("works at", single=True, asked="job employer company work office"),
    Attribute("studies", single=True, asked="study degree major university college student"),
    Attribute("studies at", single=True, asked="study university college school student"),
    Attribute("diet", single=True, asked="eat food meal recipe cook dinner lunch restaurant"),
    Attribute("partner", single=True, asked="husband wife spouse girlfriend boyfriend married"),
    Attribute("native language", single=True, asked="mother tongue"),
    Attribute("phone number", single=True, asked="call"),
    Attribute("email", single=True, asked="mail address"),
    Attribute("allergic to", single=False, asked="allergy allergies allergic eat food"),
    Attribute("not allergic to", single=False, asked="allergy", denies="allergic to"),
    Attribute("health", single=False, asked="condition diagnosis doctor medical"),
    Attribute("likes", single=False, asked="like love enjoy"),
    Attribute("dislikes", single=False, asked="like hate", denies="likes"),
    Attribute("prefers", single=False, asked="prefer preference"),
    Attribute("has", single=False, asked="own"),
    Attribute("does not have", single=False, asked="own have", denies="has"),
    Attribute("no longer has", single=False, asked="own have", denies="has"),
    Attribute("eats", single=False, asked="eat food"),
    Attribute("does not eat", single=False, asked="eat food recipe", denies="eats"),
    Attribute("drinks", single=False, asked="drink"),
    Attribute("does not drink", single=False, asked="drink", denies="drinks"),
    Attribute("plays", single=False, asked="play instrument sport"),
    Attribute("speaks", single=False, asked="speak language"),
    Attribute("habit", single=False, asked="routine usually every"),
    Attribute("plan", single=False, asked="plan plans planning"),
    Attribute("did", single=False),
    Attribute("uses", single=False, asked="use"),
    Attribute("no longer uses", single=False, asked="use", denies="uses"),
    Attribute("is reading", single=False, asked="book read reading show watch podcast listen"),
    Attribute("experience", single=False),
    Attribute("education", single=False, asked="degree school university college graduated"),
    Attribute("home", single=True, asked="live living house apartment"),
    Attribute("lives with", single=True, asked="live household"),
    Attribute("works in", single=True, asked="job work industry profession field"),
    Attribute("learns", single=False, asked="learn learning"),
)

TABLE: Mapping[str, Attribute] = MappingProxyType({entry.name: entry for entry in _TABLE})
"""Every attribute that the rules produce."""

NO_LONGER = "no longer "
"""The prefix of an attribute's name that negates it."""


def attribute_of(name: str) -> Attribute:
    """Return an attribute by name, compared folded."""
    folded = " ".join(fold(name).split())
    known = TABLE.get(folded)
    if known is not None:
        return known
    if folded.startswith(NO_LONGER):
        denied = attribute_of(folded.removeprefix(NO_LONGER))
        return Attribute(folded, denied.single, denied.asked, denies=denied.name)
    plural = folded.endswith("s") and not folded.endswith("ss") and " " not in folded
    return Attribute(folded, single=not plural)
