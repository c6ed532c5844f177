"""Choose the recent exchanges that are shown whole, with the reason (WhisperEngine, phase 3).

An exchange is shown whole if it has strong emotion, points forward, asks something, or brings a new
topic or name. If that is true of nearly all, only the most salient are shown whole.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from unabridged.annotations.emotion import STRONG, feel
from unabridged.condense import salience_words
from unabridged.domain.annotation import ExchangeReading
from unabridged.domain.exchange import Exchange
from unabridged.language.names import names_in
from unabridged.language.words import asked_terms, fold, is_frame, stem, terms, words

MOST_TELLING = 0.6
"""The share of a run that is shown whole at most, if the run is longer than ``SHORT_RUN``."""

SHORT_RUN = 5
"""Exchanges of a run in which every salient one is shown whole."""

MEMORY = 8
"""Previous exchanges that decide whether a topic is new."""

NEW_SHARE = 0.75
"""The share of a message's terms that must be new for a new topic."""

LEAST_TERMS = 4
"""New terms that a new topic needs; fewer may be new by chance."""

LONGEST = 1_200
"""Characters of a side that are examined, so that pasted documents cost nothing."""

LONGEST_ANSWER = 600
"""Characters of an answer whose words are not new afterwards."""

NAMING = 500
"""Characters of a message in which names are looked for."""

EDGES = 3
"""Sentences at the beginning and at the end of a message, where people ask and promise."""

SHORT_ANSWER = 300
"""Characters of an answer that may point forward: longer ones explain."""

NAMED = 2
"""Names or terms in a reason."""

_CLOSERS = "\"')]}*_ ”’»」】"
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
# Coarser than language.sentences and ten times faster: nothing quotes the result.
_STOPS = re.compile(r"(?<=[.!?…][\s\"')\]])\s*|(?<=[。！？])|\n+")
_WORD = re.compile(r"\w+")
_MAY_NAME = re.compile('[a-z,;:] [A-Z][a-z]|[a-z][A-Z]|["“„«]|[A-Z][a-z]+ [A-Z]')


def asks(text: str) -> bool:
    """Return whether a message asks something, in any of many languages."""
    return _asks(_edges(text))


def points_forward(text: str) -> bool:
    """Return whether a message points forward: a promise, a plan, something postponed."""
    return _points_forward(_edges(text))


def new_topic(found: Collection[str], new: Collection[str]) -> bool:
    """Return whether a message has another topic than the messages before it."""
    return len(new) >= LEAST_TERMS and len(new) >= NEW_SHARE * len(found)


def salient_exchanges(
    exchanges: Sequence[Exchange], annotations: Mapping[str, ExchangeReading]
) -> list[str | None]:
    """Return the reason why each exchange of a run is shown whole.

    Returns:
        For each the reason, or None if it can be condensed.
    """
    said = _Said()
    found = [_tell(each, annotations.get(each.id), said) for each in exchanges]
    if len(found) > SHORT_RUN:
        _thin_out(found, int(MOST_TELLING * len(found)))
    return [tell.reason if tell else None for tell in found]


@dataclass(frozen=True, slots=True)
class _Tell:
    """A reason for an exchange to be shown whole, and its weight."""

    weight: float
    reason: str


class _Said:
    """The terms of a run so far, each with the number of the last exchange that contains it."""

    def __init__(self) -> None:
        self._terms: dict[str, int] = {}
        self._count = 0

    def lately(self, term: str) -> bool:
        """Return whether one of the last exchanges contains it."""
        return self._terms.get(term, -MEMORY) > self._count - MEMORY

    def ever(self, name: str) -> bool:
        """Return whether any exchange contains a word of a name."""
        return any(term in self._terms for term in terms(name))

    def add(self, found: Iterable[str], answer: str) -> None:
        """Add an exchange."""
        self._count += 1
        folded = fold(answer)
        answered = _WORD.findall(folded) if folded.isascii() else words(folded)
        self._terms.update(dict.fromkeys(found, self._count))
        self._terms.update(dict.fromkeys(map(stem, answered), self._count))


