"""The settings as keyword arguments: what ``Memory.open`` takes."""

from collections.abc import Sequence
from typing import TypedDict

from unabridged.domain.budget import Mode, Verbosity


class SettingsDict(TypedDict, total=False):
    """Any of the settings; ``Settings`` says what each means."""

    profile: str
    store: str
    layout: str
    compression: bool
    auto_save: bool
    custom_filepath: str
    max_turns: int | None
    max_sessions: int | None
    max_bytes: int | None
    key: str
    encrypt: bool
    anchor: str
    user: str
    agent: str
    isolation: Sequence[str]
    model: str
    ollama_url: str
    openai_url: str
    openai_key: str
    gguf: str
    window: int | None
    max_prompt_tokens: int | None
    memory_cap: int | None
    max_output: int | None
    mode: Mode | str
    verbosity: Verbosity | str
    persona: str
    system: str
    tools: Sequence[str]
    tokenizer: str
    model_cache_ttl: float
    timeout: float
    recall: str
    immediate_share: float
    knowledge_share: float
    vivid_share: float
    vivid_around: bool
    summary_share: float
    contextual_share: float
    evidence_floor: float
    condenser: str
    condense_tokens: int
    condense_messages: int
    condense_spared: int
    scheme: str
    judge: str
    facts: str
    requirements: str
    embedder: str
    reranker: str
    listen: str
    hosts: Sequence[str]
    memory_failure: str
    max_body: int
    max_streams: int
    rate: int | None
    log: str
