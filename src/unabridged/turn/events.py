"""Events of a turn while it runs; ``Reply.events`` yields them."""

from dataclasses import dataclass

from unabridged.domain.chat import Usage
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class Prepared:
    """The context is prepared; a second one follows if the server refused the first."""

    context: Context


@dataclass(frozen=True, slots=True)
class Begun:
    """The user's message is stored; the upstream is asked next."""

    exchange_id: str


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the answer's text, or of the model's reasoning."""

    text: str = ""
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Called:
    """The model calls a tool; it runs now."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class Returned:
    """A tool returned its result."""

    result: ToolResult


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer is stored."""

    exchange: Exchange
    usage: Usage | None
    finish: str


Event = Prepared | Begun | Delta | Called | Returned | Finished
