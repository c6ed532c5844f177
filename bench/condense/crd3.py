"""CRD3: play sessions with summaries that people wrote (Rameshkumar and Bailey, 2020).

``*_2_0.json`` (github.com/RevanthRameshkumar/CRD3, ``data/aligned data``) is an array of chunks of
two sentences of the summary: ``CHUNK``, ``ALIGNMENT`` (``TURN START``, ``TURN END``, inclusive) and
``TURNS`` (``NAMES``, ``UTTERANCES``, ``NUMBER``). The alignments tile the whole episode, so that a
turn lies in some chunk's whether the summary used it or not. A turn counts as *used* where it holds
at least three different words of a chunk that it is aligned with (stemmed, without stop words and
without the names of speakers).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.condense.condense_check import CondenseTrial
from bench.condense.condense_findings import FiguresTable
from bench.condense.textrank import telling
from bench.figures.bootstrap import Parts
from unabridged.domain.condensation import CondensationDraft, CondenseSource
from unabridged.domain.message import Role
from unabridged.errors import TransferError

SHARES = (0.10, 0.25)
"""Of its tokens, what an episode is condensed to."""
SHARED_WORDS = 3
"""The fewest words that a turn shares with a chunk that used it."""
WINDOW = 50
"""Turns that are resampled together: what is said follows from what was said before."""

_AT = datetime(2015, 3, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode.

    Attributes:
        name: The name of its file.
        sources: Its turns; ``exchange`` is the number of the turn.
        used: Turn to the words of it that the summary uses; turns that it did not use are missing.
    """

    name: str
    sources: tuple[CondenseSource, ...]
    used: Mapping[str, frozenset[str]]


def load(path: str | Path) -> list[Episode]:
    """Read episodes.

    Args:
        path: A file of aligned chunks, or a folder: then every ``.json`` file that is an array.

    Raises:
        TransferError: It cannot be read, or holds no such episode.
    """
    place = Path(path)
    files = sorted(place.rglob("*.json")) if place.is_dir() else [place]
    found = [episode for file in files if (episode := _episode(file)) is not None]
    if not found:
        raise TransferError(
            f"{place.name!r} holds no episodes of CRD3.",
            hint="Use a folder with its files of aligned chunks, such as C1E001_2_0.json.",
        )
    return found


def _episode(path: Path) -> Episode | None:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TransferError(
            f"{path.name} cannot be read: {error}.", hint="Use CRD3's JSON files as they are."
        ) from error
    if not isinstance(data, list) or not all("CHUNK" in each for each in data):
        return None
    turns: dict[int, tuple[str, str]] = {}
    for chunk in data:
        for turn in chunk["TURNS"]:
            turns.setdefault(int(turn["NUMBER"]), _said(turn))
    speakers = telling(" ".join(name for name, _ in turns.values()))
    used: dict[str, frozenset[str]] = {}
    for chunk in data:
        told = telling(chunk["CHUNK"]) - speakers
        for turn in chunk["TURNS"]:
            number = int(turn["NUMBER"])
            shared = told & telling(turns[number][1])
            if len(shared) >= SHARED_WORDS:
                used[str(number)] = used.get(str(number), frozenset()) | shared
    sources = (
        CondenseSource(str(number), 0, Role.USER, f"{name}: {words}" if name else words, _AT)
        for number, (name, words) in sorted(turns.items())
        if words
    )
    return Episode(path.stem, tuple(sources), used)


def _said(turn: Mapping[str, Any]) -> tuple[str, str]:
    return " and ".join(turn["NAMES"]).title(), " ".join(" ".join(turn["UTTERANCES"]).split())


def table(episodes: Sequence[Episode]) -> FiguresTable:
    """Return an empty table for this measure."""
    turns = sum(len(episode.sources) for episode in episodes)
    used = sum(len(episode.used) for episode in episodes)
    about = (
        f"Episodes condensed to a share of their tokens; {used:,} of {turns:,} turns were used by the"
        f" summary (they hold {SHARED_WORDS} different words or more of a chunk aligned with them)."
        " recall: of the turns that were used, those of which a sentence is left; precision: of the"
        " turns of which a sentence is left, those that were used; covered: of the words that the"
        f" summary uses of them, those that are left. All turns count alike; stretches of"
        f" {WINDOW} turns are resampled."
    )
    return FiguresTable("crd3", about, "stretches")


def measure(episodes: Sequence[Episode], trial: CondenseTrial) -> FiguresTable:
    """Condense every episode by every method.

    Args:
        episodes: The episodes.
        trial: The methods.
    """
    found = table(episodes)
    for episode in episodes:
        trial.say(f"CRD3, {episode.name} …")
        total = trial.texts.tokens(episode.sources)
        for share in SHARES:
            drafts = trial.condensed(episode.sources, int(total * share))
            for begin in range(0, len(episode.sources), WINDOW):
                stretch = [s.exchange for s in episode.sources[begin : begin + WINDOW]]
                values = {n: compared(episode, stretch, d) for n, d in drafts.items()}
                found.add(f"{share:.0%}", values)
        trial.texts.clear()
    return found


def compared(
    episode: Episode, stretch: Sequence[str], draft: CondensationDraft | None
) -> dict[str, Parts]:
    """What some turns add to precision and recall.

    Args:
        episode: The episode.
        stretch: The turns.
        draft: What is left of the episode.
    """
    within = set(stretch)
    left = {
        line.exchange: line.text
        for line in (draft.lines if draft else ())
        if line.exchange in within
    }
    used = {name: words for name, words in episode.used.items() if name in within}
    hits = left.keys() & used.keys()
    words = sum(len(used[name] & telling(left[name])) for name in hits)
    return {
        "recall": (len(hits), len(used)),
        "precision": (len(hits), len(left)),
        "covered": (words, sum(map(len, used.values()))),
    }
