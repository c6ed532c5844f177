"""The metrics of a server for Prometheus; never names, ids or text.

A server has one ``Metrics`` (``service.metrics``) with its own registry, so that two servers in one
process count separately. Every method may be called from any thread.

The format is Prometheus' text exposition format 0.0.4
(https://prometheus.io/docs/instrumenting/exposition_formats/); base units and names follow
https://prometheus.io/docs/practices/naming/.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from unabridged.domain.chat import Usage
from unabridged.domain.context import Context, Tier
from unabridged.server.trace_spans import Tracing

STAGES = ("sync", "prepare", "begin", "first_chunk", "whole", "record")
"""The stages of a request: match the client's history, make the context, store the message, wait
for the upstream's first chunk, wait for its last, store the answer."""
FORMAT = CONTENT_TYPE_LATEST
"""The content type of ``Metrics.text``."""

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1)
_COUNTS = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89)
_TOKENS = (0, 64, 256, 1024, 4096, 16_384, 65_536, 262_144)


class Metrics:
    """The metrics of one server; the tracing makes a span of each stage too."""

    def __init__(self, tracing: Tracing | None = None) -> None:
        self._tracing = tracing or Tracing()
        self.registry = own = CollectorRegistry(auto_describe=True)
        ProcessCollector(registry=own)
        self._stages = Histogram(
            "unabridged_stage_seconds", "Duration of each stage.", ["stage"],
            registry=own, buckets=_SECONDS,
        )  # fmt: skip
        for name in STAGES:
            self._stages.labels(name)
        self._requests = Histogram(
            "unabridged_request_seconds", "Duration of requests, to their last byte.",
            ["method", "route", "status"], registry=own, buckets=_SECONDS,
        )  # fmt: skip
        self._open = Gauge("unabridged_requests_open", "Requests being answered.", registry=own)
        self._streams = Gauge("unabridged_streams_open", "Answers being streamed.", registry=own)
        self._parts = Counter(
            "unabridged_context_tokens", "Planned tokens of contexts, by part of the prompt.",
            ["part"], registry=own,
        )  # fmt: skip
        self._usage = Counter(
            "unabridged_upstream_tokens", "Tokens as the upstream reported them.",
            ["kind"], registry=own,
        )  # fmt: skip
        self._reuse = Histogram(
            "unabridged_prefix_reuse_ratio", "Share of a prompt that equals the previous prompt.",
            registry=own, buckets=_SHARES,
        )  # fmt: skip
        self._recalled = Histogram(
            "unabridged_recalled_items", "Exchanges and condensations recalled for a message.",
            registry=own, buckets=_COUNTS,
        )  # fmt: skip
        self._recalled_tokens = Histogram(
            "unabridged_recalled_tokens", "Tokens recalled for a message.",
            registry=own, buckets=_TOKENS,
        )  # fmt: skip
        self._failures = Counter(
            "unabridged_memory_failures", "Requests for which memory failed, by the error's type.",
            ["kind"], registry=own,
        )  # fmt: skip
        self._queue = Gauge(
            "unabridged_background_queue", "Spaces that wait for background work.",
            registry=own,
        )  # fmt: skip
        self._slices = Counter(
            "unabridged_background_slices", "Slices of background work, by outcome.",
            ["outcome"], registry=own,
        )  # fmt: skip
        self._dropped = Counter(
            "unabridged_background_dropped", "Spaces that were not queued because the queue was full.",
            registry=own,
        )  # fmt: skip
        self._spaces = Gauge("unabridged_spaces_open", "Open memories.", registry=own)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure one of ``STAGES``, even if it fails."""
        began = perf_counter()
        try:
            with self._tracing.stage(name):
                yield
        finally:
            self.took(name, perf_counter() - began)

    def took(self, stage: str, seconds: float) -> None:
        """Count one of ``STAGES`` that was measured elsewhere."""
        if stage not in STAGES:
            raise ValueError(f"unknown stage {stage!r}; there are {', '.join(STAGES)}")
        self._stages.labels(stage).observe(seconds)

    def context(self, context: Context) -> None:
        """Count a sent context: tokens by tier, prefix reuse, recalled items."""
        ledger = context.ledger
        for part, tokens in ledger.parts.items():
            self._parts.labels(part).inc(tokens)
        if ledger.prefix_reuse is not None:
            self._reuse.observe(ledger.prefix_reuse)
        kept = ledger.kept(Tier.SEMANTIC)
        self._recalled.observe(len(kept))
        self._recalled_tokens.observe(sum(row.tokens for row in kept))

    def usage(self, usage: Usage) -> None:
        """Count the tokens that the upstream reports."""
        told = {"prompt": usage.prompt, "answer": usage.answer, "cached": usage.cached}
        for kind, tokens in told.items():
            if tokens is not None:
                self._usage.labels(kind).inc(tokens)

    def memory_failed(self, error: Exception) -> None:
        """Count a request for which memory failed."""
        self._failures.labels(type(error).__name__).inc()

    @contextmanager
    def request(self) -> Iterator[None]:
        """Count a request as open."""
        with self._open.track_inprogress():
            yield

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that ended.

        Args:
            method: Its method; unusual ones count as ``other``.
            route: The route's template, never the requested path.
            status: The HTTP status.
            seconds: From its first byte to the answer's last.
        """
        self._requests.labels(method_of(method), route, str(status)).observe(seconds)

    @contextmanager
    def stream(self) -> Iterator[None]:
        """Count an answer as being streamed."""
        with self._streams.track_inprogress():
            yield

    def sliced(self, outcome: str) -> None:
        """Count a slice of background work: ``done``, ``more`` or ``failed``."""
        self._slices.labels(outcome).inc()

    def dropped(self) -> None:
        """Count a space that did not fit into the queue; its due work is found again."""
        self._dropped.inc()

    def watch(self, *, queue: Callable[[], int], spaces: Callable[[], int]) -> None:
        """Set the sources of values that are read only when the metrics are."""
        self._queue.set_function(queue)
        self._spaces.set_function(spaces)

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self.registry)


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def method_of(method: str) -> str:
    """Return a request's method; ``other`` if unknown, since it may contain anything."""
    return method if method in _METHODS else "other"
