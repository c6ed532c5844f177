"""Search of a space: by words, meaning and time, or for an exact text."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Role
from unabridged.domain.results import SearchResult
from unabridged.errors import InputError
from unabridged.language.words import is_pair, query_terms, says_something, terms
from unabridged.log.iterate import everything
from unabridged.ports import Clock, Store
from unabridged.retrieval.passages import sides
from unabridged.retrieval.relevance import MIN_MATCH, Relevance
from unabridged.retrieval.search import Search, SearchQuery
from unabridged.retrieval.tool_text import tool_text

ROLES = (Role.USER, Role.ASSISTANT, Role.TOOL)
MOST_RANKED = 1_000
"""Exchanges with a phrase that are ranked by the other words of a query."""
STOP_WORDS_MATCH = 0.5
"""How well an exchange must match a query of nothing but stop words, which almost all contain."""
_WORD = re.compile(r"[^\W_]+(?:['’_][^\W_]+)*")
_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»')


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Which exchanges a search looks at.

    Attributes:
        session: The id of the only session; None for all.
        since: Only exchanges of this time and later.
        until: Only exchanges before this time.
        role: ``user``, ``assistant`` or ``tool`` (names, arguments and results of tools): only if
            its text holds a word of the query.
    """

    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    role: str | None = None

    @property
    def is_open(self) -> bool:
        """Return whether the index alone can answer."""
        return self.since is None and self.until is None and self.role is None

    def holds(self, exchange: Exchange) -> bool:
        """Return whether an exchange is in it, whatever its words."""
        early = self.since is not None and exchange.at < self.since
        late = self.until is not None and exchange.at >= self.until
        return not early and not late and self.session in (None, exchange.session)

    def text(self, exchange: Exchange) -> str:
        """Return the text that is searched."""
        if self.role is None:
            return f"{exchange.text}\n{tool_text(exchange)}"
        if self.role == Role.TOOL:
            return tool_text(exchange)
        user, answer = sides(exchange)
        return user if self.role == Role.USER else answer


@dataclass(frozen=True, slots=True)
class SpaceSearch:
    """The search of one space."""

    store: Store
    search: Search
    clock: Clock

    def find(
        self,
        query: str,
        limit: int,
        scope: SearchScope,
        *,
        exact: bool = False,
        min_relevance: float | None = None,
        quotes: bool = True,
    ) -> list[SearchResult]:
        """Find exchanges; see ``Space.search``."""
        _check(scope, min_relevance)
        phrases, rest = ([query], "") if exact else split_phrases(query)
        if phrases:
            return self._titled(self._with_phrases(phrases, rest, scope)[:limit])
        matches = MIN_MATCH if says_something(query) else STOP_WORDS_MATCH
        least = matches if min_relevance is None else min_relevance
        asked = set(query_terms(query)) if scope.role is not None else set()
        question = SearchQuery(query, self.clock.now(), session=scope.session, telling=not quotes)
        most = limit
        while True:
            found = self.search.find(question, most, least_match=least)
            kept = [
                one
                for one in found
                if scope.holds(one.exchange)
                and (scope.role is None or asked & set(terms(scope.text(one.exchange))))
            ]
            if len(kept) >= limit or len(found) < most or scope.is_open:
                return self._titled(kept[:limit], matches)
            most *= 4

    def recall(self, query: str, limit: int, session: str | None) -> list[SearchResult]:
        """Find what ``prepare`` would recall, by evidence; see ``Search.find``."""
        question = SearchQuery(query, self.clock.now(), session=session, telling=True)
        found = self.search.find(question, limit)
        return self._titled([replace(one, match=one.score) for one in found])

    def _with_phrases(
        self, phrases: Sequence[str], rest: str, scope: SearchScope
    ) -> list[Relevance]:
        wanted = [_plain(phrase) for phrase in phrases]
        newest_first = [
            exchange
            for exchange in everything(self.store)
            if scope.holds(exchange) and _holds_all(wanted, scope.text(exchange))
        ][::-1]
        if query_terms(rest):
            question = SearchQuery(rest, self.clock.now(), session=scope.session)
            ranked = self.search.rank(question, MOST_RANKED)
            places = {one.exchange: place for place, one in enumerate(ranked)}
            newest_first.sort(key=lambda exchange: places.get(exchange.id, len(places)))
        return [Relevance(exchange, 1.0, match=1.0) for exchange in newest_first]

    def _titled(self, found: Sequence[Relevance], matches: float = MIN_MATCH) -> list[SearchResult]:
        sessions = map(self.store.session, {one.exchange.session for one in found})
        titles = {session.id: session.title for session in sessions if session}
        return [
            SearchResult(
                one.exchange,
                one.match,
                titles.get(one.exchange.session, ""),
                matched=one.match >= matches,
            )
            for one in found
        ]


def split_phrases(query: str) -> tuple[list[str], str]:
    """Return the phrases in quotation marks of a query, and the query without them."""
    phrases = [next(filter(None, found)) for found in _QUOTED.findall(query)]
    phrases = [phrase for phrase in phrases if phrase.strip()]
    return phrases, _QUOTED.sub(" ", query) if phrases else query


def matching_words(query: str, text: str) -> list[tuple[int, int]]:
    """Return the start and end of each word and phrase of a query in a text, in order."""
    phrases, rest = split_phrases(query)
    asked = set(query_terms(rest)) if rest.strip() else set()
    spans = [
        found.span() for found in _WORD.finditer(text) if asked.intersection(terms(found.group()))
    ]
    texts = [re.escape(term) for term in asked if is_pair(term)]
    texts += [r"\s+".join(map(re.escape, phrase.split())) for phrase in phrases]
    if texts:
        spans += [found.span() for found in re.finditer("|".join(texts), text, re.IGNORECASE)]
    ordered: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if not ordered or begin >= ordered[-1][1]:
            ordered.append((begin, end))
    return ordered


def _check(scope: SearchScope, min_relevance: float | None) -> None:
    if scope.role is not None and scope.role not in ROLES:
        raise InputError(f"There is no role {scope.role!r}.", hint="Use user, assistant or tool.")
    if min_relevance is not None and not 0 <= min_relevance <= 1:
        raise InputError(f"min_relevance is {min_relevance:g}.", hint="Use a number from 0 to 1.")


def _holds_all(wanted: Iterable[str], text: str) -> bool:
    said = _plain(text)
    return all(phrase in said for phrase in wanted)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
