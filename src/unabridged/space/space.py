"""A space of memory: a stateless engine over one store."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from weakref import WeakSet

from unabridged.budget.calibration import Calibration
from unabridged.budget.count import Counter
from unabridged.context.recall_block import own_words
from unabridged.domain.arguments import checks_arguments
from unabridged.domain.backup_results import Recovery
from unabridged.domain.budget import Mode
from unabridged.domain.message import Message, Part, Role
from unabridged.domain.record import RecordKind
from unabridged.domain.results import SearchResult, Stats
from unabridged.domain.scope import Scope, SpaceId
from unabridged.domain.settings import Settings
from unabridged.domain.short_repr import quoted, short
from unabridged.errors import InputError
from unabridged.maintenance.archive_sessions import ArchiveLimits, SessionArchiver
from unabridged.models.quote import QuoteModel
from unabridged.ports import ChatModel, Clock
from unabridged.recording.forgotten_filter import ForgottenFilter
from unabridged.space.contexts import Contexts
from unabridged.space.dependencies import SpaceDependencies, UpstreamInfo
from unabridged.space.forgetting import forgetting_of
from unabridged.space.idempotency import Idempotency
from unabridged.space.log import SpaceLog
from unabridged.space.pins import Pins
from unabridged.space.quotations import QuotationSources
from unabridged.space.search import SearchScope, SpaceSearch
from unabridged.space.sessions import Sessions
from unabridged.space.space_stats import space_stats
from unabridged.space.tools import Tool

if TYPE_CHECKING:
    from unabridged.space.maintenance import Maintenance
    from unabridged.space.sharing import Sharing

Shared = TypeVar("Shared")


class Stoppable(Protocol):
    """An answer that streams."""

    def stop(self) -> None:
        """End it, and store what came."""
        ...


@checks_arguments
class Space:
    """One space of memory. It keeps no session: any number of threads may share it.

    Attributes:
        contexts: What was sent to models.
        pins: What every prompt carries.
        searches: How it is searched.
        idempotency: What clients' requests did, so that a repeated one is not done twice.
        editing: A lock for changes that depend on what was read.
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
        self._answers: WeakSet[Stoppable] = WeakSet()
        knowledge = dependencies.knowledge(lambda: self.model)
        self.knowledge = knowledge
        self.facts = knowledge.facts
        self.pins = Pins(self._store, self.clock, knowledge.facts)
        self.requirements = knowledge.requirements
        self.annotations = knowledge.annotations
        self.condensations = knowledge.condensations
        self.forgetting = forgetting_of(dependencies, knowledge)
        self.forgotten = ForgottenFilter(self._store, self.forgetting.forgotten_index)
        limits = ArchiveLimits(self.settings.max_sessions, self.settings.max_bytes)
        archives = SessionArchiver(self._store, self.clock, limits)
        self.log = SpaceLog(self._store, dependencies.tokenizer, self.forgotten)
        self.sessions = Sessions(self._store, self.clock, archives)
        self.contexts = Contexts(self._store)
        self.idempotency = Idempotency(self._store, self.clock)
        self.searches = SpaceSearch(self._store, dependencies.search, self.clock)
        self._quotations = QuotationSources(
            self._store, self.searches, knowledge.facts, knowledge.requirements
        )
        self.editing = RLock()

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        return short(self, quoted(self.id.name))

    @property
    def id(self) -> SpaceId:
        """The names that isolate it."""
        return self._store.space

    @property
    def is_placeholder(self) -> bool:
        """Whether it represents a space that was not begun: it keeps nothing that is written."""
        return self.dependencies.is_placeholder

    @property
    def recovered(self) -> Recovery | None:
        """What was recovered from a damaged file on opening."""
        return self.dependencies.recovered

    def close(self) -> None:
        """Stop the answers that stream, then close the embedder, the default model and the store.

        What came of an answer is stored as incomplete.
        """
        with self._cache_lock:
            answers = list(self._answers)
        with ExitStack() as closing:  # in reverse: whatever fails, the rest is closed
            closing.callback(self._shared.clear)  # at once: the collector may come much later
            closing.callback(self._store.close)
            closing.callback(self._close_model)
            closing.callback(self.dependencies.search.close)
            for answer in answers:
                closing.callback(answer.stop)

    def _close_model(self) -> None:
        with self._model_lock:
            if self._model is not None:
                self._model.close()

    def stop_on_close(self, answer: "Stoppable") -> None:
        """Have an answer stopped before the store closes; it is held no longer than its owner does."""
        if not callable(getattr(answer, "stop", None)):
            raise InputError("This is not an answer.", hint="Use a Reply.")
        with self._cache_lock:
            self._answers.add(answer)

    def shared(self, build: "Callable[[Space], Shared]") -> Shared:
        """Return what a function builds from this space; it is built once and shared."""
        with self._cache_lock:
            if build not in self._shared:
                self._shared[build] = build(self)
            shared: Shared = self._shared[build]
            return shared

    @property
    def sharing(self) -> "Sharing":
        """Sharing with other spaces, and revoking; imported when it is first used."""
        return self.shared(_sharing)

    @property
    def maintenance(self) -> "Maintenance":
        """The work after recording; imported when it is first used."""
        return self.shared(_maintenance)

    # Models.

    @property
    def model(self) -> ChatModel:
        """The default model.

        Raises:
            UpstreamError: The one that the settings name is not available.
        """
        with self._model_lock:
            if self._model is None:
                self._model, self._note = self.dependencies.choose_upstream(self.quoting)
            return self._model

    @property
    def model_note(self) -> str:
        """Why the default model was chosen, and how to get a better one; empty before the choice."""
        return self._note

    def answering(
        self, model: ChatModel | None, session: str | None, reach: str | None = None
    ) -> ChatModel:
        """Return the model for a session: a quoting one quotes what the session reaches.

        Args:
            model: The model; None for the default.
            session: The session that it answers in.
            reach: The only session to recall from; None for the setting.
        """
        chosen = model or self.model
        return self.quoting(session, reach) if isinstance(chosen, QuoteModel) else chosen

    def quoting(self, session: str | None = None, reach: str | None = None) -> QuoteModel:
        """Return the model that needs no server: it quotes this space.

        Args:
            session: The session that it answers in.
            reach: The only session to recall from; None for the setting.
        """
        return QuoteModel(
            lambda question: self._quotations.find(
                question, session, self.reach(session, reach), with_facts=reach is None
            ),
            self.clock,
            own_words=own_words,
            keeps=self.settings.store != "memory",
            known=lambda: (
                self._quotations.known(self.reach(session, reach)) if reach is None else ()
            ),
        )

    def info(self, model: ChatModel | None = None, window: int | None = None) -> UpstreamInfo:
        """Describe a model; ``window`` is the window that a client wants."""
        describes = self.dependencies.upstream_info
        chosen = model or self.model
        return describes(chosen) if window is None else describes(chosen, window)

    def counter(self, info: UpstreamInfo) -> Counter:
        """Return the counter for a model, calibrated by its answers so far."""
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
        """Return the tokens that messages take in a prompt."""
        return sum(map(self.counter(self.info(model)).message, messages))

    def tools(self, session: str | None, reach: str | None = None) -> Sequence[Tool]:
        """Return the tools that tools mode offers in a session.

        Args:
            session: The session that they are called in.
            reach: The only session to recall from; None for the setting.
        """
        only = self.reach(session, reach)
        return self.dependencies.tools(
            lambda query, limit: self.searches.recall(query, limit, only)
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
        """Return the only session that a session may recall from; None for the whole space.

        Args:
            session: The session; None for one that has not begun.
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
        role: str | None = None,
        exact: bool = False,
        min_relevance: float | None = None,
    ) -> list[SearchResult]:
        """Find exchanges by words, meaning and time, best first; each whole, with its session.

        Results contain phrases in quotation marks exactly as written.

        Args:
            query: The words to look for.
            limit: Up to this many.
            reach: The id of the only session to search; None for all.
            since: Only exchanges of this time and later.
            until: Only exchanges before this time.
            role: ``user``, ``assistant`` or ``tool``: only if its text holds a word of the query.
            exact: Find the query exactly as written, the newest first; reads every exchange.
            min_relevance: How well they must match, 0 to 1; None for the default. With 0 the
                nearest come too, which have not ``matched``.

        Raises:
            InputError: There is no such role, or the relevance is not from 0 to 1.
        """
        scope = SearchScope(reach, since, until, role)
        return self.searches.find(query, limit, scope, exact=exact, min_relevance=min_relevance)

    @property
    def search_note(self) -> str:
        """Why the last search of this thread was by words only; empty if it was not."""
        return self.dependencies.search.trouble

    def stats(self) -> Stats:
        """Return the figures of the space."""
        return space_stats(self._store, len(self.facts.pinned()), self.sessions.archives.use())


def _sharing(space: Space) -> "Sharing":
    from unabridged.space.sharing import Sharing  # noqa: PLC0415 - most calls do not share

    return Sharing(space.dependencies, space.knowledge)


def _maintenance(space: Space) -> "Maintenance":
    from unabridged.space.maintenance import Maintenance  # noqa: PLC0415 - most calls do not maintain

    return Maintenance(space.dependencies, space.knowledge, space.sessions.archives)


def _learned(body: Mapping[str, Any]) -> Calibration:
    # The calibration of a model; from scratch if another version wrote it differently.
    try:
        return Calibration.from_body(body)
    except ValueError:
        return Calibration()
