"""Searching words: rare terms find the candidates, all terms rank them, exchanges are what comes out.

A common word costs FTS5 a walk over every message that holds it and says little. So the candidates
are the best by FTS5's BM25 over the rarest terms only, as many terms as ``POSTINGS`` allows; they are
then ranked by BM25 over all the terms.
"""

from collections.abc import Collection, Sequence
from math import log

from unabridged.ports import TextHit
from unabridged.stores.codec import pack
from unabridged.stores.sqlite import tally
from unabridged.stores.sqlite.database import Database
from unabridged.stores.sqlite.rows import text_of

POSTINGS = 12_000
"""Entries of the index that one search reads for its candidates: about 8 ms of them."""
CANDIDATES = 60
"""Messages that are ranked, at the least; more for a large limit."""
SATURATION = 1.2
"""``k1`` of BM25 (Robertson and Zaragoza 2009, The Probabilistic Relevance Framework, 3.4)."""
LENGTH_WEIGHT = 0.75
"""``b`` of BM25."""
OTHER_SIDE = 0.5
"""What the weaker side of an exchange adds to its score."""

_Match = tuple[float, frozenset[str]]
"""A score, and the terms that were found."""


def frequencies(db: Database, terms: Sequence[str]) -> dict[str, int]:
    """How many messages hold each of the terms."""
    indexed = {term: _as_indexed(term) for term in terms}
    asked = [term for term in indexed.values() if term is not None]
    found = dict(db.rows("frequencies", (pack(asked).decode(),)))
    return {term: found.get(name, 0) for term, name in indexed.items()}


def search_text(db: Database, terms: Sequence[str], limit: int) -> list[TextHit]:
    """Exchanges that hold any of the terms, best first.

    A message scores BM25 with ``idf = ln(1 + (N - df + 0.5) / (df + 0.5))``; an exchange scores the
    best message of its better side (user's, or answers) and half the best of the other side. Of
    equals the newest comes first.
    """
    spread = frequencies(db, terms)
    common = {term: df for term, df in spread.items() if df}
    if not common or limit < 1:
        return []
    weights = _weights(spread, tally.load(db).indexed)
    rows = _candidates(db, common, max(CANDIDATES, 2 * limit))
    ranked = _ranked(db, rows, {term: weights[term] for term in common})
    whole = sum(weights.values())
    hits = [
        TextHit(
            name, score, min(1.0, sum(w for term, w in weights.items() if term in found) / whole)
        )
        for name, (score, found) in ranked.items()
    ]
    return sorted(hits, key=lambda hit: (hit.score, hit.exchange), reverse=True)[:limit]


def _as_indexed(term: str) -> str | None:
    """A term as the index holds it; None where it cannot: it is no single word in valid Unicode."""
    if not term or not term.isprintable() or " " in term:
        return None
    return term.lower() if term.isascii() else term


def _candidates(db: Database, common: dict[str, int], limit: int) -> list[int]:
    rarest = sorted(common, key=lambda term: (common[term], term))
    if common[rarest[0]] > POSTINGS:
        # Every term is common: the newest that hold the rarest stand for all that do.
        return [
            row for (row,) in db.rows("newest matching messages", (_quoted(rarest[0]), 4 * limit))
        ]
    taken, postings = [], 0
    for term in rarest:
        postings += common[term]
        if postings > POSTINGS:
            break
        taken.append(term)
    query = " OR ".join(_quoted(term) for term in taken)
    return [row for (row,) in db.rows("matching messages", (query, limit))]


def _quoted(term: str) -> str:
    """Give a term as FTS5 reads a string, so that nothing in it is syntax."""
    return '"' + term.replace('"', '""') + '"'


def _weights(spread: dict[str, int], indexed: int) -> dict[str, float]:
    return {term: log(1 + (max(indexed - df, 0) + 0.5) / (df + 0.5)) for term, df in spread.items()}


def _ranked(db: Database, rows: list[int], weights: dict[str, float]) -> dict[str, _Match]:
    """Give the scores of the exchanges that messages belong to.

    A message that siblings share counts for each of them.
    """
    count = tally.load(db)
    mean = max(1.0, count.terms / max(1, count.indexed))
    numbers = pack(rows).decode()
    owners: dict[int, list[str]] = {}
    for row, name in db.rows("siblings of messages", (numbers,)):
        owners.setdefault(row, []).append(text_of(name))
    sides: dict[str, dict[bool, float]] = {}
    terms: dict[str, frozenset[str]] = {}
    for row, owner, role, words in db.rows("words and places of messages", (numbers,)):
        score, found = _match((words or "").split(" "), weights, mean)
        for name in (text_of(owner), *owners.get(row, ())):
            best = sides.setdefault(name, {})
            side = role == "user"
            best[side] = max(best.get(side, 0.0), score)
            terms[name] = terms.get(name, frozenset()) | found
    return {name: (_together(best.values()), terms[name]) for name, best in sides.items()}


def _match(words: list[str], weights: dict[str, float], mean: float) -> _Match:
    """BM25 of a message, and the terms that it holds."""
    damping = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * len(words) / mean)
    held = weights.keys() & words
    score = 0.0
    for term in sorted(held):
        times = words.count(term)
        score += weights[term] * times * (SATURATION + 1) / (times + damping)
    return score, frozenset(held)


def _together(sides: Collection[float]) -> float:
    """The score of an exchange: its better side, and a share of the other."""
    best = max(sides)
    return best + OTHER_SIDE * (sum(sides) - best)
