"""Find topics: groups of exchanges, named in their own words.

Neighbours in a session usually share a topic, so sessions are first divided into runs. Runs that
are similar in meaning and in rare words are then one topic, wherever they are. The number of topics
follows from the similarities. Every exchange is in exactly one topic, so sizes add up.
"""

from collections.abc import Sequence
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from unabridged.condense.topic_groups import alike, middles, runs
from unabridged.condense.topic_labels import label
from unabridged.condense.topic_vectors import Counts, joined
from unabridged.condense.topic_words import beginning, prose, stems
from unabridged.domain.topic import Moved, Topic, TopicItem
from unabridged.ports import Embedder

GAP = timedelta(hours=6)
"""After such a pause a session continues its topic only if the similarity is clear."""
LEAST_WORDS = 8
"""Significant words that an answer needs to count alone, if the user's message has none."""
SINGLES = 30
"""Exchanges up to which a topic may be a single one; in more, those belong to no topic."""
NAMED_BY = 60
"""Exchanges of a topic whose words are counted for its name, evenly chosen."""
USER_TIMES = 2
"""The weight of a word of the user; a word of the answer weighs 1."""
USER_WEIGHT = np.float32(1.5)
"""The weight of the user's side against that of the answer."""
_NAMED_BY_ANSWER = 500
_KNOWN_BY = 200
_AT_ONCE = 512


def unmoved(_what: str, _done: int, _of: int) -> None:
    """Ignore progress."""


def topics(
    items: Sequence[TopicItem], embedder: Embedder | None = None, moved: Moved = unmoved
) -> list[Topic]:
    """Find the topics. The same items give the same topics, in any order.

    Returns:
        The topics, those with the most exchanges first; last the one of exchanges without a topic.
    """
    if not items:
        return []
    begun: dict[str, tuple[object, str]] = {}
    for item in items:
        key = (item.at, item.exchange)
        begun[item.session] = min(begun.get(item.session, key), key)
    ordered = sorted(items, key=lambda i: (begun[i.session], i.session, i.at, i.exchange))
    counts, light = _counted(ordered, moved)
    vectors = joined(*_meanings(ordered, embedder, moved), counts)
    moved("Grouping", 0, len(ordered))
    groups, loose = _grouped(ordered, vectors, light)
    found: list[Topic] = []
    for rows in groups:
        members = [ordered[row] for row in rows]
        name = _name(members, counts)
        if name:
            found.append(_topic(members, name))
        else:
            loose += rows
    found.sort(key=lambda t: (-len(t.exchanges), -t.tokens, t.first, t.exchanges[0]))
    if not loose:
        return found
    return [*found, _topic([ordered[row] for row in loose], (), other=True)]


def _counted(items: Sequence[TopicItem], moved: Moved) -> tuple[Counts, list[bool]]:
    counts = Counts()
    light = []
    for done, item in enumerate(items):
        found: dict[str, int] = {}
        for stem in stems(prose(item.user)):
            found[stem] = found.get(stem, 0) + USER_TIMES
        said = bool(found)
        for stem in stems(prose(item.answer)):
            found[stem] = found.get(stem, 0) + 1
        light.append(not said and len(found) < LEAST_WORDS)
        counts.add(found)
        if done % _AT_ONCE == 0:
            moved("Reading", done, len(items))
    return counts, light


def _meanings(
    items: Sequence[TopicItem], embedder: Embedder | None, moved: Moved
) -> tuple[NDArray[np.float32] | None, NDArray[np.float32]]:
    known = np.zeros(len(items), np.float32)
    if embedder is None:
        return None, known
    vectors = np.zeros((len(items), embedder.dimension), np.float32)
    for start in range(0, len(items), _AT_ONCE):
        block = items[start : start + _AT_ONCE]
        sums = USER_WEIGHT * embedder.embed([item.user for item in block])
        sums = sums + embedder.embed([item.answer for item in block])
        lengths = np.sqrt((sums * sums).sum(axis=1, keepdims=True))
        rows = slice(start, start + len(block))
        np.divide(sums, lengths, out=vectors[rows], where=lengths > 0)
        known[rows] = [min(1.0, embedder.known(item.user[:_KNOWN_BY])) for item in block]
        moved("Embedding", start + len(block), len(items))
    return vectors, known


def _grouped(
    items: Sequence[TopicItem], vectors: NDArray[np.float32], light: Sequence[bool]
) -> tuple[list[list[int]], list[int]]:
    paused = [row > 0 and item.at - items[row - 1].at > GAP for row, item in enumerate(items)]
    parts = runs(vectors, [item.session for item in items], light, paused)
    centres = middles(vectors, parts)
    tells = [
        n for n, rows in enumerate(parts) if centres[n].any() and not all(light[r] for r in rows)
    ]
    groups: dict[int, list[int]] = {}
    for n, group in zip(tells, alike(centres[tells]).tolist(), strict=True):
        groups.setdefault(group, []).extend(parts[n])
    least = 1 if len(items) <= SINGLES else 2
    kept = [sorted(rows) for rows in groups.values() if len(rows) >= least]
    taken = {row for rows in kept for row in rows}
    return kept, [row for row in range(len(items)) if row not in taken]


def _name(members: Sequence[TopicItem], counts: Counts) -> tuple[str, ...]:
    step = -(-len(members) // NAMED_BY)
    return label(
        [(item.user, beginning(item.answer, _NAMED_BY_ANSWER)) for item in members[::step]],
        counts.share,
    )


def _topic(members: Sequence[TopicItem], name: tuple[str, ...], *, other: bool = False) -> Topic:
    ordered = sorted(members, key=lambda item: (item.at, item.exchange))
    return Topic(
        label=name,
        exchanges=tuple(item.exchange for item in ordered),
        sessions=tuple(dict.fromkeys(item.session for item in ordered)),
        tokens=sum(item.tokens for item in ordered),
        first=ordered[0].at,
        last=ordered[-1].at,
        other=other,
    )
