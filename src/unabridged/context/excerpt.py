"""An excerpt: whole sentences of an exchange, in order, labelled, within a token limit.

It fits a long exchange into a short budget: never cut inside a sentence, never silently.
"""

import math
from collections import Counter as Multiset
from collections.abc import Sequence
from dataclasses import dataclass

from unabridged.budget.count import Counter
from unabridged.context.types import Places
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, Role
from unabridged.language.sentences import leading_sentences, sentences
from unabridged.language.words import fold

USER_SHARE = 0.4
"""The share of an excerpt's tokens that the user's side may take first (10 of the 25 % of an
exchange).
"""
LABEL_TOKENS = 24
"""Tokens kept for the label."""
LONGEST = 262_144
"""Characters of a message whose sentences an excerpt is chosen from: its beginning, if it is longer."""
LEAST_TOKENS = 48
"""Below this an excerpt contains too little to be worth its label."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its position and weight."""

    place: tuple[int, int]
    tokens: int
    weight: float
    by_user: bool


def excerpt(exchange: Exchange, limit: int, counter: Counter, asked: Sequence[str] = ()) -> Places:
    """Choose sentences of an exchange that fit a limit.

    Args:
        exchange: The exchange.
        limit: Tokens that the excerpt with its label may take.
        counter: The counter of the model.
        asked: Search terms that a sentence should contain; without them the first sentences and
            those with the rarest words weigh most.

    Returns:
        The positions in order; empty if no sentence fits.
    """
    room = limit - LABEL_TOKENS
    if room < LEAST_TOKENS - LABEL_TOKENS:
        return ()
    candidates = _weighed(exchange, counter, frozenset(asked))
    taken = _take([s for s in candidates if s.by_user], int(room * USER_SHARE))
    left = room - sum(s.tokens for s in taken)
    taken += _take([s for s in candidates if not s.by_user], left)
    left = room - sum(s.tokens for s in taken)
    taken += _take([s for s in candidates if s.by_user and s not in taken], left)
    return tuple(sorted(s.place for s in taken))


def _weighed(exchange: Exchange, counter: Counter, asked: frozenset[str]) -> list[Sentence]:
    split = [(i, m, leading_sentences(m.text, LONGEST)[0]) for i, m in exchange.spoken]
    words = {(i, n): set(fold(s).split()) for i, _, parts in split for n, s in enumerate(parts)}
    spread = Multiset(term for said in words.values() for term in said)
    whole = max(1, len(words))
    rarity = {term: math.log(whole / count) for term, count in spread.items()}
    weighed: list[Sentence] = []
    for i, message, parts in split:
        for n, sentence in enumerate(parts):
            said = words[i, n]
            rare = math.fsum(rarity[term] for term in said)
            about = _speaks_of(sentence, asked)
            weight = rare / math.sqrt(1 + len(said)) + 10 * about - 0.1 * n
            weight += 4 if n == 0 else 0
            tokens = counter.text(sentence)
            weighed.append(Sentence((i, n), tokens, weight, message.role is Role.USER))
    return weighed


def _speaks_of(sentence: str, asked: frozenset[str]) -> int:
    folded = fold(sentence)
    return sum(term in folded for term in asked)


def _take(candidates: list[Sentence], room: int) -> list[Sentence]:
    taken: list[Sentence] = []
    for sentence in sorted(candidates, key=lambda s: (-s.weight, s.place)):
        if sentence.tokens <= room:
            taken.append(sentence)
            room -= sentence.tokens
    return taken


def label(exchange: Exchange, places: Places) -> str:
    """Return the label: that it is an excerpt, of how much, and the id of the whole."""
    split = [leading_sentences(message.text, LONGEST) for _, message in exchange.spoken]
    total = sum(len(parts) for parts, _ in split)
    more = "" if all(whole for _, whole in split) else "+"
    return f"excerpt: {len(places)} of {total}{more} sentences; whole: {exchange.id}"


def excerpt_sides(exchange: Exchange, places: Places) -> list[tuple[Message, str]]:
    """Return the messages of an excerpt with their sentences; gaps are marked by ``[…]``."""
    sides: list[tuple[Message, str]] = []
    for i, message in exchange.spoken:
        kept = [n for j, n in places if j == i]
        if kept:
            parts, whole = leading_sentences(message.text, LONGEST)
            if kept[-1] >= len(parts):
                parts, whole = sentences(message.text), True
            sides.append((message, _joined(parts, kept, whole=whole)))
    return sides


def _joined(parts: list[str], kept: Sequence[int], *, whole: bool) -> str:
    text = ""
    previous = -1
    for n in kept:
        if n != previous + 1:
            text = (text.rstrip() + " [\u2026] ").lstrip()
        text += parts[n]
        previous = n
    if previous != len(parts) - 1 or not whole:
        text = text.rstrip() + " [\u2026]"
    return text
