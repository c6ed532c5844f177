"""A GGUF model in this process, through ``xllamacpp`` (llama.cpp's server as a library).

The file's own chat template, tokenizer and trained length are used. The library also listens on
a port of this machine; it is bound to the loopback and locked with a key made for this process.
"""

import importlib
import importlib.util
import queue
import secrets
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unabridged.domain.chat import Abilities, ChatRequest, StreamChunk
from unabridged.errors import MissingExtraError, UpstreamRefusedError
from unabridged.models.gguf_header import read_header
from unabridged.models.window import window
from unabridged.net.llama_cpp import start_server
from unabridged.wire import openai as wire

BATCH = 256
"""Tokens read at once; a stop takes effect between two batches."""


def installed() -> bool:
    """Return whether the extra is installed, without loading it."""
    return importlib.util.find_spec("xllamacpp") is not None


class GgufModel:
    """A model file, loaded on its first request.

    Args:
        tokens: The window to load it with, in tokens, or None for the window rule.

    Raises:
        SettingError: The file is missing or not GGUF.
        MissingExtraError: ``xllamacpp`` is not installed.
    """

    def __init__(self, path: Path, *, tokens: int | None = None) -> None:
        self._path = path
        self._header = read_header(path)
        if not installed():
            raise MissingExtraError("xllamacpp", "gguf")
        self._setting = tokens
        self._loaded: int | None = None
        self._server: Any = None
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        return self._path.stem

    @property
    def provider(self) -> str:
        return "gguf"

    @property
    def path(self) -> Path:
        """The model file, for its tokenizer."""
        return self._path

    def abilities(self) -> Abilities:
        return Abilities(
            model=self.model,
            trained_window=self._header.trained_window,
            loaded_window=self._loaded,
            tools=self._header.tools,
            vision=False,
            source="server",
            family=self._header.family,
        )

    def chat(self, request: ChatRequest) -> Iterator[StreamChunk]:
        """Yield the answer in pieces.

        Raises:
            ContextRefusedError: The prompt is longer than the window.
            UpstreamError: The model could not be loaded, or failed.
        """
        server = self._load(request.window)
        events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        stop = threading.Event()

        def take(event: Any) -> bool:
            events.put(event)
            return stop.is_set()

        def run() -> None:
            # Progress events allow a stop while the prompt is read.
            body = wire.body(request, self.model) | {"return_progress": True}
            try:
                server.handle_chat_completions(body, take)
            except RuntimeError as error:
                events.put({"error": {"message": str(error)}})
            finally:
                events.put(None)

        worker = threading.Thread(target=run, name="gguf", daemon=True)
        assembler = wire.OpenAIStreamAssembler()
        worker.start()
        try:
            while (event := events.get()) is not None:
                if (chunk := assembler.feed(event)) is not None:
                    yield chunk
        finally:
            stop.set()
            worker.join()
        yield assembler.end()

    def close(self) -> None:
        with self._lock:
            self._server, self._loaded = None, None

    def _load(self, asked: int | None) -> Any:
        with self._lock:
            tokens = window(self.abilities(), client=asked, setting=self._setting).tokens
            if self._server is None or (asked or 0) > (self._loaded or 0):
                self._server = None
                self._server = self._start(tokens)
                self._loaded = tokens
            return self._server

    def _start(self, tokens: int) -> Any:
        xllamacpp = importlib.import_module("xllamacpp")  # an extra of 100 MB, without types
        params = xllamacpp.CommonParams()
        params.model.path = str(self._path)
        params.n_ctx = tokens
        params.n_parallel = 1
        params.n_batch = BATCH
        params.api_keys = [secrets.token_urlsafe(24)]
        params.verbosity = -1
        try:
            return start_server(params)
        except (RuntimeError, ValueError, MemoryError) as error:
            raise UpstreamRefusedError(
                f"{self._path.name} could not be loaded: {error}",
                hint="Lower the setting window, or choose another file.",
            ) from error
