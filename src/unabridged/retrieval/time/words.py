"""The words of time, as data: what `when` reads. Everything is folded (small letters, no accents).

A language has its words and the patterns for the past. In a pattern ``{n}`` is a count, ``{u}``
a unit and ``{d}`` a day of the week.
"""

from dataclasses import dataclass
from typing import Final

UNIT_DAYS: Final = {
    "minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "weekend": 7.0, "week": 7.0,
    "fortnight": 14.0, "month": 30.436875, "quarter": 91.310625, "year": 365.2425,
    "decade": 3652.425,
}  # fmt: skip
"""Days of a unit: mean lengths of the Gregorian calendar."""


@dataclass(frozen=True, slots=True)
class Language:
    """The words of a language for past times.

    Attributes:
        units: Patterns of the words of a unit, by the unit's English name.
        counts: Number words.
        days: Phrases of a day: days back, from which hour, to which (past 24: the next day).
        months: The twelve months, alternatives divided by ``|``.
        weekdays: Monday to Sunday, in the same way.
        ago: A number of units back.
        last: The calendar unit before this one.
        rolling: One unit up to now.
        this: The current calendar unit.
        past: A number of units up to now.
        in_month: Words before a month that show that it is a time.
        on_day: Words before a day of the week that show that it is one day.
    """

    units: dict[str, str]
    counts: dict[str, float]
    days: dict[str, tuple[int, float, float]]
    months: tuple[str, ...]
    weekdays: tuple[str, ...]
    ago: str
    last: str
    rolling: str
    this: str
    past: str
    in_month: str
    on_day: str


_WHOLE = (0.0, 24.0)