def _tell(exchange: Exchange, reading: ExchangeReading | None, said: _Said) -> _Tell | None:
    user = exchange.user.text[:LONGEST]
    answer = exchange.answer.text if exchange.answer else ""
    asked = asked_terms(user)
    found = [term for term in asked if len(term) > 1 and not is_frame(term)]
    new = [term for term in found if not said.lately(term)]
    tell = _felt(exchange, reading) or _marked(
        user, answer, len(new) / max(LEAST_TERMS, len(found))
    )
    if tell is None and user:
        names = [name for name in names_of(user) if not said.ever(name)]
        if names or new_topic(found, new):
            weight = 1 + 0.5 * min(NAMED, len(names)) + len(new) / max(LEAST_TERMS, len(found))
            brought = (names or [asked[term] for term in new])[:NAMED]
            tell = _Tell(weight, f"brings a new topic: {', '.join(brought)}")
    said.add(asked, answer[:LONGEST_ANSWER])
    return tell


def _felt(exchange: Exchange, reading: ExchangeReading | None) -> _Tell | None:
    intensity = reading.intensity if reading else feel(exchange.user.text[:LONGEST])[1]
    return _Tell(4 + intensity, "strong feeling") if intensity > STRONG else None


def _marked(user: str, answer: str, fresh: float) -> _Tell | None:
    pieces = _edges(user)
    if _points_forward(pieces) or (len(answer) <= SHORT_ANSWER and points_forward(answer)):
        return _Tell(3 + fresh, "points forward")
    return _Tell(1 + 2 * fresh, "asks a question") if _asks(pieces) else None


def names_of(text: str) -> list[str]:
    """Return names at the beginning of a text, folded; fast for a text with few capitals."""
    text = text[:NAMING]
    return sorted(names_in(text)) if not text.isascii() or _MAY_NAME.search(text) else []


def _thin_out(found: list[_Tell | None], most: int) -> None:
    order = sorted(
        (place for place, tell in enumerate(found) if tell),
        key=lambda place: (found[place].weight, place),  # type: ignore[union-attr] # filtered above
        reverse=True,
    )
    for place in order[most:]:
        found[place] = None


def _edges(text: str) -> list[str]:
    bare = _CODE.sub("\n", text) if "```" in text else text
    pieces = [piece for piece in _STOPS.split(bare) if piece and not piece.isspace()]
    if len(pieces) > 2 * EDGES:
        pieces = [*pieces[:EDGES], *pieces[-EDGES:]]
    return [piece.strip()[:LONGEST] for piece in pieces]


def _asks(pieces: Sequence[str]) -> bool:
    folded = [fold(piece).rstrip(_CLOSERS) for piece in pieces]
    greeting = _patterns(salience_words.GREETINGS)
    for piece in folded:
        if (
            piece.endswith("?")
            and not piece.endswith(salience_words.TAGS)
            and not greeting.match(piece)
        ):
            return True
    unmarked = [piece for piece in folded if not piece.endswith("?")]
    starts, within = _patterns(salience_words.ASK_STARTS), _patterns(salience_words.ASK_WITHIN)
    if any(starts.match(piece) or within.search(piece) for piece in unmarked):
        return True
    unspaced = _patterns(salience_words.ASK_UNSPACED)
    return any(not piece.isascii() and unspaced.search(piece) for piece in unmarked)


def _points_forward(pieces: Sequence[str]) -> bool:
    return any(map(_forward, map(fold, pieces)))


def _forward(folded: str) -> bool:
    if not folded.isascii() and _patterns(salience_words.FORWARD_UNSPACED).search(folded):
        return True
    if salience_words.FORWARD_HINTS.isdisjoint(_WORD.findall(folded)):
        return False
    if not _patterns(salience_words.FORWARD).search(folded):
        return False
    return not _patterns(salience_words.CLOSING).search(folded)


@lru_cache(maxsize=8)
def _patterns(table: str) -> re.Pattern[str]:
    lines = [line for line in table.splitlines() if line]
    return re.compile("|".join(f"(?:{line})" for line in lines))
