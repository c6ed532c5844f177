import subprocess
import sys

import pytest

from unabridged.config.opentelemetry import SAMPLERS, Telemetry, telemetry
from unabridged.errors import MissingExtraError, SettingError
from unabridged.server.trace_spans import Tracing


def test_nothing_is_sent_unless_somebody_says_where():
    assert telemetry({}) is None
    assert telemetry({"OTEL_SERVICE_NAME": "x", "OTEL_EXPORTER_OTLP_HEADERS": "a=b"}) is None
    assert (
        telemetry({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:1"})
        is None
    )
    assert (
        telemetry({"OTEL_SDK_DISABLED": "TRUE", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:1"})
        is None
    )


@pytest.mark.parametrize(
    ("environ", "endpoint"),
    [
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:4318"}, "http://h:4318/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:4318/"}, "http://h:4318/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://h/own"}, "http://h/own"),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, "http://localhost:4318/v1/traces"),
        ({"OTEL_TRACES_EXPORTER": "console"}, ""),
    ],
)
def test_the_standard_variables_say_where(environ, endpoint):
    assert telemetry(environ) == Telemetry(endpoint)


def test_headers_name_and_sampler_come_along():
    found = telemetry(
        {
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:4318",
            "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20k1, x-team=a",
            "OTEL_SERVICE_NAME": "memory",
            "OTEL_TRACES_SAMPLER": "traceidratio",
            "OTEL_TRACES_SAMPLER_ARG": "0.25",
        }
    )
    assert found.headers == {"authorization": "Bearer k1", "x-team": "a"}
    assert (found.service, found.sampler, found.ratio) == ("memory", "traceidratio", 0.25)
    assert "k1" not in repr(found)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OTEL_TRACES_EXPORTER", "zipkin"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ("OTEL_TRACES_SAMPLER", "mine"),
        ("OTEL_TRACES_SAMPLER_ARG", "2"),
    ],
)
def test_what_cannot_be_used_is_told(name, value):
    with pytest.raises(SettingError, match=name.split("_ENDPOINT")[0]) as told:
        telemetry({"OTEL_TRACES_EXPORTER": "otlp", name: value})
    assert told.value.hint


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_every_sampler_can_be_had_and_nothing_is_sent_without_spans(sampler):
    tracing = Tracing.to(Telemetry("http://127.0.0.1:9/v1/traces", sampler=sampler, ratio=0.0))
    kept = tracing._tracer.sampler.should_sample(None, 1 << 63, "x").decision.is_sampled()
    assert kept == sampler.endswith("always_on")
    tracing.close()


def test_without_the_extra_it_is_told_at_the_start_where_spans_are_wanted():
    code = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from unabridged.config.opentelemetry import Telemetry\n"
        "from unabridged.server.trace_spans import Tracing\n"
        "from unabridged.errors import MissingExtraError\n"
        "Tracing.to(None).close()\n"
        "try:\n    Tracing.to(Telemetry('http://h'))\n"
        "except MissingExtraError as error:\n    print(error.hint)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[otel]'" in ran.stdout
    assert issubclass(MissingExtraError, SettingError)
