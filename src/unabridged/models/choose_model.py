"""Which model answers: the setting ``upstream``, or with ``auto`` the best available."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from unabridged.domain.exchange import QUOTING
from unabridged.domain.settings import Settings
from unabridged.errors import (
    MissingExtraError,
    SettingError,
    UnabridgedError,
    UpstreamAwayError,
    UpstreamError,
    UpstreamRefusedError,
)
from unabridged.models import anthropic, gguf, ollama, openai, smollm2
from unabridged.models.abilities import AbilityCache
from unabridged.models.model_list_cache import Listed, ModelListCache
from unabridged.models.quote import MODEL as QUOTE, QuoteModel
from unabridged.models.server_model import ModelServer
from unabridged.models.window import window
from unabridged.ports import ChatModel, Clock
from unabridged.wire.ollama import short_name

UPSTREAMS = ("auto", "ollama", "openai", "anthropic", "gguf", "quote")
PROBE_SECONDS = 3.0
"""How long a server on this machine may take to list its models."""
CHOICE_SECONDS = 300.0
"""How long a list of models is cached to choose one."""
LIST_SECONDS = 15.0
"""How long any other server may take to list its models."""

_BETTER = (
    f"`ollama pull {ollama.SUGGESTED}` with Ollama running, `unabridged models get smollm2`, "
    "or --openai URL"
)


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """The model that answers.

    Attributes:
        note: Which it is, why, and how to get a better one.
    """

    model: ChatModel
    note: str


@dataclass(frozen=True, slots=True)
class Available:
    """What one provider can serve.

    Attributes:
        provider: ``ollama``, ``openai``, ``anthropic``, ``gguf`` or ``quote``.
        models: Names, the most recently used first.
        note: Why there are none, or what else to know.
    """

    provider: str
    models: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class ModelDiagnosis:
    """What ``doctor`` reports of one upstream.

    Attributes:
        provider: ``ollama``, ``openai``, ``anthropic``, ``gguf`` or ``quote``.
        model: The model that would be used, or empty.
        window: Tokens of that model's window, or None.
        origin: The source of the window: see ``window.Window``.
        note: What is wrong or worth knowing, and what to do.
    """

    provider: str
    where: str
    answers: bool
    version: str = ""
    models: tuple[str, ...] = ()
    model: str = ""
    window: int | None = None
    origin: str = ""
    note: str = ""


class Chooser:
    """Builds models from settings.

    Args:
        cache_folder: The home's cache folder; None to keep abilities in memory only.
        quote: Builds the quoting model; None for one that recalls nothing.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        cache_folder: Path | None,
        *,
        quote: Callable[[], QuoteModel] | None = None,
    ) -> None:
        self._settings = settings
        self._cache = cache_folder
        self._quote = quote or (lambda: QuoteModel(lambda _: (), clock))
        self._abilities = AbilityCache(clock, cache_folder, settings.model_cache_ttl)
        self._lists = ModelListCache(clock, cache_folder, settings.model_cache_ttl)

    def choose(self) -> ChosenModel:
        """Return the model that answers.

        Raises:
            SettingError: The setting names no upstream, or lacks what it needs.
            UpstreamError: The configured upstream does not answer or has no model.
        """
        named: dict[str, Callable[[], ChosenModel]] = {
            "auto": self._auto,
            "ollama": self._ollama,
            "openai": self._openai,
            "anthropic": self._anthropic,
            "gguf": self._gguf,
            QUOTING: self._quoting,
        }
        builder = named.get(self._settings.upstream)
        if builder is None:
            raise SettingError(
                f"There is no upstream {self._settings.upstream!r}.",
                hint=f"Use one of: {', '.join(UPSTREAMS)}.",
            )
        return builder()

    def _quoting(self) -> ChosenModel:
        return ChosenModel(self._quote(), "Answers are quotations from memory.")

    def _auto(self) -> ChosenModel:
        if self._settings.openai_url:
            return self._openai()
        if self._settings.anthropic_url:
            return self._anthropic()
        if self._settings.gguf:
            return self._gguf()
        try:
            with closing(self._ollama_server()) as server:
                server.http.check_listening()
            return self._ollama(self._ollama_names())
        except (UpstreamError, MissingExtraError) as error:
            why = f"{error} {error.hint}" if not isinstance(error, UpstreamAwayError) else ""
        if self._file() is not None and gguf.installed():
            chosen = self._gguf()
            better = f"`ollama pull {ollama.SUGGESTED}` with Ollama running, or --openai URL"
            note = f"{chosen.note} It is small. For better answers: {better}."
            return ChosenModel(chosen.model, f"{why} {note}".strip())
        if self._file() is not None:
            from unabridged.installation import install_command  # noqa: PLC0415 - slow, rarely needed

            why = f"{why} The fetched model needs: {install_command('gguf')}".strip()
        note = f"Answers are quotations from memory. For a model's answers: {_BETTER}."
        return ChosenModel(self._quote(), f"{why} {note}".strip())

    def _ollama(self, names: Sequence[str] = ()) -> ChosenModel:
        server = self._ollama_server()
        name = self._settings.model
        if name:
            note = f"Ollama answers with {name}."
        else:
            # A short timeout: a server that hangs must not delay a chat.
            name = (names or self._ollama_names())[0]
            note = f"Ollama answers with {short_name(name)}, its most recently used model."
        return ChosenModel(ollama.OllamaModel(name, server, self._abilities), note)

    def _openai(self) -> ChosenModel:
        server = self._openai_server()
        name = self._settings.model or self._first_of(self._openai_server)
        note = f"The server at {server.http.shown} answers with {name}."
        return ChosenModel(openai.OpenAIModel(name, server, self._abilities), note)

    def _anthropic(self) -> ChosenModel:
        server = self._anthropic_server()
        note = f"The server at {server.http.shown} answers "
        try:
            name = self._settings.model or self._first_of(self._anthropic_server)
            note += f"with {name}."
        except UpstreamRefusedError as error:
            if self._settings.anthropic_key or error.status not in (401, 403):
                raise
            name = anthropic.CLAUDE
            note += "to clients that send their own key; or set anthropic_key."
        return ChosenModel(anthropic.AnthropicModel(name, server, self._abilities), note)

    def _gguf(self) -> ChosenModel:
        path = self._file()
        if path is None:
            raise SettingError(
                "There is no GGUF model yet.",
                hint="Fetch one with `unabridged models get smollm2`, or use your own: --gguf PATH.",
            )
        model = gguf.GgufModel(path, tokens=self._settings.window)
        return ChosenModel(model, f"The embedded model {model.model} answers.")

    def _file(self) -> Path | None:
        if self._settings.gguf:
            return Path(self._settings.gguf).expanduser()
        return None if self._cache is None else smollm2.fetched(self._cache)

    def _ollama_server(self, timeout: float | None = None) -> ollama.OllamaServer:
        seconds = self._settings.timeout if timeout is None else timeout
        return ollama.OllamaServer(self._settings.ollama_url, timeout=seconds)

    def _openai_server(self, timeout: float | None = None) -> openai.OpenAIServer:
        if not self._settings.openai_url:
            raise SettingError(
                "The upstream openai needs an address.",
                hint="Set openai_url, as in http://127.0.0.1:8080/v1.",
            )
        return openai.OpenAIServer(
            self._settings.openai_url,
            key=self._settings.openai_key,
            timeout=self._settings.timeout if timeout is None else timeout,
        )

    def _anthropic_server(self, timeout: float | None = None) -> anthropic.AnthropicServer:
        return anthropic.AnthropicServer(
            self._settings.anthropic_url,
            key=self._settings.anthropic_key,
            timeout=self._settings.timeout if timeout is None else timeout,
        )

    @property
    def _has_anthropic(self) -> bool:
        return bool(self._settings.anthropic_url) or self._settings.upstream == "anthropic"

    # ---- for people: `models` and `doctor` -----------------------------------------------------

    def available(self, *, fresh: bool = False) -> list[Available]:
        """List what every provider can serve; one that does not answer has a note."""
        rows = [self._listed("ollama", lambda: self._ollama_list(fresh=fresh))]
        if self._has_anthropic:
            rows.insert(0, self._listed("anthropic", lambda: self._anthropic_list(fresh=fresh)))
        if self._settings.openai_url:
            rows.insert(0, self._listed("openai", lambda: self._openai_list(fresh=fresh)))
        rows.append(self._listed("gguf", lambda: (self._gguf_names(), "")))
        rows.append(Available(QUOTING, (QUOTE,), "needs no model: quotes from memory"))
        return rows

    def _listed(self, provider: str, names: Callable[[], tuple[Sequence[str], str]]) -> Available:
        try:
            found, note = names()
        except UnabridgedError as error:
            return Available(provider, (), f"{error} {error.hint}".strip())
        return Available(provider, tuple(found), note)

    def _ollama_list(self, *, fresh: bool) -> tuple[Sequence[str], str]:
        names, note = self._remembered(self._ollama_server(PROBE_SECONDS), fresh=fresh)
        if not names:
            raise ollama.no_model()
        return names, note

    def _openai_list(self, *, fresh: bool) -> tuple[Sequence[str], str]:
        return self._remembered(self._openai_server(LIST_SECONDS), fresh=fresh)

    def _anthropic_list(self, *, fresh: bool) -> tuple[Sequence[str], str]:
        return self._remembered(self._anthropic_server(LIST_SECONDS), fresh=fresh)

    def _remembered(self, server: ModelServer, *, fresh: bool) -> tuple[Sequence[str], str]:
        with closing(server):
            listed = self._lists.get(server.http.shown, server.models, fresh=fresh)
        return listed.names, _as_of(listed)

    def _ollama_names(self) -> Sequence[str]:
        with closing(self._ollama_server(PROBE_SECONDS)) as server:
            names = self._lists.recent(server.http.shown, server.models, CHOICE_SECONDS)
        if not names:
            raise ollama.no_model()
        return names

    def _first_of(self, made: Callable[[float], openai.OpenAIServer]) -> str:
        with closing(made(LIST_SECONDS)) as server:
            names = server.models()
        if not names:
            raise openai.no_model(server.http.shown)
        return names[0]

    def _gguf_names(self) -> list[str]:
        chosen = self._gguf()
        chosen.model.close()
        return [chosen.model.model]

    def diagnose(self) -> list[ModelDiagnosis]:
        """Check every upstream: whether it answers, its model, and its actual window."""
        rows = [self._diagnose_openai()] if self._settings.openai_url else []
        rows += [self._diagnose_anthropic()] if self._has_anthropic else []
        return [*rows, self._diagnose_ollama(), self._diagnose_gguf(), _QUOTE_ROW]

    def _diagnose_ollama(self) -> ModelDiagnosis:
        def look() -> ModelDiagnosis:
            version, names = server.version(), tuple(server.models())
            if not names:
                raise ollama.no_model()
            model = ollama.OllamaModel(self._settings.model or names[0], server)
            return self._row(model, server.http.shown, version=version, models=names)

        with closing(self._ollama_server(PROBE_SECONDS)) as server:
            return _looked_at("ollama", server.http.shown, look)

    def _diagnose_openai(self) -> ModelDiagnosis:
        return self._diagnose_listed(self._openai_server(LIST_SECONDS), openai.OpenAIModel)

    def _diagnose_anthropic(self) -> ModelDiagnosis:
        return self._diagnose_listed(self._anthropic_server(LIST_SECONDS), anthropic.AnthropicModel)

    def _diagnose_listed(
        self, server: openai.OpenAIServer, kind: type[openai.OpenAIModel | anthropic.AnthropicModel]
    ) -> ModelDiagnosis:
        def look() -> ModelDiagnosis:
            names = tuple(server.models())
            name = self._settings.model or next(iter(names), "")
            return self._row(kind(name, server), server.http.shown, models=names)

        with closing(server):
            return _looked_at(kind.dialect, server.http.shown, look)

    def _diagnose_gguf(self) -> ModelDiagnosis:
        where = str(self._file() or "")

        def look() -> ModelDiagnosis:
            model = self._gguf().model
            return self._row(model, where, models=(model.model,))

        return _looked_at("gguf", where, look)

    def _row(
        self, model: ChatModel, where: str, *, version: str = "", models: tuple[str, ...] = ()
    ) -> ModelDiagnosis:
        found = window(model.abilities(), setting=self._settings.window)
        return ModelDiagnosis(
            provider=model.provider,
            where=where,
            answers=True,
            version=version,
            models=models,
            model=model.model,
            window=found.tokens,
            origin=found.origin,
            note=found.note,
        )


