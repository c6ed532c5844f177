"""Preparing: everything between a message and its context that the facade need not hold."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from unabridged.budget.calibration import Calibration
from unabridged.budget.count import Counter
from unabridged.budget.shares import tier_shares
from unabridged.context.archive import context_records
from unabridged.context.assemble import Occasion, assemble
from unabridged.context.excerpt import excerpt
from unabridged.context.gather import Sources, gather
from unabridged.context.plan import Plan, nothing
from unabridged.context.standing import Standing
from unabridged.dialogue.parts import Parts, Terms
from unabridged.dialogue.tools import Tool, tool_from
from unabridged.domain.budget import Mode
from unabridged.domain.chat import ToolSpec
from unabridged.domain.context import Context
from unabridged.domain.message import Image, Message, Part, Role, Text
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import Scope
from unabridged.domain.session import Session
from unabridged.domain.settings import Settings
from unabridged.errors import ContextRefusedError, EmptyMessageError
from unabridged.ingest.sessions import current_exchange, find_exchange, weighed
from unabridged.intent.detect import detect
from unabridged.retrieval.finder import Question

Offered = Callable[..., Any] | ToolSpec | Tool
"""What stands for a tool: a plain function, a description, or a tool."""
LARGER = 1.25
"""How much larger than planned a refused prompt is taken to be where the server does not say."""


class Preparer:
    """Makes the contexts of one memory, and remembers what servers have taught about them.

    Args:
        parts: What the memory is built from.

    Attributes:
        system: The system prompt, by mode.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.system = parts.system
        self._store = parts.store
        self._refused: dict[str, int] = {}
        self._counters: dict[str, tuple[Calibration, Counter]] = {}

    def plan(
        self,
        settings: Settings,
        terms: Terms,
        mode: Mode,
        tools: Sequence[Offered] | None = None,
        *,
        only: str | None = None,
        closed: bool = False,
    ) -> Plan:
        """Give the terms under which the next context is made.

        Args:
            settings: Every choice.
            terms: What is known of the upstream.
            mode: The mode.
            tools: Tools to offer in tools mode instead of the configured ones.
            only: The only session from which anything is recalled, or None.
            closed: Whether what the space knows is kept back too.

        Raises:
            ToolError: A function cannot be a tool.
        """
        model = terms.abilities.model
        settings = settings.for_model(model)
        offered = self._parts.tools if tools is None else [as_tool(given) for given in tools]
        specs = tuple(t.spec if isinstance(t, Tool) else t for t in offered)
        return Plan(
            model=model,
            window=min(terms.window, self._refused.get(model, terms.window)),
            counter=self.counter(terms),
            mode=mode,
            verbosity=settings.verbosity,
            system=self.system[mode],
            tools=specs if mode is Mode.TOOLS else (),
            max_prompt_tokens=terms.max_prompt_tokens,
            memory_cap=settings.memory_cap,
            shares=tier_shares(settings),
            max_turns=settings.max_turns,
            max_output=settings.max_output,
            output_cap=terms.abilities.max_output,
            local=terms.local,
            floor=settings.evidence_floor,
            condense=excerpt if self._parts.condenser else nothing,
            condenser=self._parts.condenser,
            notes=terms.notes,
            only=only,
            closed=closed,
            around=settings.vivid_around,
        )

    def prepare(self, plan: Plan, occasion: Occasion) -> Context:
        """Make a context. Only reads.

        Raises:
            PromptTooLargeError: What must be sent does not fit the window.
        """
        occasion = replace(occasion, user=weighed(occasion.user, plan.counter))
        text = occasion.user.text
        session = None if occasion.new_session else occasion.scope.session
        reading = detect(text)
        question = Question(text, occasion.at, reading.intent, telling=True)
        standing = Standing(session, occasion.parent, occasion.path)
        finder = self._parts.finder
        books = self._parts.books
        sources = Sources(
            self._store, finder, books.facts, books.requirements, books.readings.scheme
        )
        material = gather(sources, plan, question, standing)
        if finder.trouble:
            plan = replace(plan, notes=(*plan.notes, finder.trouble))
        return assemble(plan, material, occasion, reading)

    def prepare_again(self, plan: Plan, context: Context) -> Context:
        """Make the context of a begun message anew, after ``learn``.

        Raises:
            PromptTooLargeError: What must be sent does not fit the window that the server has.
        """
        occasion = Occasion(
            id=context.id,
            scope=context.scope,
            user=context.user,
            at=context.at,
            head=context.head,
            parent=context.parent,
            new_session=False,
            retry_of=context.retry_of,
            follows=context.follows,
        )
        again = self.prepare(plan, occasion)
        self.keep(again)
        return again

    def learn(self, terms: Terms, context: Context, refusal: ContextRefusedError) -> None:
        """Take in what a refusal for length taught: a smaller window, or more tokens than planned."""
        if refusal.window is not None:
            self._refused[terms.abilities.model] = refusal.window
        planned = context.ledger.prompt_tokens
        reported = refusal.prompt_tokens or int(planned * LARGER)
        if refusal.window is None or reported > planned:
            self._store.put([self.lesson(terms, context, reported)])

    def keep(self, context: Context) -> None:
        """Store the records of a context in the place of those that its exchange was begun with."""
        self._store.put(context_records(context, context.system))

    def counter(self, terms: Terms) -> Counter:
        """Give the counter for a model, with what its answers have taught so far."""
        model = terms.abilities.model
        records = self._store.records(RecordKind.CALIBRATION, ids=[model])
        learned = _learned(records[0].body) if records else Calibration()
        known = self._counters.get(model)
        if known is None or known[0] != learned:
            known = (learned, Counter(terms.tokenizer, learned))
            self._counters[model] = known
        return known[1]

    def lesson(self, terms: Terms, context: Context, reported: int) -> Record:
        """Compare a reported prompt with its plan; the ratio is for the store to remember.

        Args:
            terms: What is known of the upstream.
            context: What was sent.
            reported: Tokens of its prompt, as the server counted them.
        """
        counter = self.counter(terms)
        told = counter.by_script(context.prompt, context.tools or ())
        body = counter.calibration.learn(told, reported).to_body()
        model = context.scope.model or ""
        return Record(RecordKind.CALIBRATION, model, self._parts.clock.now(), body)


