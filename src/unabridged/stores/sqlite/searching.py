"""Searching words: rare terms find the candidates, all terms rank them, exchanges are what comes out.

A common word costs a walk over every message that holds it and says little. So the candidates are
those that hold the weightiest of the rarest terms, as many terms as ``POSTINGS`` allow, damped by
their lengths; they are then ranked by BM25 over all the terms. (FTS5's own ranking reads the length
of every message that matches, which takes six times as long.)
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import log

from unabridged.ports import TextHit
from unabridged.stores.codec import pack, unpack
from unabridged.stores.sqlite import tally
from unabridged.stores.sqlite.database import Database
from unabridged.stores.sqlite.rows import text_of

POSTINGS = 4_000
"""Entries of the index that one search reads for its candidates at least: a millisecond of them."""
POSTINGS_SHARE = 0.15
"""In a large store, how many it reads instead, as a share of the messages that are indexed."""
CANDIDATES = 60
"""Messages that are ranked, at the least; more for a large limit."""
SHORTLIST = 5
"""How many times as many are damped by their lengths."""
SATURATION = 1.2
"""``k1`` of BM25 (Robertson and Zaragoza 2009, The Probabilistic Relevance Framework, 3.4)."""
LENGTH_WEIGHT = 0.75
"""``b`` of BM25."""
OTHER_SIDE = 0.5
"""What the weaker side of an exchange adds to its score."""

_Match = tuple[float, frozenset[str]]
"""A score, and the terms that were found."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a search looks for.

    Attributes:
        common: Term to the messages that hold it, for terms that any holds.
        weights: Those terms to their inverse document frequency.
        mean: The mean length of messages in terms.
        postings: Entries of the index that may be read for candidates.
    """

    common: dict[str, int]
    weights: dict[str, float]
    mean: float
    postings: int


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
    count = tally.load(db)
    weights = _weights(spread, count.indexed)
    asked = _Asked(
        common=common,
        weights={term: weights[term] for term in common},
        mean=max(1.0, count.terms / max(1, count.indexed)),
        postings=max(POSTINGS, int(POSTINGS_SHARE * count.indexed)),
    )
    rows = _candidates(db, asked, max(CANDIDATES, 2 * limit))
    ranked = _ranked(db, rows, asked)
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


def _candidates(db: Database, asked: _Asked, limit: int) -> list[int]:
    rarest = sorted(asked.common, key=lambda term: (asked.common[term], term))
    if asked.common[rarest[0]] > asked.postings:
        # Every term is common: the newest that hold the rarest stand for all that do.
        return [
            row for (row,) in db.rows("newest matching messages", (_quoted(rarest[0]), 4 * limit))
        ]
    scores: defaultdict[int, float] = defaultdict(float)
    postings = 0
    for term in rarest:
        postings += asked.common[term]
        if postings > asked.postings:
            break
        weight = asked.weights[term]
        for row in unpack(db.rows("messages that hold", (_quoted(term),))[0][0].encode()):
            scores[row] += weight
    best = nlargest(SHORTLIST * limit, zip(scores.values(), scores, strict=True))
    return _damped(db, {row: score for score, row in best}, limit, asked.mean)


def _damped(db: Database, scores: dict[int, float], limit: int, mean: float) -> list[int]:
    """The best by what BM25 would give if every term stood there once."""
    sizes = db.rows("lengths of messages", (pack(list(scores)).decode(),))
    damped = ((scores[row] / (1 + _damping(_varint(size), mean)), row) for row, size in sizes)
    return [row for _, row in nlargest(limit, damped)]


def _varint(data: bytes) -> int:
    """Read the first number of a row of FTS5's sizes: seven bits a byte, the highest first.

    Source: sqlite3Fts5GetVarint; lengths never reach the ninth byte, which has eight bits.
    """
    number = 0
    for byte in data:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return number


def _damping(length: int, mean: float) -> float:
    return SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * length / mean)


def _quoted(term: str) -> str:
    """Give a term as FTS5 reads a string, so that nothing in it is syntax."""
    return '"' + term.replace('"', '""') + '"'


def _weights(spread: dict[str, int], indexed: int) -> dict[str, float]:
    return {term: log(1 + (max(indexed - df, 0) + 0.5) / (df + 0.5)) for term, df in spread.items()}


def _ranked(db: Database, rows: list[int], asked: _Asked) -> dict[str, _Match]:
    """Give the scores of the exchanges that messages belong to.

    A message that siblings share counts for each of them.
    """
    numbers = pack(rows).decode()
    owners: dict[int, list[str]] = {}
    for row, name in db.rows("siblings of messages", (numbers,)):
        owners.setdefault(row, []).append(text_of(name))
    sides: dict[str, dict[bool, float]] = {}
    terms: dict[str, frozenset[str]] = {}
    for row, owner, role, words in db.rows("words and places of messages", (numbers,)):
        score, found = _match(words or "", asked.weights, asked.mean)
        for name in (text_of(owner), *owners.get(row, ())):
            best = sides.setdefault(name, {})
            side = role == "user"
            best[side] = max(best.get(side, 0.0), score)
            terms[name] = terms.get(name, frozenset()) | found
    return {name: (_together(best.values()), terms[name]) for name, best in sides.items()}


def _match(words: str, weights: dict[str, float], mean: float) -> _Match:
    """BM25 of a message, given as its terms with a space between; and the terms that it holds."""
    damping = _damping(words.count(" ") + 1, mean)
    apart = f" {words.replace(' ', '  ')} "  # so that a term that is repeated counts twice
    score = 0.0
    held = []
    for term, weight in weights.items():
        if times := apart.count(f" {term} "):
            score += weight * times * (SATURATION + 1) / (times + damping)
            held.append(term)
    return score, frozenset(held)


def _together(sides: Collection[float]) -> float:
    """The score of an exchange: its better side, and a share of the other."""
    best = max(sides)
    return best + OTHER_SIDE * (sum(sides) - best)
