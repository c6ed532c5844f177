"""Titles that tell what is to be forgotten: those that quote it, or name what nothing else names."""

from collections.abc import Collection, Iterable, Mapping

from unabridged.domain.exchange import Exchange
from unabridged.domain.session import Session, title_from
from unabridged.language.words import fold, query_terms, terms, words
from unabridged.log.entrances import texts_of_message
from unabridged.log.iterate import everything
from unabridged.ports import Store

LEAST_WORDS = 3
"""Words of a title that must stand in a row in a text for the title to quote it."""


def telling_titles(
    store: Store, sessions: Iterable[Session], gone: Mapping[str, Exchange]
) -> tuple[Session, ...]:
    """The sessions whose title is cleared.

    One that is the beginning of a message that stays tells nothing more than that does. Else it is
    cleared where its words stand in a row in what goes, or where it has a word that is said there
    and by nothing that stays.

    Args:
        store: The space.
        sessions: Those that stay, though some of their exchanges may go.
        gone: The exchanges that go.
    """
    texts = [text for e in gone.values() for m in e.messages for text in texts_of_message(m)]
    said = {term for text in texts for term in terms(text)}
    named = {s.id: said.intersection(query_terms(s.title)) for s in sessions if s.title}
    held = [session for session in sessions if named.get(session.id)]
    if not held:
        return ()
    waiting = set().union(*(named[session.id] for session in held))
    begun: set[tuple[str, str]] = set()
    for exchange in everything(store):
        if exchange.id not in gone:
            begun.add((exchange.session, title_from(exchange.user.text)))
            if waiting:
                waiting -= _terms_of(exchange)
    runs = [words(fold(text)) for text in texts]
    return tuple(
        session
        for session in held
        if (session.id, session.title) not in begun
        and (named[session.id] & waiting or _is_quoted(session.title, runs))
    )


def _terms_of(exchange: Exchange) -> set[str]:
    return {term for m in exchange.messages for text in texts_of_message(m) for term in terms(text)}


def _is_quoted(title: str, runs: Collection[list[str]]) -> bool:
    said = words(fold(title.rstrip("…")))
    size = len(said)
    if size < LEAST_WORDS:
        return False
    return any(run[i : i + size] == said for run in runs for i in range(len(run) - size + 1))
