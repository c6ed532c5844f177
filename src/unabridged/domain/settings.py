"""Settings: every choice that a person can make, as one frozen value.

``config`` reads them from files, the environment and arguments; everything else only sees this.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypedDict

from unabridged.domain.budget import Mode, Verbosity
from unabridged.domain.scope import DEFAULT_ISOLATION, DEFAULT_NAME


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every choice, with its default.

    Attributes:
        home: The folder under which everything is written; empty for the platform's data folder.
        profile: The named set of settings to start from, or empty for none: ``workspace``,
            ``companion``, ``agent``, ``requirements``, ``story``, or your own.
        store: ``sqlite``, or ``memory`` (nothing is kept).
        json_files: Which readable JSON files follow the store: ``none``, one for each ``model``, one for
            each ``agent`` and session, or one for each ``user``.
        json_compression: Whether readable files are compressed (gzip).
        auto_save: Whether everything is written at once; if not, what was recorded is held as
            *unsaved* until it is saved.
        json_path: The readable file of the space, instead of the one under the home.
        max_turns: The most exchanges of the session that a prompt shows, or None for what fits.
        max_sessions: Sessions that stay active in a space, or None for all; older ones are
            archived: compressed, still searched, never deleted.
        max_bytes: Bytes of content that stay active in a space, or None for all; older sessions
            are archived.
        key: Where the key for digests and encryption is stored: ``keyring``, ``file:PATH``,
            ``env:NAME``, or empty for none.
        encrypt: Whether files are encrypted with that key.
        checkpoint_file: The path of a file outside the home that remembers how far each space has
            come, so that a file restored from an older day is noticed; empty for none.
        audit: What is entered in the audit log, without content: ``auto`` (who reads, exports, shares,
            imports or forgets through the server or MCP; and commands of this account, but those that
            only read), ``all`` (those too) or ``none``.
        audit_days: Days after which entries of the audit log are removed, or None to keep them.
        backup_verify_every: Days within which the server reads each backup of the home whole again,
            or None for never.
        user: The person.
        agent: The assistant.
        isolation: The scope fields that separate spaces.
        upstream: ``auto``, ``ollama``, ``openai``, ``anthropic``, ``gguf`` or ``quote``.
        model: The model's name, or empty for the upstream's choice.
        ollama_url: The address of Ollama.
        openai_url: The base URL of an OpenAI-compatible server, ending in ``/v1``; empty for none.
        openai_key: Its API key; empty for none.
        anthropic_url: The address of a server with Anthropic's Messages API; empty for Anthropic's own.
        anthropic_key: Its API key; empty to pass on the keys of clients.
        gguf: The path of a GGUF file, or empty for the one that ``models get`` fetched.
        window: Tokens that prompt and answer may take, or None to ask the upstream.
        window_max: The most tokens that a window of Ollama grows to where a client's request needs
            more; None for what the model was trained for (32,768 without a GPU).
        max_prompt_tokens: The most tokens of one prompt, or None for the upstream's default
            (16,384; about 2,000 for the embedded model). For a client's request it bounds only what
            memory adds.
        fit: What the server does with a client's request that exceeds the window: ``refuse`` it with
            the error of the client's dialect, ``condense`` its oldest exchanges, or ``auto``: refuse
            in a tool loop and for programs that compact by themselves, else condense.
        memory_cap: The most tokens of a prompt that memory may take, or None for its share of the
            window.
        max_output: The most tokens of an answer, or None to use the room there is.
        mode: ``chat`` or ``tools``.
        verbosity: How long answers may grow.
        persona: Who answers: the path of a text file that is the system prompt, or the name of a
            persona (a built-in one, or ``<home>/config/personas/NAME.txt``, ``.md`` or ``.json``).
        system: The system prompt itself, or empty for the default of the mode.
        tools: Tools to offer: ``file.py``, ``file.py:function`` or ``module:function``.
        tokenizer: ``auto``, ``estimate``, ``tiktoken`` or ``gguf``.
        model_cache_ttl: Seconds for which a server's description of its models is reused.
        timeout: Seconds to wait for a server to begin answering.
        threads: Threads in which an ``AsyncMemory`` works; answers that stream have their own.
        recall_scope: From where a prompt recalls: the whole ``space``, or the ``session`` alone; a person's
            own searches find everything either way.
        immediate_share: 0 to 1: the newest exchanges' share of the memory budget.
        knowledge_share: 0 to 1: the most of the memory budget that facts take.
        vivid_share: 0 to 1: the share of the rest that recall takes when the message asks for details.
        recall_neighbors: Whether a message that asks for details also gets what was said within the
            hour around it, in order, if memory has room.
        summary_share: 0 to 1: the same when the message asks for an overview.
        contextual_share: 0 to 1: the same when the message mentions the past.
        min_relevance: 0 to 1: the lowest relevance at which something is recalled; a message that
            asks for the past gets what reaches 60 % of it.
        condenser: How what does not fit is shortened: ``extract`` (whole sentences of what was
            said), ``model`` (maintenance asks the upstream, and checks it) or ``none`` (it is left out).
        condense_tokens: Tokens of a session above which its oldest exchanges are condensed; the
            memory budget if that is less.
        condense_messages: New messages that are needed for that.
        condense_keep_last: The newest messages of a session, which are never condensed.
        categories: The categories of messages: ``assistant``, ``companion`` or ``story``.
        classifier: Who classifies messages: ``rules``, or ``model`` (the upstream is asked).
        facts: Who draws facts and requirements from what is said: ``rules``, ``model`` (rules and
            the upstream) or ``none``.
        requirement_patterns: Which sentences are taken as requirements: ``none``, ``narrow`` (those about
            a system) or ``wide`` (whatever is asked of a thing, for talk about requirements).
        embedder: What finds by meaning: ``static``, ``none``, ``ollama:MODEL``, ``openai:MODEL``
            (at ``openai_url``), or ``onnx:`` with a fetched model (``REPO/NAME``) or a folder.
        reranker: What compares the best results once more: ``none``, or ``onnx:`` with a folder.
        listen: The address and port of ``unabridged serve``. Beyond this machine it needs keys.
        hosts: Other names by which the server may be called (the Host header).
        off_record: The words with which a message begins that is answered and not stored, in any
            client of the server; several are separated by ``|``, empty for none.
        require_key: Who may chat from this machine while there are no API keys: ``auto`` (programs of
            the account that runs the server, and root; where the system does not tell accounts,
            every program; in containers, nobody), ``never`` (every program) or ``always`` (nobody).
        on_memory_error: What the server does with a request when memory itself fails: ``refuse``
            it, or ``pass`` it through without memory, with a warning.
        max_body: The most bytes of a request to the server.
        max_streams: The most answers that stream at the same time, in the server or an
            ``AsyncMemory``.
        rate_limit: Requests that one key may send in a minute, or None for any number.
        log: How the server writes a line for each request to standard error: ``text``, ``json``
            or ``none``; never what was said.
        models: By a model's name, the settings that differ for that model; from the tables
            ``models`` of the settings file, and no setting itself.
    """

    home: str = ""
    profile: str = ""
    store: str = "sqlite"
    json_files: str = "none"
    json_compression: bool = False
    auto_save: bool = True
    json_path: str = ""
    max_turns: int | None = None
    max_sessions: int | None = None
    max_bytes: int | None = None
    key: str = ""
    encrypt: bool = False
    checkpoint_file: str = ""
    audit: str = "auto"
    audit_days: int | None = 365
    backup_verify_every: int | None = 30
    user: str = DEFAULT_NAME
    agent: str = DEFAULT_NAME
    isolation: tuple[str, ...] = DEFAULT_ISOLATION
    upstream: str = "auto"
    model: str = ""
    ollama_url: str = "http://127.0.0.1:11434"
    openai_url: str = ""
    openai_key: str = ""
    anthropic_url: str = ""
    anthropic_key: str = ""
    gguf: str = ""
    window: int | None = None
    window_max: int | None = None
    max_prompt_tokens: int | None = None
    fit: str = "auto"
    memory_cap: int | None = None
    max_output: int | None = None
    mode: Mode = Mode.CHAT
    verbosity: Verbosity = Verbosity.BALANCED
    persona: str = ""
    system: str = ""
    tools: tuple[str, ...] = ()
    tokenizer: str = "auto"
    model_cache_ttl: float = 3600.0
    timeout: float = 300.0
    threads: int = 8
    recall_scope: str = "space"
    immediate_share: float = 0.19
    knowledge_share: float = 0.125
    vivid_share: float = 0.6
    recall_neighbors: bool = False
    summary_share: float = 0.2
    contextual_share: float = 0.4
    min_relevance: float = 0.25
    condenser: str = "extract"
    condense_tokens: int = 25_000
    condense_messages: int = 20
    condense_keep_last: int = 5
    categories: str = "assistant"
    classifier: str = "rules"
    facts: str = "rules"
    requirement_patterns: str = "none"
    embedder: str = "static"
    reranker: str = "none"
    listen: str = "127.0.0.1:11435"
    hosts: tuple[str, ...] = ()
    off_record: str = "off the record:"
    require_key: str = "auto"
    on_memory_error: str = "refuse"
    max_body: int = 33_554_432
    max_streams: int = 256
    rate_limit: int | None = None
    log: str = "text"
    models: Mapping[str, Mapping[str, Any]] = field(
        default_factory=lambda: MappingProxyType({}), hash=False
    )

    def for_model(self, model: str) -> "Settings":
        """Return the settings for a model: ``llama3`` and ``llama3:latest`` are the same."""
        own = self.models.get(model_key(model)) if self.models else None
        return replace(self, **own) if own else self


def is_off_record(text: str, words: str) -> bool:
    """Return whether a message is not to be stored: it begins with the words of ``off_record``."""
    said = text.lstrip().casefold()
    return any(said.startswith(one.strip().casefold()) for one in words.split("|") if one.strip())


def model_key(model: str) -> str:
    """Return the name under which a model has separate settings."""
    return model.strip().removesuffix(":latest").lower()


class SettingsDict(TypedDict, total=False):
    """The settings as keyword arguments of ``Memory.open``; see ``Settings``."""

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
    audit: str
    audit_days: int | None
    backup_verify_every: int | None
    user: str
    agent: str
    isolation: Sequence[str]
    model: str
    ollama_url: str
    openai_url: str
    openai_key: str
    anthropic_url: str
    anthropic_key: str
    gguf: str
    window: int | None
    window_max: int | None
    max_prompt_tokens: int | None
    fit: str
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
    threads: int
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
    off_record: str
    require_key: str
    on_memory_error: str
    max_body: int
    max_streams: int
    rate_limit: int | None
    log: str
