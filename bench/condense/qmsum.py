"""QMSum: meetings with summaries that people wrote, each for a question (Zhong et al., 2021).

A meeting is a JSON file (github.com/Yale-LILY/QMSum, README): ``meeting_transcripts`` are its turns
(``speaker``, ``content``), ``general_query_list`` and ``specific_query_list`` the questions with
their ``answer``; a specific one has ``relevant_text_span``, pairs of the first and the last turn
(inclusive) that are relevant to it. Marks of sounds such as ``{vocalsound}`` are taken out.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.condense.condense_check import CondenseTrial
from bench.condense.condense_findings import ABOUT, FiguresTable
from bench.condense.condense_text import SplitTexts, unbroken
from bench.condense.rouge import rouge_l
from bench.condense.textrank import telling
from unabridged.domain.condensation import CondensationDraft, CondenseSource
from unabridged.domain.message import Role
from unabridged.errors import TransferError

LENGTHS = (1, 3)
"""How many times as long as the person's summary a whole meeting is condensed to."""
SHARES = (0.10, 0.25)
"""Of its tokens, what a meeting is condensed to, to see which spans are covered."""

_MARK = re.compile(r"\{\w+\}")
_AT = datetime(2021, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class MeetingQuery:
    """A question with what a person answered.

    Attributes:
        text: The question.
        answer: The person's summary.
        turns: The numbers of the turns that are relevant to it; empty for a general one.
    """

    text: str
    answer: str
    turns: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Meeting:
    """One meeting.

    Attributes:
        name: The name of its file.
        sources: Its turns that hold words; ``exchange`` is the number of the turn.
        general: Questions about all of it.
        specific: Questions about parts of it.
    """

    name: str
    sources: tuple[CondenseSource, ...]
    general: tuple[MeetingQuery, ...]
    specific: tuple[MeetingQuery, ...]


def load(path: str | Path) -> list[Meeting]:
    """Read meetings.

    Args:
        path: A file, or a folder: then every ``.json`` file in it and below.

    Raises:
        TransferError: It cannot be read, or holds no meeting.
    """
    place = Path(path)
    files = sorted(place.rglob("*.json")) if place.is_dir() else [place]
    found = [meeting for file in files if (meeting := _meeting(file)) is not None]
    if not found:
        raise TransferError(
            f"{place.name!r} holds no meetings of QMSum.",
            hint="Use a folder of its JSON files, such as data/ALL/val.",
        )
    return found


def _meeting(path: Path) -> Meeting | None:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TransferError(
            f"{path.name} cannot be read: {error}.", hint="Use QMSum's JSON files as they are."
        ) from error
    if not isinstance(data, dict) or not data.get("meeting_transcripts"):
        return None
    sources = [
        CondenseSource(str(number), 0, Role.USER, text, _AT)
        for number, turn in enumerate(data["meeting_transcripts"])
        if (text := _said(turn))
    ]
    return Meeting(
        path.stem,
        tuple(sources),
        tuple(map(_query, data.get("general_query_list", ()))),
        tuple(map(_query, data.get("specific_query_list", ()))),
    )


def _said(turn: Mapping[str, Any]) -> str:
    # A turn's words behind its speaker's name, as LoCoMo's are stored; empty without words.
    words = " ".join(_MARK.sub(" ", str(turn.get("content", ""))).split())
    speaker = str(turn.get("speaker", "")).strip()
    return f"{speaker}: {words}" if any(c.isalnum() for c in words) else ""


def _query(record: Mapping[str, Any]) -> MeetingQuery:
    spans = record.get("relevant_text_span", ())
    turns = (n for first, last in spans for n in range(int(first), int(last) + 1))
    return MeetingQuery(
        str(record.get("query", "")), str(record.get("answer", "")), frozenset(turns)
    )


def tables() -> tuple[FiguresTable, FiguresTable, FiguresTable]:
    """Empty tables: summaries of whole meetings, coverage of spans, summaries for a question."""
    return (
        FiguresTable(
            "qmsum_general",
            "Whole meetings, condensed to so many times the tokens of the person's summary of them:"
            " ROUGE-L F1 against it.",
            "queries",
        ),
        FiguresTable(
            "qmsum_spans",
            "Whole meetings, condensed to a share of their tokens. Of the turns that people marked as"
            " bearing on a question: touched: the share, weighted by tokens, of which a sentence is"
            " left; words: of their different words (stemmed, no stop words), the share that is left"
            " of them; answer words: of those that the person's answer has too, the share that is"
            f" left of them. {ABOUT!r} was told the question.",
            "queries",
        ),
        FiguresTable(
            "qmsum_specific",
            "Whole meetings, condensed to so many times the tokens of the person's answer to a"
            " specific question: ROUGE-L F1 against it."
            f" {ABOUT!r} was told the question.",
            "queries",
        ),
    )


def measure(
    meetings: Sequence[Meeting], trial: CondenseTrial
) -> tuple[FiguresTable, FiguresTable, FiguresTable]:
    """Condense every meeting by every method.

    Args:
        meetings: The meetings.
        trial: The methods.
    """
    general, spans, specific = found = tables()
    for number, meeting in enumerate(meetings, 1):
        trial.say(f"QMSum, {meeting.name}: meeting {number} of {len(meetings)} …")
        for query in meeting.general:
            _summarised(meeting, query, trial, general)
        for query in meeting.specific:
            _summarised(meeting, query, trial, specific)
        _spans(meeting, trial, spans)
        trial.texts.clear()
    return found


def _summarised(
    meeting: Meeting, query: MeetingQuery, trial: CondenseTrial, into: FiguresTable
) -> None:
    question = query.text if query.turns else ""
    for times in LENGTHS:
        limit = times * trial.texts.count(query.answer)
        drafts = trial.condensed(meeting.sources, limit, question)
        into.add(f"{times} × the length", {n: _rouge(d, query.answer) for n, d in drafts.items()})


def _spans(meeting: Meeting, trial: CondenseTrial, into: FiguresTable) -> None:
    total = trial.texts.tokens(meeting.sources)
    for share in SHARES:
        limit = int(total * share)
        drafts = trial.condensed(meeting.sources, limit)
        for query in meeting.specific:
            for name, made in trial.about.items():
                drafts[name] = made(query.text).condense(meeting.sources, limit)
                trial.checks.take(name, meeting.sources, drafts[name], limit)
            values = {n: covered(meeting, query, d, trial.texts) for n, d in drafts.items()}
            if all(values.values()):
                into.add(f"{share:.0%}", values)


def covered(
    meeting: Meeting, query: MeetingQuery, draft: CondensationDraft | None, texts: SplitTexts
) -> dict[str, float]:
    """Return how much of the turns relevant to a question is left; empty if none has words."""
    wanted = {s.exchange: s.text for s in meeting.sources if int(s.exchange) in query.turns}
    total = sum(map(texts.count, wanted.values()))
    if not total:
        return {}
    lines = [line for line in (draft.lines if draft else ()) if line.exchange in wanted]
    words = telling("\n".join(wanted.values()))
    answer = telling(query.answer) & words
    left = telling("\n".join(line.text for line in lines))
    return {
        "touched": sum(texts.count(wanted[line.exchange]) for line in lines) / total,
        "words": len(words & left) / len(words) if words else 1.0,
        "answer words": len(answer & left) / len(answer) if answer else 1.0,
    }


def _rouge(draft: CondensationDraft | None, answer: str) -> dict[str, float]:
    return {"rouge-l": rouge_l("\n".join(unbroken(draft)), answer).f1}
