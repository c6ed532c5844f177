"""Answers from inside this process: of a model, or ready beforehand."""

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from unabridged.domain.chat import ChatRequest, StreamChunk
from unabridged.errors import UnabridgedError
from unabridged.ports import ChatModel
from unabridged.server.stream_parser import StreamPiece

_HELD = 64
"""The most chunks of a local model that wait for the client."""


class InnerAnswer:
    """An answer of a model inside this process, which runs in a thread."""

    def __init__(self, model: ChatModel, request: ChatRequest) -> None:
        self._loop = asyncio.get_running_loop()
        self._arrived: asyncio.Queue[StreamChunk | UnabridgedError | None] = asyncio.Queue()
        self._room: queue.Queue[None] = queue.Queue(_HELD)
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(model, request), name="asking", daemon=True
        )
        self._thread.start()

    @property
    def headers(self) -> Mapping[str, str]:
        """Return None: nothing came over HTTP."""
        return {}

    async def pieces(self) -> AsyncIterator[Sequence[StreamPiece]]:
        """Yield the answer as it arrives."""
        while (said := await self._arrived.get()) is not None:
            if isinstance(said, UnabridgedError):
                raise said
            self._room.get_nowait()
            yield [StreamPiece(b"", said, last=said.done)]

    async def close(self) -> None:
        """Stop the model if the answer is not complete."""
        self._stop.set()
        await asyncio.to_thread(self._thread.join)

    def _run(self, model: ChatModel, request: ChatRequest) -> None:
        try:
            with closing(_closable(model.chat(request))) as chunks:
                for chunk in chunks:
                    if not self._wait():
                        return
                    self._tell(chunk)
        except UnabridgedError as error:
            self._tell(error)
        finally:
            self._tell(None)

    def _wait(self) -> bool:
        while not self._stop.is_set():
            try:
                self._room.put(None, timeout=0.2)
            except queue.Full:
                continue
            return True
        return False

    def _tell(self, said: StreamChunk | UnabridgedError | None) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._arrived.put_nowait, said)


def _closable(chunks: Iterator[StreamChunk]) -> Any:
    return chunks


class SaidAnswer:
    """An answer that is complete already; its last chunk has ``done``."""

    def __init__(self, chunks: list[StreamChunk]) -> None:
        self._chunks = chunks

    @property
    def headers(self) -> Mapping[str, str]:
        """Return None: nothing came over HTTP."""
        return {}

    async def pieces(self) -> AsyncIterator[Sequence[StreamPiece]]:
        """Yield the answer."""
        for chunk in self._chunks:
            yield [StreamPiece(b"", chunk, last=chunk.done)]

    async def close(self) -> None:
        """Do nothing."""
