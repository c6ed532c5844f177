"""Tracing: spans for requests, their stages and model calls; never content.

Spans and attributes follow OpenTelemetry's semantic conventions for HTTP servers and for generative
AI clients (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/): ``gen_ai.operation.name``,
``gen_ai.provider.name``, ``gen_ai.request.model``, ``gen_ai.usage.input_tokens`` and others. They
contain no message, no header, no name of a user and no id of a session. A caller's ``traceparent``
(https://www.w3.org/TR/trace-context/) is used, so that its trace continues here.

Without the extra ``otel``, or if no ``OTEL_`` variable requests spans (``config.telemetry``), all
of this does nothing and OpenTelemetry is not imported.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, Self

from unabridged.config.opentelemetry import SERVICE, Telemetry
from unabridged.domain.chat import StreamChunk
from unabridged.errors import MissingExtraError

PROVIDERS = {"anthropic": "anthropic", "openai": "openai", "ollama": "ollama", "gguf": "llama_cpp"}
"""Values of ``gen_ai.provider.name``; other providers keep our names."""


class TraceSpan:
    """A span, or nothing without tracing.

    Args:
        span: The span of OpenTelemetry, or None.
    """

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def note(self, attributes: Mapping[str, Any]) -> None:
        """Add attributes; None means unknown."""
        if self._span is not None:
            self._span.set_attributes({k: v for k, v in attributes.items() if v is not None})

    def named(self, name: str) -> None:
        """Rename the span."""
        if self._span is not None:
            self._span.update_name(name)

    def failed(self, kind: str) -> None:
        """Mark the span as failed: the type of the error, not its message."""
        if self._span is not None:
            from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415 - an extra

            self._span.set_attribute("error.type", kind)
            self._span.set_status(Status(StatusCode.ERROR))

    def end(self) -> None:
        """End the span; a second call does nothing."""
        span, self._span = self._span, None
        if span is not None:
            span.end()


class ModelSpan(TraceSpan):
    """The span of a model call."""

    def piece(self, chunk: StreamChunk, seconds: float, *, first: bool) -> None:
        """Add a chunk of the answer.

        Args:
            chunk: The chunk.
            seconds: Since the call.
            first: Whether it is the first.
        """
        if first:
            self.note({"gen_ai.response.time_to_first_chunk": seconds})
        if chunk.done:
            usage = chunk.usage
            self.note(
                {
                    "gen_ai.response.finish_reasons": [chunk.finish] if chunk.finish else None,
                    "gen_ai.usage.input_tokens": usage.prompt if usage else None,
                    "gen_ai.usage.output_tokens": usage.answer if usage else None,
                    "gen_ai.usage.cache_read.input_tokens": usage.cached if usage else None,
                }
            )


class Tracing:
    """Makes spans.

    Args:
        provider: The tracer provider of OpenTelemetry; None disables tracing.
    """

    def __init__(self, provider: Any = None) -> None:
        self._provider = provider
        self._tracer = provider and provider.get_tracer(SERVICE, version("unabridged"))

    @classmethod
    def to(cls, telemetry: Telemetry | None) -> Self:
        """Return a tracing that sends spans where the environment configures.

        Raises:
            MissingExtraError: Spans are configured, and the extra is not installed.
        """
        return cls(_provider(telemetry) if telemetry else None)

    @contextmanager
    def request(self, method: str, traceparent: str) -> Iterator[TraceSpan]:
        """Trace a request, in its caller's trace if it names one."""
        if self._tracer is None:
            yield TraceSpan()
            return
        from opentelemetry.trace import SpanKind  # noqa: PLC0415 - an extra
        from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415 - as above
            TraceContextTextMapPropagator,
        )

        parent = TraceContextTextMapPropagator().extract({"traceparent": traceparent})
        with self._tracer.start_as_current_span(
            method,
            context=parent,
            kind=SpanKind.SERVER,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            yield TraceSpan(span)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Trace a stage of a request."""
        if self._tracer is None:
            yield
            return
        with self._tracer.start_as_current_span(
            name, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield
            except Exception as error:
                TraceSpan(span).failed(type(error).__name__)
                raise

    def asking(self, provider: str, model: str, *, address: str = "", port: int = 0) -> ModelSpan:
        """Start the span of a model call; the caller ends it.

        Address and port are the model server's; empty for a model in this process.
        """
        if self._tracer is None:
            return ModelSpan()
        from opentelemetry.trace import SpanKind  # noqa: PLC0415 - an extra

        span = ModelSpan(self._tracer.start_span(f"chat {model}", kind=SpanKind.CLIENT))
        span.note(
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": PROVIDERS.get(provider, provider),
                "gen_ai.request.model": model,
                "server.address": address or None,
                "server.port": port or None,
            }
        )
        return span

    def close(self) -> None:
        """Send the remaining spans; wait a few seconds at most."""
        if self._provider is not None:
            self._provider.shutdown()


def _provider(telemetry: Telemetry) -> Any:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415 - an extra
            OTLPSpanExporter,
        )
        from opentelemetry.sdk import trace  # noqa: PLC0415 - as above
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - as above
        from opentelemetry.sdk.trace import export, sampling  # noqa: PLC0415 - as above
    except ModuleNotFoundError as error:
        raise MissingExtraError("opentelemetry-sdk", "otel") from error
    inner = {
        "on": sampling.ALWAYS_ON,
        "off": sampling.ALWAYS_OFF,
        "traceidratio": sampling.TraceIdRatioBased(telemetry.ratio),
    }[telemetry.sampler.removeprefix("parentbased_").removeprefix("always_")]
    by_parent = telemetry.sampler.startswith("parentbased_")
    made = {"service.name": telemetry.service, "service.version": version("unabridged")}
    provider = trace.TracerProvider(
        sampler=sampling.ParentBased(inner) if by_parent else inner,
        resource=Resource.create(made),
    )
    exporter: export.SpanExporter = (
        OTLPSpanExporter(endpoint=telemetry.endpoint, headers=dict(telemetry.headers))
        if telemetry.endpoint
        else export.ConsoleSpanExporter(out=_stderr())
    )
    provider.add_span_processor(export.BatchSpanProcessor(exporter))
    return provider


def _stderr() -> Any:
    import sys  # noqa: PLC0415 - standard output is for what the command says

    return sys.stderr
