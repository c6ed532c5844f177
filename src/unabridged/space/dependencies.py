"""What a space is built from, and the information on a model server."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from unabridged.domain.backup_results import Recovery
from unabridged.domain.budget import Mode
from unabridged.domain.chat import Abilities
from unabridged.domain.exchange import Exchange
from unabridged.domain.forgetting import OutOfReach
from unabridged.domain.settings import Settings
from unabridged.forgetting.temporary_keys import PassingKeys
from unabridged.maintenance.run_maintenance import Knowledge
from unabridged.models.quote import QuoteModel
from unabridged.ports import ChatModel, Clock, Condenser, Embedder, Keys, Store, Tokenizer
from unabridged.retrieval.search import Search
from unabridged.space.tools import SearchMemory, Tool


@dataclass(frozen=True, slots=True)
class UpstreamInfo:
    """The window of an upstream, and how it counts tokens.

    Attributes:
        window: Tokens that prompt and answer may take together.
        max_prompt_tokens: The most tokens of one prompt, or None.
        local: Whether its server accepts any limit of the answer.
        notes: What a person should know: where the window comes from, if it is a guess.
        is_guess: Whether nobody told the window: its server may take more, and refuses by itself.
    """

    window: int
    max_prompt_tokens: int | None
    tokenizer: Tokenizer
    abilities: Abilities
    local: bool = True
    notes: tuple[str, ...] = ()
    is_guess: bool = False


class DescribesUpstreams(Protocol):
    """Describes upstreams."""

    def __call__(self, model: ChatModel, window: int | None = None, /) -> UpstreamInfo:
        """Describe an upstream.

        Args:
            model: The upstream.
            window: The tokens that a client wants its window to have (``num_ctx``), or None.
        """
        ...

    def grow(self, model: ChatModel, needed: int) -> UpstreamInfo | None:
        """Let the window of an upstream grow to the tokens that a request needs.

        Returns:
            The upstream with its new window; None if it cannot hold them.
        """
        ...

    def refused(self, model: str, window: int) -> None:
        """Note the window that a server named in a refusal for length."""
        ...


@dataclass(frozen=True, slots=True)
class SpaceDependencies:
    """What a space is built from; the factory puts it together.

    Attributes:
        search: Finds exchanges in it.
        knowledge: Builds the space's knowledge, given a function that chooses the writing model.
        choose_upstream: Chooses the default model and returns it with a note. It receives what
            builds the quoting one. Called on first use, since looking for servers takes time.
        upstream_info: Describes upstreams.
        tokenizer: Counts imported text, for which no model is asked.
        system: The system prompts of the settings, by mode.
        persona: Returns the system prompts of another persona; empty for none.
        embedder: Opens the embedder that settings name.
        read_with: Lets the search index use another embedder.
        condenser: Condenses what does not fit in a prompt. It uses no model, since no prompt waits
            for one; None to leave text out.
        tools: Builds the tools of tools mode, given a search of the memory.
        keys: The keys by which what was forgotten is recognised.
        outside: Names what forgetting does not reach, given the forgotten exchanges.
        recovered: What was taken out of a damaged file that was set aside on opening.
        is_placeholder: Whether it is empty and represents a space that was not begun: what is written to
            it is kept nowhere.
    """

    store: Store
    search: Search
    knowledge: Callable[[Callable[[], ChatModel]], Knowledge]
    clock: Clock
    settings: Settings
    choose_upstream: Callable[[Callable[[], QuoteModel]], tuple[ChatModel, str]]
    upstream_info: DescribesUpstreams
    tokenizer: Tokenizer
    system: Mapping[Mode, str]
    persona: Callable[[str], Mapping[Mode, str]]
    embedder: Callable[[Settings], Embedder | None]
    read_with: Callable[[Embedder], None]
    condenser: Condenser | None = None
    tools: Callable[[SearchMemory], Sequence[Tool]] = lambda _: ()
    keys: Keys = field(default_factory=PassingKeys)
    outside: Callable[[Sequence[Exchange]], OutOfReach] = lambda _: OutOfReach()
    recovered: Recovery | None = None
    is_placeholder: bool = False
