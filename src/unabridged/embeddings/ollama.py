"""Embeddings of an Ollama server, by ``/api/embed``.

Facts from ollama/ollama v0.33.0-rc2: api/types.go (EmbedRequest, EmbedResponse),
server/routes.go (EmbedHandler: ``truncate: false`` refuses a text longer than the window).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unabridged.embeddings.prompt_prefixes import prompts_of
from unabridged.embeddings.server_embedder import ServedEmbedder
from unabridged.errors import ModelNotFoundError, UpstreamBrokenError, UpstreamRefusedError
from unabridged.net.http import HttpUpstream
from unabridged.wire.lenient_json import mappings, text
from unabridged.wire.ollama import full_name, short_name

if TYPE_CHECKING:
    pass

KEEP_ALIVE = "10m"
"""How long the server keeps the model loaded: conversations pause for more than 5 minutes."""
_DIGEST_SIGNS = 12


class OllamaEmbedder(ServedEmbedder):
    """An embedding model of an Ollama server.

    Args:
        timeout: Seconds to wait for an answer.
    """

    def __init__(self, model: str, url: str, *, timeout: float = 300.0) -> None:
        hint = "Start it with `ollama serve`, or set ollama_url to its address."
        server = HttpUpstream(url, name="Ollama", timeout=timeout, hint=hint)
        super().__init__(server, prompts_of(model), self._ask)
        self._model = full_name(model)
        self._identity = ""

    @property
    def identity(self) -> str:
        """``ollama:``, the model's full name and the start of its digest.

        The server is asked once, since ``ollama pull`` may change the weights of a name.

        Raises:
            UpstreamError: The server does not answer, or does not have the model.
        """
        if not self._identity:
            listed = mappings(self._server.get("/api/tags").get("models"))
            names = {full_name(text(m.get("model")) or text(m.get("name"))): m for m in listed}
            if self._model not in names:
                raise self._missing()
            digest = text(names[self._model].get("digest")).removeprefix("sha256:")
            mark = f"@{digest[:_DIGEST_SIGNS]}" if digest else ""
            self._identity = self._prompts.marked(f"ollama:{self._model}{mark}")
        return self._identity

    def _ask(self, texts: Sequence[str]) -> list[Any]:
        body = {
            "model": self._model,
            "input": list(texts),
            "truncate": False,
            "keep_alive": KEEP_ALIVE,
        }
        try:
            answer = self._server.post("/api/embed", body)
        except UpstreamRefusedError as error:
            if error.status == 404 or "not found" in str(error):
                raise self._missing() from error
            raise
        rows = answer.get("embeddings")
        if not isinstance(rows, list):
            raise UpstreamBrokenError(
                "Ollama's answer contains no embeddings.", hint="Update Ollama to 0.3 or newer."
            )
        return rows

    def _missing(self) -> ModelNotFoundError:
        name = short_name(self._model)
        return ModelNotFoundError(
            f"Ollama does not have the model {name!r}.",
            hint=f"Download it with `ollama pull {name}`, or set embedder to another.",
        )
