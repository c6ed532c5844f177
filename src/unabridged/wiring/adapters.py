"""The adapters that settings name: store, embedder, system prompt, terms of an upstream."""

from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock

from unabridged import config
from unabridged.clock import SystemClock
from unabridged.config.personas import persona_text
from unabridged.context.prompts import SYSTEM
from unabridged.domain.budget import Mode
from unabridged.domain.chain import Signet
from unabridged.domain.safekeeping import Salvage
from unabridged.domain.scope import ISOLATION_FIELDS, Scope, Space, space_of
from unabridged.domain.settings import Settings
from unabridged.embeddings.choose import choose as choose_embedder, name_of
from unabridged.embeddings.lexicon import StaticLexicon
from unabridged.errors import NameRefusedError, NotFoundError, SettingError, StoreDamagedError
from unabridged.migration.settling import settle
from unabridged.models.choose import choose as choose_model
from unabridged.models.openai import OPENAI_HOST
from unabridged.models.window import max_prompt_tokens, window
from unabridged.ports import ChatModel, Clock, Embedder, Store, SupportsVectors
from unabridged.projections.followed import FollowedStore
from unabridged.projections.search_index.in_memory import MemorySearchIndex
from unabridged.projections.search_index.index import SearchIndex
from unabridged.projections.search_index.storage import FolderStorage
from unabridged.retrieval.entries import Reader
from unabridged.space.dependencies import UpstreamInfo
from unabridged.stores.anchor import Anchor
from unabridged.stores.guard import Guard
from unabridged.stores.held_writes import HeldWrites
from unabridged.stores.inmemory import InMemoryStore
from unabridged.stores.keybox import Secrets
from unabridged.stores.listing import Spaces
from unabridged.stores.rescuing import open_or_rescue
from unabridged.stores.spaces import SpacesFolder
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connecting import Access
from unabridged.tokens.choose import choose as choose_tokenizer
from unabridged.wire.ollama import short_name
from unabridged.wiring.followed_spaces import FollowedSpaces, json_folder_of
from unabridged.wiring.keys import key_of, secrets_of

TERMS_SECONDS = 60
"""Seconds for which the terms of an upstream are kept before it is asked again."""
MOST_TERMS = 16
"""Upstreams and windows of which the terms are remembered."""


def is_begun(settings: Settings, scope: Scope) -> bool:
    """Whether the space that a scope falls into is there, sound or not."""
    if settings.store == "memory":
        return True
    settle(Path(settings.home))
    spaces, space = databases_of(settings), space_from(scope, settings)
    with suppress(OSError):  # opening it says what is wrong
        if spaces.path_of(space).exists():
            return True  # without opening it: whoever asks is about to
    try:  # a crash may have left another file, or damage the log alone
        spaces.open(space, create=False).close()
    except NotFoundError:
        return False
    except StoreDamagedError:
        return True
    return True


def store_for(settings: Settings, scope: Scope) -> Store:
    """Open the space that a scope falls into."""
    space = space_from(scope, settings)
    if settings.store == "memory":
        return InMemoryStore(space)
    spaces = spaces_of(settings)
    return _saving(settings, spaces.open(space))


def rescued(settings: Settings, scope: Scope) -> tuple[Store, Salvage | None]:
    """Open the space that a scope falls into; a damaged file is set aside and salvaged first.

    Returns:
        The store, and what was salvaged where that was done, now or by one that was stopped.
    """
    if settings.store == "memory":
        return store_for(settings, scope), None
    spaces = spaces_of(settings)
    databases = databases_of(settings)
    store, found = open_or_rescue(databases, space_from(scope, settings), lambda *_: None)
    kept = spaces.follow(store) if isinstance(spaces, FollowedSpaces) else store
    return _saving(settings, kept), found


def _saving(settings: Settings, store: SqliteStore | FollowedStore) -> Store:
    return store if settings.auto_save else HeldWrites(store)


