"""The facade: what the edges and library users call. Thin: every method hands on.

``prepare`` only reads. ``begin`` stores the user's message, ``record`` the answer; ``chat`` does
all of it around an upstream.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Self

from unabridged.budget.count import Counter
from unabridged.context.archive import answered, context_records
from unabridged.context.why import account
from unabridged.custody.archiving import Archivist, Limits
from unabridged.custody.survey import survey
from unabridged.dialogue.parts import Parts
from unabridged.dialogue.preparing import Offered, as_tool, occasion_of, parts_of
from unabridged.dialogue.tools import Tool
from unabridged.dialogue.turn import Turn
from unabridged.domain.budget import Mode
from unabridged.domain.chat import Usage
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Part, Role, Text
from unabridged.domain.record import Record
from unabridged.domain.scope import Scope
from unabridged.domain.views import (
    Account,
    Conversation,
    Found,
    Pin,
    Stats,
    Step,
    TokenLine,
)
from unabridged.ingest import sessions as sessions_of
from unabridged.ingest.record import extend_exchange, open_exchange
from unabridged.ingest.tending import tend
from unabridged.knowledge import pins as pins_of
from unabridged.memory.hearing import Hearing
from unabridged.memory.texts import StoredTexts
from unabridged.ports import SupportsCheck
from unabridged.retrieval.evidence import Evidence
from unabridged.retrieval.finder import Question
from unabridged.sharing.carrying import leaving, take


class Memory(Hearing):
    """One space of memory, and the session that is being talked in.

    Args:
        parts: What it is built from.
        scope: Whose memory it is; a session in it is taken up, else the newest one.

    Attributes:
        facts: What was learned of the user.
        requirements: What was required.
        readings: What messages were judged to be.
        upkeep: What was condensed.
        room: Tokens that memory had in the last prompt, or None before the first: a session that
            outgrew them is condensed.
    """

    def __init__(self, parts: Parts, scope: Scope) -> None:
        super().__init__(parts, scope)
        self.facts = parts.books.facts
        self.requirements = parts.books.requirements
        self.readings = parts.books.readings
        self.upkeep = parts.books.upkeep
        self.room: int | None = None  # tokens that memory had in the last prompt
        self._texts = StoredTexts(parts.store)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store and the upstream."""
        if self._upstream is not None:
            self._upstream.close()
        self._store.close()

    # The read path.

    def prepare(
        self,
        message: str,
        *,
        mode: Mode | str | None = None,
        tools: Sequence[Offered] | None = None,
        retry_of: str | None = None,
        images: Sequence[str] = (),
    ) -> Context:
        """Make the context for a message. Only reads: nothing is stored.

        Args:
            message: The user's words.
            mode: ``chat`` or ``tools``; None for the setting.
            tools: Tools to offer in tools mode instead of the configured ones.
            retry_of: The id of an exchange of this session whose message is answered again;
                ``message`` is then not looked at.
            images: URIs of pictures that go with the message.

        Raises:
            EmptyMessageError: There is nothing in it.
            PromptTooLargeError: What must be sent does not fit the window.
            UpstreamError: The upstream could not say what its window is, and nothing else could.
        """
        words = parts_of(message, images) if retry_of is None else ()
        wanted = Mode(mode) if mode else self.settings.mode
        occasion = occasion_of(
            self._parts, self.scope, self.session, words, retry_of=retry_of, named=self.named
        )
        plan = self._plan(self._terms(), wanted, tools, occasion.scope.session)
        return self._preparer.prepare(plan, occasion)

    # The write path.

    def message(self, role: Role, parts: Sequence[Part]) -> Message:
        """Make a message with a fresh id and the time."""
        return Message(self._clock.new_id(), role, tuple(parts), self._clock.now())

    def begin(self, context: Context) -> Exchange:
        """Store the user's message of a context; when this returns, it survives a power cut.

        What was forgotten before, or meanwhile, is not stored: ``remarks`` says so.

        Raises:
            HeadMovedError: The session moved on since the context was prepared.
        """
        if (known := self._passing.opened(context)) is not None:
            return known
        records = context_records(context, context.system)
        exchange = open_exchange(self._store, context, self._texts.without(records))
        self._passing.was_stored(context.id)
        self._hold(context)
        self._texts.note(records)
        self._session_id = context.scope.session
        if self._title:
            self.retitle(self._title)
            self._title = ""
        return exchange

    def weigh(self, messages: Sequence[Message]) -> int:
        """Count what messages take in a prompt, in tokens."""
        return sum(map(self._preparer.counter(self._terms()).message, messages))

    def step(self, context: Context, messages: Sequence[Message]) -> Exchange:
        """Store a tool round of a begun exchange: calls and results together."""
        return self._extend(context, messages, ExchangeState.OPEN)

    def record(
        self,
        context: Context,
        reply: str | Message | None,
        *,
        state: ExchangeState | str = ExchangeState.COMPLETE,
        usage: Usage | None = None,
    ) -> Exchange:
        """Store the answer to a context, and begin it where it was not begun.

        Args:
            context: As prepared.
            reply: The answer; None where none came.
            state: How far the exchange came.
            usage: What the server reported.

        Returns:
            The exchange as stored.

        Raises:
            InputError: It was answered already; one that a client placed is answered once more
                beside it, since two requests may have asked the same.
            HeadMovedError: The session moved on since the context was prepared, and it was not
                begun; or another writer answered it.
        """
        message = self.message(Role.ASSISTANT, [Text(reply)]) if isinstance(reply, str) else reply
        records = [answered(context, usage)] if usage else []
        if usage is not None and usage.prompt is not None:
            records.append(self._preparer.lesson(self._terms(), context, usage.prompt))
        messages = [message] if message is not None else []
        if (reached := ExchangeState(state)) is not ExchangeState.OPEN:
            self._let_go(context)
        if context.placed and message is not None and self._is_answered(context):
            context = self._begun_again(context)
            records = []
        return self._extend(context, messages, reached, records)

    def _is_answered(self, context: Context) -> bool:
        """Whether another request has answered the same exchange meanwhile."""
        stored = self._store.get([context.id]).get(context.id)
        return stored is not None and stored.state is ExchangeState.COMPLETE

    def _begun_again(self, context: Context) -> Context:
        """A branch for a second answer: it shares the user's message and has rounds of its own."""
        stored = self.show(context.id)
        again = replace(context, id=self._clock.new_id(), retry_of=context.id, user=stored.user)
        self.begin(again)
        upto = max((n for n, m in enumerate(stored.messages) if m.results), default=0) + 1
        rounds = [replace(m, id=self._clock.new_id()) for m in stored.messages[1:upto]]
        if rounds:
            self._extend(again, rounds, ExchangeState.OPEN)
        self._let_go(again)
        return again

    def _extend(
        self,
        context: Context,
        messages: Sequence[Message],
        state: ExchangeState,
        records: Sequence[Record] = (),
    ) -> Exchange:
        """Add counted messages to the exchange of a context."""
        exchange = self.begin(context)
        self.room = context.budget.memory
        counter = Counter(self._terms().tokenizer)  # stored counts are those before calibration
        counted = [sessions_of.weighed(message, counter) for message in messages]
        at = self._clock.now()
        return self._passing.extend(
            exchange,
            counted,
            state,
            lambda new, state: extend_exchange(
                self._store, exchange, new, state=state, at=at, records=records
            ),
        )

    def remarks(self) -> list[str]:
        """What a person should know of what was not stored, since this was asked last."""
        return self._passing.remarks()

    def chat(
        self,
        message: str,
        *,
        mode: Mode | str | None = None,
        tools: Sequence[Offered] | None = None,
        retry_of: str | None = None,
    ) -> Turn:
        """Prepare, store, ask the upstream, run tools, store the answer: iterate to stream.

        Args:
            message: The user's words.
            mode: ``chat`` or ``tools``; None for the setting.
            tools: Tools to offer in tools mode instead of the configured ones.
            retry_of: The id of an exchange whose message is answered again.
        """
        given = self._parts.tools if tools is None else [as_tool(tool) for tool in tools]
        runnable = [tool for tool in given if isinstance(tool, Tool)]
        context = self.prepare(message, mode=mode, tools=runnable, retry_of=retry_of)
        return Turn(self, self.upstream, context, runnable)

    # Looking things up.

    def search(self, query: str, limit: int = 10) -> list[Found]:
        """Find exchanges by words, meaning and time, best first; each whole, with its session."""
        return self._titled(self._found(Question(query, self._clock.now()), limit))

    def search_here(self, query: str, limit: int = 10) -> list[Found]:
        """The same as far as the session may recall it: of itself alone where the settings say so."""
        return self._titled(
            self._recalled_here(Question(query, self._clock.now(), telling=True), limit)
        )

    def _titled(self, found: Sequence[Evidence]) -> list[Found]:
        held = map(self._store.session, {e.exchange.session for e in found})
        titles = {session.id: session.title for session in held if session}
        return [Found(e.exchange, e.score, titles.get(e.exchange.session, "")) for e in found]

    def why(self, context_id: str | None = None) -> Account:
        """Account for a past context, the last by default, and render it again.

        Raises:
            NotFoundError: There is no such context.
        """
        return account(self._store, context_id)

    @property
    def archives(self) -> Archivist:
        """What moves sessions out of the active set, and back."""
        limits = Limits(self.settings.max_sessions, self.settings.max_bytes)
        return Archivist(self._store, self._clock, limits)

    def stats(self) -> Stats:
        """Give the figures of the space."""
        return survey(self._store, len(self.facts.pinned()), self.archives.use())

    def tokens(self) -> list[TokenLine]:
        """Give the window of the last context, part by part.

        Raises:
            NotFoundError: Nothing was said yet.
        """
        ledger = self.why().ledger
        return [TokenLine(p, n, n / ledger.window) for p, n in ledger.parts.items()]

    def check(self) -> list[str]:
        """Look for damage in the store; empty where it is sound or cannot be checked."""
        return self._store.check() if isinstance(self._store, SupportsCheck) else []

    def tend(self, pages: int | None = None) -> Iterator[Step]:
        """Do what is done after recording: judge messages, draw facts, condense.

        Nothing waits for it. It may be stopped at any moment, and goes on where it stopped.

        Args:
            pages: At most so many pages of each kind; None for everything.

        Yields:
            How far it has come.
        """
        books = self._parts.books
        yield from tend(
            books, self._session_id, pages=pages, threshold=self.room, archives=self.archives
        )

    # Pinned facts.

    def remember(self, text: str) -> Pin:
        """Pin words: every prompt carries them from now on."""
        return pins_of.pin_words(self._store, self._clock.new_id(), text, self._clock.now())

    def pin(self, exchange_id: str) -> Pin:
        """Pin what the user said in an exchange."""
        exchange = self.show(exchange_id)
        return pins_of.pin_exchange(self._store, self._clock.new_id(), exchange, self._clock.now())

    def unpin(self, wanted: str) -> Pin:
        """Take a pin off, by its id or its number in the list."""
        return pins_of.unpin(self.facts, wanted)

    def pins(self) -> list[Pin]:
        """Every pin, the oldest first."""
        return pins_of.pinned(self.facts)

    # In and out.

    def conversations(self) -> Iterator[Conversation]:
        """Every session with every exchange of every branch, the oldest first."""
        yield from sessions_of.conversations(self._store)

    def admit(self, conversation: Conversation) -> int:
        """Take over a conversation from elsewhere; what is here already is passed over.

        So is what was forgotten: ``remarks`` says so.

        Returns:
            How many exchanges were new.
        """
        counter = Counter(self._parts.tokenizer)
        admissible = self._passing.admissible(conversation)
        if admissible is None:
            return 0
        here = sessions_of.held(self._store, admissible.exchanges)
        admissible = sessions_of.at_home(admissible, here)
        counted = [
            exchange if exchange.id in here else sessions_of.counted(exchange, counter)
            for exchange in admissible.exchanges
        ]
        return self._store.admit(admissible.session, counted)

    def held(self, conversation: Conversation) -> int:
        """Count the exchanges of a conversation from elsewhere that are here already."""
        return len(sessions_of.held(self._store, conversation.exchanges))

    def records(self, *, contexts: bool = False, session: str | None = None) -> Iterator[Record]:
        """What goes along with conversations: facts, requirements, readings, condensations.

        Args:
            contexts: Also what ``why`` needs; it is large.
            session: Only what was drawn from the session of this id, and from no other.
        """
        yield from leaving(self._store, contexts=contexts, session=session)

    def admit_records(self, records: Iterable[Record]) -> int:
        """Take over records from elsewhere, as far as the exchanges that are here support them.

        Returns:
            How many were new, and taken.
        """
        return take(self._store, records)
