"""Answers kept: is the answer to a question still in the condensed history?

Of LongMemEval and LoCoMo those questions count whose answer has two words or more (split at white
space) and is word for word in one message of the evidence. The history is condensed to a quarter
of its tokens, as one or each session separately. An answer is kept if it is word for word in
one unbroken piece of what is left of the whole history. Word for word: both as their runs of
letters and digits alone, folded (``measures.words_of``), whole words; so case, white space and
punctuation, at the edges and within, are of no account.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from bench.condense.condense_check import CondenseTrial
from bench.condense.condense_findings import FiguresTable
from bench.condense.condense_text import searchable, sources_of, unbroken
from bench.formats.locomo import LocomoTalk, load, places
from bench.formats.longmemeval import LongMemEvalCorpus
from bench.recall.ranking_measures import words_of
from unabridged.domain.results import Transcript

SHARE = 0.25
"""Of its tokens, what a session is condensed to."""
WORDS = 2
"""The fewest words of an answer that counts."""
POOLED = "pooled"
ADVERSARIAL = 5
"""LoCoMo's category that is left out."""
LEAST = {"answers_kept": (0.85, 0.92)}


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question whose answer is in its evidence.

    Attributes:
        group: The data that it is of.
        question: Its words.
        answer: The answer.
        history: The sessions in which it is looked for.
    """

    group: str
    question: str
    answer: str
    history: Sequence[Transcript]


def table(*, by_session: bool = False) -> FiguresTable:
    """Return an empty table for this measure."""
    how = "each session of it by itself" if by_session else "as one, with one limit"
    about = (
        f"Share of the answers of {WORDS} words or more, verbatim in the evidence, that still stand"
        f" in the history condensed to {SHARE:.0%} of its tokens, {how}; size: share of the tokens"
        " that is left."
    )
    name = "answers_kept_by_session" if by_session else "answers_kept"
    return FiguresTable(name, about, "questions", LEAST)


def of_longmemeval(path: Path, first: int | None) -> tuple[int, Iterator[AskedQuestion]]:
    """Return the questions of LongMemEval that count.

    Args:
        path: What ``LongMemEvalCorpus.at`` reads.
        first: Look at only this number of questions.

    Returns:
        How many were looked at, and those that count.

    Raises:
        TransferError: The data cannot be read.
    """
    corpus = LongMemEvalCorpus.at(path)
    names = list(islice(corpus.questions, first))

    def each() -> Iterator[AskedQuestion]:
        for name in names:
            if name.endswith("_abs") or not _long(corpus.questions[name].get("answer")):
                continue
            haystack = corpus.haystack(name)
            answer = str(haystack.question["answer"])
            held = {e.id: e for c in haystack.conversations for e in c.exchanges}
            evidence = (m.text for g in haystack.gold for m in held[g].messages)
            if stands(answer, searchable(evidence)):
                asked = str(haystack.question.get("question") or "")
                yield AskedQuestion("longmemeval", asked, answer, haystack.conversations)

    return len(names), each()


def of_locomo(path: Path, first: int | None) -> tuple[int, Iterator[AskedQuestion]]:
    """Return the questions of LoCoMo that count; category 5 does not.

    Args:
        path: A file or folder of LoCoMo's form.
        first: Look at only this number of questions of each conversation.

    Returns:
        How many were looked at, and those that count.

    Raises:
        TransferError: The data cannot be read.
    """
    talks = load(path)
    return (
        sum(len(talk.questions[:first]) for talk in talks),
        (asked for talk in talks for asked in _asked_of(talk, first)),
    )


def _asked_of(talk: LocomoTalk, first: int | None) -> Iterator[AskedQuestion]:
    messages = {e.id: e.messages for c in talk.sessions for e in c.exchanges}
    for question in talk.questions[:first]:
        answer = question.get("answer")
        if question.get("category") == ADVERSARIAL or not _long(answer):
            continue
        named = [p for p in places(question.get("evidence")) if p in talk.exchange_of]
        evidence = (m.text for p in named for m in messages[talk.exchange_of[p]])
        if stands(str(answer), searchable(evidence)):
            yield AskedQuestion(
                "locomo", str(question.get("question") or ""), str(answer), talk.sessions
            )


def _long(answer: object) -> bool:
    return answer is not None and len(str(answer).split()) >= WORDS


def stands(answer: str, within: str) -> bool:
    """Return whether an answer is in a text that ``searchable`` gave."""
    wanted = words_of(answer)
    return bool(wanted.strip()) and wanted in within


class ConversationViews:
    """Condensed histories, each part made once.

    Args:
        trial: The methods.
        by_session: Whether each session is condensed separately, or the history as one.
        share: Of its tokens, what each is condensed to.
    """

    def __init__(
        self, trial: CondenseTrial, *, by_session: bool = False, share: float = SHARE
    ) -> None:
        self.trial = trial
        self._by_session = by_session
        self._share = share
        self._made: dict[tuple[str, ...], _View] = {}

    def of(self, history: Sequence[Transcript], answer: str) -> dict[str, dict[str, float]]:
        """Method to whether an answer still stands, and the size of what is left."""
        parts = [[session] for session in history] if self._by_session else [history]
        views = [self._view(part) for part in parts]
        total = sum(view.tokens for view in views) or 1
        return {
            name: {
                "answers_kept": float(any(stands(answer, view.left[name][0]) for view in views)),
                "size": sum(view.left[name][1] for view in views) / total,
            }
            for name in self.trial.methods
        }

    def _view(self, sessions: Sequence[Transcript]) -> "_View":
        key = tuple(each.session.foreign_id or each.session.id for each in sessions)
        if key not in self._made:
            sources = [source for session in sessions for source in sources_of(session)]
            tokens = self.trial.texts.tokens(sources)
            drafts = self.trial.condensed(sources, int(tokens * self._share))
            left = {n: (searchable(unbroken(d)), d.tokens if d else 0) for n, d in drafts.items()}
            self._made[key] = _View(tokens, left)
            self.trial.texts.clear()
        return self._made[key]


class _View(NamedTuple):
    """Some sessions: what they take, and by method what is left, to search in, with its tokens."""

    tokens: int
    left: dict[str, tuple[str, int]]


def measure(asked: Iterator[AskedQuestion], views: ConversationViews, into: FiguresTable) -> None:
    """Look for the answers, and add what comes of each, under its data and pooled.

    Args:
        asked: The questions.
        views: What condenses.
        into: The table to add to.
    """
    for number, each in enumerate(asked, 1):
        if number % 5 == 1:
            views.trial.say(f"Answers kept, {each.group}: question {number} …")
        values = views.of(each.history, each.answer)
        into.add(POOLED, values)
        into.add(each.group, values)
