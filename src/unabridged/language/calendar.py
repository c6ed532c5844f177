"""Dates and times of day in text, in one form for all their spellings.

``2023-05-08`` for a day, ``05-08`` without its year, ``2023-05`` and ``05`` for months, the English
name of a weekday, and ``19:30`` for a time of day.
"""

import re
from collections.abc import Mapping

from unabridged.language.words import fold


def _numbered(text: str) -> dict[str, int]:
    lines = [line.split() for line in text.strip().splitlines()]
    return {fold(name): number for number, names in enumerate(lines, 1) for name in names}


MONTHS: Mapping[str, int] = _numbered(
    """
    january jan januar janvier janv enero ene gennaio gen janeiro januari января январь stycznia styczeń
    february feb februar février févr febrero febbraio fevereiro fev februari февраля февраль lutego luty
    march mar märz mars marzo março maart марта март marca marzec
    april apr avril avr abril abr aprile апреля апрель kwietnia kwiecień
    may mai mayo maggio mag maio mei мая май maja maj
    june jun juni juin junio giugno giu junho июня июнь czerwca czerwiec
    july jul juli juillet juil julio luglio lug julho июля июль lipca lipiec
    august aug août agosto ago augustus августа август sierpnia sierpień
    september sep sept septembre septiembre settembre set setembro сентября сентябрь września wrzesień
    october oct oktober okt octobre octubre ottobre ott outubro out октября октябрь października październik
    november nov novembre noviembre novembro ноября ноябрь listopada listopad
    december dec dezember dez décembre diciembre dic dicembre dezembro декабря декабрь grudnia grudzień
    """
)
"""A month's name, folded, to its number."""
_SHY = frozenset(
    "may march mar mag set out ago gen sep dec jan jun mars marca mayo luty maj mei".split()
)
"""Names of months that are words as well: months only with a day or a year."""
WEEKDAYS: Mapping[str, int] = _numbered(
    """
    monday mondays montag lundi lunes lunedì segunda-feira maandag понедельник poniedziałek
    tuesday tuesdays dienstag mardi martes martedì terça-feira dinsdag вторник wtorek
    wednesday wednesdays mittwoch mercredi miércoles mercoledì quarta-feira woensdag среду środa środę
    thursday thursdays donnerstag jeudi jueves giovedì quinta-feira donderdag четверг czwartek
    friday fridays freitag vendredi viernes venerdì sexta-feira vrijdag пятницу пятница piątek
    saturday saturdays samstag sonnabend samedi sábado sabato zaterdag субботу суббота sobota sobotę
    sunday sundays sonntag dimanche domingo domenica zondag воскресенье niedziela niedzielę
    """
)
"""A weekday's name, folded, to its number from 1."""
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()


_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_YEARS = r"(?:1[5-9]|20)\d\d"
_BEFORE_YEAR = r"(?:,|\.|\sof|\sde|\sdel|\sг)?\s+"
_FORMS = re.compile(
    rf"\b(?P<iso_y>{_YEARS})[-/.](?P<iso_m>\d{{1,2}})(?:[-/.](?P<iso_d>\d{{1,2}}))?\b"
    rf"|\b(?P<a>\d{{1,2}})(?P<mark>[/.])(?P<b>\d{{1,2}})(?P=mark)(?P<short>(?:1[5-9]|20)?\d\d)\b"
    rf"|(?:(?P<cjk_y>\d{{4}})\s?[年년]\s?)?(?<!\d)(?P<cjk_m>\d{{1,2}})\s?[月월](?:\s?(?P<cjk_d>\d{{1,2}})\s?[日号일])?"
    rf"|\b(?P<d1>\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?\s+(?:of\s+|de\s+)?(?P<m1>{_MONTH})\b\.?"
    rf"(?:{_BEFORE_YEAR}(?P<y1>{_YEARS})\b)?"
    rf"|\b(?P<m2>{_MONTH})\b\.?\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d)"
    rf"(?:{_BEFORE_YEAR}(?P<y2>{_YEARS})\b)?"
    rf"|\b(?P<m3>{_MONTH})\b\.?(?:{_BEFORE_YEAR}(?P<y3>{_YEARS})\b)?"
    rf"|\b(?P<weekday>{'|'.join(WEEKDAYS)})\b"
    r"|(?P<cjk_day>星期[一二三四五六日天]|[月火水木金土日]曜)"
    r"|\b(?P<h>[01]?\d|2[0-3]):(?P<min>[0-5]\d)(?:\s*(?P<half>[ap])\.?m\b)?"
    r"|\b(?P<h2>1[0-2]|[1-9])\s*(?P<half2>[ap])\.?\s?m\b"
    r"|\b(?P<h3>[01]?\d|2[0-3])\s*(?:uhr|heures?)\b"
)
_CJK_DAYS = {
    day: number for days in ("一二三四五六日", "月火水木金土日") for number, day in enumerate(days)
}
_CJK_DAYS["天"] = 6


def dates_in(text: str) -> frozenset[str]:
    """Return dates, months, weekdays and times of day in a text, each in one form."""
    return frozenset(form for form, _, _ in found_dates(fold(text)))


def found_dates(folded: str) -> list[tuple[str, int, int]]:
    """Return the same for a folded text, with positions: form, begin, end."""
    found: list[tuple[str, int, int]] = []
    for line in _LINE.finditer(folded):
        if _may_hold(line[0]):
            matches = _FORMS.finditer(folded, *line.span())
            found += [(_form(match), *match.span()) for match in matches]
    return [(form, begin, end) for form, begin, end in found if form]


_WORD = re.compile(r"[^\W\d_]+")
_LINE = re.compile(r"[^\n]+")
_HINT = re.compile(r"\d|星期|曜")
_NAMED = (frozenset(MONTHS) | frozenset(WEEKDAYS)) - _SHY


def _may_hold(folded: str) -> bool:
    return bool(_HINT.search(folded)) or not _NAMED.isdisjoint(_WORD.findall(folded))


def _form(match: re.Match[str]) -> str:
    found = {name: value for name, value in match.groupdict().items() if value}
    if "weekday" in found:
        return _DAYS[WEEKDAYS[found["weekday"]] - 1]
    if "cjk_day" in found:
        return _DAYS[_CJK_DAYS[found["cjk_day"].strip("星期曜")]]
    if "h" in found or "h2" in found or "h3" in found:
        return _time(found)
    return _day(found)


def _time(found: Mapping[str, str]) -> str:
    hour = int(found.get("h") or found.get("h2") or found["h3"])
    half = found.get("half") or found.get("half2")
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    return f"{hour:02}:{found.get('min', '00')}"


def _day(found: Mapping[str, str]) -> str:
    year = found.get("iso_y") or found.get("cjk_y") or found.get("y1") or found.get("y2")
    year = year or found.get("y3") or ""
    month = int(found.get("iso_m") or found.get("cjk_m") or 0)
    day = int(found.get("iso_d") or found.get("cjk_d") or found.get("d1") or found.get("d2") or 0)
    if "short" in found:
        year = found["short"] if len(found["short"]) == 4 else f"20{found['short']}"
        day, month = int(found["a"]), int(found["b"])
        if found["mark"] == "/" and day <= 12:  # 5/8/2023: the American order
            day, month = month, day
        if month > 12:
            day, month = month, day
    name = found.get("m1") or found.get("m2") or found.get("m3")
    if name:
        month = MONTHS[name]
    if not 1 <= month <= 12 or day > 31 or (name in _SHY and not day and not year):
        return ""
    parts = [year, f"{month:02}", f"{day:02}" if day else ""]
    return "-".join(part for part in parts if part)
