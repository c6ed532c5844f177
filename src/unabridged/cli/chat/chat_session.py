"""A chat on a screen: its conversation and model."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from unabridged.cli.chat.answer import SentQuestion, ask
from unabridged.cli.chat.screen import Screen
from unabridged.cli.confirm import is_yes
from unabridged.cli.format import footer
from unabridged.cli.maintain import embed_recorded, maintain_recorded
from unabridged.cli.output import echo_json
from unabridged.cli.paint import paint
from unabridged.cli.views.requirements import drawn_line
from unabridged.config.agent_settings import ByAgent, by_agent
from unabridged.domain.budget import Mode
from unabridged.domain.exchange import QUOTING
from unabridged.domain.scope import SpaceId
from unabridged.domain.settings import Settings
from unabridged.errors import UnabridgedError
from unabridged.factory.open_memory import choose_model
from unabridged.home.open_spaces import space_from
from unabridged.ports import ChatModel
from unabridged.space.space import Space
from unabridged.turn.conversation import Conversation

if TYPE_CHECKING:
    from unabridged.operations.call import Call

STOPPED = "Stopped. What arrived is kept, marked incomplete."
SILENT = "Stopped before any words arrived. Your message is kept; /retry asks again."
UNSENT = "Stopped before it was sent; nothing was stored."
PUT_OFF = "Postponed: indexing continues after the next answer."
AGAIN = "Your message is kept. /retry asks again."
_HERE = {
    "facts list": "/facts",
    "requirements list": "/requirements",
    "search WORDS": "/search WORDS",
    "sessions": "/sessions",
    "expand": "/expand",
    "models": "/model",
    "personas": "/persona",
}
"""Commands that hints name, and what to type in the chat instead."""


class Chat:
    """A chat on a screen.

    Args:
        conversation: The conversation to continue.
        screen: Reads what is typed, and shows answers.
        data_of: Returns an answer for JSON; None for people.
        beside: Opens the memory of another model, if each has its own; None if that is not possible.
        agents: Reads the settings of every agent; None for those of the home.

    Attributes:
        conversation: The conversation that is continued.
        settings: The settings, as the commands of the chat have changed them.
        persona: The persona that answers; None for the configured one.
        mode: Whether tools are offered.
        done: Whether the chat has ended.
        failed: The last error, or None.
        found: The ids of the results of the last search, in their order.
        commands: The names of all commands.
    """

    def __init__(
        self,
        conversation: Conversation,
        screen: Screen,
        data_of: Callable[[SentQuestion], dict[str, Any]] | None = None,
        beside: Callable[[Settings], Conversation] | None = None,
        agents: Callable[[], ByAgent] | None = None,
    ) -> None:
        self.conversation = conversation
        self.settings = conversation.space.settings
        self.persona: str | None = None
        self._chosen: tuple[ChatModel, str] | None = None
        self._beside = beside
        self.agents = agents or (lambda: by_agent(home=self.settings.home))
        self._open = {_space(conversation.space, self.settings): conversation}
        self.screen = screen
        self.mode = self.settings.mode
        self.done = False
        self._data_of = data_of
        self.failed: UnabridgedError | None = None
        self._said: set[str] = set()
        self.found: list[str] = []
        self.commands: list[str] = []

    @property
    def as_json(self) -> bool:
        """Whether answers are written as JSON, for a program."""
        return self._data_of is not None

    @property
    def space(self) -> Space:
        """The space of the conversation."""
        return self.conversation.space

    @property
    def call(self) -> "Call":
        """A call of operations on the space."""
        from unabridged.cli.local_call import local_call  # noqa: PLC0415 - only some commands need it

        return local_call(self.space)

    def perform(self, operation: str, **values: Any) -> Any:
        """Run an operation on the space; a list is returned whole."""
        from unabridged.cli.local_call import perform_named  # noqa: PLC0415 - as above

        return perform_named(self.call, operation, **values)

    @property
    def model(self) -> ChatModel:
        """The model that answers.

        Raises:
            UpstreamError: The configured one is not available.
        """
        return self._chosen[0] if self._chosen else self.space.model

    @property
    def model_note(self) -> str:
        """Why this model was chosen, and how to get a better one."""
        return self._chosen[1] if self._chosen else self.space.model_note

    def close(self) -> None:
        """Close the model that was chosen in the chat."""
        if self._chosen is not None:
            self._chosen[0].close()

    def talk_in(self, session: str | None, title: str = "") -> None:
        """Continue another session; None starts one with the next message."""
        self.conversation = Conversation(self.space, session, title=title)
        self._open[_space(self.space, self.settings)] = self.conversation

    def send(
        self, text: str, *, mode: Mode | None = None, retry_of: str | None = None
    ) -> SentQuestion:
        """Send a message, show its answer and the line below it."""
        asked = ask(
            self.conversation,
            text,
            self.screen,
            mode=mode or self.mode,
            retry_of=retry_of,
            model=self._chosen[0] if self._chosen else None,
            persona=self.persona,
        )
        for term in asked.terms:
            self._note_once(term)
        if self._data_of:
            if not asked.error:
                echo_json(self._data_of(asked), indent=None)
        elif asked.context and asked.exchange:
            prompt = asked.usage.prompt if asked.usage else None
            self.screen.note(footer(asked.context, prompt))
        if asked.exchange and not asked.stopped:
            self._maintain()
        if asked.stopped:
            self.screen.note(stopped_note(asked))
            if not self.screen.interactive:
                raise KeyboardInterrupt
        if asked.error:
            self.fail(asked.error)
            if asked.exchange and self.screen.interactive:
                self.screen.note(AGAIN)
        return asked

    def take(self, provider: str, model: str) -> bool:
        """Continue with another model; if each has its own memory, with that memory.

        Args:
            provider: Its provider; ``quote`` quotes from the present memory.
            model: Its name.

        Returns:
            Whether the memory changed.
        """
        changed = replace(self.settings, upstream=provider, model=model)
        name = _space(self.space, changed)
        if provider == QUOTING or self._beside is None or name in self._open:
            found = self._open.get(name, self.conversation)
        else:
            found = self._open[name] = self._beside(changed)
        chosen = choose_model(changed, found.space.clock, found.space.quoting)
        self.close()
        self._chosen, self.settings = chosen, changed
        before, self.conversation = self.conversation, found
        if found.space is before.space:
            return False
        self.found = []
        self.screen.open(found, self.commands)
        return True

    @property
    def held(self) -> list[Space]:
        """The spaces of this chat with unsaved writes."""
        spaces = (conversation.space for conversation in self._open.values())
        return [space for space in spaces if space.log.unsaved]

    def confirm(self, question: str, *, default: bool = False) -> bool:
        """Ask for y or yes; an empty answer is the default."""
        self.screen.note(f"{question} ({'Y/n' if default else 'y/N'})")
        said = (self.screen.read() or "").strip()
        return is_yes(said) if said else default

    def note_all(self, texts: Iterable[str]) -> None:
        """Show remarks."""
        first, *lines = texts
        self.screen.note(first)
        if self.screen.interactive:
            self.screen.say(paint(click.unstyle(line), "dim") for line in lines)

    def _maintain(self) -> None:
        tells = self.settings.requirement_patterns == "wide"
        before = {each.id for each in self.space.requirements.all()} if tells else set()
        try:
            embed_recorded(self.space, self._note_once)
            maintain_recorded(
                self.space,
                self._note_once,
                session=self.conversation.header,
                model=self._chosen[0] if self._chosen else None,
            )
            if tells and (said := drawn_line(self.space.requirements.all(), before)):
                self.screen.note(said)
        except KeyboardInterrupt:
            if not self.screen.interactive:
                raise
            self.screen.note(PUT_OFF)

    def _note_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self.screen.note(text, "warn")

    def fail(self, error: UnabridgedError) -> None:
        """Show an error, with commands of the chat in its hint; the chat continues."""
        for typed, here in _HERE.items():
            error.hint = error.hint.replace(f"unabridged {typed}", here)
        self.failed = error
        self.screen.error(error)


def _space(space: Space, settings: Settings) -> SpaceId:
    return space_from(replace(space.scope, model=settings.model or None), settings)


def stopped_note(asked: SentQuestion) -> str:
    """Say what became of a question that Ctrl-C stopped."""
    if asked.exchange is None:
        return UNSENT
    return STOPPED if asked.text else SILENT
