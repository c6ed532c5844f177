"""Any server that has Anthropic's Messages API: Anthropic's own, llama.cpp's, Ollama's.

Lengths come from ``/v1/models/ID`` (``max_input_tokens``, ``max_tokens``). With a client's own key
nothing can be asked in advance: models of Claude then have ``CLAUDE_WINDOW``.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any
from urllib.parse import quote

from unabridged.domain.chat import Abilities, ChatRequest, StreamChunk
from unabridged.errors import UpstreamError, UpstreamRefusedError
from unabridged.models.openai import OpenAIServer
from unabridged.models.server_model import ServerModel
from unabridged.net.http import HttpUpstream
from unabridged.wire.anthropic_answer import MessagesStreamAssembler
from unabridged.wire.anthropic_request import body
from unabridged.wire.lenient_json import mappings, number
from unabridged.wire.stream_lines import Events, cut, decode

HOST = "api.anthropic.com"
URL = f"https://{HOST}"
"""The address of Anthropic's own server."""
CLAUDE, CLAUDE_WINDOW = "claude", 200_000
"""The beginning of the names of Anthropic's models, and the least window that all of them have."""


class AnthropicServer(OpenAIServer):
    """A server with Anthropic's Messages API; its list of models is like OpenAI's.

    Args:
        url: Its base address, with ``/v1`` or without; empty for Anthropic's own server.
        key: Its API key; empty for none.
        timeout: Seconds to wait for the beginning of an answer.
    """

    def __init__(self, url: str = "", *, key: str = "", timeout: float = 300.0) -> None:
        base = (url or URL).rstrip("/").removesuffix("/v1")
        self.http = HttpUpstream(
            f"{base}/v1",
            name="The model server",
            key=key,
            timeout=timeout,
            hint="Check that it runs, and the setting anthropic_url.",
            dialect="anthropic",
        )

    def listed(self) -> list[Mapping[str, Any]]:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Return the entries of ``/models``, in their order."""
        return mappings(self.http.get("/models?limit=1000").get("data"))

    def abilities(self, model: str) -> Abilities:  # type: ignore[explicit-override]  # as above
        """Return what a model can do, also if only clients' keys may ask.

        Raises:
            UpstreamError: The server does not answer.
        """
        entry = self._entry(model)
        window = number(entry.get("max_input_tokens"))
        if window is None and not model.startswith(CLAUDE):
            return super().abilities(model)
        return Abilities(
            model=model,
            loaded_window=window or CLAUDE_WINDOW,
            max_output=number(entry.get("max_tokens")),
            tools=True,
            vision=True,
            source="server",
        )

    def _entry(self, model: str) -> Mapping[str, Any]:
        try:
            return self.http.get(f"/models/{quote(model, safe='')}")
        except UpstreamRefusedError:
            return {}  # no such route, or it needs the client's own key


class AnthropicModel(ServerModel):
    """One model of a server with Anthropic's Messages API."""

    dialect = "anthropic"

    def accent(self, body: Mapping[str, Any]) -> dict[str, Any]:
        return dict(body)

    def repair(self, refusal: UpstreamError) -> bool:  # type: ignore[explicit-override]  # noqa: ARG002 - as above
        return False

    def _stream(self, request: ChatRequest) -> Iterator[StreamChunk]:  # type: ignore[explicit-override]  # as above
        assembler = MessagesStreamAssembler()
        wire = body(request, self._model)
        with closing(self._server.http.stream("/messages", wire, request.opened)) as pieces:
            for event in cut(pieces, Events()):
                if (chunk := assembler.feed(decode(event))) is not None:
                    yield chunk
        assembler.end()