LANGUAGES: Final = {
    "en": Language(
        units={
            "minute": "minutes?|mins?", "hour": "hours?|hrs?", "day": "days?",
            "weekend": "weekends?", "week": "weeks?|wks?", "fortnight": "fortnights?",
            "month": "months?", "quarter": "quarters?", "year": "years?|yrs?", "decade": "decades?",
        },
        counts={
            "an?": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
            "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15,
            "twenty": 20, "thirty": 30, "a couple(?: of)?": 2, "couple(?: of)?": 2,
            "a few": 3, "few": 3, "several": 5, "half an?": 0.5, "many": 8,
        },
        days={
            "today": (0, *_WHOLE), "earlier today": (0, *_WHOLE), "yesterday": (1, *_WHOLE),
            "this morning": (0, 3, 13), "this afternoon": (0, 11, 19),
            "this evening": (0, 16, 24), "tonight": (0, 16, 24),
            "last night": (1, 17, 29), "last evening": (1, 16, 24),
            "yesterday morning": (1, 3, 13), "yesterday afternoon": (1, 11, 19),
            "yesterday evening": (1, 16, 26), "yesterday night": (1, 17, 29),
            "(?:the )?day before yesterday": (2, *_WHOLE),
        },
        months=(
            "january|jan", "february|feb", "march|mar", "april|apr", "may", "june|jun",
            "july|jul", "august|aug", "september|sept|sep", "october|oct", "november|nov",
            "december|dec",
        ),
        weekdays=(
            "monday|mon", "tuesday|tues|tue", "wednesday|weds|wed", "thursday|thurs|thur|thu",
            "friday|fri", "saturday|sat", "sunday|sun",
        ),
        ago="(?:about |around |roughly |like |some )?{n} {u}(?: and a half)? (?:ago|back)",
        last="(?:last|previous) {u}",
        rolling="(?:the|this|in|over|during|within) (?:last|past) {u}|past {u}",
        this="(?:this|the current) {u}",
        past="(?:last|past|previous) {n} {u}",
        in_month="in|during|since|last|this(?: past)?|past|until|till|by|before|after|between|mid|early"
        "|late|through(?:out)?|(?:month|start|beginning|end|middle|week|weekend|days) of|back in",
        on_day="on|since|this past|past|this|until|by|before|after|week(?:end)? of",
    ),
    "de": Language(
        units={
            "hour": "stunden?", "day": "tage?n?", "weekend": "wochenenden?", "week": "wochen?",
            "month": "monate?n?", "year": "jahre?n?",
        },
        counts={
            "ein(?:e[mnr]?)?": 1, "zwei": 2, "drei": 3, "vier": 4, "funf": 5, "sechs": 6,
            "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "zwolf": 12, "ein paar": 3, "paar": 3,
            "einigen?": 4, "wenigen?": 3, "einem halben": 0.5, "mehreren?": 5,
        },
        days={
            "heute": (0, *_WHOLE), "gestern": (1, *_WHOLE), "vorgestern": (2, *_WHOLE),
            "heute (?:morgen|fruh)": (0, 3, 13), "heute abend": (0, 16, 24),
            "gestern (?:morgen|fruh)": (1, 3, 13), "gestern (?:abend|nacht)": (1, 16, 29),
            "(?:letzte|vergangene) nacht": (1, 17, 29),
        },
        months=(
            "januar|janner", "februar|feber", "marz", "april", "mai", "juni", "juli", "august",
            "september", "oktober", "november", "dezember",
        ),
        weekdays=(
            "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag|sonnabend",
            "sonntag",
        ),
        ago="vor (?:etwa |ungefahr |rund |ca )?{n} {u}",
        last="(?:letzte|vorige|vergangene)[nmrs]? {u}",
        rolling="(?:in|wahrend|uber) (?:de[rmns]|die|das) (?:letzten|vergangenen) {u}",
        this="diese[nmrs]? {u}",
        past="(?:letzten|vergangenen|letzte) {n} {u}",
        in_month="im|seit|letzten|vergangenen|diesen|anfang|mitte|ende|bis|vor|nach|zwischen|ab",
        on_day="am|seit|diesen|bis",
    ),
    "fr": Language(
        units={
            "hour": "heures?", "day": "jours?", "weekend": "week-?ends?|weekends?",
            "week": "semaines?", "month": "mois", "year": "ans?|annees?",
        },
        counts={
            "une?": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7,
            "huit": 8, "neuf": 9, "dix": 10, "douze": 12, "quinze": 15, "quelques": 3,
            "plusieurs": 5,
        },
        days={
            "aujourd.hui": (0, *_WHOLE), "hier": (1, *_WHOLE), "avant-?hier": (2, *_WHOLE),
            "ce matin": (0, 3, 13), "ce soir": (0, 16, 24), "cette nuit": (1, 17, 29),
            "hier matin": (1, 3, 13), "hier soir": (1, 16, 28), "la nuit derniere": (1, 17, 29),
        },
        months=(
            "janvier", "fevrier", "mars", "avril", "mai", "juin", "juillet", "aout", "septembre",
            "octobre", "novembre", "decembre",
        ),
        weekdays=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
        ago="il y a (?:environ )?{n} {u}",
        last="{u} (?:derniere?|passee?|precedente?)",
        rolling="(?:au cours de|pendant|durant) (?:la|le|l.) ?{u} (?:derniere?|ecoulee?)",
        this="(?:cette|cet|ce) {u}",
        past="{n} derniere?s {u}",
        in_month="en|depuis|au mois de|au mois d.|debut|mi|fin|avant|apres|entre",
        on_day="depuis|ce",
    ),
    "es": Language(
        units={
            "hour": "horas?", "day": "dias?", "weekend": "fin(?:es)? de semana",
            "week": "semanas?", "month": "mes(?:es)?", "year": "anos?",
        },
        counts={
            "una?": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7,
            "ocho": 8, "nueve": 9, "diez": 10, "doce": 12, "quince": 15, "un par de": 2,
            "unos|unas|pocos|pocas": 3, "varios|varias": 5, "medio": 0.5,
        },
        days={
            "hoy": (0, *_WHOLE), "ayer": (1, *_WHOLE), "anteayer|antes de ayer": (2, *_WHOLE),
            "esta manana": (0, 3, 13), "esta tarde": (0, 12, 21), "esta noche": (0, 18, 24),
            "anoche": (1, 17, 29), "ayer por la (?:manana|tarde|noche)": (1, *_WHOLE),
        },
        months=(
            "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto",
            "septiembre|setiembre", "octubre", "noviembre", "diciembre",
        ),
        weekdays=("lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo"),
        ago="hace (?:unos |unas |como )?{n} {u}",
        last="{u} pasad[oa]|{u} anterior",
        rolling="(?:en )?(?:el|la|los|las) ultim[oa]s? {u}",
        this="est[ea] {u}",
        past="ultim[oa]s {n} {u}",
        in_month="en|desde|este|pasado|principios de|mediados de|finales de|fines de|hasta|antes de"
        "|entre|mes de",
        on_day="el|este|desde el",
    ),
    "pt": Language(
        units={
            "hour": "horas?", "day": "dias?", "weekend": "fi(?:m|ns) de semana",
            "week": "semanas?", "month": "mes(?:es)?", "year": "anos?",
        },
        counts={
            "uma?": 1, "dois|duas": 2, "tres": 3, "quatro": 4, "cinco": 5, "seis": 6, "sete": 7,
            "oito": 8, "nove": 9, "dez": 10, "doze": 12, "quinze": 15, "um par de": 2,
            "alguns|algumas|poucos|poucas": 3, "varios|varias": 5, "meio": 0.5,
        },
        days={
            "hoje": (0, *_WHOLE), "ontem": (1, *_WHOLE), "anteontem": (2, *_WHOLE),
            "esta manha|hoje de manha": (0, 3, 13), "ontem a noite": (1, 17, 28),
        },
        months=(
            "janeiro", "fevereiro", "marco", "abril", "maio", "junho", "julho", "agosto",
            "setembro", "outubro", "novembro", "dezembro",
        ),
        weekdays=(
            "segunda-?feira", "terca-?feira", "quarta-?feira", "quinta-?feira", "sexta-?feira",
            "sabado", "domingo",
        ),
        ago="(?:ha|faz) (?:cerca de |uns |umas )?{n} {u}(?: atras)?|{n} {u} atras",
        last="{u} passad[oa]|{u} anterior",
        rolling="n?[oa]s? ultim[oa]s? {u}",
        this="(?:n?est[ea]|n?ess[ea]) {u}",
        past="ultim[oa]s {n} {u}",
        in_month="em|desde|neste|inicio de|comeco de|meados de|fim de|final de|ate|antes de|entre"
        "|mes de",
        on_day="na|no|nesta|neste|desde",
    ),
    "it": Language(
        units={
            "hour": "or[ae]", "day": "giorn[oi]", "weekend": "week-?end|fine settimana",
            "week": "settiman[ae]", "month": "mes[ei]", "year": "ann[oi]",
        },
        counts={
            "un[oa]?|un'": 1, "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "sei": 6,
            "sette": 7, "otto": 8, "nove": 9, "dieci": 10, "dodici": 12, "quindici": 15,
            "un paio di": 2, "qualche": 3, "alcun[ie]|poch[ie]": 3, "divers[ie]": 5, "mezz[oa]": 0.5,
        },
        days={
            "oggi": (0, *_WHOLE), "ieri": (1, *_WHOLE), "l.altro ieri|altroieri": (2, *_WHOLE),
            "stamattina|questa mattina": (0, 3, 13), "stasera|questa sera": (0, 16, 24),
            "ieri mattina": (1, 3, 13), "ieri sera": (1, 16, 28), "stanotte": (1, 17, 29),
        },
        months=(
            "gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto",
            "settembre", "ottobre", "novembre", "dicembre",
        ),
        weekdays=("lunedi", "martedi", "mercoledi", "giovedi", "venerdi", "sabato", "domenica"),
        ago="{n} {u} fa",
        last="{u} (?:scors[oa]|passat[oa]|precedente)|scors[oa] {u}",
        rolling="(?:nel)?l[ao']? ?ultim[oa] {u}",
        this="quest[oa'] ?{u}",
        past="ultim[ie] {n} {u}",
        in_month="a|in|da|dal|nel|nel mese di|inizio|meta|fine|fino a|prima di|dopo|tra|fra|scorso",
        on_day="questo|questa|da|dal",
    ),
}  # fmt: skip

