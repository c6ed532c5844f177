"""Reads OpenTelemetry's variables for tracing; without an address nothing is sent.

The variables and their meaning: OpenTelemetry specification, "Environment Variable Specification"
and "OpenTelemetry Protocol Exporter" (https://opentelemetry.io/docs/specs/otel/configuration/).
The SDK itself reads all others (batch sizes, certificates).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import unquote

from unabridged import config
from unabridged.config.validate import is_address
from unabridged.errors import SettingError

PREFIX = "OTEL_"
SERVICE = "unabridged"
SAMPLERS = (
    "always_on",
    "always_off",
    "traceidratio",
    "parentbased_always_on",
    "parentbased_always_off",
    "parentbased_traceidratio",
)


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Where spans go.

    Attributes:
        endpoint: The address for OTLP over HTTP; empty to write spans to standard
            error.
        headers: Headers to send, such as a key.
        service: The name of this program there.
        sampler: One of ``SAMPLERS``.
        ratio: The share of traces that a sampler by ratio keeps, 0 to 1.
    """

    endpoint: str
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    service: str = SERVICE
    sampler: str = "parentbased_always_on"
    ratio: float = 1.0


def telemetry(environ: Mapping[str, str] | None = None) -> Telemetry | None:
    """Read whether and where to send spans; None for not at all.

    Args:
        environ: The environment; None for the process's.

    Raises:
        SettingError: A variable has an invalid value.
    """
    given = config.variables(PREFIX) if environ is None else config.variables(PREFIX, environ)
    said = {name.removeprefix(PREFIX): value.strip() for name, value in given.items()}
    exporter = said.get("TRACES_EXPORTER", "").lower()
    endpoint = _endpoint(said)
    if said.get("SDK_DISABLED", "").lower() == "true" or exporter == "none":
        return None
    if exporter not in {"", "otlp", "console"}:
        raise _wrong("TRACES_EXPORTER", "otlp, console or none")
    if not endpoint and not exporter:
        return None
    if exporter == "console":
        endpoint = ""
    elif not endpoint:
        endpoint = "http://localhost:4318/v1/traces"
    protocol = _of(said, "PROTOCOL") or "http/protobuf"
    if protocol != "http/protobuf":
        raise _wrong("EXPORTER_OTLP_PROTOCOL", "http/protobuf")
    sampler = said.get("TRACES_SAMPLER", "parentbased_always_on").lower()
    if sampler not in SAMPLERS:
        raise _wrong("TRACES_SAMPLER", ", ".join(SAMPLERS))
    return Telemetry(
        endpoint=endpoint,
        headers=MappingProxyType(_pairs(_of(said, "HEADERS"))),
        service=said.get("SERVICE_NAME") or SERVICE,
        sampler=sampler,
        ratio=_ratio(said.get("TRACES_SAMPLER_ARG", "1")),
    )


def _of(said: Mapping[str, str], name: str) -> str:
    # The value for traces, or else for all exports.
    return said.get(f"EXPORTER_OTLP_TRACES_{name}") or said.get(f"EXPORTER_OTLP_{name}", "")


def _endpoint(said: Mapping[str, str]) -> str:
    # Where traces go; the address for everything gets their path, as the specification has it.
    own, common = said.get("EXPORTER_OTLP_TRACES_ENDPOINT"), said.get("EXPORTER_OTLP_ENDPOINT")
    address = own or (f"{common.rstrip('/')}/v1/traces" if common else "")
    if address and not is_address(address):
        raise _wrong("EXPORTER_OTLP_ENDPOINT", "an address such as http://127.0.0.1:4318")
    return address


def _pairs(text: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in text.split(",") if part.strip())
    return {unquote(name.strip()): unquote(value.strip()) for name, _, value in pairs}


def _ratio(text: str) -> float:
    try:
        ratio = float(text)
    except ValueError:
        ratio = -1.0
    if not 0 <= ratio <= 1:
        raise _wrong("TRACES_SAMPLER_ARG", "a number from 0 to 1")
    return ratio


def _wrong(name: str, wanted: str) -> SettingError:
    return SettingError(f"{PREFIX}{name} cannot be used here.", hint=f"It takes {wanted}.")
