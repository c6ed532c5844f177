"""The adapters that settings name: store, embedder, system prompt, upstream info."""

from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock

from unabridged import config
from unabridged.config.personas import persona_text
from unabridged.context.render import SYSTEM
from unabridged.domain.backup_results import Recovery
from unabridged.domain.budget import Mode
from unabridged.domain.exchange import QUOTING
from unabridged.domain.scope import Scope
from unabridged.domain.settings import Settings
from unabridged.errors import (
    NotFoundError,
    StoreDamagedError,
)
from unabridged.home.followed_spaces import FollowedSpaces
from unabridged.home.migration_journal import finish_moves
from unabridged.home.open_spaces import databases_of, space_from, spaces_of
from unabridged.home.recover import open_or_rescue
from unabridged.models import anthropic
from unabridged.models.choose_model import choose as choose_model
from unabridged.models.openai import OPENAI_HOST
from unabridged.models.window import max_prompt_tokens, window
from unabridged.ports import ChatModel, Clock, Store, SupportsRelay, SupportsWindowGrowth
from unabridged.projections.search_index.index import SearchIndex
from unabridged.retrieval.analyze import Analyzer
from unabridged.space.dependencies import UpstreamInfo
from unabridged.stores.in_memory import InMemoryStore
from unabridged.stores.sqlite import SqliteStore
from unabridged.tokens.choose_tokenizer import choose as choose_tokenizer
from unabridged.wire.ollama import short_name

TERMS_SECONDS = 60
"""Seconds until an upstream is asked again."""
MOST_TERMS = 16
"""The most upstreams and windows to remember."""


def is_begun(settings: Settings, scope: Scope) -> bool:
    """Return whether the space of a scope exists, sound or not."""
    if settings.store == "memory":
        return True
    finish_moves(Path(settings.home))
    spaces, space = databases_of(settings), space_from(scope, settings)
    with suppress(OSError):  # opening it reports the error
        if spaces.path_of(space).exists():
            return True  # not opened: the caller is about to
    try:  # a crash may have left another file, or damage the log alone
        spaces.open(space, create=False).close()
    except NotFoundError:
        return False
    except StoreDamagedError:
        return True
    return True


def store_for(settings: Settings, scope: Scope) -> Store:
    """Open the space of a scope."""
    space = space_from(scope, settings)
    if settings.store == "memory":
        return InMemoryStore(space)
    spaces = spaces_of(settings)
    return _saving(settings, spaces.open(space))


def rescued(settings: Settings, scope: Scope) -> tuple[Store, Recovery | None]:
    """Open the space of a scope; set aside and salvage a damaged file first.

    Returns:
        The store, and what was salvaged, now or in an interrupted run; else None.
    """
    if settings.store == "memory":
        return store_for(settings, scope), None
    spaces = spaces_of(settings)
    databases = databases_of(settings)
    store, found = open_or_rescue(databases, space_from(scope, settings), lambda *_: None)
    kept = spaces.follow(store) if isinstance(spaces, FollowedSpaces) else store
    return _saving(settings, kept), found


def _saving(settings: Settings, store: SqliteStore) -> Store:
    if settings.auto_save:
        return store
    from unabridged.stores.held_writes import HeldWrites  # noqa: PLC0415 - rare

    return HeldWrites(store)


def search_index_of(store: Store, reader: Analyzer) -> SearchIndex:
    """Return the search index of a store; one in memory if it has none."""
    attached = store.projections if isinstance(store, SqliteStore) else ()
    index = next((one for one in attached if isinstance(one, SearchIndex)), None)
    if index is None:
        return SearchIndex(store, reader)
    index.analyze_with(reader)
    return index


def named_for(settings: Settings, clock: Clock, upstream: ChatModel | None = None) -> Settings:
    """Return the settings, with a model if models have separate memories.

    It is the model of the given upstream, or of the configured one.

    Raises:
        UpstreamError: The configured upstream does not answer, or has no model.
    """
    if "model" not in settings.isolation or settings.model:
        return settings
    if upstream is not None:
        return replace(settings, model=short_name(upstream.model))
    cache = config.folder(settings.home, "cache") if settings.store != "memory" else None
    chosen = choose_model(settings, clock, cache).model
    chosen.close()
    named = replace(settings, model=short_name(chosen.model))
    # Without a better model, keep the note of how to get one.
    return named if chosen.provider == QUOTING else replace(named, upstream=chosen.provider)


