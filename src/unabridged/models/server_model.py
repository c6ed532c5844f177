"""One model of a server: the common part of Ollama's and OpenAI's dialects."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Protocol

from unabridged.domain.chat import Abilities, Address, ChatRequest, StreamChunk
from unabridged.errors import ContextRefusedError, UpstreamError, UpstreamRefusedError
from unabridged.models.abilities import AbilityCache, look_up
from unabridged.net.http import HttpUpstream


class ModelServer(Protocol):
    """A server that has models."""

    http: HttpUpstream

    def models(self) -> list[str]:
        """Return the names of its models."""
        ...

    def abilities(self, model: str) -> Abilities:
        """Return the server's report on a model's abilities."""
        ...

    def explained(self, error: UpstreamRefusedError, model: str) -> UpstreamError:
        """Return a clearer error if the server does not have the model."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...


class ServerModel(ABC):
    """One model of a server.

    Args:
        cache: The cache of abilities; None asks each time.
    """

    dialect: ClassVar[str]

    def __init__(self, model: str, server: ModelServer, cache: AbilityCache | None = None) -> None:
        self._model = model
        self._server = server
        self._cache = cache
        self._key = f"{self.dialect} {server.http.shown} {model}"

    @property
    def model(self) -> str:
        return self._model

    @property
    def provider(self) -> str:
        return self.dialect

    @property
    def address(self) -> Address:
        http = self._server.http
        return Address(self.dialect, http.url, http.key, http.timeout)

    def models(self) -> list[str]:
        """Return the server's models."""
        return self._server.models()

    def abilities(self) -> Abilities:
        return look_up(
            self._cache, self._key, self._model, lambda: self._server.abilities(self._model)
        )

    def chat(self, request: ChatRequest) -> Iterator[StreamChunk]:
        """Yield the answer in pieces.

        Raises:
            ContextRefusedError: The prompt is too long for the window.
            ModelNotFoundError: The server does not have the model.
            UpstreamError: Any other failure.
        """
        try:
            yield from self._repaired(request)
        except UpstreamRefusedError as error:
            raise self._server.explained(error, self._model) from error
        except ContextRefusedError:
            if self._cache is not None:
                self._cache.forget(self._key)  # the loaded length may have changed
            raise

    def _repaired(self, request: ChatRequest) -> Iterator[StreamChunk]:
        while True:
            try:
                yield from self._stream(request)
            except UpstreamRefusedError as error:
                if not self.repair(error):
                    raise self.understood(error, request.window) from error
            else:
                return

    def understood(self, refusal: UpstreamError, window: int | None) -> UpstreamError:
        """Return what a refusal means; the same error if it means what it says.

        ``window`` is the window of the request in tokens, or None if it set none.
        """
        del window
        return refusal

    @abstractmethod
    def repair(self, refusal: UpstreamError) -> bool:
        """Learn from a refusal; return whether to send the same request again."""

    @abstractmethod
    def _stream(self, request: ChatRequest) -> Iterator[StreamChunk]: ...

    def close(self) -> None:
        self._server.close()
