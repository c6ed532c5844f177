"""Opening: a memory is built from settings."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from unabridged import config, memory, toolbox
from unabridged.clock import SystemClock
from unabridged.condense.extract import Extractor
from unabridged.context.fence import own_words
from unabridged.context.gather import FLOOR_SHARES
from unabridged.context.tiers import STRONG_SHARE
from unabridged.dialogue.parts import Parts
from unabridged.dialogue.tools import Tool
from unabridged.domain.exchange import Exchange
from unabridged.domain.intent import Intent
from unabridged.domain.safekeeping import Salvage
from unabridged.domain.scope import Scope
from unabridged.domain.settings import Settings
from unabridged.domain.topic import Moved, Topic
from unabridged.embeddings.choose import choose_reranker
from unabridged.embeddings.lexicon import StaticLexicon
from unabridged.errors import SettingError
from unabridged.ingest.enrich import Embedded, enrich, reembed
from unabridged.ingest.overview import topics
from unabridged.intent.detect import detect
from unabridged.language.words import query_terms, terms
from unabridged.models import choose as models
from unabridged.models.quote import QuoteModel
from unabridged.ports import ChatModel, Clock, Store, SupportsProjections, SupportsVectors
from unabridged.retrieval.entries import Reader
from unabridged.retrieval.finder import Finder
from unabridged.tokens.estimate import EstimateTokenizer
from unabridged.wiring.adapters import (
    TermsBook,
    embedder_of,
    is_begun,
    named_for,
    reader_for,
    rescued,
    search_index_of,
    store_for,
    system_prompts,
)
from unabridged.wiring.books import books_of
from unabridged.wiring.forgetting import finish_forgetting, keys_of, outside

QUOTED = 5
"""Exchanges that ``quote`` looks for."""


class Memory(memory.Memory):
    """Conversation memory over one space.

    ``Memory.open()`` builds it from settings; everything else is inherited.

    Attributes:
        upstream_note: Which upstream was taken, and how to get the next better one; empty until
            it was needed.
        salvaged: What was taken out of a damaged file that was set aside on opening; None where it
            was sound.
        stands_in: Whether it is empty and stands for a space that was not begun: what is written to
            it is kept nowhere.
    """

    stands_in: bool = False
    upstream_note: str = ""
    salvaged: Salvage | None = None

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
        salvage: bool = True,
        begins: bool = True,
        **overrides: Any,
    ) -> Self:
        """Open a space; its folder is made on first use.

        Args:
            home: The home folder; None for ``$UNABRIDGED_HOME``, else the platform's.
            settings: Every choice; then no file and no environment is read.
            upstream: A model, or the name of an upstream; None for the setting. Where models have
                memories of their own and the settings name none, it is asked which it would take.
            clock: The time and ids; None for the machine's.
            ephemeral: Keep everything in memory, and nothing afterwards.
            session: The session to take up; None for the newest. Where sessions are isolated
                (the setting ``recall`` is ``session``), it is an id, and the first message begins
                a session that is not there yet.
            salvage: Whether a damaged file is set aside, and a new one begun with all that is whole
                in it (``salvaged`` then tells); else it is an error, and nothing is changed.
            begins: Whether a space that is not there is begun; else an empty one in memory stands for
                it, for who only looks (``stands_in`` then says so).
            **overrides: Any field of ``Settings``.

        Raises:
            SettingError: A setting cannot be used, or the home cannot be written to.
            StoreDamagedError: Its file is damaged and others have it open, or it was tampered with,
                or it is not to be salvaged; it is as it was.
            StoreError: The space cannot be opened.
        """
        named = upstream if isinstance(upstream, str) else None
        chosen = settings or config.load(home=home, upstream=named, **overrides)
        if ephemeral:
            chosen = replace(chosen, store="memory")
        time = clock or SystemClock()
        chosen = named_for(chosen, time, upstream if not isinstance(upstream, str) else None)
        apart = chosen.recall == "session"
        scope = Scope(chosen.user, chosen.agent, chosen.model or None, None if apart else session)
        empty = not begins and not is_begun(chosen, scope)
        kept = replace(chosen, store="memory") if empty else chosen
        store, found = rescued(kept, scope) if salvage else (store_for(kept, scope), None)
        try:
            opened = cls._wired(chosen, time, store, scope)
            opened.salvaged, opened.stands_in = found, empty
            if apart and session is not None:
                opened.take_up(session)
            finish_forgetting(opened.forgetting, store)
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
        reader = reader_for(settings, store)
        tokenizer = EstimateTokenizer()
        parts = Parts(
            store=store,
            finder=Finder(
                store, search_index_of(store, reader), reader, choose_reranker(settings.reranker)
            ),
            books=books_of(settings, store, clock, reader.embedder, lambda: opened.upstream),
            clock=clock,
            settings=settings,
            upstream=lambda: opened.choose_upstream(),  # noqa: PLW0108 - opened is bound below
            terms_of=TermsBook(settings, clock),
            tokenizer=tokenizer,
            system=system_prompts(settings),
            condenser=None if settings.condenser == "none" else Extractor(tokenizer.count),
            tools=offered,
            keys=keys_of(settings),
            outside=lambda since: outside(settings, store.space, since),
        )
        opened = cls(parts, scope)
        offered += toolbox.unique([*toolbox.built_in(clock.now, opened.search_here), *given])
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
        chosen = models.choose(self.settings, self._clock, folder, quote=lambda: self.quoting)
        self.upstream_note = chosen.note
        return chosen.model

    def answer_as(self, persona: str) -> None:
        """Let another persona answer from the next message on; the memory stays.

        Args:
            persona: Its name, or the path of its file; empty for the setting ``system``, or the
                program's own words.

        Raises:
            SettingError: There is none of that name, or it cannot be read; nothing is changed.
        """
        changed = replace(self.settings, persona=persona)
        self._preparer.system = system_prompts(changed)
        self.settings = changed

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
        embedder = embedder_of(self.settings)
        if embedder is None:
            raise SettingError(
                "The settings name no embedder.", hint="Give one: --embedder static, for example."
            )
        search_index_of(self._store, self._parts.finder.reader).follow()  # by what it has so far
        try:
            yield from reembed(self._store, embedder)
        except BaseException:
            embedder.close()
            raise
        reader = Reader(embedder, StaticLexicon())
        search_index_of(self._store, reader)
        self._parts.finder.close()
        self._parts.finder.reader = reader

    def topics(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        session: str | None = None,
        moved: Moved | None = None,
    ) -> list[Topic]:
        """Find what was talked about; every exchange is in exactly one topic.

        Args:
            since: Only exchanges of this time and later.
            until: Only exchanges before this time.
            session: Only exchanges of the session of this id.
            moved: Told what goes on, how many exchanges were done, and of how many.

        Returns:
            The topics, those with the most exchanges first.
        """
        embedder = self._parts.finder.reader.embedder
        if embedder is not None and not embedder.instant:
            embedder = embedder_of(replace(self.settings, embedder="static"))
        return topics(self._store, embedder, since=since, until=until, session=session, moved=moved)

    def close(self) -> None:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Let go of the store, the upstream and the embedder."""
        self._parts.finder.close()
        super().close()

    @property
    def file_notes(self) -> list[str]:
        """What was mended in readable files, and why others are not up to date, with what to do."""
        if not isinstance(self._store, SupportsProjections):
            return []
        troubles = [f"{error} {error.hint}".strip() for error in self._store.troubles]
        return [*self._store.notes, *troubles]

    @property
    def search_note(self) -> str:
        """Why the last search was by words only; empty where it was not."""
        return self._parts.finder.trouble

    @cached_property
    def quoting(self) -> QuoteModel:
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
        if self._only is not None:
            return []
        asked = set(query_terms(question))
        return [pin.text for pin in self.pins() if asked & set(terms(pin.text))]

    def _recalled(self, question: str) -> Sequence[Exchange]:
        """What ``quote`` answers with: what comes near the best that there is; nothing to small talk."""
        intent = detect(question).intent
        if intent is Intent.CASUAL:
            return []
        asked = question.strip()  # stored by now, and the best match of itself
        here = self.search_here(question, QUOTED)
        found = [f for f in here if f.exchange.user.text.strip() != asked]
        best = max((f.score for f in found), default=0.0)
        least = FLOOR_SHARES[intent] * self.settings.evidence_floor
        floor = max(least, STRONG_SHARE * best)
        return [f.exchange for f in found if f.score >= floor]
