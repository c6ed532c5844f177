"""A space of memory: a stateless engine over one store."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from threading import RLock
from typing import Any, TypeVar

from unabridged.budget.calibration import Calibration
from unabridged.budget.count import Counter
from unabridged.context.gather import FLOOR_SHARES
from unabridged.context.recall_block import own_words
from unabridged.context.tiers import STRONG_SHARE
from unabridged.domain.backup_results import Recovery
from unabridged.domain.budget import Mode
from unabridged.domain.exchange import Exchange
from unabridged.domain.intent import Intent
from unabridged.domain.message import Message, Part, Role
from unabridged.domain.record import RecordKind
from unabridged.domain.results import SearchResult, Stats
from unabridged.domain.scope import Scope, SpaceId
from unabridged.domain.settings import Settings
from unabridged.intent.detect import detect
from unabridged.language.words import query_terms, terms
from unabridged.log.iterate import everything
from unabridged.maintenance.archive_sessions import ArchiveLimits, SessionArchiver
from unabridged.models.quote import QuoteModel
from unabridged.ports import ChatModel, Clock
from unabridged.recording.forgotten_filter import ForgottenFilter
from unabridged.retrieval.search import SearchQuery
from unabridged.space.contexts import Contexts
from unabridged.space.dependencies import SpaceDependencies, UpstreamInfo
from unabridged.space.forgetting import forgetting_of
from unabridged.space.idempotency import Idempotency
from unabridged.space.log import SpaceLog
from unabridged.space.maintenance import Maintenance
from unabridged.space.pins import Pins
from unabridged.space.sessions import Sessions
from unabridged.space.sharing import Sharing
from unabridged.space.space_stats import space_stats
from unabridged.space.tools import Tool

QUOTED = 5
"""Exchanges that the quoting model looks for."""

Shared = TypeVar("Shared")


class Space:
    """One space of memory. It keeps no session: any number of threads may share it.

    Attributes:
        contexts: What was sent to models.
        pins: What every prompt carries.
        idempotency: What clients' requests did, so that a repeated one is not done twice.
        editing: Held by who changes something after having looked at it.
    """

    def __init__(self, dependencies: SpaceDependencies, scope: Scope) -> None:
        self.dependencies = dependencies
        self.scope = scope
        self.settings: Settings = dependencies.settings
        self.clock: Clock = dependencies.clock
        self._store = dependencies.store
        self._model: ChatModel | None = None
        self._note = ""
        self._model_lock = RLock()
        self._cache_lock = RLock()
        self._shared: dict[object, Any] = {}
        self._counters: dict[str, tuple[Calibration, Counter]] = {}
        self._personas: dict[str, Mapping[Mode, str]] = {}
        books = dependencies.knowledge(lambda: self.model)
        self.books = books
        self.facts = books.facts
        self.pins = Pins(self._store, self.clock, books.facts)
        self.requirements = books.requirements
        self.annotations = books.annotations
        self.condensations = books.condensations
        self.forgetting = forgetting_of(dependencies, books)
        self.forgotten = ForgottenFilter(self._store, self.forgetting.forgotten_index)
        limits = ArchiveLimits(self.settings.max_sessions, self.settings.max_bytes)
        archives = SessionArchiver(self._store, self.clock, limits)
        self.log = SpaceLog(self._store, dependencies.tokenizer, self.forgotten)
        self.sessions = Sessions(self._store, self.clock, archives)
        self.contexts = Contexts(self._store, scope)
        self.sharing = Sharing(dependencies, books)
        self.maintenance = Maintenance(dependencies, books, archives)
        self.idempotency = Idempotency(self._store, self.clock)
        self.editing = RLock()

    @property
    def id(self) -> SpaceId:
        """The names that isolate it."""
        return self._store.space

    @property
    def stands_in(self) -> bool:
        """Whether it represents a space that was not begun: what is written is kept nowhere."""
        return self.dependencies.stands_in

    @property
    def recovered(self) -> Recovery | None:
        """What was taken out of a damaged file that was set aside on opening."""
        return self.dependencies.recovered

    def close(self) -> None:
        """Close the embedder, the default model and the store."""
        self.dependencies.finder.close()
        with self._model_lock:
            if self._model is not None:
                self._model.close()
        self._store.close()

    def shared(self, build: "Callable[[Space], Shared]") -> Shared:
        """Return what a function builds of this space; it is built once, and shared."""
        with self._cache_lock:
            if build not in self._shared:
                self._shared[build] = build(self)
            shared: Shared = self._shared[build]
            return shared

    # Models.

    @property
    def model(self) -> ChatModel:
        """The default model.

        Raises:
            UpstreamError: The one that the settings name cannot be had.
        """
        with self._model_lock:
            if self._model is None:
                self._model, self._note = self.dependencies.choose_upstream(self.quoting)
            return self._model

    @property
    def model_note(self) -> str:
        """Why the default model was chosen, and how to get a better one; empty before it was."""
        return self._note

    def answering(
        self, model: ChatModel | None, session: str | None, reach: str | None = None
    ) -> ChatModel:
        """Return the model that answers in a session: a quoting one quotes what the session reaches.

        Args:
            model: The model; None for the default.
            session: The session that it answers in.
            reach: The only session that may be recalled from; None for what the settings say.
        """
        chosen = model or self.model
        return self.quoting(session, reach) if isinstance(chosen, QuoteModel) else chosen

    def quoting(self, session: str | None = None, reach: str | None = None) -> QuoteModel:
        """Return the model that needs no server: it answers with what this space holds.

        Args:
            session: The session that it answers in.
            reach: The only session that may be recalled from; None for what the settings say.
        """
        return QuoteModel(
            lambda question: self._quotable(question, session, reach),
            self.clock,
            facts=lambda question: [] if reach is not None else self._pinned(question),
            own_words=own_words,
            keeps=self.settings.store != "memory",
        )

    def info(self, model: ChatModel | None = None, window: int | None = None) -> UpstreamInfo:
        """Return what is known of a model; ``window`` is what a client wants its window to have."""
        describes = self.dependencies.upstream_info
        chosen = model or self.model
        return describes(chosen) if window is None else describes(chosen, window)

    def counter(self, info: UpstreamInfo) -> Counter:
        """Return the counter for a model, with what its answers have taught so far."""
        name = info.abilities.model
        records = self._store.records(RecordKind.CALIBRATION, ids=[name])
        learned = _learned(records[0].body) if records else Calibration()
        with self._cache_lock:
            known = self._counters.get(name)
            if known is None or known[0] != learned:
                known = (learned, Counter(info.tokenizer, learned))
                self._counters[name] = known
            return known[1]

    def count_tokens(self, messages: Sequence[Message], model: ChatModel | None = None) -> int:
        """Count what messages take in a prompt, in tokens."""
        return sum(map(self.counter(self.info(model)).message, messages))

    def tools(self, session: str | None, reach: str | None = None) -> Sequence[Tool]:
        """Return the tools that tools mode offers in a session.

        Args:
            session: The session that they are called in.
            reach: The only session that may be recalled from; None for what the settings say.
        """
        only = self.reach(session, reach)
        return self.dependencies.tools(
            lambda query, limit: self.search(query, limit, reach=only, quotes=False)
        )

    def system(self, persona: str | None = None) -> Mapping[Mode, str]:
        """Return the system prompts by mode.

        Args:
            persona: The name or file of a persona; empty for none; None for the settings.

        Raises:
            SettingError: There is none of that name, or it cannot be read.
        """
        if persona is None:
            return self.dependencies.system
        with self._cache_lock:
            if persona not in self._personas:
                self._personas[persona] = self.dependencies.persona(persona)
            return self._personas[persona]

    def message(self, role: Role, parts: Sequence[Part]) -> Message:
        """Return a message with a fresh id and the time."""
        return Message(self.clock.new_id(), role, tuple(parts), self.clock.now())

    # Looking things up.

    def reach(self, session: str | None, only: str | None = None) -> str | None:
        """Return the only session that is recalled from in a session; None for the whole space.

        Args:
            session: The session that is talked in; None for one that has not begun.
            only: The only session that the caller may recall from, or None.
        """
        if only is not None or self.settings.recall_scope != "session":
            return only
        return session or ""  # one that has not begun holds nothing

    def search(
        self,
        query: str,
        limit: int = 10,
        *,
        reach: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        exact: bool = False,
        min_relevance: float | None = None,
        quotes: bool = True,
    ) -> list[SearchResult]:
        """Find exchanges by words, meaning and time, best first; each whole, with its session.

        Args:
            query: What to look for.
            limit: Up to this many.
            reach: The id of the only session that is looked in; None for all.
            since: Only exchanges of this time and later.
            until: Only exchanges before this time.
            exact: Find the words as they are written, the newest first; reads every exchange.
            min_relevance: Relevance under which nothing is found, 0 to 1.
            quotes: Whether exchanges that only quote others are found too.
        """

        def fits(exchange: Exchange) -> bool:
            early = since is not None and exchange.at < since
            late = until is not None and exchange.at >= until
            return not (early or late) and reach in (None, exchange.session)

        if exact:
            return self._exact(query, limit, fits)
        question = SearchQuery(query, self.clock.now(), session=reach, telling=not quotes)
        most = limit
        while True:
            found = self.dependencies.finder.find(question, most, floor=min_relevance or 0.0)
            kept = [one for one in found if fits(one.exchange)]
            if len(kept) >= limit or len(found) < most or (since is None and until is None):
                return self._titled([(one.exchange, one.score) for one in kept[:limit]])
            most *= 4

    def _exact(
        self, query: str, limit: int, fits: Callable[[Exchange], bool]
    ) -> list[SearchResult]:
        wanted = query.casefold()
        found = [e for e in everything(self._store) if fits(e) and wanted in e.text.casefold()]
        return self._titled([(exchange, 1.0) for exchange in found[::-1][:limit]])

    def _titled(self, found: Sequence[tuple[Exchange, float]]) -> list[SearchResult]:
        sessions = map(self._store.session, {exchange.session for exchange, _ in found})
        titles = {session.id: session.title for session in sessions if session}
        return [SearchResult(e, score, titles.get(e.session, "")) for e, score in found]

    @property
    def search_note(self) -> str:
        """Why the last search of this thread was by words only; empty where it was not."""
        return self.dependencies.finder.trouble

    def stats(self) -> Stats:
        """Return the figures of the space."""
        return space_stats(self._store, len(self.facts.pinned()), self.sessions.archives.use())

    def _pinned(self, question: str) -> list[str]:
        asked = set(query_terms(question))
        return [pin.text for pin in self.facts.pinned() if asked & set(terms(pin.text))]

    def _quotable(
        self, question: str, session: str | None, reach: str | None
    ) -> Sequence[Exchange]:
        intent = detect(question).intent
        if intent is Intent.CASUAL:
            return []
        asked = question.strip()  # stored by now, and the best match of itself
        here = self.search(question, QUOTED, reach=self.reach(session, reach), quotes=False)
        found = [f for f in here if f.exchange.user.text.strip() != asked]
        best = max((f.score for f in found), default=0.0)
        least = FLOOR_SHARES[intent] * self.settings.min_relevance
        floor = max(least, STRONG_SHARE * best)
        return [f.exchange for f in found if f.score >= floor]


def _learned(body: Mapping[str, Any]) -> Calibration:
    # What was learned about a model; from scratch where another version wrote it otherwise.
    try:
        return Calibration.from_body(body)
    except ValueError:
        return Calibration()