NAMES_TOO: Final = frozenset(
    {"may", "march", "mar", "april", "june", "august", "jan", "sun", "sat"}
)
"""Months and days that are also other words: alone they need a time word before them."""

FULL_NAMES: Final = frozenset(
    "january february july september october november december monday tuesday wednesday thursday "
    "friday saturday sunday".split()
)
"""English names that always mean a time if written with a capital."""

SEASONS: Final = {
    "spring|fruhling|fruhjahr|printemps|primavera": (3, 3),
    "summer|sommer|ete|verano|verao|estate": (6, 3),
    "autumn|fall|herbst|automne|otono|outono|autunno": (9, 3),
    "winter|hiver|invierno|inverno": (12, 3),
}
"""First month and length in months, as in the north."""

BEFORE_SEASON: Final = (
    "(?:in|during|over|last|this|this past|past|since|late|early|mid|of) (?:the )?|im |letzten |"
    "diesen |vergangenen |cet |cette |l.|en |au |el |la |este |pasado |no |na |neste |in |quest[oa'] ?"
)

HOLIDAYS: Final = {
    "christmas(?: day| eve| time)?|xmas|weihnachten|noel|navidad|natal|natale": (12, 20, 28),
    "boxing day": (12, 26, 27),
    "new year'?s(?: eve| day)?|silvester|neujahr|nouvel an|ano nuevo|ano novo|capodanno":
        (12, 30, 33),
    "valentine'?s(?: day)?|valentinstag": (2, 13, 16),
    "(?:st\\.? )?patrick'?s day": (3, 17, 18),
    "april fools'?(?: day)?": (4, 1, 2),
    "(?:the )?fourth of july|independence day": (7, 4, 5),
    "halloween": (10, 30, 33),
    "veterans day": (11, 11, 12),
    "the holidays|holiday season": (12, 18, 34),
}  # fmt: skip
"""Month, first day, and the day after the last, counted from the first of the month."""

