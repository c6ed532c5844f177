"""What stories the seed EMM is measured on: its own 17 messages, and play of 25,000 tokens and more."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from bench.condense import crd3
from bench.generator import TalkGenerator
from bench.seeds.seed_setup import SeedRun
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session
from unabridged.tokens.estimate import EstimateTokenizer

LIMIT = 25_000
"""Tokens above which the seed condenses in production."""
SAID = (
    ("I walk down the hallway.", "standard", 0.4),
    ("I open the door.", "standard", 0.4),
    ("I look around.", "standard", 0.4),
    ("I pick up the torch.", "standard", 0.4),
    ("I continue forward.", "standard", 0.4),
    ("The castle was built 500 years ago.", "world_building", 0.5),
    ("It uses ancient dwarven architecture.", "world_building", 0.5),
    ("The stones are imported from the northern mountains.", "world_building", 0.5),
    ("Local legends speak of hidden passages.", "world_building", 0.5),
    ("My name is Aldric, son of Theron.", "character_focused", 0.8),
    ("I trained as a paladin in the Silver Order.", "character_focused", 0.8),
    ("My sacred oath binds me to protect the innocent.", "character_focused", 0.8),
    ("I carry my father's blessed sword.", "character_focused", 0.8),
    ("My greatest fear is failing those who depend on me.", "character_focused", 0.8),
    ("The Dark Lord has returned to threaten the realm.", "story_critical", 0.9),
    ("Only the Sword of Dawn can defeat him.", "story_critical", 0.9),
    ("You are the chosen hero of the prophecy.", "story_critical", 0.9),
)
"""The seed's conversation (its step 4.1): text, category, importance; the user says all of it."""

_BEGUN = datetime(2026, 5, 1, 20, 0, tzinfo=UTC)
_COUNT = EstimateTokenizer().count
_TOPICS = {
    "magic": r"\b(magic|spell|enchant|wizard|sorcery)\b",
    "combat": r"\b(fight|battle|sword|weapon|attack)\b",
    "exploration": r"\b(explore|discover|journey|travel|quest)\b",
    "dialogue": r"\b(speak|talk|discuss|converse|ask)\b",
    "inventory": r"\b(item|equip|carry|inventory|gear)\b",
}
_EMOTIONS = {
    "fear": r"afraid|scared|frightened|terrified",
    "joy": r"happy|joyful|excited|thrilled",
    "anger": r"angry|furious|mad|rage",
    "sadness": r"sad|sorrowful|depressed|melancholy",
    "surprise": r"surprised|shocked|amazed|astonished",
}


class SeedStory(NamedTuple):
    """A story as a conversation, and its tokens."""

    talk: Transcript
    tokens: int


def told(name: str, turns: Sequence[tuple[str, str | None]]) -> SeedStory:
    """Make a conversation of turns, each with its answer or without one."""
    made: list[Exchange] = []
    last: str | None = None
    tokens = 0
    for number, (said, answer) in enumerate(turns):
        at = _BEGUN + timedelta(minutes=number)
        known = f"{name}-{number:06}"
        sides = [(Role.USER, said), *([(Role.ASSISTANT, answer)] if answer else [])]
        messages: list[Message] = []
        for role, text in sides:
            count = _COUNT(text)
            tokens += count
            mark = f"{known}-{role.value}"
            messages.append(Message(mark, role, (Text(text),), at, last, count, "estimate"))
            last = mark
        state = ExchangeState.COMPLETE if answer else ExchangeState.UNANSWERED
        parent = made[-1].id if made else None
        made.append(Exchange(known, name, parent, state, tuple(messages), at))
    header = Session(name, name, _BEGUN, made[-1].at, last)
    return SeedStory(Transcript(header, tuple(made)), tokens)


def seeds_own() -> SeedStory:
    """The seed's 17 messages."""
    return told("castle", [(text, None) for text, _, _ in SAID])


def long_stories(course: SeedRun, most: int = 6) -> tuple[str, list[SeedStory]]:
    """Stories of a little more than the limit, and where they are from."""
    folder = course.part("crd3")
    limit = course.scaled(LIMIT, 1_500)
    if folder is None:
        drawn = TalkGenerator(3)
        found = [_drawn(drawn, f"drawn-{n}", limit) for n in range(2)]
        return "drawn talk (no crd3 in the data folder)", found
    found = []
    for episode in crd3.load(folder):
        found += _stretches(episode, limit)
    return "CRD3, played by people", found[:most]


def _stretches(episode: crd3.Episode, limit: int) -> Iterator[SeedStory]:
    texts = [source.text for source in episode.sources]
    pairs = [(texts[n], texts[n + 1]) for n in range(0, len(texts) - 1, 2)]
    held: list[tuple[str, str | None]] = []
    tokens = number = 0
    for pair in pairs:
        held.append(pair)
        tokens += sum(map(_COUNT, pair))
        if tokens > 1.05 * limit:
            yield told(f"{episode.name}-{number}", held)
            held, tokens, number = [], 0, number + 1


def _drawn(drawn: TalkGenerator, name: str, limit: int) -> SeedStory:
    held: list[tuple[str, str | None]] = []
    tokens = 0
    while tokens <= 1.05 * limit:
        for exchange in drawn.conversation().exchanges:
            answer = exchange.answer.text if exchange.answer else None
            held.append((exchange.user.text, answer))
            tokens += _COUNT(exchange.user.text) + _COUNT(answer or "")
    return told(name, held)


def seeds_summary(category: str, texts: Sequence[str]) -> str:
    """What the seed writes for condensed messages (its steps 2.3, 3.1 and 3.2)."""
    count = len(texts)
    match category:
        case "standard":
            return f"[{count} standard interactions about routine activities]"
        case "world_building":
            named = ", ".join(_found(_TOPICS, texts)[:3])
            return f"[{count} world details discussed: {named}...]"
        case "emotional_significance":
            named = ", ".join(_found(_EMOTIONS, texts)[:3])
            return f"[{count} emotional moments: {named}...]"
        case "story_critical":
            return f"[CRITICAL: {count} key story events - see preserved messages]"
        case _:
            return f"[{count} {category} messages condensed]"


def _found(patterns: dict[str, str], texts: Sequence[str]) -> list[str]:
    whole = "\n".join(texts).lower()
    return [name for name, pattern in patterns.items() if re.search(pattern, whole)]
