"""Opening: a space is built from settings."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from unabridged import config
from unabridged.clock import SystemClock
from unabridged.condense.extractive_condenser import ExtractiveCondenser
from unabridged.domain.budget import Mode
from unabridged.domain.scope import Scope
from unabridged.domain.settings import Settings
from unabridged.embeddings.choose_embedder import choose_reranker
from unabridged.embeddings.word_pieces import StaticLexicon
from unabridged.factory import load_tools
from unabridged.factory.adapters import (
    UpstreamInfoCache,
    is_begun,
    named_for,
    rescued,
    search_index_of,
    store_for,
    system_prompts,
)
from unabridged.factory.knowledge import books_of
from unabridged.home.forgetting import finish_forgetting, keys_of, outside
from unabridged.home.open_spaces import embedder_of, reader_for
from unabridged.models import choose_model as models
from unabridged.models.quote import QuoteModel
from unabridged.ports import ChatModel, Clock, Embedder, Store
from unabridged.retrieval.analyze import Analyzer
from unabridged.retrieval.search import Search
from unabridged.space.dependencies import SpaceDependencies
from unabridged.space.space import Space
from unabridged.space.tools import SearchMemory, Tool
from unabridged.tokens.estimate import EstimateTokenizer


def settings_from(
    home: str | Path | None = None,
    *,
    upstream: ChatModel | str | None = None,
    clock: Clock | None = None,
    ephemeral: bool = False,
    settings: Settings | None = None,
    **overrides: Any,
) -> Settings:
    """Return the settings of a memory.

    Args:
        home: The home folder; None for ``$UNABRIDGED_HOME``, else the platform's.
        upstream: A model, or the name of an upstream; None for the setting. Where models have
            memories of their own and the settings name none, it is asked which it would take.
        clock: The time; None for the machine's.
        ephemeral: Keep everything in memory, and nothing afterwards.
        settings: Every choice; then no settings file and no variable is read.
        **overrides: Any field of ``Settings``; each counts for more than ``settings``.

    Raises:
        SettingError: A setting cannot be used.
    """
    named = upstream if isinstance(upstream, str) else None
    if settings is None:
        chosen = config.load(home=home, upstream=named, **overrides)
    else:
        chosen = config.with_overrides(settings, home=home, upstream=named, **overrides)
    if ephemeral:
        chosen = replace(chosen, store="memory")
    model = upstream if not isinstance(upstream, str) else None
    return named_for(chosen, clock or SystemClock(), model)


def open_space(
    settings: Settings,
    clock: Clock | None = None,
    *,
    model: ChatModel | None = None,
    recover: bool = True,
    create: bool = True,
) -> Space:
    """Open the space that settings name; its folder is made on first use.

    Args:
        settings: Every choice; user, agent and model name the space.
        clock: The time and ids; None for the machine's.
        model: The default model; None for the one that the settings choose when it is needed.
        recover: Whether a damaged file is set aside, and a new one begun with all that is whole in
            it (``recovered`` then tells); else it is an error, and nothing is changed.
        create: Whether a space that is not there is begun; else an empty one in memory represents
            it, for who only looks (``is_placeholder`` then says so).

    Raises:
        SettingError: A setting cannot be used, or the home cannot be written to.
        StoreDamagedError: Its file is damaged and others have it open, or it was tampered with, or
            it is not to be salvaged; it is as it was.
        StoreError: The space cannot be opened.
    """
    time = clock or SystemClock()
    settings = named_for(settings, time, model)
    scope = Scope(settings.user, settings.agent, settings.model or None)
    is_placeholder = not create and not is_begun(settings, scope)
    kept = replace(settings, store="memory") if is_placeholder else settings
    store, found = rescued(kept, scope) if recover else (store_for(kept, scope), None)
    try:
        parts = _dependencies(settings, time, store, model)
        space = Space(replace(parts, recovered=found, is_placeholder=is_placeholder), scope)
        finish_forgetting(space.forgetting, store)
        space.sessions.newest()  # damage is told now
    except BaseException:
        store.close()
        raise
    return space


def _dependencies(
    settings: Settings, clock: Clock, store: Store, model: ChatModel | None
) -> SpaceDependencies:
    reader = reader_for(settings, store)
    tokenizer = EstimateTokenizer()
    search = Search(
        store, search_index_of(store, reader), reader, choose_reranker(settings.reranker)
    )
    return SpaceDependencies(
        store=store,
        search=search,
        knowledge=partial(books_of, settings, store, clock, reader.embedder),
        clock=clock,
        settings=settings,
        choose_upstream=partial(_upstream, settings, clock, model),
        upstream_info=UpstreamInfoCache(settings, clock),
        tokenizer=tokenizer,
        system=system_prompts(settings),
        persona=partial(_persona, settings),
        embedder=embedder_of,
        read_with=partial(_read_with, store, search),
        condenser=None if settings.condenser == "none" else ExtractiveCondenser(tokenizer.count),
        tools=_tools(settings, clock),
        keys=keys_of(settings),
        outside=lambda since: outside(settings, store.space, since),
    )


def choose_model(
    settings: Settings, clock: Clock, quoting: Callable[[], QuoteModel]
) -> tuple[ChatModel, str]:
    """Choose the model that settings name, and say which it is.

    Raises:
        UpstreamError: The one that was named cannot be had.
    """
    folder = config.folder(settings.home, "cache")
    chosen = models.choose(settings, clock, folder, quote=quoting)
    return chosen.model, chosen.note


def _upstream(
    settings: Settings, clock: Clock, model: ChatModel | None, quoting: Callable[[], QuoteModel]
) -> tuple[ChatModel, str]:
    return (model, "") if model is not None else choose_model(settings, clock, quoting)


def _persona(settings: Settings, persona: str) -> Mapping[Mode, str]:
    return system_prompts(replace(settings, persona=persona))


def _read_with(store: Store, search: Search, embedder: Embedder) -> None:
    reader = Analyzer(embedder, StaticLexicon())
    search_index_of(store, reader)
    search.close()
    search.reader = reader


def _tools(settings: Settings, clock: Clock) -> Callable[[SearchMemory], tuple[Tool, ...]]:
    given = [tool for spec in settings.tools for tool in load_tools.load(spec)]

    def tools(search: SearchMemory) -> tuple[Tool, ...]:
        return load_tools.unique([*load_tools.built_in(clock.now, search), *given])

    tools(lambda *_: ())  # two tools of one name are an error on opening
    return tools
