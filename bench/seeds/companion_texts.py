"""What WhisperEngine's metrics are measured on: conversations of months, and questions about them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from itertools import islice
from typing import NamedTuple

from bench.formats import locomo
from bench.formats.longmemeval import LongMemEvalCorpus, asked_at
from bench.generator import TalkGenerator
from bench.seeds.seed_setup import SeedRun, asks
from unabridged.domain.exchange import Exchange
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session
from unabridged.tokens.estimate import EstimateTokenizer

GENERAL = (
    "hi again",
    "Remember what I told you about it?",
    "What have we talked about lately?",
    "I had a long day. Tell me more about what you said last time.",
)
"""Messages that a companion hears in any conversation."""


PERSONA_TOKENS = 6_000
"""Tokens of the seed's system prompt."""


class PastConversation(NamedTuple):
    """What was said with one user, and what is asked then.

    Attributes:
        origin: Where it is from.
        talks: Its sessions.
        questions: Messages.
        now: When they are said.
    """

    origin: str
    talks: Sequence[Transcript]
    questions: Sequence[str]
    now: datetime


def pasts(course: SeedRun) -> list[PastConversation]:
    """LongMemEval's histories and LoCoMo's conversations where they are; else drawn talk."""
    found = [*_longmemeval(course), *_locomo(course)]
    return found or [_drawn(course)]


def _longmemeval(course: SeedRun) -> Iterator[PastConversation]:
    folder = course.part("longmemeval")
    if folder is None:
        return
    corpus = LongMemEvalCorpus.at(folder)
    every = max(1, len(corpus.questions) // course.scaled(6, 2))
    for name in islice(corpus.questions, 0, None, every):
        haystack = corpus.haystack(name)
        talks = haystack.conversations
        now = asked_at(haystack.question) or talks[-1].session.updated
        questions = (str(haystack.question.get("question")), *GENERAL)
        yield PastConversation("LongMemEval", talks, questions, now)


def _locomo(course: SeedRun) -> Iterator[PastConversation]:
    folder = course.part("locomo")
    if folder is None:
        return
    for talk in islice(locomo.load(folder), course.scaled(4, 1)):
        asked = [str(record.get("question") or "") for record in talk.questions]
        questions = [text for text in asked if text][:: max(1, len(asked) // 10)]
        now = max(one.session.updated for one in talk.sessions)
        yield PastConversation("LoCoMo", talk.sessions, (*questions, *GENERAL), now)


def _drawn(course: SeedRun) -> PastConversation:
    drawn = TalkGenerator(19)
    talks = list(drawn.conversations(course.scaled(400, 60)))
    now = talks[-1].session.updated + timedelta(days=1)
    return PastConversation("drawn talk", talks, (*asks(drawn, 10), *GENERAL), now)


def as_stream(talks: Sequence[Transcript]) -> Transcript:
    """Join sessions to the one conversation that a channel of a chat server is."""
    made: list[Exchange] = []
    last: str | None = None
    for talk in talks:
        for exchange in talk.exchanges:
            name = f"{len(made):06}-stream"
            messages = []
            for place, message in enumerate(exchange.messages):
                messages.append(replace(message, id=f"{name}-{place}", parent=last))
                last = messages[-1].id
            parent = made[-1].id if made else None
            made.append(
                replace(
                    exchange, id=name, session="stream", parent=parent, messages=tuple(messages)
                )
            )
    header = Session("stream", "stream", made[0].at, made[-1].at, last)
    return Transcript(header, tuple(made))


@cache
def rich_persona() -> str:
    """A system prompt as long as the seed's."""
    drawn = TalkGenerator(23)
    drawn.conversation()
    count = EstimateTokenizer().count
    held = ["You are a companion with a long life behind you."]
    while count("\n".join(held)) < PERSONA_TOKENS:
        held.append(drawn.answered(drawn.topics[0]))
    return "\n".join(held)


def ended(talk: Transcript, count: int) -> Transcript:
    """The first exchanges of a conversation."""
    held = talk.exchanges[:count]
    session = replace(talk.session, updated=held[-1].at, head=held[-1].messages[-1].id)
    return Transcript(session, held)
