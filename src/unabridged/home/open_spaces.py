"""Opens the spaces of a home as its settings say: key, guard, index and readable files."""

from dataclasses import replace
from pathlib import Path

from unabridged import config
from unabridged.clock import SystemClock
from unabridged.domain.hash_chain import MacKey
from unabridged.domain.scope import ISOLATION_FIELDS, Scope, SpaceId, space_id
from unabridged.domain.settings import Settings
from unabridged.embeddings.choose_embedder import choose as choose_embedder, name_of
from unabridged.embeddings.word_pieces import StaticLexicon
from unabridged.errors import NameRefusedError, SettingError
from unabridged.home.file_moves import finish_moves
from unabridged.home.followed_spaces import FollowedSpaces, json_folder_of
from unabridged.home.key_source import key_of, secrets_of
from unabridged.home.keyring_file import HomeSecrets
from unabridged.home.spaces import SpacesFolder
from unabridged.home.spaces_port import Spaces
from unabridged.ports import Embedder, Store, SupportsVectors
from unabridged.projections.search_index.index import SearchIndex
from unabridged.projections.search_index.storage import FolderStorage
from unabridged.retrieval.analyze import Analyzer
from unabridged.stores.checkpoint_file import CheckpointFile
from unabridged.stores.integrity_policy import IntegrityPolicy
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.wire.ollama import short_name


def spaces_of(settings: Settings) -> SpacesFolder | FollowedSpaces:
    """Return the spaces of a home, with the readable files that the settings want.

    What an interrupted migration had decided is finished first.

    Raises:
        SettingError: The settings want readable files in an encrypted home.
    """
    finish_moves(Path(settings.home))
    folder = json_folder_of(settings)
    databases = databases_of(settings)
    return databases if folder is None else FollowedSpaces(databases, folder)


def spaces_to_look_at(settings: Settings) -> SpacesFolder | FollowedSpaces:
    """Return the spaces of a home for those who only look: opening one changes no file.

    Raises:
        SettingError: The settings want readable files in an encrypted home.
    """
    finish_moves(Path(settings.home))
    folder = json_folder_of(settings)
    databases = databases_of(settings)
    return databases if folder is None else FollowedSpaces(databases, folder, follows=False)


def spaces_below(settings: Settings, folder: Path) -> Spaces:
    """Return the spaces that are below a folder as they are below a home."""
    return databases_of(replace(settings, checkpoint_file=""), folder / "spaces")


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


def _secrets(settings: Settings) -> HomeSecrets | None:
    held = secrets_of(settings)
    if held is None and settings.encrypt:
        raise SettingError(
            "Files are to be encrypted, but the settings name no key.",
            hint="Make one with `unabridged key new FILE`, and set `key` to file:FILE.",
        )
    return held


def access_of(settings: Settings) -> ConnectionOptions:
    """How the files of a home are reached: with its key, where the settings name one.

    Raises:
        SettingError: Files are to be encrypted, and no key is named.
        StoreKeyError: The key does not open the home's key box.
    """
    held = _secrets(settings)
    if held is None:
        return ConnectionOptions(guard=guard_of(settings))
    return ConnectionOptions(
        key=held.files.for_("sqlite"), encrypts=settings.encrypt, guard=guard_of(settings)
    )


def guard_of(settings: Settings) -> IntegrityPolicy:
    """What the content of stores is proved by: the key and the anchor that the settings name.

    Raises:
        SettingError: The anchor lies inside the home.
        StoreKeyError: The key does not open the home's key box.
    """
    key = key_of(settings)
    mac_key = MacKey(key.for_("chain"), key.mark) if key else MacKey()
    anchor = None
    if settings.checkpoint_file:
        path = Path(settings.checkpoint_file).expanduser().absolute()
        if path.is_relative_to(Path(settings.home).absolute()):
            raise SettingError(
                f"The anchor {path} lies inside the home.",
                hint="Name a file elsewhere: who can write the home must not be able to write it.",
            )
        anchor = CheckpointFile(path, mac_key)
    return IntegrityPolicy(mac_key, anchor, SystemClock().now)


def reader_for(settings: Settings, store: Store) -> Analyzer:
    """What reads exchanges for a space: by the embedder that it holds vectors of, if any.

    Where that one cannot be had any more, words find what is stored until it is embedded anew.
    """
    held = store.embedded_by() if isinstance(store, SupportsVectors) else ""
    if not held:
        return Analyzer(embedder_of(settings), StaticLexicon())
    try:
        return Analyzer(embedder_of(replace(settings, embedder=name_of(held))), StaticLexicon())
    except SettingError:
        return Analyzer(None, StaticLexicon())


def embedder_of(settings: Settings) -> Embedder | None:
    """The embedder that settings name."""
    cache = config.folder(settings.home, "cache") if settings.store != "memory" else None
    return choose_embedder(settings.embedder, settings, cache)


def space_from(scope: Scope, settings: Settings) -> SpaceId:
    """Give the space of a scope.

    Raises:
        NameRefusedError: A name cannot be used.
    """
    if scope.model:
        scope = replace(scope, model=short_name(scope.model))
    try:
        return space_id(scope, settings.isolation)
    except ValueError as error:
        unnamed = "model" in settings.isolation and not (scope.model or "").strip()
        hint = (
            "Models have memories of their own here (`isolation`): name one, by --model, in the "
            "request, by the header X-Unabridged-Model, or by the setting `model`."
            if unnamed
            else "Choose another name for it."
        )
        raise NameRefusedError(f"This space cannot be named: {error}.", hint=hint) from error


def settings_for(settings: Settings, space: SpaceId) -> Settings:
    """The same settings, of which the scope falls into a space."""
    named = {name: getattr(space, name) for name in ISOLATION_FIELDS if getattr(space, name)}
    return replace(settings, isolation=tuple(named), **named)