MOVING: Final = {
    "easter|ostern|paques|pascua|pascoa|pasqua": None,
    "thanksgiving": (11, 3, 3),
    "mother'?s day|muttertag": (5, 6, 1),
    "father'?s day": (6, 6, 2),
}
"""Month, day of the week from Monday as 0, and which of them, from 0; nothing for Easter."""

BEFORE_HOLIDAY: Final = (
    "(?:at|on|over|around|during|for|last|this|past|since|before|after|of) (?:the )?|an |zu |uber |"
    "letzte[ns]? |a |en |por |no |na |in |"
)

PARTS: Final = {
    "(?:early(?: in)?|(?:the )?(?:start|beginning) of|anfang|debut|principios de|inicio de|inizio)"
    "(?: the)?": (0.0, 0.4),
    "(?:mid|(?:the )?middle of|mitte|mi|mediados de|meados de|meta)(?: the)?": (0.25, 0.75),
    "(?:late(?: in)?|(?:the |towards the )?end of|ende|fin|finales de|fines de|final de|fim de|fine)"
    "(?: the)?": (0.6, 1.0),
}
"""Words that narrow a span to a share of it."""

SURE_MONTH: Final = "in|during|since|last|early|late|mid|month of|beginning of|end of|start of"
"""Words that make ``may`` or ``march`` without a capital a month."""

UNCLEAR_COUNTS: Final = (
    "couple|few|several|many|paar|einigen?|wenigen?|mehreren?|quelques|plusieurs|unos|unas|pocos|"
    "pocas|varios|varias|alguns|algumas|poucos|poucas|paio|qualche|alcun[ie]|poch[ie]|divers[ie]"
)

BEFORE_YEAR: Final = (
    "in|during|since|of|from|until|till|by|before|after|early|late|mid|year|back in|through|between|"
    "im jahre?|jahre?|seit|en|depuis|em|nel|del|dal|de|ano|anno|annee|desde|anfang|ende|mitte|bis"
)

