"""Hearing: clients that send their whole history with each request, and the contexts made for them."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from unabridged.context.assemble import Occasion
from unabridged.context.plan import Plan
from unabridged.context.thaw import thawed
from unabridged.dialogue.parts import Parts, Terms
from unabridged.dialogue.preparing import Offered, Preparer
from unabridged.domain.budget import Mode
from unabridged.domain.context import Context
from unabridged.domain.hearing import Heard, Wishes
from unabridged.domain.scope import Scope
from unabridged.errors import ContextRefusedError
from unabridged.matching.matcher import Matcher
from unabridged.memory.forgetting import forgetting_of
from unabridged.memory.passing import Passing
from unabridged.memory.sharing import Sharing
from unabridged.memory.talking import Talking
from unabridged.ports import ChatModel
from unabridged.retrieval.evidence import Evidence
from unabridged.retrieval.finder import Question
from unabridged.wire.draft import Draft

THAWED = 256
"""Contexts of exchanges that may go on which are held in memory."""
WISHED = 64
"""Requests that may be refused for their length which are held in memory."""


_Held = TypeVar("_Held")


class Hearing(Talking):
    """A space, whom it asks, and what clients send to it.

    Args:
        parts: What it is built from.
        scope: Whose memory it is; a session in it is taken up, else the newest one.

    Attributes:
        forgetting: What can be forgotten, and the receipts for what was.
        sharing: What was shared with other spaces, and came from them.
    """

    def __init__(self, parts: Parts, scope: Scope) -> None:
        super().__init__(parts.store, parts.clock, scope.session)
        self._parts = parts
        self.settings = parts.settings
        self.scope = scope
        self.forgetting = forgetting_of(parts)
        self.sharing = Sharing(parts)
        self._passing = Passing(parts.store, self.forgetting.recogniser)
        self._upstream: ChatModel | None = None
        self._only: str | None = None
        self._here: str | None = None
        self._preparer = Preparer(parts)
        self._matcher = Matcher(
            parts.store, parts.clock, parts.tokenizer, self.forgetting.recogniser
        )
        self._held: OrderedDict[str, Context] = OrderedDict()
        self._wished: OrderedDict[str, tuple[Heard, Wishes]] = OrderedDict()

    # Whom it asks.

    @property
    def upstream(self) -> ChatModel:
        """The model that is asked.

        Raises:
            UpstreamError: The one that the settings name cannot be had.
        """
        if self._upstream is None:
            self._upstream = self._parts.upstream()
        return self._upstream

    def use_upstream(self, model: ChatModel) -> None:
        """Ask another model from now on; the memory stays."""
        if self._upstream is not None and model is not self._upstream:
            self._upstream.close()
        self._upstream = model

    @contextmanager
    def asking(self, model: ChatModel) -> Iterator[None]:
        """Ask another model for what happens inside; neither is closed."""
        before, self._upstream = self._upstream, model
        try:
            yield
        finally:
            self._upstream = before

    @contextmanager
    def narrowed(self, session: str | None) -> Iterator[None]:
        """Recall nothing from any other session for what happens inside, nor what the space knows.

        Args:
            session: The session; None changes nothing.
        """
        before, self._only = self._only, session or self._only
        try:
            yield
        finally:
            self._only = before

    @contextmanager
    def answering(self, session: str | None) -> Iterator[None]:
        """Say in which session is answered what happens inside: ``recall = session`` is about it.

        Args:
            session: The session; None for the one that is being talked in.
        """
        before, self._here = self._here, session
        try:
            yield
        finally:
            self._here = before

    def _reached(self, session: str | None) -> str | None:
        """The only session that a prompt of this session recalls from; None for the whole space."""
        if self._only is not None or self.settings.recall != "session":
            return self._only
        return session or ""  # one that has not begun holds nothing

    def _plan(
        self, terms: Terms, mode: Mode, tools: Sequence[Offered] | None, session: str | None
    ) -> Plan:
        closed = self._only is not None
        only = self._reached(session)
        return self._preparer.plan(self.settings, terms, mode, tools, only=only, closed=closed)

    def _found(self, question: Question, limit: int) -> list[Evidence]:
        """What was found, best first; of one session where the memory is narrowed to it."""
        return self._parts.finder.find(replace(question, session=self._only), limit)

    def _recalled_here(self, question: Question, limit: int) -> list[Evidence]:
        """The same as far as what is answered here may recall it."""
        only = self._reached(self._here or self._session_id)
        return self._parts.finder.find(replace(question, session=only), limit)

    def _terms(self, window: int | None = None) -> Terms:
        """What is known of the upstream.

        Args:
            window: The tokens that a client wants it to have, or None.
        """
        if window is None:
            return self._parts.terms_of(self.upstream)
        return self._parts.terms_of(self.upstream, window)

    # What clients send.

    def hear(
        self, drafts: Sequence[Draft], *, session: str | None = None, record: bool = True
    ) -> Heard:
        """Find where a client's whole list of messages stands in the log, and take over what is new.

        What is taken over is durable when this returns; the last user message is stored by
        ``begin``. Edits and answers asked for again become branches; what was forgotten is passed
        on and not stored.

        Args:
            drafts: The whole list: system, user, assistant, tool …
            session: The id of the session that the client names, ours or one that it had
                elsewhere; an unknown one is begun. A lone message goes on at its end. None to find
                the session by what is sent.
            record: Whether anything may be written.

        Raises:
            InputError: There is no user message to answer.
            EmptyMessageError: The last user message has nothing in it.
            NameRefusedError: A session cannot be named so.
        """
        return self._matcher.hear(drafts, session, record=record)

    def prepare_heard(self, heard: Heard, wishes: Wishes) -> Context:
        """Make the context for a request that was heard. Only reads.

        What the client sent comes whole as long as memory holds it.

        Raises:
            PromptTooLargeError: What must be sent does not fit the window.
            UpstreamError: The upstream could not say what its window is, and nothing else could.
        """
        context = self._prepared(heard, wishes, self._clock.new_id())
        self._wished[context.id] = (heard, wishes)
        _shorten(self._wished, WISHED)
        return context

    def _prepared(self, heard: Heard, wishes: Wishes, name: str) -> Context:
        mode = Mode.TOOLS if wishes.tools else Mode.CHAT
        plan = self._plan(self._terms(wishes.window), mode, wishes.tools, heard.session)
        limit = plan.max_output if wishes.max_output is None else wishes.max_output
        plan = replace(plan, system=heard.system or plan.system, max_output=limit)
        session = self._store.session(heard.session)
        occasion = Occasion(
            id=name,
            scope=replace(self.scope, session=heard.session),
            user=heard.user,
            at=self._clock.now(),
            head=session.head if session else None,
            parent=heard.parent,
            new_session=session is None,
            retry_of=heard.retry_of,
            follows=heard.follows,
            path=heard.path,
        )
        return self._preparer.prepare(plan, occasion)

    def prepare_again(self, context: Context, refusal: ContextRefusedError) -> Context:
        """Prepare a begun message once more with what a refusal for length taught.

        Args:
            context: The context that was refused.
            refusal: What the server said.
        """
        if context.id not in self._wished:
            terms = self._terms()
            self._preparer.learn(terms, context, refusal)
            plan = self._plan(terms, context.mode, context.tools or (), context.scope.session)
            return self._preparer.prepare_again(plan, context)
        heard, wishes = self._wished[context.id]
        self._preparer.learn(self._terms(wishes.window), context, refusal)
        again = self._prepared(heard, wishes, context.id)
        again = replace(again, new_session=False, retry_of=context.retry_of)
        self._preparer.keep(again)
        self._hold(again)
        return again

    def thawed(self, exchange_id: str) -> Context:
        """The context that an exchange was begun with, byte for byte, whoever began it.

        Args:
            exchange_id: An exchange whose tool rounds go on.

        Raises:
            NotFoundError: It, or its context, is not there.
        """
        context = self._held.get(exchange_id)
        if context is None:
            context = thawed(self._store, self.scope, exchange_id)
        self._hold(context)
        return context

    def _hold(self, context: Context) -> None:
        """Hold a context whose exchange may go on."""
        self._held[context.id] = context
        self._held.move_to_end(context.id)
        _shorten(self._held, THAWED)

    def _let_go(self, context: Context) -> None:
        """Hold a context no longer: its exchange has its answer."""
        self._held.pop(context.id, None)
        self._wished.pop(context.id, None)


def _shorten(held: OrderedDict[str, _Held], most: int) -> None:
    while len(held) > most:
        held.popitem(last=False)
