"""Open the spaces of a home with its settings: key, guard, index and readable files."""

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
from unabridged.home import index_worker
from unabridged.home.followed_spaces import FollowedSpaces, Spaces, json_folder_of, other_folders
from unabridged.home.key_source import key_of, secrets_of
from unabridged.home.migration_journal import finish_moves
from unabridged.home.spaces import SpacesFolder
from unabridged.ports import Embedder, Store, SupportsVectors
from unabridged.projections.search_index.analysis_process import AnalysisProcess
from unabridged.projections.search_index.index import SearchIndex
from unabridged.projections.search_index.storage import FolderStorage
from unabridged.retrieval.analyze import Analyzer
from unabridged.stores.checkpoint_file import CheckpointFile
from unabridged.stores.integrity_policy import IntegrityPolicy
from unabridged.stores.last_seen import LastSeen
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.wire.ollama import short_name


def spaces_of(settings: Settings, *, follows: bool = True) -> Spaces:
    """Return the spaces of a home, with the configured readable files.

    This finishes an interrupted migration first.

    Args:
        settings: All settings.
        follows: Whether opening a space brings its readable files up to date.

    Raises:
        SettingError: The settings ask for readable files in an encrypted home.
    """
    finish_moves(Path(settings.home))
    folder, others = json_folder_of(settings), other_folders(settings)
    databases = databases_of(settings)
    if folder is None and not others:
        return databases
    return FollowedSpaces(databases, folder, others, follows=follows)


def spaces_below(settings: Settings, folder: Path) -> SpacesFolder:
    """Return the spaces below a folder with the layout of a home."""
    return databases_of(replace(settings, checkpoint_file=""), folder / "spaces")


def databases_of(settings: Settings, folder: Path | None = None) -> SpacesFolder:
    """Return the spaces in a folder (None: that of the home), each with its search index."""

    def ready(store: SqliteStore) -> None:
        storage = FolderStorage(store.index_folder, store.cipher)
        helper = AnalysisProcess(index_worker.MODULE, index_worker.WORKS_FOR)
        store.attach(SearchIndex(store, reader_for(settings, store), storage, helper))

    place, access = folder or config.folder(settings.home, "spaces"), access_of(settings)
    if folder is not None:
        access = replace(access, guard=replace(access.guard, seen=None))
    return SpacesFolder(place, ready=ready, access=access)


def access_of(settings: Settings) -> ConnectionOptions:
    """Return the access to the files of a home, with its key if one is set.

    Raises:
        SettingError: Encryption is on, and no key is set.
        StoreKeyError: The key does not open the home's key box.
    """
    held = secrets_of(settings)
    if held is None:
        if settings.encrypt:
            raise SettingError(
                "Encryption is on, but no key is set.",
                hint="Make one: unabridged key new FILE. Then set `key` to file:FILE.",
            )
        return ConnectionOptions(guard=guard_of(settings))
    return ConnectionOptions(
        key=held.files.for_("sqlite"), encrypts=settings.encrypt, guard=guard_of(settings)
    )


def guard_of(settings: Settings) -> IntegrityPolicy:
    """Return how stores prove their content: the configured key and anchor.

    Raises:
        SettingError: The anchor is inside the home.
        StoreKeyError: The key does not open the home's key box.
    """
    key = key_of(settings)
    mac_key = MacKey(key.for_("chain"), key.mark) if key else MacKey()
    anchor = None
    if settings.checkpoint_file:
        path = Path(settings.checkpoint_file).expanduser().absolute()
        if path.is_relative_to(Path(settings.home).absolute()):
            raise SettingError(
                f"The anchor {path} is inside the home.",
                hint="Use a file elsewhere, which those who can write the home cannot write.",
            )
        anchor = CheckpointFile(path, mac_key)
    return IntegrityPolicy(mac_key, anchor, LastSeen(Path(settings.home)), SystemClock().now)


def reader_for(settings: Settings, store: Store) -> Analyzer:
    """Return the text analysis of a space, with the embedder of its vectors, if any.

    If that embedder is no longer available, only words are searched until a re-embedding.
    """
    held = store.embedded_by() if isinstance(store, SupportsVectors) else ""
    if not held:
        return Analyzer(embedder_of(settings), StaticLexicon())
    try:
        return Analyzer(embedder_of(replace(settings, embedder=name_of(held))), StaticLexicon())
    except SettingError:
        return Analyzer(None, StaticLexicon())


def embedder_of(settings: Settings) -> Embedder | None:
    """Return the configured embedder."""
    cache = config.folder(settings.home, "cache") if settings.store != "memory" else None
    return choose_embedder(settings.embedder, settings, cache)


def space_from(scope: Scope, settings: Settings) -> SpaceId:
    """Return the space of a scope."""
    if scope.model:
        scope = replace(scope, model=short_name(scope.model))
    try:
        return space_id(scope, settings.isolation)
    except ValueError as error:
        unnamed = "model" in settings.isolation and not (scope.model or "").strip()
        hint = (
            "Every model has its own memory here (`isolation`): name one by --model, in the "
            "request, by the header X-Unabridged-Model, or by the setting `model`."
            if unnamed
            else "Choose another name for it."
        )
        raise NameRefusedError(f"This space cannot be named: {error}.", hint=hint) from error


def settings_for(settings: Settings, space: SpaceId) -> Settings:
    """Return the settings with the scope of a space."""
    named = {name: getattr(space, name) for name in ISOLATION_FIELDS if getattr(space, name)}
    return replace(settings, isolation=tuple(named), **named)
