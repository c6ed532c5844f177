"""Sends one message, and shows the answer while it arrives."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from types import FrameType

from unabridged.cli.chat.screen import Screen
from unabridged.cli.shown_text import ShownText
from unabridged.cli.terminal_text import clip, one_line
from unabridged.domain.budget import Mode
from unabridged.domain.chat import Usage
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange
from unabridged.errors import HeadMovedError, UnabridgedError
from unabridged.ports import ChatModel
from unabridged.turn.conversation import Conversation
from unabridged.turn.events import Begun, Called, Delta, Event, Finished, Prepared, Returned
from unabridged.turn.run import Reply

ATTEMPTS = 20
"""Attempts to prepare a message while other programs write to the same session."""
PAUSE_SECONDS = 0.02
"""How much longer each attempt waits, so that two programs get out of step."""
MOVED = "Another program wrote to this session; your message comes after that."
_SHOWN = 100


@dataclass
class SentQuestion:
    """A message that was sent, and its answer.

    Attributes:
        text: The answer, as far as it arrived.
        context: What was sent, or None.
        exchange: The stored exchange, or None.
        usage: What the server reported.
        notes: Notes for a person.
        error: The error that ended it early.
        stopped: Whether Ctrl-C ended it.
    """

    text: str = ""
    context: Context | None = None
    exchange: Exchange | None = None
    usage: Usage | None = None
    notes: list[str] = field(default_factory=list)
    error: UnabridgedError | None = None
    stopped: bool = False

    @property
    def terms(self) -> list[str]:
        """Notes on the window and the upstream, if it answered."""
        if self.context is None or self.error is not None:
            return []
        return [f"Note: {note.rstrip('.')}." for note in self.context.ledger.notes]


def ask(
    conversation: Conversation,
    text: str,
    screen: Screen,
    *,
    mode: Mode | None = None,
    retry_of: str | None = None,
    model: ChatModel | None = None,
    persona: str | None = None,
) -> SentQuestion:
    """Send a message and show the answer; an ``UnabridgedError`` is in the result."""
    asked = SentQuestion()
    for attempt in range(ATTEMPTS):
        asked = SentQuestion(notes=[MOVED] if attempt else [])
        try:
            begin = partial(
                conversation.chat, text, mode=mode, retry_of=retry_of, model=model, persona=persona
            )
            _send(asked, screen, begin, PAUSE_SECONDS * attempt)
        except UnabridgedError as error:
            asked.error = error
            if isinstance(error, HeadMovedError) and asked.exchange is None:
                continue
        break
    for note in asked.notes:
        screen.note(note, "warn")
    return asked


def _send(asked: SentQuestion, screen: Screen, begin: Callable[[], Reply], pause: float) -> None:
    with _interrupted_once():
        screen.begin_answer()
        try:
            time.sleep(pause)
            reply = begin()
            asked.context = reply.context
            _follow(reply, screen, asked)
        except KeyboardInterrupt:
            asked.stopped = True
        finally:
            screen.end_answer()


def _follow(reply: Reply, screen: Screen, asked: SentQuestion) -> None:
    shown = ShownText()
    try:
        for event in reply.events():
            _show(event, screen, asked, shown)
    finally:
        screen.delta(shown.rest(), "")
        reply.stop()
        asked.text = reply.turn.text
        asked.context = reply.context
        asked.exchange = reply.exchange
        asked.notes += reply.notes


def _show(event: Event, screen: Screen, asked: SentQuestion, shown: ShownText) -> None:
    match event:
        case Delta(text=text, reasoning=reasoning):
            words = shown.feed(text)
            screen.delta(words, reasoning or (text if shown.thinking else ""))
        case Called(call=call):
            arguments = clip(one_line(call.arguments), _SHOWN)
            screen.working(f"calls {call.name} {arguments}")
        case Returned(result=result):
            verb = "failed" if result.failed else "gave"
            screen.working(f"{result.name} {verb}: {clip(one_line(result.text), _SHOWN)}")
        case Finished(usage=usage):
            asked.usage = usage
        case Prepared() | Begun():
            pass


@contextmanager
def _interrupted_once() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = False

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal pressed
        if not pressed:
            pressed = True
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