def spaces_of(settings: Settings) -> SpacesFolder | FollowedSpaces:
    """Return the spaces of a home, with the readable files that the settings want.

    What an interrupted migration had decided is finished first.

    Raises:
        SettingError: The settings want readable files in an encrypted home.
    """
    settle(Path(settings.home))
    folder = json_folder_of(settings)
    databases = databases_of(settings)
    return databases if folder is None else FollowedSpaces(databases, folder)


def spaces_to_look_at(settings: Settings) -> SpacesFolder | FollowedSpaces:
    """Return the spaces of a home for those who only look: opening one changes no file.

    Raises:
        SettingError: The settings want readable files in an encrypted home.
    """
    settle(Path(settings.home))
    folder = json_folder_of(settings)
    databases = databases_of(settings)
    return databases if folder is None else FollowedSpaces(databases, folder, follows=False)


def spaces_below(settings: Settings, folder: Path) -> Spaces:
    """Return the spaces that are below a folder as they are below a home."""
    return databases_of(replace(settings, anchor=""), folder / "spaces")


def databases_of(settings: Settings, folder: Path | None = None) -> SpacesFolder:
    """The spaces in databases, each with its search index.

    Args:
        settings: Every choice.
        folder: Where they lie; None for the home's folder of spaces.
    """

    def ready(store: SqliteStore) -> None:
        storage = FolderStorage(store.index_folder, store.cipher)
        store.attach(SearchIndex(store, reader_for(settings, store), storage))

    place = folder or config.folder(settings.home, "spaces")
    return SpacesFolder(place, ready=ready, access=access_of(settings))


def _secrets(settings: Settings) -> Secrets | None:
    held = secrets_of(settings)
    if held is None and settings.encrypt:
        raise SettingError(
            "Files are to be encrypted, but the settings name no key.",
            hint="Make one with `unabridged key new FILE`, and set `key` to file:FILE.",
        )
    return held


def access_of(settings: Settings) -> Access:
    """How the files of a home are reached: with its key, where the settings name one.

    Raises:
        SettingError: Files are to be encrypted, and no key is named.
        StoreKeyError: The key does not open the home's key box.
    """
    held = _secrets(settings)
    if held is None:
        return Access(guard=guard_of(settings))
    return Access(
        key=held.files.for_("sqlite"), encrypts=settings.encrypt, guard=guard_of(settings)
    )


def guard_of(settings: Settings) -> Guard:
    """What the content of stores is proved by: the key and the anchor that the settings name.

    Raises:
        SettingError: The anchor lies inside the home.
        StoreKeyError: The key does not open the home's key box.
    """
    key = key_of(settings)
    signet = Signet(key.for_("chain"), key.mark) if key else Signet()
    anchor = None
    if settings.anchor:
        path = Path(settings.anchor).expanduser().absolute()
        if path.is_relative_to(Path(settings.home).absolute()):
            raise SettingError(
                f"The anchor {path} lies inside the home.",
                hint="Name a file elsewhere: who can write the home must not be able to write it.",
            )
        anchor = Anchor(path, signet)
    return Guard(signet, anchor, SystemClock().now)


def reader_for(settings: Settings, store: Store) -> Reader:
    """What reads exchanges for a space: by the embedder that it holds vectors of, if any.

    Where that one cannot be had any more, words find what is stored until it is embedded anew.
    """
    held = store.embedded_by() if isinstance(store, SupportsVectors) else ""
    if not held:
        return Reader(embedder_of(settings), StaticLexicon())
    try:
        return Reader(embedder_of(replace(settings, embedder=name_of(held))), StaticLexicon())
    except SettingError:
        return Reader(None, StaticLexicon())


def search_index_of(store: Store, reader: Reader) -> SearchIndex:
    """The search index of a store; one in memory where it has none."""
    log = store.log if isinstance(store, FollowedStore) else store
    attached = log.projections if isinstance(log, SqliteStore) else ()
    index = next((one for one in attached if isinstance(one, SearchIndex)), None)
    if index is None:
        return MemorySearchIndex(store, reader)
    index.analyze_with(reader)
    return index


