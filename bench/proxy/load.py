"""The load: streams to one server, in a separate process; reads a job and reports its results.

``python -m bench.proxy.load`` takes a JSON object on standard input and writes one.
"""

import asyncio
import json
import re
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import cycle
from typing import Any

from bench.figures.timer import spread
from bench.proxy.stream_client import StreamClient, StreamTimes
from bench.proxy.stream_script import asking

PATHS = {"ollama": "/api/chat", "openai": "/v1/chat/completions"}
TURNS = 6
"""Messages of a conversation whose time to the first chunk is taken; each sends all before it."""
LATEST = 1.05
"""How much longer than planned a mixed load continues where the machine does not keep up."""
_TEXT = re.compile(rb'"content": ?"([^"]*)"')


def body_of(messages: Sequence[dict[str, Any]], **more: Any) -> bytes:
    """Return a request's body, the same in both dialects."""
    return json.dumps({"model": "bench", "messages": messages, "stream": True, **more}).encode()


def user(text: str) -> dict[str, Any]:
    """Return a user's message."""
    return {"role": "user", "content": text}


def said(heard: StreamTimes) -> dict[str, Any]:
    """Return the assistant's message of a kept answer."""
    text = b"".join(_TEXT.findall(heard.body)).decode()
    return {"role": "assistant", "content": text}


def _is_good(heard: StreamTimes, words: int) -> bool:
    text: str = said(heard)["content"]
    return heard.whole and heard.status == 200 and len(text.split()) == words


async def first(client: StreamClient, job: dict[str, Any]) -> dict[str, Any]:
    """One stream at a time: conversations whose whole history is sent each time, as clients do."""
    path, took, failed = PATHS[job["dialect"]], list[float](), 0
    history: list[dict[str, Any]] = []
    for number, text in enumerate(job["messages"]):
        if number % TURNS == 0:
            history = []
        history.append(user(f"{text} {asking(4, 200)}"))
        heard = await client.ask(path, body_of(history), keep=True)
        history.append(said(heard))
        if not heard.whole or heard.first is None or heard.status != 200:
            failed += 1
        else:
            took.append(heard.first)
    return {"first": took, "failed": failed}


async def paced(client: StreamClient, job: dict[str, Any]) -> dict[str, Any]:
    """Many streams at once, each at its pace, begun one after another."""
    path, chunks = PATHS[job["dialect"]], job["chunks"]

    async def one(number: int, text: str) -> StreamTimes:
        await asyncio.sleep(number * job["apart"])
        words = f"{text} {asking(chunks, job['rate'])}"
        return await client.ask(path, body_of([user(words)]))

    return await _together(one, job["messages"], chunks)


async def fast(client: StreamClient, job: dict[str, Any]) -> dict[str, Any]:
    """Streams at once, as fast as they go."""
    path, chunks = PATHS[job["dialect"]], job["chunks"]

    async def one(_: int, text: str) -> StreamTimes:
        return await client.ask(path, body_of([user(f"{text} {asking(chunks)}")]))

    return await _together(one, job["messages"], chunks)


async def _together(
    one: Callable[[int, str], Awaitable[StreamTimes]], texts: Sequence[str], chunks: int
) -> dict[str, Any]:
    began = time.monotonic()
    every = await asyncio.gather(*(one(n, text) for n, text in enumerate(texts)))
    # From the first chunk of any stream on: how long memory takes is another figure.
    waited = min((heard.first for heard in every if heard.first is not None), default=0.0)
    seconds = time.monotonic() - began - waited / 1000
    delays = [delay for heard in every for delay in heard.delays]
    firsts = [heard.first for heard in every if heard.first is not None]
    failed = sum(not h.whole or h.status != 200 or len(h.delays) != chunks for h in every)
    return {
        "seconds": seconds,
        "chunks": len(delays),
        "failed": failed,
        "delay": spread(delays) if delays else (0.0, 0.0),
        "worst": max(delays, default=0.0),
        "first": firsts,
    }


