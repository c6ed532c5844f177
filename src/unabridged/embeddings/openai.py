"""Embeddings of any server with OpenAI's ``/embeddings``.

The dialect is OpenAI's API reference: vectors come as lists, or as base64 of little-endian float32
if ``encoding_format`` asks for it and the server supports it.
"""

import base64
import binascii
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unabridged.embeddings.prompt_prefixes import prompts_of
from unabridged.embeddings.server_embedder import ServedEmbedder
from unabridged.errors import ModelNotFoundError, UpstreamBrokenError, UpstreamRefusedError
from unabridged.net.http import HttpUpstream
from unabridged.wire.lenient_json import mappings, number

if TYPE_CHECKING:
    pass


class OpenAIEmbedder(ServedEmbedder):
    """An embedding model of a server with OpenAI's dialect.

    Args:
        url: The server's base address, which usually ends in ``/v1``.
        timeout: Seconds to wait for an answer.
    """

    def __init__(self, model: str, url: str, *, key: str = "", timeout: float = 300.0) -> None:
        hint = "Check that it runs, and the setting openai_url (it usually ends in /v1)."
        server = HttpUpstream(url, name="The embedding server", key=key, timeout=timeout, hint=hint)
        super().__init__(server, prompts_of(model), self._ask)
        self._model = model
        self._format: dict[str, str] = {"encoding_format": "base64"}

    @property
    def identity(self) -> str:
        """``openai:`` and the model's name; the dialect has no more about it."""
        return self._prompts.marked(f"openai:{self._model}")

    def _ask(self, texts: Sequence[str]) -> list[Any]:
        body = {"model": self._model, "input": list(texts)}
        try:
            answer = self._server.post("/embeddings", {**body, **self._format})
        except UpstreamRefusedError as error:
            if self._format and "encoding_format" in str(error):
                self._format = {}  # a server that only supports lists
                return self._ask(texts)
            raise self._explained(error) from error
        rows = mappings(answer.get("data"))
        places = [number(row.get("index")) for row in rows]
        if sorted(place for place in places if place is not None) == list(range(len(rows))):
            rows = sorted(rows, key=lambda row: int(row["index"]))
        return [_vector(row.get("embedding")) for row in rows]

    def _explained(self, error: UpstreamRefusedError) -> UpstreamRefusedError | ModelNotFoundError:
        said = str(error).lower()
        named = "model" in said and ("not found" in said or "does not exist" in said)
        if not named:
            return error
        return ModelNotFoundError(
            f"The server does not have the embedding model {self._model!r}.",
            hint="Set embedder to openai: and a name from the server's /models.",
        )


def _vector(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    import numpy as np  # noqa: PLC0415 - slow to import

    try:
        return np.frombuffer(base64.b64decode(value, validate=True), "<f4")
    except (binascii.Error, ValueError) as error:
        raise UpstreamBrokenError(
            "The server's vectors are neither lists nor base64 of 32-bit numbers.",
            hint="Check that an embedding server runs at the address.",
        ) from error
