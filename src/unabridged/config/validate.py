"""The valid values of settings, as data."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from unabridged.domain.budget import Mode, Verbosity
from unabridged.domain.client_history import Fit
from unabridged.domain.scope import ISOLATION_FIELDS, check_name
from unabridged.domain.settings import Settings
from unabridged.errors import SettingError

CHOICES: Mapping[str, tuple[str, ...]] = {
    "store": ("sqlite", "memory"),
    "json_files": ("none", "model", "agent", "user"),
    "upstream": ("auto", "ollama", "openai", "anthropic", "gguf", "quote"),
    "tokenizer": ("auto", "estimate", "tiktoken", "gguf"),
    "mode": tuple(Mode),
    "fit": tuple(Fit),
    "verbosity": tuple(Verbosity),
    "condenser": ("extract", "model", "none"),
    "recall_scope": ("space", "session"),
    "classifier": ("rules", "model"),
    "facts": ("rules", "model", "none"),
    "requirement_patterns": ("none", "narrow", "wide"),
    "on_memory_error": ("refuse", "pass"),
    "require_key": ("auto", "never", "always"),
    "log": ("text", "json", "none"),
    "audit": ("auto", "all", "none"),
}


def _is_name(value: str) -> bool:
    try:
        check_name("name", value)
    except ValueError:
        return False
    return True


def is_address(value: str) -> bool:
    """Return whether a text is the address of a server."""
    try:
        parts = urlsplit(value)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


CHECKS: Mapping[str, tuple[Callable[[Any], object], str]] = {
    "user": (_is_name, "a name of 1 to 200 characters that can be shown"),
    "agent": (_is_name, "a name of 1 to 200 characters that can be shown"),
    "isolation": (
        lambda value: set(value) <= set(ISOLATION_FIELDS),
        f"a list of {', '.join(ISOLATION_FIELDS)}",
    ),
    "ollama_url": (is_address, "an address such as http://127.0.0.1:11434"),
    "openai_url": (
        lambda value: not value or is_address(value),
        "an address such as http://127.0.0.1:8080/v1",
    ),
    "anthropic_url": (
        lambda value: not value or is_address(value),
        "an address such as https://api.anthropic.com",
    ),
    "max_turns": (lambda value: value >= 1, "at least 1 exchange"),
    "max_sessions": (lambda value: value >= 1, "at least 1 session"),
    "max_bytes": (lambda value: value >= 1, "at least 1 byte"),
    "audit_days": (lambda value: value >= 1, "at least 1 day"),
    "backup_verify_every": (lambda value: value >= 1, "at least 1 day"),
    "key": (
        re.compile(r"(?:keyring|file:\S.*|env:[A-Za-z_][A-Za-z0-9_]*)?").fullmatch,
        "keyring, file:PATH or env:NAME",
    ),
    "window": (lambda value: value >= 512, "at least 512 tokens"),
    "window_max": (lambda value: value >= 512, "at least 512 tokens"),
    "max_prompt_tokens": (lambda value: value >= 256, "at least 256 tokens"),
    "max_output": (lambda value: value >= 1, "at least 1 token"),
    "condense_tokens": (lambda value: value >= 1, "at least 1 token"),
    "condense_messages": (lambda value: value >= 0, "0 messages or more"),
    "condense_keep_last": (lambda value: value >= 0, "0 messages or more"),
    "model_cache_ttl": (lambda value: 0 <= value < float("inf"), "0 seconds or more"),
    "timeout": (lambda value: 0 < value < float("inf"), "more than 0 seconds"),
    "embedder": (
        re.compile(r"static|none|(?:ollama|openai|onnx):\S.*").fullmatch,
        "static, none, ollama:MODEL, openai:MODEL, onnx:REPO/NAME or onnx:FOLDER",
    ),
    "reranker": (re.compile(r"none|onnx:\S.*").fullmatch, "none or onnx:FOLDER"),
    "listen": (
        re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[^\s:/\[\]]+):[0-9]{1,5}").fullmatch,
        "an address and a port, such as 127.0.0.1:11435",
    ),
    "max_body": (lambda value: value >= 1024, "at least 1,024 bytes"),
    "max_streams": (lambda value: value >= 1, "at least 1"),
    "threads": (lambda value: value >= 1, "at least 1 thread"),
    "rate_limit": (lambda value: value >= 1, "at least 1 request a minute"),
    "memory_cap": (lambda value: value >= 1, "at least 1 token"),
    **{
        name: (lambda value: 0 <= value <= 1, "a number from 0 to 1")
        for name in (
            "immediate_share",
            "knowledge_share",
            "vivid_share",
            "summary_share",
            "contextual_share",
            "min_relevance",
        )
    },
}

_ROUNDING = 1e-9


def check_together(settings: Settings, sources: Mapping[str, str]) -> None:
    """Check the settings against each other.

    The newest exchanges and facts share one memory. Readable files exist only outside an
    encrypted home.

    Args:
        settings: The settings, each valid alone.
        sources: Sources by name.

    Raises:
        SettingError: They contradict each other.
    """
    if settings.json_path and settings.json_files == "none":
        raise SettingError(
            f"json_path ({sources['json_path']}) names a readable file, and the layout "
            f"is none ({sources['json_files']}).",
            hint="Set layout to model, agent or user; or empty json_path.",
        )
    if settings.encrypt and settings.json_files != "none":
        raise SettingError(
            f"The layout {settings.json_files} ({sources['json_files']}) writes readable files, and the home "
            f"is encrypted ({sources['encrypt']}).",
            hint="Set layout to none. Use `unabridged export` for readable copies.",
        )
    newest, facts = settings.immediate_share, settings.knowledge_share
    if newest + facts <= 1 + _ROUNDING:
        return
    raise SettingError(
        f"immediate_share {newest:g} ({sources['immediate_share']}) and knowledge_share {facts:g} "
        f"({sources['knowledge_share']}) add up to more than 1.",
        hint=f"With immediate_share {newest:g}, set knowledge_share to {1 - newest:g} at most; "
        "the defaults are 0.19 and 0.125.",
    )
