"""EMM (its *Success Criteria*): condensing by category, on its own messages and on long play."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.figures.timer import spread, timed
from bench.seeds.companion_texts import ended
from bench.seeds.metric import SeedMetric, exactly, share, within
from bench.seeds.seed_setup import SeedRun, opened
from bench.seeds.story_texts import (
    LIMIT,
    SAID,
    SeedStory,
    long_stories,
    seeds_own,
    seeds_summary,
)
from unabridged.annotations.schemes import scheme
from unabridged.condense.verbatim_selection import least_kept
from unabridged.domain.condensation import Condensation, Level
from unabridged.domain.message import Role
from unabridged.domain.results import CondensePreview, Transcript
from unabridged.language.names import names_in
from unabridged.language.sentences import sentences
from unabridged.memory import Memory

SEED = "story"
TRIED: dict[str, Any] = {"condense_tokens": 100, "condense_messages": 10}
"""The seed's test mode: its own 200 is never reached, since its 17 messages are fewer tokens."""
_NUMBER = re.compile(r"\d+")


def measure(course: SeedRun) -> Iterator[SeedMetric]:
    """Measure the seven criteria."""
    course.say("story: the seed's 17 messages …")
    yield from _own(course)
    yield from _long(course)


def _own(course: SeedRun) -> Iterator[SeedMetric]:
    story = seeds_own()
    with opened(SEED, course.folder("read"), **TRIED) as memory:
        yield _categories(memory, story)
    home = course.folder("cycle")
    with opened(SEED, home, **TRIED) as memory:
        memory.space.log.import_transcript(story.talk)
        session = story.talk.session.id
        for exchange, (_, category, importance) in zip(story.talk.exchanges, SAID, strict=True):
            memory.space.annotations.correct(
                exchange, Role.USER, category=category, importance=importance
            )
        outlook = memory.space.condensations.condense(session)
        yield exactly(SEED, "a run at the limit, the seed's 17 messages", int(outlook.due), 1, "runs",
                      note=f"{outlook.tokens} tokens, the limit is {outlook.threshold}")  # fmt: skip
        yield _ratios(outlook)
        yield from _kept(memory, [(story.talk, outlook)], "the seed's 17 messages")
    yield _reloaded(home, [story], TRIED)


def _categories(memory: Memory, story: SeedStory) -> SeedMetric:
    memory.space.log.import_transcript(story.talk)
    read = memory.space.annotations.of(story.talk.exchanges)
    right = sum(
        next(iter(read[exchange.id].messages.values())).category == label
        for exchange, (_, label, _) in zip(story.talk.exchanges, SAID, strict=True)
    )
    note = "as the seed labels them; by rules, without a model"
    return share(SEED, "messages in the right category", right, len(SAID), least=1, note=note)


def _ratios(outlook: CondensePreview) -> SeedMetric:
    named = scheme(SEED)
    counts = {
        name: outlook.keep.get(name, 0) + outlook.condense.get(name, 0)
        for name in {*outlook.keep, *outlook.condense}
    }
    right = sum(
        outlook.keep.get(name, 0) >= least_kept(named.category(name).keep, count)
        for name, count in counts.items()
    )
    said = ", ".join(f"{name} {outlook.keep.get(name, 0)} of {n}" for name, n in counts.items())
    return share(SEED, "categories that keep their ratio", right, len(counts), least=1, note=said)


def _kept(
    memory: Memory, runs: Sequence[tuple[Transcript, CondensePreview]], of: str
) -> Iterator[SeedMetric]:
    checks = [outlook.coherence for _, outlook in runs if outlook.coherence]
    yield SeedMetric(
        SEED, f"critical messages verbatim, {of}", "≥ 90 %",
        ours=100 * min((c.critical_kept for c in checks), default=0.0),
        met=bool(checks) and all(c.critical_kept >= 0.9 for c in checks),
    )  # fmt: skip
    lost = sum(len(c.lost_critical) for c in checks)
    yield exactly(SEED, f"critical names lost, {of}", lost, 0, "names")
    order = sum(c.in_order for c in checks)
    yield share(SEED, f"runs in the order of the story, {of}", order, len(runs), least=1)
    ours = theirs = every = 0
    before = after = 0
    for talk, outlook in runs:
        view = memory.space.condensations.view(talk.session.id)
        key, held, seeds = _key_information(talk, view.at(Level.EXCHANGES))
        every, ours, theirs = every + len(key), ours + len(key & held), theirs + len(key & seeds)
        if outlook.coherence:
            before += outlook.coherence.tokens_before
            after += outlook.coherence.tokens_after
    if every:
        yield SeedMetric(
            SEED, f"names and numbers of what was condensed, {of}", "captured",
            ours=round(100 * ours / every, 1), baseline=round(100 * theirs / every, 1),
            of="the seed's summaries of the same messages", met=ours > theirs,
            note=f"{ours:,} of {every:,} still stand",
        )  # fmt: skip
    yield SeedMetric(
        SEED, f"tokens saved, {of}", "> 0", ours=round(100 * (1 - after / before), 1),
        met=after < before, note=f"{before:,} tokens before, {after:,} after",
    )  # fmt: skip