def embedder_of(settings: Settings) -> Embedder | None:
    """The embedder that settings name."""
    cache = config.folder(settings.home, "cache") if settings.store != "memory" else None
    return choose_embedder(settings.embedder, settings, cache)


def space_from(scope: Scope, settings: Settings) -> Space:
    """Give the space of a scope.

    Raises:
        NameRefusedError: A name cannot be used.
    """
    if scope.model:
        scope = replace(scope, model=short_name(scope.model))
    try:
        return space_of(scope, settings.isolation)
    except ValueError as error:
        unnamed = "model" in settings.isolation and not (scope.model or "").strip()
        hint = (
            "Models have memories of their own here (`isolation`): name one, by --model, in the "
            "request, by the header X-Unabridged-Model, or by the setting `model`."
            if unnamed
            else "Choose another name for it."
        )
        raise NameRefusedError(f"This space cannot be named: {error}.", hint=hint) from error


def named_for(settings: Settings, clock: Clock, upstream: ChatModel | None = None) -> Settings:
    """The same settings with a model, where models have memories of their own and none is named.

    Args:
        settings: Every choice.
        clock: The time.
        upstream: The model that answers; None for the one that the settings choose.

    Raises:
        UpstreamError: The upstream that the settings name does not answer, or has no model.
    """
    if "model" not in settings.isolation or settings.model:
        return settings
    if upstream is not None:
        return replace(settings, model=short_name(upstream.model))
    cache = config.folder(settings.home, "cache") if settings.store != "memory" else None
    chosen = choose_model(settings, clock, cache).model
    chosen.close()
    named = replace(settings, model=short_name(chosen.model))
    # Where nothing better was found, the note of how to get it shall still be given.
    return named if chosen.provider == "quote" else replace(named, upstream=chosen.provider)


def settings_for(settings: Settings, space: Space) -> Settings:
    """The same settings, of which the scope falls into a space."""
    named = {name: getattr(space, name) for name in ISOLATION_FIELDS if getattr(space, name)}
    return replace(settings, isolation=tuple(named), **named)


def system_prompts(settings: Settings) -> dict[Mode, str]:
    """The system prompts: the persona, the given text, or the default of each mode."""
    words = persona_text(settings) or settings.system
    return {mode: words or SYSTEM[mode] for mode in Mode}


class UpstreamInfoCache:
    """What is known of upstreams, asked again after a minute; any thread may use it."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._lock = Lock()
        self._known: dict[tuple[int, int | None], tuple[ChatModel, datetime, UpstreamInfo]] = {}
        self._refused: dict[str, int] = {}

    def __call__(self, model: ChatModel, window: int | None = None, /) -> UpstreamInfo:
        """Describe an upstream, for the window that a client wants or its own."""
        info = self._cached(model, window)
        refused = self._refused.get(info.abilities.model, info.window)
        return replace(info, window=refused) if refused < info.window else info

    def refused(self, model: str, window: int) -> None:
        """Note the window that a server named when it refused a prompt for its length."""
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
        info = _info(self._settings, model, window)  # outside the lock: it may ask a server
        with self._lock:
            self._known.pop(name, None)
            self._known[name] = (model, now, info)
            if len(self._known) > MOST_TERMS:
                self._known.pop(next(iter(self._known)))
        return info


def _info(settings: Settings, model: ChatModel, client: int | None) -> UpstreamInfo:
    """Ask an upstream for its window, and choose what counts for it."""
    abilities = model.abilities()
    settings = settings.for_model(abilities.model)
    width = window(abilities, client=client, setting=settings.window)
    gguf = str(getattr(model, "path", ""))
    note = width.note if model.provider != "quote" else ""  # nothing is sent to a model
    return UpstreamInfo(
        window=width.tokens,
        max_prompt_tokens=max_prompt_tokens(model.provider, settings.max_prompt_tokens),
        tokenizer=choose_tokenizer(settings, abilities.model, model.provider, gguf),
        abilities=abilities,
        local=model.provider != "openai" or OPENAI_HOST not in settings.openai_url,
        notes=(note,) if note else (),
    )
