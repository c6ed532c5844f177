"""Texts that programs write in a person's name: openings, and summaries of older turns.

A program that sends a text of the tables below is recognized in its first conversation. Openings of
all other programs are recognized when a second conversation begins with them.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Role
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.session import title_from
from unabridged.errors import HeadMovedError
from unabridged.history_sync.normalize_history import NormalizedExchange, plain_words
from unabridged.history_sync.path_index import PathIndex
from unabridged.ports import Store

OPENING_BEGINNINGS = (
    "<environment_context>",  # Codex
    "<user_instructions>",
    "# AGENTS.md instructions",
    "This is the Qwen Code.",
    "This is the Gemini CLI.",
)
"""How the openings of known programs begin."""
SUMMARY_BEGINNINGS = (
    "This session is being continued from a previous conversation",  # Claude Code
    "Another language model started to solve this problem and produced a summary",  # Codex
    "What did we do so far?",  # opencode: the summary is the answer
    "<state_snapshot>",  # Qwen Code, Gemini CLI
    "[Conversation summary]",
    "Summary of the conversation so far",
    "Previous conversation summary",
    "The conversation history before this point was compacted into the following summary",
)
"""How the summaries begin that known programs send in place of older turns."""


def is_opening(text: str) -> bool:
    """Return whether a user message is the opening of a known program."""
    return plain_words(text, Role.USER).startswith(OPENING_BEGINNINGS)


def is_summary(said: NormalizedExchange) -> bool:
    """Return whether a user message is the summary of a known program."""
    return said.user is not None and is_summary_text(said.user.text)


def is_summary_text(text: str) -> bool:
    """Return whether a text is the summary of a known program."""
    return plain_words(text, Role.USER).startswith(SUMMARY_BEGINNINGS)


def marks_of(exchanges: Sequence[Exchange], openings: int, summary: str | None) -> list[Record]:
    """Return the records that mark a program's texts among imported exchanges.

    Args:
        exchanges: What is imported, the oldest first.
        openings: How many of them are known to begin other sessions too.
        summary: The id of the one that replaces older turns, or None.
    """
    marks: list[Record] = []
    for n, each in enumerate(exchanges):
        if each.id == summary or is_summary_text(each.user.text):
            body = {"through": each.parent}
            marks.append(Record(RecordKind.COMPACTION, each.id, each.at, body, (each.id,)))
        elif n < openings or is_opening(each.user.text):
            marks.append(_opening(each))
    return marks


def mark_opening(store: Store, index: PathIndex, opening: Sequence[str]) -> None:
    """Mark the exchanges of an opening when a second session begins with it.

    A session that was called after it is called after its first question.
    """
    marked = {record.id for record in store.records(RecordKind.OPENING, ids=opening)}
    held = [one for one in store.get(opening).values() if one.id not in marked]
    if not held:
        return
    store.put([_opening(each) for each in held])
    header = store.session(held[0].session)
    titles = {title_from(message.text) for each in held for message in each.messages}
    asked = [node.id for node in index.following(opening[-1]) if node.asked]
    if header is None or not asked or header.title not in titles:
        return
    first = store.get(asked[:1])
    with suppress(HeadMovedError):  # somebody talks in it: its title can wait
        for exchange in first.values():
            named = replace(header, title=title_from(exchange.user.text))
            store.set_session(named, header.head)


def _opening(exchange: Exchange) -> Record:
    return Record(RecordKind.OPENING, exchange.id, exchange.at, {}, (exchange.id,))


def title_words(exchanges: Sequence[Exchange], openings: int) -> str:
    """Return the words of a new session's title; empty if only its question can give them.

    A program's texts, the greeting of a character and leading messages that nobody answered give no
    title.

    Args:
        exchanges: What a client sent before its question.
        openings: How many of them are known to begin other sessions too.
    """
    led = True
    for each in exchanges[openings:]:
        led = led and each.state is ExchangeState.UNANSWERED
        text = each.user.text
        if led or not each.user.parts or is_opening(text) or is_summary_text(text):
            continue
        return next((m.text for m in each.messages if m.text.strip()), "")
    return ""