_QUOTE_ROW = ModelDiagnosis(
    QUOTING, "", answers=True, models=(QUOTE,), model=QUOTE, note="needs no model"
)


def _looked_at(provider: str, where: str, look: Callable[[], ModelDiagnosis]) -> ModelDiagnosis:
    try:
        return look()
    except UnabridgedError as error:
        return ModelDiagnosis(provider, where, answers=False, note=f"{error} {error.hint}".strip())


def choose(
    settings: Settings,
    clock: Clock,
    cache_folder: Path | None,
    *,
    quote: Callable[[], QuoteModel] | None = None,
) -> ChosenModel:
    """Return the model that answers; see ``Chooser``."""
    return Chooser(settings, clock, cache_folder, quote=quote).choose()


def available(
    settings: Settings, clock: Clock, cache_folder: Path | None, *, fresh: bool = False
) -> list[Available]:
    """List what every provider can serve; see ``Chooser.available``."""
    return Chooser(settings, clock, cache_folder).available(fresh=fresh)


def _as_of(listed: Listed) -> str:
    if not listed.cached:
        return ""
    when = f"as listed on {listed.at:%Y-%m-%d at %H:%M}"
    return f"{when}: {listed.trouble}" if listed.trouble else f"{when}; --refresh asks again"


def diagnose(settings: Settings, clock: Clock, cache_folder: Path | None) -> list[ModelDiagnosis]:
    """Check every upstream; see ``Chooser.diagnose``."""
    return Chooser(settings, clock, cache_folder).diagnose()
