"""The settings as keyword arguments: what ``Memory.open`` takes."""

from collections.abc import Sequence
from typing import TypedDict

from unabridged.domain.budget import Mode, Verbosity


class SettingsDict(TypedDict, total=False):
    """Any of the settings; ``Settings`` says what each means."""

    profile: str
    store: str
    json_files: str
    json_compression: bool
    auto_save: bool
    json_path: str
    max_turns: int | None
    max_sessions: int | None
    max_bytes: int | None
    key: str
    encrypt: bool
    checkpoint_file: str
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
    recall_scope: str
    immediate_share: float
    knowledge_share: float
    vivid_share: float
    recall_neighbors: bool
    summary_share: float
    contextual_share: float
    min_relevance: float
    condenser: str
    condense_tokens: int
    condense_messages: int
    condense_keep_last: int
    categories: str
    classifier: str
    facts: str
    requirement_patterns: str
    embedder: str
    reranker: str
    listen: str
    hosts: Sequence[str]
    on_memory_error: str
    max_body: int
    max_streams: int
    rate_limit: int | None
    log: str
