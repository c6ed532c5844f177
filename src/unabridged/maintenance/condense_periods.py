"""The levels above exchanges: a whole session, and the sessions of a month.

WorkspaceAI's ``recent_conversations`` and ``summarized_conversations``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from unabridged.condense.session_view import SessionView, condensation_id
from unabridged.domain.annotation import ExchangeReading
from unabridged.domain.condensation import Condensation, CondensationDraft, CondenseSource, Level
from unabridged.domain.exchange import Exchange
from unabridged.domain.session import Session
from unabridged.maintenance.condense_session import CondenseTools, sources_of, spoken, tokens_of

CONVERSATION_SHARE, CONVERSATION_LEAST, CONVERSATION_MOST = 0.1, 80, 400
"""The tokens of a session's condensation: its share of the session, and its bounds."""
PERIOD_SHARE, PERIOD_LEAST, PERIOD_MOST = 0.25, 120, 800
"""The same for a month, as a share of its condensed conversations."""


def month_of(session: Session) -> str:
    """Return the month of a session's last message: ``2026-05``."""
    return session.updated.strftime("%Y-%m")


def is_stale(view: SessionView, session: Session) -> bool:
    """Return whether a session continued since its whole condensation, or has none."""
    return view.head != (session.head or "") or not view.at(Level.CONVERSATION)


def conversation_of(
    session: Session,
    path: Sequence[Exchange],
    view: SessionView,
    annotations: Mapping[str, ExchangeReading],
    terms: CondenseTools,
) -> SessionView | None:
    """Condense a whole session; None if nothing shorter can be made of it.

    Parts that were condensed before enter as their condensations.
    """
    standing = view.sentences()
    sources = [
        replace(source, sentences=standing.get((source.exchange, source.index)))
        for source in sources_of(path, annotations, terms.scheme)
        if standing.get((source.exchange, source.index)) != ()
    ]
    size = sum(tokens_of(m, terms.count) for e in path for _, m in spoken(e))
    limit = _within(int(CONVERSATION_SHARE * size), CONVERSATION_LEAST, CONVERSATION_MOST)
    draft = terms.condenser.condense(sources, limit) if sources else None
    if draft is None or draft.tokens >= size:
        return None
    covers = [exchange.id for exchange in path]
    parts = [one.id for one in view.at(Level.EXCHANGES)]
    whole = Condensation(
        id=_id(Level.CONVERSATION, session.id, covers, draft),
        level=Level.CONVERSATION,
        session=session.id,
        covers=tuple(covers),
        since=path[0].at,
        until=path[-1].at,
        lines=draft.lines,
        tokens=draft.tokens,
        source_tokens=size,
        by=draft.by,
        parts=tuple(parts),
        notes=draft.notes,
    )
    return replace(view.replaced(Level.CONVERSATION, [whole]), head=session.head or "")


def period_of(
    month: str, conversations: Sequence[Condensation], view: SessionView, terms: CondenseTools
) -> SessionView | None:
    """Condense the conversations of a month; None if it is up to date or they are too few."""
    ordered = sorted(conversations, key=lambda one: (one.since, one.id))
    parts = [one.id for one in ordered]
    before = [part for one in view.at(Level.PERIOD) for part in one.parts]
    if len(ordered) < 2 or parts == before:
        return None
    sources = [
        CondenseSource(line.exchange or one.id, line.index, line.role, line.text, one.since)
        for one in ordered
        for line in one.lines
    ]
    size = sum(one.tokens for one in ordered)
    limit = _within(int(PERIOD_SHARE * size), PERIOD_LEAST, PERIOD_MOST)
    draft = terms.condenser.condense(sources, limit)
    if draft is None:
        return None
    covers = [name for one in ordered for name in one.covers]
    whole = Condensation(
        id=_id(Level.PERIOD, month, covers, draft),
        level=Level.PERIOD,
        session="",
        covers=tuple(covers),
        since=ordered[0].since,
        until=max(one.until for one in ordered),
        lines=draft.lines,
        tokens=draft.tokens,
        source_tokens=sum(one.source_tokens for one in ordered),
        by=draft.by,
        parts=tuple(parts),
        notes=draft.notes,
    )
    return replace(view, condensations=(whole,))


def _id(level: Level, owner: str, covers: Sequence[str], draft: CondensationDraft) -> str:
    return condensation_id(level, owner, covers, [line.text for line in draft.lines])


def _within(value: int, least: int, most: int) -> int:
    return max(least, min(value, most))
