"""What a memory is built from, and what is known of the upstream that it asks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from unabridged.custody.keys import PassingKeys
from unabridged.dialogue.tools import Tool
from unabridged.domain.budget import Mode
from unabridged.domain.chat import Abilities
from unabridged.domain.forgetting import Outside
from unabridged.domain.settings import Settings
from unabridged.ingest.tending import Books
from unabridged.ports import ChatModel, Clock, Condenser, Keys, Store, Tokenizer
from unabridged.retrieval.finder import Finder


@dataclass(frozen=True, slots=True)
class Terms:
    """What is known of an upstream: how large its window is, and how it counts.

    Attributes:
        window: Tokens that prompt and answer may take together.
        max_prompt_tokens: The most tokens of one prompt, or None.
        tokenizer: Counts for its model.
        abilities: What the model can do.
        local: Whether it runs on a server that takes any limit of the answer.
        notes: What a person should know: where the window comes from, if it is a guess.
    """

    window: int
    max_prompt_tokens: int | None
    tokenizer: Tokenizer
    abilities: Abilities
    local: bool = True
    notes: tuple[str, ...] = ()


class TermsOf(Protocol):
    """Gives what is known of an upstream."""

    def __call__(self, model: ChatModel, window: int | None = None, /) -> Terms:
        """The terms.

        Args:
            model: The upstream.
            window: The tokens that a client wants its window to have (``num_ctx``), or None.
        """
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What a memory is built from; ``wiring`` puts it together.

    Attributes:
        store: The space.
        finder: Finds exchanges in it.
        books: What is known beside the words.
        clock: The time and fresh ids.
        settings: Every choice.
        upstream: Gives the model that ``chat`` asks; called when it is first needed, since
            looking for servers takes time that a search does not have to wait for.
        terms_of: Gives the terms of an upstream.
        tokenizer: Counts where no model is asked: what an import takes over.
        system: The system prompt, by mode.
        condenser: Condenses what a prompt has no room for, without a model, since no prompt waits
            for one; None to leave it out.
        tools: Tools that are offered in tools mode.
        keys: The keys by which what was forgotten is recognised.
        outside: Names what forgetting does not reach, given since when what is forgotten is stored.
    """

    store: Store
    finder: Finder
    books: Books
    clock: Clock
    settings: Settings
    upstream: Callable[[], ChatModel]
    terms_of: TermsOf
    tokenizer: Tokenizer
    system: Mapping[Mode, str]
    condenser: Condenser | None = None
    tools: Sequence[Tool] = ()
    keys: Keys = field(default_factory=PassingKeys)
    outside: Callable[[datetime | None], Outside] = lambda _: Outside()