ORDINALS: Final = {
    "first|1st": 0, "second|2nd": 1, "third|3rd": 2, "fourth|4th": 3, "last|final": -1,
}  # fmt: skip

SINCE: Final = "since|seit|ab|depuis|desde(?: el| la)?|da|dal"
UNTIL: Final = "before|prior to|until|till|bis|avant|antes de|hasta|ate|prima di|fino a"
AFTER: Final = "after|following|nach|apres|despues de|depois de|dopo"
NEXT: Final = "next|coming|upcoming|kommende[nrs]?|nachste[nrs]?|every|each|jeden|chaque|cada|ogni"
BETWEEN: Final = "between|from|zwischen|von|vom|entre|de|du|tra|fra|da|dal|desde"
TO: Final = "and|to|till|until|through|thru|und|bis|et|a|au|y|hasta|e|ate|al"

NOT_DATES: Final = (
    "words?|characters?|chars?|tokens?|pages?|people|dollars?|euros?|pounds?|bucks|steps?|lines?|"
    "bytes?|items?|km|miles?|met(?:er|re)s?|calories|kcal|times|points?|percent|seconds?|minutes?|"
    "mins?|hours?|kg|lbs?|mg|ml|degrees|rows?|columns?|users?|files?|sentences?|paragraphs?|pieces?|"
    "woerter|worter|zeichen|mots|palabras|palavras|parole|square|sq|mhz|px|volts?|watts?|likes?"
)
"""Things that a number counts which is not a day or year."""

WEEKEND: Final = (
    "(?:over|at|during|on) the weekend|am wochenende|ce week-?end|le week-?end dernier|"
    "el fin de semana|no fim de semana|nel fine settimana|nel weekend"
)

VAGUE: Final = {
    "the other day|neulich|l.autre jour|el otro dia|outro dia|l.altro giorno": (14.0, 1.0),
    "recently|lately|of late|kurzlich|in letzter zeit|recemment|ces derniers temps|recientemente|"
    "ultimamente|recentemente|di recente": (30.0, 0.0),
    "a while (?:ago|back)|some time ago|vor einiger zeit|il y a quelque temps|hace tiempo": (
        300.0,
        14.0,
    ),
    "(?<!how many )years (?:ago|back)": (3650.0, 540.0),
    "(?<!how many )months (?:ago|back)": (365.0, 60.0),
    "(?<!how many )weeks (?:ago|back)": (70.0, 14.0),
    "(?<!how many )days (?:ago|back)": (12.0, 2.0),
}
"""Days back: from, to."""

EARLIEST: Final = (
    "(?:the|my|our|your) (?:very )?first (?:time|thing|message|conversation|chat|session|mention|ever)",
    "(?:did|have|had|has) (?:i|we|you|he|she|they) (?:ever )?first", "when (?:i|we|you) first",
    "i first (?:told|mentioned|said|asked|met|started|talked)", "(?:the )?(?:very )?earliest",
    "originally", "initially", "at first", "in the beginning", "das erste mal", "zum ersten mal",
    "ursprunglich", "la premiere fois", "la primera vez", "a primeira vez", "pela primeira vez",
    "la prima volta",
)  # fmt: skip
LATEST: Final = (
    "most recent(?:ly)?", "latest", "newest", "last time", "currently", "current", "at the moment",
    "right now", "nowadays", "these days", "so far", "up to now", "by now", "as of now",
    "the last (?:thing|conversation|chat|message|session|one)", "(?:did|have) (?:i|we|you) last",
    "when (?:i|we|you) last", "do i (?:\\w+ ){0,2}now", "zuletzt", "letztes mal", "das letzte mal",
    "aktuell(?:e[nrs]?)?", "derzeit", "momentan", "la derniere fois", "actuellement",
    "en ce moment", "la ultima vez", "actualmente", "a ultima vez", "atualmente",
    "l.ultima volta", "attualmente",
)  # fmt: skip
