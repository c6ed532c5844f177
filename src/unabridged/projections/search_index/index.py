"""The search index of a space: follows the log before each search, writes files later.

Parts that are missing, damaged, or of another generation of the space are rebuilt from the log. A
file contains an erased exchange until the next one is written.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from threading import RLock

from unabridged.domain.changes import Changes, Written
from unabridged.domain.exchange import Exchange
from unabridged.domain.index_query import EmbedderInUse, IndexHits, IndexQuery
from unabridged.errors import StoreDamagedError, StoreError, UpstreamError
from unabridged.index.clusters import ClusterCentroids, pack_centres, unpack_centres
from unabridged.index.query import search
from unabridged.ports import Store, SupportsVectors
from unabridged.projections.search_index.analysis_process import AnalysisProcess
from unabridged.projections.search_index.apply import PAGE, IndexWriter
from unabridged.projections.search_index.damaged_arrays import T, with_sound_files
from unabridged.projections.search_index.flush import SegmentWriter, is_due
from unabridged.projections.search_index.index_manifest import ListedSegment, Manifest
from unabridged.projections.search_index.snapshot import IndexSnapshot
from unabridged.projections.search_index.storage import MemoryStorage, SegmentStorage
from unabridged.retrieval.analyze import Analyzer

SAVED_EXCHANGES = 32
"""Exchanges in the buffer from which closing writes them, so that opening need not analyse them."""
SAVED_CHARACTERS = 65_536
"""Characters in the buffer from which closing writes it too."""
BULK_EXCHANGES = 4096
"""Exchanges in one segment if many are new."""
LOCK_SECONDS = 30.0
"""Seconds to wait for the files while another process writes them."""
HURRY_SECONDS = 0.1
"""The same while a caller waits for a search; the rest is written later."""
SMALL = 65_536
"""The most vectors that are merged while a caller waits for a search."""
ATTEMPTS = 5
"""Attempts to follow the log again after another process's files were loaded."""
BUILDING = -1
"""The revision of an incomplete index."""