class MixedLoad:
    """A mixed load over some time.

    Args:
        client: Towards the server.
        job: ``requests``, ``seconds``, ``messages``.
    """

    def __init__(self, client: StreamClient, job: dict[str, Any]) -> None:
        self._client = client
        self._job = job
        self._texts: Iterator[str] = cycle(job["messages"])
        self._histories: list[list[dict[str, Any]]] = [[] for _ in range(8)]
        self.counts: dict[str, int] = {}
        self.errors: list[str] = []
        self._turn = 0
        self._kinds: list[tuple[str, Callable[[], Awaitable[bool]]]] = [
            ("chat, Ollama", lambda: self._chat("ollama")),
            ("chat, OpenAI", lambda: self._chat("openai")),
            ("search", self._search),
            ("chat, Ollama, whole", lambda: self._whole("ollama")),
            ("tool loop, Ollama", lambda: self._tools("ollama")),
            ("chat, OpenAI", lambda: self._chat("openai")),
            ("sessions", lambda: self._get("/memory/sessions?limit=20")),
            ("tool loop, OpenAI", lambda: self._tools("openai")),
            ("side request", self._side),
            ("cancelled", self._cancelled),
        ]

    async def run(self) -> dict[str, Any]:
        """Send the requests evenly over the time; slow ones overlap with the next."""
        requests, seconds = self._job["requests"], self._job["seconds"]
        began, going = time.monotonic(), set[asyncio.Task[None]]()
        for number in range(requests):
            if time.monotonic() - began > LATEST * seconds:
                break
            wait = began + number * seconds / requests - time.monotonic()
            if wait > 0:
                await asyncio.sleep(wait)
            while len(going) >= 32:
                await asyncio.wait(going, return_when=asyncio.FIRST_COMPLETED)
            task = asyncio.ensure_future(self._one(number))
            going.add(task)
            task.add_done_callback(going.discard)
        if going:
            await asyncio.wait(going)
        took = time.monotonic() - began
        return {"seconds": took, "counts": self.counts, "errors": self.errors}

    async def _one(self, number: int) -> None:
        name, kind = self._kinds[number % len(self._kinds)]
        try:
            good = await kind()
        except OSError as error:
            good = False
            name = f"{name} ({error})"
        self.counts[name] = self.counts.get(name, 0) + 1
        if not good:
            self.errors.append(name)

    def _words(self, chunks: int, rate: int = 0, *, tool: bool = False) -> str:
        return f"{next(self._texts)} {asking(chunks, rate, tool=tool)}"

    async def _chat(self, dialect: str) -> bool:
        self._turn += 1
        place = self._turn % len(self._histories)
        history = [*self._histories[place][-12:], user(self._words(20, 50))]
        if len(self._histories[place]) >= 12:
            self._histories[place] = history = history[-1:]
        heard = await self._client.ask(PATHS[dialect], body_of(history), keep=True)
        self._histories[place] = [*history, said(heard)]
        return _is_good(heard, 20)

    async def _whole(self, dialect: str) -> bool:
        body = body_of([user(self._words(20))], stream=False)
        heard = await self._client.ask(PATHS[dialect], body, keep=True)
        return _is_good(heard, 20)

    async def _tools(self, dialect: str) -> bool:
        path = PATHS[dialect]
        words = user(self._words(10, tool=True))
        tool = {"name": "look_up", "description": "Look a word up.",
                "parameters": {"type": "object", "properties": {"word": {"type": "string"}}}}  # fmt: skip
        offered = [{"type": "function", "function": tool}]
        called = await self._client.ask(path, body_of([words], tools=offered), keep=True)
        arguments: Any = {"word": "tulip"}
        call: dict[str, Any] = {"function": {"name": "look_up", "arguments": arguments}}
        result: dict[str, Any] = {"role": "tool", "content": "A flower.", "tool_name": "look_up"}
        if dialect == "openai":
            named = re.search(rb'"id": ?"(call[^"]*)"', called.body)
            name = named[1].decode() if named else "call-1"
            call = {"id": name, "type": "function",
                    "function": {"name": "look_up", "arguments": '{"word": "tulip"}'}}  # fmt: skip
            result = {"role": "tool", "content": "A flower.", "tool_call_id": name}
        calls = {"role": "assistant", "content": "", "tool_calls": [call]}
        body = body_of([words, calls, result], tools=offered)
        heard = await self._client.ask(path, body, keep=True)
        good = called.whole and called.status == 200 and b"look_up" in called.body
        return good and _is_good(heard, 10)

    async def _search(self) -> bool:
        body = json.dumps({"query": next(self._texts)[:200], "limit": 10}).encode()
        heard = await self._client.ask("/memory/search", body)
        return heard.whole and heard.status == 200

    async def _get(self, path: str) -> bool:
        heard = await self._client.ask(path, method="GET")
        return heard.whole and heard.status == 200

    async def _side(self) -> bool:
        # A title, as a chat page asks for it.
        words = (
            "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat "
            f"history.\n<chat_history>\nUSER: hello\n</chat_history> {asking(5)}"
        )
        heard = await self._client.ask(PATHS["ollama"], body_of([user(words)]))
        return heard.whole and heard.status == 200

    async def _cancelled(self) -> bool:
        body = body_of([user(self._words(60, 100))])
        heard = await self._client.ask(PATHS["ollama"], body, most=10)
        return heard.status == 200 and len(heard.delays) >= 10


async def _run(job: dict[str, Any]) -> dict[str, Any]:
    client = StreamClient(job["url"], job.get("token", ""))
    try:
        if job["kind"] == "mixed":
            return await MixedLoad(client, job).run()
        return await {"first": first, "paced": paced, "fast": fast}[job["kind"]](client, job)
    finally:
        client.close()


if __name__ == "__main__":
    json.dump(asyncio.run(_run(json.load(sys.stdin))), sys.stdout)