def occasion_of(
    parts: Parts,
    scope: Scope,
    session: Session | None,
    words: Sequence[Part],
    *,
    retry_of: str | None = None,
    named: str | None = None,
) -> Occasion:
    """Say where in the store the next context belongs.

    Args:
        parts: What the memory is built from.
        scope: Whose memory it is.
        session: The session that is being talked in, or None for a new one.
        words: What the user says; not looked at where a message is answered again.
        retry_of: The exchange whose message is answered again, or None.
        named: The id that a new session gets, or None for a fresh one.

    Raises:
        NotFoundError: There is no such exchange.
    """
    store, clock = parts.store, parts.clock
    now = clock.now()
    if retry_of is not None:
        again = find_exchange(store, retry_of)
        user, parent = again.user, again.parent
        session = store.session(again.session)
        retry_of = again.id
    else:
        user = Message(clock.new_id(), Role.USER, tuple(words), now)
        current = current_exchange(store, session) if session else None
        parent = current.id if current else None
    session_id = session.id if session else named or clock.new_id()
    return Occasion(
        id=clock.new_id(),
        scope=replace(scope, session=session_id),
        user=user,
        at=now,
        head=session.head if session else None,
        parent=parent,
        new_session=session is None,
        retry_of=retry_of,
        follows=session.head if session else None,
    )


def parts_of(message: str, images: Sequence[str]) -> list[Part]:
    """Give the parts of a user's message.

    Raises:
        EmptyMessageError: There is nothing in it.
    """
    if not message.strip() and not images:
        raise EmptyMessageError("The message is empty.", hint="Say something.")
    return [*([Text(message)] if message else []), *(Image(uri) for uri in images)]


def as_tool(given: Offered) -> ToolSpec | Tool:
    """Give a tool, or the description of one, from whatever stands for it."""
    return given if isinstance(given, ToolSpec | Tool) else tool_from(given)


def _learned(body: Mapping[str, Any]) -> Calibration:
    """What was learned about a model; begun anew where another version wrote it otherwise."""
    try:
        return Calibration.from_body(body)
    except ValueError:
        return Calibration()