def _key_information(
    talk: Transcript, made: Sequence[Condensation]
) -> tuple[set[str], set[str], set[str]]:
    texts = {
        (exchange.id, index): message.text
        for exchange in talk.exchanges
        for index, message in enumerate(exchange.messages)
    }
    gone = {key: one.category for one in made for key in one.messages}
    key = _told(texts[each] for each in gone)
    verbatim = _told(text for each, text in texts.items() if each not in gone)
    ours = verbatim | _told(line.text for one in made for line in one.lines)
    grouped: Mapping[str, list[str]] = {
        category: [texts[each] for each, named in gone.items() if named == category]
        for category in set(gone.values())
    }
    seeds = verbatim | _told(seeds_summary(name, group) for name, group in grouped.items())
    return key, ours, seeds


def _told(texts: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for text in texts:
        found |= names_in(text)
        found |= set(_NUMBER.findall(text))
    return found


def _reloaded(home: Path, stories: Sequence[SeedStory], changes: dict[str, Any]) -> SeedMetric:
    right = total = 0
    with opened(SEED, home, **changes) as memory:
        for story in stories:
            said = {e.id: e.text for e in story.talk.exchanges}
            for one in memory.space.condensations.view(story.talk.session.id).at(Level.EXCHANGES):
                total += 1
                whole = {e.id: e.text for e in memory.space.condensations.expand(one.id).exchanges}
                right += whole == {name: said[name] for name in one.covers}
    note = "condensations that open up to their originals after the memory was opened anew"
    return share(SEED, "state that loads as it was saved", right, total, least=1, note=note)


def _long(course: SeedRun) -> Iterator[SeedMetric]:
    origin, stories = long_stories(course)
    limit = course.scaled(LIMIT, 1_500)
    changes: dict[str, Any] = {"condense_tokens": limit}
    home = course.folder("long")
    runs: list[tuple[Transcript, CondensePreview]] = []
    took: list[float] = []
    split: list[float] = []
    early = late = 0
    with opened(SEED, home, **changes) as memory:
        for number, story in enumerate(stories, 1):
            course.say(f"story: {number} of {len(stories)} of {story.tokens:,} tokens …")
            early += _is_due(memory, _shortened(story, limit))
            memory.space.log.import_transcript(story.talk)
            for _ in memory.space.annotations.read_pending():
                pass
            late += memory.space.condensations.plan(story.talk.session.id).due
            ms, outlook = timed(memory.space.condensations.condense, story.talk.session.id)
            took.append(ms)
            runs.append((story.talk, outlook))
            split.append(timed(_split, story)[0])
        of = f"{len(stories)} stories of {stories[0].tokens:,} tokens"
        yield exactly(SEED, "runs below the limit", early, 0, "runs", note=f"{of}; {origin}")
        yield share(SEED, f"runs above {limit:,} tokens", late, len(stories), least=1)
        yield within(SEED, "a run over 25,000 tokens", spread(took), most=1_000,
                     baseline=spread(split), of="splitting the same into sentences", note=f"{of}; categories were judged before")  # fmt: skip
        yield from _kept(memory, runs, "long stories")
    yield _reloaded(home, stories, changes)


def _shortened(story: SeedStory, limit: int) -> Transcript:
    held, tokens = [], 0
    for exchange in story.talk.exchanges:
        tokens += sum(message.tokens or 0 for message in exchange.messages)
        if tokens > limit:
            break
        held.append(exchange)
    return ended(story.talk, len(held))


def _is_due(memory: Memory, talk: Transcript) -> bool:
    memory.space.log.import_transcript(talk)
    return memory.space.condensations.plan(talk.session.id).due


def _split(story: SeedStory) -> int:
    return sum(
        len(sentences(message.text))
        for exchange in story.talk.exchanges
        for message in exchange.messages
    )