class SearchIndex:
    """Implements ``ports.Projection`` and ``ports.SearchIndexPort``. Thread-safe.

    Args:
        store: The log.
        analyzer: Analyses exchanges and questions; None analyses words only.
        storage: Stores segments; None keeps them in memory until closing.
        helper: A second process that analyses imported texts; None for none.
    """

    def __init__(
        self,
        store: Store,
        analyzer: Analyzer | None = None,
        storage: SegmentStorage | None = None,
        helper: AnalysisProcess | None = None,
    ) -> None:
        self._store = store
        self._storage = storage or MemoryStorage()
        self._writer = IndexWriter(store, analyzer or Analyzer(), helper)
        self._lock = RLock()
        self._snapshot = IndexSnapshot()
        self._revision: int | None = None
        self._serial = ""
        self._generation = ""
        self._erased: dict[str, None] = {}
        self._damage: list[str] = []

    def embedded_by(self) -> str | None:
        if not isinstance(self._store, SupportsVectors):
            return None
        with self._lock:
            self._sound(self._catch_up)
            embedder = self._snapshot.embedder
            return "" if embedder is None or self._snapshot.is_empty else embedder.identity

    def search(self, query: IndexQuery) -> IndexHits:
        return self._sound(partial(self._search, query))

    def _search(self, query: IndexQuery) -> IndexHits:
        with self._lock:
            self._catch_up(embed=query.vector is not None)
            if not self._is_comparable(query):
                query = replace(query, vector=None)
            snapshot = self._snapshot  # another one may replace it during the search
            scene, buffer = snapshot.begin_search()
        try:
            return search(scene, query)
        finally:
            with self._lock:
                snapshot.end_search(buffer)

    def analyze_with(self, analyzer: Analyzer) -> None:
        """Change the embedder."""
        with self._lock:
            self._writer.analyzer = analyzer

    def _is_comparable(self, query: IndexQuery) -> bool:
        held, embedder = self._snapshot.embedder, self._writer.analyzer.embedder
        if query.vector is None or held is None or len(query.vector) != held.dimension:
            return False
        return embedder is None or not embedder.instant or embedder.identity == held.identity

    def follow(self, written: Written | None = None) -> None:
        with self._lock:
            self._sound(partial(self._catch_up, most=None, written=written))

    def expect(self, exchanges: Sequence[Exchange]) -> None:
        self._writer.expect(exchanges)

    def expect_no_more(self) -> None:
        self._writer.expect_no_more()

    def erase(self, ids: Iterable[str]) -> None:
        with self._lock:
            self._erased |= dict.fromkeys(ids)
            self._sound(self._catch_up)
            self._sound(self._cut_out)
            if not self._storage.is_empty():
                with self._storage.locked(LOCK_SECONDS):
                    manifest = self._storage.read_manifest()
                    if manifest is None or manifest.serial == self._serial:
                        # Leftovers of a killed process.
                        self._storage.keep_only(self._snapshot.segments)
            self._catch_up()

    def check(self) -> list[str]:
        with self._lock:
            if self._revision is None:
                self._open()
            damage, self._damage = self._damage or self._damaged_files(), []
            if damage:
                return damage
            for _ in range(ATTEMPTS):
                self._catch_up()
                everything = self._store.changes(None)
                if everything.revision == self._revision:  # else others write in the meantime
                    return self._snapshot.differences(everything)
            return []

    def _sound(self, work: Callable[[], T]) -> T:
        return with_sound_files(
            work, lambda: self._storage.verify(self._snapshot.segments), self.rebuild
        )

    def _damaged_files(self) -> list[str]:
        while damage := self._storage.verify(self._snapshot.segments):
            manifest = self._storage.read_manifest()
            if manifest is None or manifest.serial == self._serial:
                return damage
            # Another process replaced files in between, or is rebuilding all of them.
            if not self._fits(manifest):
                return []
            try:
                self._adopt(manifest)
            except StoreDamagedError as error:
                now = self._storage.read_manifest()
                if now is None or now.serial == manifest.serial:
                    return [str(error)]
        return []

    def rebuild(self) -> None:
        with self._lock:
            with self._storage.locked(LOCK_SECONDS):
                self._begin(None)
                self._damage = []
                self._commit(SegmentWriter(self._snapshot, self._storage))
            self._catch_up(most=None)
            self._flush(None)

    def close(self) -> None:
        with self._lock:
            buffer = self._snapshot.buffer
            large = len(buffer) >= SAVED_EXCHANGES or buffer.characters >= SAVED_CHARACTERS
            if self._revision is not None and large:
                self._sound(partial(self._flush, SMALL))
            self._begin(None)

    def _catch_up(
        self, *, embed: bool = False, most: int | None = SMALL, written: Written | None = None
    ) -> None:
        if self._revision is None:
            self._open()
        for _ in range(ATTEMPTS):
            changes = self._store.changes(self._revision)
            if changes.revision != self._revision or changes.full:
                self._follow(changes, written, embed=embed, most=most)
            elif self._snapshot.bare and self._can_embed(embed=embed):
                self._put_again(self._snapshot.names_at(self._snapshot.bare), embed=embed)
                return
            elif embed and self._snapshot.embedder is None and self._embedder(embed=True):
                self._follow(self._store.changes(None), None, embed=embed, most=most)
            else:
                return

    def _open(self) -> None:
        self._generation = self._store.generation
        serial = ""
        # Another process may have replaced a file in between: then the manifest differs.
        while (manifest := self._storage.read_manifest()) and manifest.serial != serial:
            self._damage = []
            if not self._fits(manifest):
                break
            serial = manifest.serial
            try:
                self._adopt(manifest)
            except StoreDamagedError as error:
                self._damage = [str(error)]
            else:
                return
        self._begin(None)

    def _fits(self, manifest: Manifest) -> bool:
        return (
            manifest.generation == self._generation
            and BUILDING < manifest.revision <= self._store.last_revision()
        )

    def _adopt(self, manifest: Manifest) -> None:
        held = None
        if manifest.embedder:
            held = EmbedderInUse(manifest.embedder, manifest.dimension, manifest.stored)
        made = IndexSnapshot(held, self._centroids(held))
        known = self._snapshot.segments
        segments = {
            one.name: known.get(one.name) or self._storage.load(one.name)
            for one in manifest.segments
        }
        removed = {one.name: set(one.removed) for one in manifest.segments}
        made.take(segments, removed, made.centroids)
        made.bare = set(manifest.bare)
        listed = "" if made.centroids is None else made.centroids.identity
        if any(one.passages and one.centres != listed for one in segments.values()):
            raise StoreDamagedError(
                "The clusters of the index differ from those in the log.",
                hint="It is rebuilt from the log.",
            )
        self._snapshot, self._serial, self._revision = made, manifest.serial, manifest.revision

    def _begin(self, embedder: EmbedderInUse | None) -> None:
        self._snapshot = IndexSnapshot(embedder, self._centroids(embedder))
        self._revision = None

    def _follow(
        self, changes: Changes, written: Written | None, *, embed: bool, most: int | None
    ) -> None:
        embedder = self._embedder(embed=embed)
        if changes.full or embedder != self._snapshot.embedder:
            if not changes.full:
                changes = self._store.changes(None)
            self._begin(embedder)
        else:
            self._erased |= dict.fromkeys(changes.erased)
            for name in changes.erased:
                self._snapshot.remove(name)
        numbers = dict(zip(changes.written, changes.numbers, strict=True))
        given = written.exchanges if written and written.revision == changes.revision else {}
        flushed = self._put_all(numbers, given, embed=embed)
        self._revision = changes.revision
        moved = self._store.get(changes.moved) if changes.moved else {}
        self._snapshot.move({name: exchange.parent for name, exchange in moved.items()})
        self._put_again(changes.embedded, embed=embed)
        if self._snapshot.bare and self._can_embed(embed=embed):
            self._put_again(self._snapshot.names_at(self._snapshot.bare), embed=embed)
        with suppress(StoreError):  # erased entries are not found; erasing itself reports errors
            self._cut_out()
        if flushed or is_due(self._snapshot.buffer, embedder):
            self._flush(None if len(numbers) > PAGE else most)

    def _put_all(
        self, numbers: Mapping[str, int], given: Mapping[str, Exchange], *, embed: bool
    ) -> bool:
        snapshot = self._snapshot
        order = sorted(numbers, key=lambda name: numbers[name])
        past_buffer = len(order) > PAGE
        snapshot.bulk = {} if past_buffer else None
        try:
            for start in range(0, len(order), PAGE):
                page = {name: numbers[name] for name in order[start : start + PAGE]}
                self._writer.put(snapshot, page, given, embed=embed)
                if snapshot.bulk and len(snapshot.bulk) >= BULK_EXCHANGES:
                    self._flush_bulk()
                    snapshot.bulk = {}
            if past_buffer:
                self._flush_bulk()
        finally:
            snapshot.bulk = None
        return past_buffer

    def _put_again(self, names: Iterable[str], *, embed: bool) -> None:
        find = self._snapshot.find
        numbers = {name: known[0] for name in names if (known := find(name)) is not None}
        if self._put_all(numbers, {}, embed=embed):
            self._flush(None)

    def _can_embed(self, *, embed: bool) -> bool:
        held = self._snapshot.embedder
        if held is None or held.stored:
            return False
        return self._writer.makes(held) or (embed and not isinstance(self._store, SupportsVectors))

    def _embedder(self, *, embed: bool) -> EmbedderInUse | None:
        made = self._writer.analyzer.embedder
        if not isinstance(self._store, SupportsVectors):
            held = self._snapshot.embedder
            if made is None or (held is None and not (embed or made.instant)):
                return None
            try:
                return EmbedderInUse(made.identity, made.dimension, stored=False)
            except UpstreamError:
                return held
        kept = self._store.embedder_in_use()
        if kept is None and made is not None and made.instant:
            with suppress(StoreError):  # a read-only space is searched by words
                self._store.begin_vectors(made.identity, made.dimension)
            kept = self._store.embedder_in_use()
        return kept

    def _centroids(self, embedder: EmbedderInUse | None) -> ClusterCentroids | None:
        if embedder is None or not isinstance(self._store, SupportsVectors):
            return None
        data = self._store.centroids(embedder.identity)
        return None if data is None else unpack_centres(data, embedder.dimension)

    def _flush(self, most: int | None) -> None:
        # Entries that cannot be written (full disk, read-only folder) stay in the buffer.
        wait = LOCK_SECONDS if most is None else HURRY_SECONDS
        with suppress(StoreError), self._storage.locked(wait):
            if not self._take_other():
                writer = SegmentWriter(self._snapshot, self._storage)
                writer.flush(self._snapshot)
                writer.merge(most)
                if most is None and isinstance(self._store, SupportsVectors):
                    self._cluster(writer, self._store)
                self._commit(writer)

    def _cluster(self, writer: SegmentWriter, keeper: SupportsVectors) -> None:
        embedder = self._snapshot.embedder
        made = writer.train()
        if made is not None and embedder is not None:
            keeper.put_centroids(embedder.identity, pack_centres(made))
            writer.list_by(made)

    def _flush_bulk(self) -> None:
        snapshot = self._snapshot
        entries = list((snapshot.bulk or {}).values())
        try:
            with self._storage.locked(LOCK_SECONDS):
                writer = SegmentWriter(snapshot, self._storage)
                writer.flush(snapshot)
            snapshot.take(writer.segments, writer.removed, writer.centroids)
        except StoreError:
            snapshot.bulk = None
            for entry in entries:
                snapshot.put(entry)

    def _cut_out(self) -> None:
        if self._erased and not self._storage.is_empty():
            there = self._store.get(self._erased)
            gone = [name for name in self._erased if name not in there]
            with self._storage.locked(LOCK_SECONDS):
                self._take_other()
                writer = SegmentWriter(self._snapshot, self._storage)
                if writer.holds(gone):
                    writer.cut_out(gone)
                    writer.flush(self._snapshot)
                    self._commit(writer)
        self._erased = {}

    def _take_other(self) -> bool:
        manifest = self._storage.read_manifest()
        if manifest is None or manifest.serial == self._serial or not self._fits(manifest):
            return False
        with suppress(StoreDamagedError):
            self._adopt(manifest)
            return True
        return False

    def _commit(self, writer: SegmentWriter) -> None:
        embedder = self._snapshot.embedder
        manifest = Manifest(
            serial=secrets.token_hex(8),
            generation=self._generation or self._store.generation,
            revision=BUILDING if self._revision is None else self._revision,
            embedder=embedder.identity if embedder else "",
            dimension=embedder.dimension if embedder else 0,
            stored=embedder.stored if embedder else False,
            segments=tuple(
                ListedSegment(name, tuple(sorted(removed)))
                for name, removed in writer.removed.items()
            ),
            bare=tuple(sorted(self._snapshot.bare)),
        )
        self._storage.write_manifest(manifest)
        self._serial = manifest.serial
        self._snapshot.take(writer.segments, writer.removed, writer.centroids)
        self._storage.keep_only(writer.segments)
