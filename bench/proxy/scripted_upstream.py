"""The scripted upstream: a model server of both dialects that does what a message asks, and no more.

It speaks HTTP/1.1 over bare sockets, so that the processor is left to what is measured. The forms
of its answers are those of ``unabridged.testing.ollama_server`` and ``unabridged.testing.openai_server``.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

from bench.proxy.stream_script import asked, stamp, word

AT = "2026-01-01T00:00:00Z"
MODEL = "bench"
WINDOW = 16_384
BREATH = 8
"""Chunks after which one that goes as fast as it can lets others go."""
_SHOWN = {
    "capabilities": ["completion", "tools"],
    "details": {"family": "bench", "parameter_size": "1B", "quantization_level": "Q8_0"},
    "model_info": {"general.architecture": "bench", "bench.context_length": WINDOW},
    "modified_at": AT,
}
_TAG = {"name": MODEL, "model": MODEL, "modified_at": AT, "size": 1, "digest": "0" * 64,
        "details": _SHOWN["details"]}  # fmt: skip
_FIXED: dict[str, Any] = {
    "/api/version": {"version": "0.12.0"},
    "/api/tags": {"models": [_TAG]},
    "/api/ps": {"models": []},
    "/api/show": _SHOWN,
    "/v1/models": {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 1}]},
}


class ScriptedOllama:
    """Says an answer in lines of JSON."""

    kind = "application/x-ndjson"

    def __init__(self, body: bytes) -> None:
        self.stream = b'"stream":false' not in body.replace(b": ", b":")
        self._size = len(body)

    def chunk(self, text: str) -> bytes:
        """One chunk."""
        return self._line(
            {"message": {"role": "assistant", "content": text}, "done": False}, stamp()
        )

    def call(self) -> bytes:
        """A chunk that calls a tool."""
        call = {"function": {"name": "look_up", "arguments": {"word": "tulip"}}}
        said = {"role": "assistant", "content": "", "tool_calls": [call]}
        return self._line({"message": said, "done": False})

    def end(self, chunks: int, *, called: bool) -> bytes:
        """The last chunk."""
        del called
        return self._line(self._done("", chunks))

    def whole(self, text: str, chunks: int, *, called: bool) -> bytes:
        """An answer in one piece."""
        done = self._done(text, chunks)
        if called:
            done["message"] = json.loads(self.call())["message"]
        return self._line(done)

    def _done(self, text: str, chunks: int) -> dict[str, Any]:
        said = {"role": "assistant", "content": text}
        return {"message": said, "done": True, "done_reason": "stop",
                "prompt_eval_count": self._size // 4, "eval_count": chunks}  # fmt: skip

    def _line(self, said: dict[str, Any], at: str = AT) -> bytes:
        return json.dumps({"model": MODEL, "created_at": at, **said}).encode() + b"\n"


class ScriptedOpenAI:
    """Says an answer in server-sent events."""

    kind = "text/event-stream"

    def __init__(self, body: bytes) -> None:
        close = body.replace(b": ", b":")
        self.stream = b'"stream":true' in close
        self._usage = b'"include_usage":true' in close
        self._size = len(body)

    def chunk(self, text: str) -> bytes:
        """One event."""
        return self._event({"content": text}, at=stamp())

    def call(self) -> bytes:
        """An event that calls a tool."""
        return self._event({"tool_calls": [{"index": 0, **self._called()}]})

    def end(self, chunks: int, *, called: bool) -> bytes:
        """The last events."""
        said = self._event({}, "tool_calls" if called else "stop")
        if self._usage:
            usage = {**self._head(), "choices": [], "usage": self._counted(chunks)}
            said += b"data: " + json.dumps(usage).encode() + b"\n\n"
        return said + b"data: [DONE]\n\n"

    def whole(self, text: str, chunks: int, *, called: bool) -> bytes:
        """An answer in one piece."""
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if called:
            message["tool_calls"] = [self._called()]
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        said = {**self._head("chat.completion"), "choices": [choice]}
        return json.dumps({**said, "usage": self._counted(chunks)}).encode()

    def _called(self) -> dict[str, Any]:
        function = {"name": "look_up", "arguments": '{"word": "tulip"}'}
        return {"id": "call-1", "type": "function", "function": function}

    def _counted(self, chunks: int) -> dict[str, int]:
        size = self._size // 4
        return {"prompt_tokens": size, "completion_tokens": chunks, "total_tokens": size + chunks}

    def _head(self, kind: str = "chat.completion.chunk") -> dict[str, Any]:
        return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": MODEL}

    def _event(self, delta: dict[str, Any], finish: str | None = None, at: str = AT) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        said = {**self._head(), "system_fingerprint": at, "choices": [choice]}
        return b"data: " + json.dumps(said).encode() + b"\n\n"


_SPOKEN: dict[str, Callable[[bytes], ScriptedOllama | ScriptedOpenAI]] = {
    "/api/chat": ScriptedOllama,
    "/v1/chat/completions": ScriptedOpenAI,
}


class UpstreamConnection(asyncio.Protocol):
    """One connection, kept open; requests come one after another."""

    def __init__(self) -> None:
        self._held = b""
        self._out: asyncio.Transport | None = None
        self._task: asyncio.Task[None] | None = None
        self._room = asyncio.Event()
        self._room.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """It was opened."""
        self._out = transport if isinstance(transport, asyncio.Transport) else None

    def connection_lost(self, _: Exception | None) -> None:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Note that the connection was closed."""
        self._out = None
        self._room.set()
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Pause: the other side is slower."""
        self._room.clear()

    def resume_writing(self) -> None:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Resume writing."""
        self._room.set()

    def data_received(self, data: bytes) -> None:  # type: ignore[explicit-override]  # typing.override came with 3.12
        """Add bytes; answer the request that they complete."""
        self._held += data
        head, gap, rest = self._held.partition(b"\r\n\r\n")
        if not gap:
            return
        lengths = [
            line[15:] for line in head.lower().split(b"\r\n") if line[:15] == b"content-length:"
        ]
        length = int(lengths[0]) if lengths else 0
        if len(rest) < length:
            return
        self._held = rest[length:]
        path = head.split(b" ", 2)[1].decode().partition("?")[0]
        self._task = asyncio.ensure_future(self._answer(path, rest[:length]))

    async def _answer(self, path: str, body: bytes) -> None:
        if path not in _SPOKEN:
            known = path in _FIXED
            said = json.dumps(_FIXED.get(path, {"error": "not found"})).encode()
            self._write(_head(200 if known else 404, "application/json", len(said)) + said)
            return
        speaker = _SPOKEN[path](body)
        chunks, rate, calls = asked(body)
        if not speaker.stream:
            text = "" if calls else "".join(map(word, range(chunks)))
            said = speaker.whole(text, chunks, called=calls)
            self._write(_head(200, "application/json", len(said)) + said)
            return
        self._write(_head(200, speaker.kind))
        if calls:
            self._write(_framed(speaker.call()))
        else:
            await self._speak(speaker, chunks, rate)
        self._write(_framed(speaker.end(chunks, called=calls)) + b"0\r\n\r\n")

    async def _speak(
        self, speaker: ScriptedOllama | ScriptedOpenAI, chunks: int, rate: int
    ) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        for number in range(chunks):
            if rate and (wait := began + number / rate - loop.time()) > 0:
                await asyncio.sleep(wait)
            elif not rate and number % BREATH == 0:
                await asyncio.sleep(0)
            if not self._room.is_set():
                await self._room.wait()
            self._write(_framed(speaker.chunk(word(number))))

    def _write(self, data: bytes) -> None:
        if self._out is not None:
            self._out.write(data)


def _head(status: int, kind: str, length: int | None = None) -> bytes:
    size = "transfer-encoding: chunked" if length is None else f"content-length: {length}"
    said = "OK" if status == 200 else "Not Found"
    return f"HTTP/1.1 {status} {said}\r\ncontent-type: {kind}\r\n{size}\r\n\r\n".encode()


def _framed(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


async def _serve() -> None:
    server = await asyncio.get_running_loop().create_server(UpstreamConnection, "127.0.0.1", 0)
    sys.stdout.write(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
