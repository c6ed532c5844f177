"""The maintenance of a space: the work after recording, and vectors."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from threading import RLock
from typing import TypeVar

from unabridged.domain.results import MaintenanceProgress
from unabridged.domain.topic import Moved, Topic
from unabridged.errors import SettingError
from unabridged.maintenance.archive_sessions import SessionArchiver
from unabridged.maintenance.embed import enrich, reembed
from unabridged.maintenance.run_maintenance import Knowledge, maintain, stages_of
from unabridged.ports import ChatModel, SupportsVectors
from unabridged.space.dependencies import SpaceDependencies
from unabridged.topics.of_space import topics

Item = TypeVar("Item")


class Maintenance:
    """The work after recording in one space. Nothing waits for it.

    It may be stopped at any moment, and continues where it stopped.
    """

    def __init__(
        self, parts: SpaceDependencies, knowledge: Knowledge, archives: SessionArchiver
    ) -> None:
        self._parts = parts
        self._knowledge = knowledge
        self._archives = archives
        self._lock = RLock()

    def run(
        self,
        session: str | None = None,
        *,
        pages: int | None = None,
        page_size: int | None = None,
        threshold: int | None = None,
        model: ChatModel | None = None,
    ) -> Iterator[MaintenanceProgress]:
        """Annotate messages, learn facts, condense and archive.

        Args:
            session: The session in use: it is not condensed as a whole.
            pages: Up to this many pages of each kind; None for everything.
            page_size: Exchanges of a page; None for the usual number.
            threshold: Tokens above which a session is condensed; None for the setting.
            model: The model that may write; None for the space's own.

        Yields:
            The progress.

        Raises:
            StoreError: What was made cannot be stored; what was reported is.
            UpstreamError: The settings want a model, and none is available.
        """
        knowledge = self._knowledge if model is None else self._parts.knowledge(lambda: model)
        steps = maintain(
            knowledge,
            session,
            pages=pages,
            page_size=page_size,
            threshold=threshold,
            archives=self._archives,
        )
        yield from self._one_at_a_time(steps)

    def stages(self) -> tuple[str, ...]:
        """Return the stages of ``run`` that the settings want, in order."""
        archives = ("archive",) if self._archives.has_limits else ()
        return (*stages_of(self._knowledge), *archives)

    @property
    def embeds_later(self) -> bool:
        """Return whether new exchanges are first searchable by words only."""
        embedder = self._parts.search.reader.embedder
        stored = isinstance(self._parts.store, SupportsVectors)
        return embedder is not None and not embedder.instant and stored

    def embed(self) -> Iterator[MaintenanceProgress]:
        """Embed recorded exchanges that have no vectors yet.

        Does nothing for the default embedder, for a store without vectors, and for one with
        those of another embedder (see ``reembed``).

        Yields:
            The progress after each page; every page is kept.

        Raises:
            StoreError: They cannot be stored.
            UpstreamError: The server that embeds failed.
        """
        embedder, store = self._parts.search.reader.embedder, self._parts.store
        if embedder is None or embedder.instant or not isinstance(store, SupportsVectors):
            return
        if store.embedded_by() in ("", embedder.identity):
            yield from self._one_at_a_time(enrich(store, embedder))

    def reembed(self) -> Iterator[MaintenanceProgress]:
        """Re-embed everything with the configured embedder, then search with it.

        After an interruption it continues. Until the end searches use the old vectors.

        Yields:
            The progress after each page; every page is kept.

        Raises:
            SettingError: The settings name no embedder, or one that is not available.
            StoreError: The store keeps no vectors, or other programs record faster than it embeds.
            UpstreamError: The server that embeds failed.
        """
        embedder = self._parts.embedder(self._parts.settings)
        if embedder is None:
            raise SettingError(
                "The settings name no embedder.", hint="Set `embedder`, for example to static."
            )
        self._parts.search.embedded_by()  # a space that was never searched has none yet
        try:
            yield from reembed(self._parts.store, embedder)
        except BaseException:
            embedder.close()
            raise
        self._parts.read_with(embedder)

    def topics(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        session: str | None = None,
        moved: Moved | None = None,
    ) -> list[Topic]:
        """Find the topics; every exchange is in exactly one.

        Args:
            since: Only exchanges of this time and later.
            until: Only exchanges before this time.
            session: Only exchanges of the session of this id.
            moved: Called with the stage, the exchanges done, and their total.

        Returns:
            The topics, those with the most exchanges first.
        """
        parts = self._parts
        embedder = parts.search.reader.embedder
        if embedder is not None and not embedder.instant:
            embedder = parts.embedder(replace(parts.settings, embedder="static"))
        return topics(parts.store, embedder, since=since, until=until, session=session, moved=moved)

    def _one_at_a_time(self, steps: Iterator[Item]) -> Iterator[Item]:
        while True:
            with self._lock:
                try:
                    step = next(steps)
                except StopIteration:
                    return
            yield step