def system_prompts(settings: Settings) -> dict[Mode, str]:
    """Return the system prompts: the persona, the given text, or each mode's default."""
    words = persona_text(settings) or settings.system
    return {mode: words or SYSTEM[mode] for mode in Mode}


class UpstreamInfoCache:
    """The upstream info by model, renewed every minute; any thread may use it."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._lock = Lock()
        self._known: dict[tuple[int, int | None], tuple[ChatModel, datetime, UpstreamInfo]] = {}
        self._refused: dict[str, int] = {}

    def __call__(self, model: ChatModel, window: int | None = None, /) -> UpstreamInfo:
        """Describe an upstream, for the window that a client wants or its own."""
        info = self._cached(model, window)
        length, told = info.window, self._refused.get(info.abilities.model)
        if info.is_guess and told is not None:  # the server's own word is better than a guess
            return replace(info, window=told, is_guess=False)
        if window is None and isinstance(model, SupportsWindowGrowth):
            settings = self._settings.for_model(info.abilities.model)
            grown = 0 if settings.window is not None else model.grown_window or 0
            length = max(length, min(grown, settings.window_max or grown))
        length = min(length, self._refused.get(info.abilities.model, length))
        return replace(info, window=length) if length != info.window else info

    def grow(self, model: ChatModel, needed: int) -> UpstreamInfo | None:
        """Let a window grow that nobody has set; see ``SupportsWindowGrowth``.

        One that is only a guess holds whatever a request needs, until the server refuses it.
        """
        info = self(model)
        if info.is_guess:
            return replace(info, window=max(info.window, 1 << (needed - 1).bit_length()))
        settings = self._settings.for_model(info.abilities.model)
        if settings.window is not None or not isinstance(model, SupportsWindowGrowth):
            return None
        bounds = (
            info.abilities.trained_window,
            settings.window_max,
            self._refused.get(info.abilities.model),
        )
        most = min((bound for bound in bounds if bound is not None), default=None)
        if model.grow_window(info.window, needed, most) is None:
            return None
        return self(model)

    def refused(self, model: str, window: int) -> None:
        """Note the window that a server named in a refusal for length."""
        with self._lock:
            self._refused[model] = window

    def _cached(self, model: ChatModel, window: int | None) -> UpstreamInfo:
        now = self._clock.now()
        name = (id(model), window)
        with self._lock:
            held = self._known.get(name)
        if held is not None:
            known, since, info = held
            if known is model and timedelta() <= now - since < timedelta(seconds=TERMS_SECONDS):
                return info
        info = _info(self._settings, model, window)  # not locked: it may ask a server
        with self._lock:
            self._known.pop(name, None)
            self._known[name] = (model, now, info)
            if len(self._known) > MOST_TERMS:
                self._known.pop(next(iter(self._known)))
        return info


def _is_local(model: ChatModel, settings: Settings) -> bool:
    if model.provider == "anthropic":
        return anthropic.HOST not in (settings.anthropic_url or anthropic.URL)
    return model.provider != "openai" or OPENAI_HOST not in settings.openai_url


def _info(settings: Settings, model: ChatModel, client: int | None) -> UpstreamInfo:
    abilities = model.abilities()
    settings = settings.for_model(abilities.model)
    width = window(abilities, client=client, setting=settings.window)
    gguf = str(getattr(model, "path", ""))
    note = width.note if model.provider != QUOTING else ""  # nothing is sent to a model
    return UpstreamInfo(
        window=width.tokens,
        max_prompt_tokens=max_prompt_tokens(model.provider, settings.max_prompt_tokens),
        tokenizer=choose_tokenizer(settings, abilities.model, model.provider, gguf),
        abilities=abilities,
        local=_is_local(model, settings),
        notes=(note,) if note else (),
        is_guess=width.origin == "default" and isinstance(model, SupportsRelay),
    )
