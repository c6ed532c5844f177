"""Every injection through every way into memory, then into the prompt that the model server gets."""

import asyncio
import json
from datetime import UTC, datetime

import pytest
from tests.helpers.talker import Talker
from tests.server.asking import ask
from tests.server.planted import bearer
from tests.unit.context.injections import INJECTIONS
from tests.unit.context.reading import control_tokens, tags

from unabridged import config
from unabridged.clock import SystemClock
from unabridged.context.recall_block import CLIENT_OPENING, CLOSING
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.results import Transcript
from unabridged.domain.scope import Scope
from unabridged.domain.session import Session
from unabridged.factory.space_pool import SpacePool
from unabridged.home.api_keys import ApiKeys
from unabridged.mcp.http_transport import mcp_mount
from unabridged.server.app import create_app
from unabridged.server.resolve_scope import scope_of
from unabridged.server.state import Service
from unabridged.testing.ollama_server import OllamaTestServer

pytestmark = pytest.mark.long

A_CHUNK = 20
AT = datetime(2026, 11, 1, tzinfo=UTC)
MCP = {
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "record",
}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "probe", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Way:
    """A server with a model server behind it, and one user's memory in it."""

    def __init__(self, app, token, user):
        self.app, self.user = app, user
        self.headers = {
            **bearer(token),
            "content-type": "application/json",
            "x-unabridged-user": user,
        }

    async def post(self, path, body, **more):
        data = json.dumps(body).encode()
        answer = await ask(self.app, "POST", path, {**self.headers, **more}, body=data, seconds=60)
        assert answer.status < 300, (path, answer.everything[:400])
        return json.loads(answer.body)

    async def enter(self, number, marked):
        """Bring one text in, by every way."""
        await self.post(
            "/memory/exchanges", {"user": marked, "assistant": "I see.", "title": marked}
        )
        await self.post("/memory/exchanges", {"user": f"Go on, {number}.", "assistant": marked})
        await self.post("/memory/facts", {"text": marked})
        await self.post("/memory/pins", {"text": marked})
        await self.post("/memory/requirements", {"text": marked, "pinned": True})
        said = {"user": f"By MCP: {marked}", "assistant": marked}
        params = {"name": "record", "arguments": said, "_meta": META}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        await self.post("/mcp", call, **MCP)
        await self.post("/api/chat", heard(number, marked))

    async def admit(self, service, marks):
        """Take conversations over whose ids, titles and words are such texts; condense one."""

        def work(space):
            memory = Talker(space)
            for number, marked in marks:
                memory.space.log.import_transcript(foreign(number, marked))
            memory.new_session("condensed")
            for _, marked in marks:
                memory.record(memory.prepare(marked), f"{marked}. Chapter by chapter. " * 8)
            memory.space.condensations.condense(memory.header.id, force=True)

        await service.run(Scope(user=self.user), work)

    async def prompts(self, upstream, marks):
        """Ask for all of it, in a new conversation and in an old one, and give what the model gets."""
        names = " ".join(f"zq{number}x" for number, _ in marks)
        for question in (
            f"Remember exactly what I told you about {names}?",
            "Give me an overview: what did we discuss so far?",
            f"What is required of zq{marks[0][0]}x?",
        ):
            prepared = await self.post("/memory/prepare", {"message": question})
            yield prepared["messages"], question
            await self.post("/api/chat", chat({"role": "user", "content": question}))
            yield upstream.sent("/api/chat")[-1]["messages"], question


def chat(*messages):
    return {
        "model": "llama3.2",
        "messages": messages,
        "stream": False,
        "options": {"num_ctx": 131_072},
    }


def heard(number, marked):
    """A client's history with a tool in it."""
    call = {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": {}}}
    return chat(
        {"role": "user", "content": f"Look up {number}."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": f"{marked} by tool", "tool_name": "look"},
        {"role": "assistant", "content": f"{marked} it says."},
        {"role": "user", "content": f"Thanks, {number}."},
    )


def foreign(number, marked):
    said = Message(f"m{number}{marked}"[:190], Role.USER, (Text(f"{marked} from elsewhere"),), AT)
    exchange = Exchange(
        f"{marked}"[:190], f"s{number}", None, ExchangeState.UNANSWERED, (said,), AT
    )
    return Transcript(Session(f"s{number}", marked, AT, AT, head=said.id), (exchange,))


def parted(messages):
    """The system prompt, the recall block and the words of a prompt: ours, or a client's."""
    system, last = messages[0]["content"], messages[-1]["content"]
    if messages[0]["role"] == "user":
        words, opening, fence = last.partition(f"\n\n{CLIENT_OPENING}")
        return "", (opening + fence).lstrip(), words
    fence, closing, words = last.partition(CLOSING)
    return system, fence + closing, words if closing else fence


def flaws(messages, question):
    """What in a prompt could be read as something else than it is."""
    found = []
    if [m["role"] for m in messages] not in (["system", "user"], ["user"]):
        found.append([m["role"] for m in messages])
    system, fence, words = parted(messages)
    if words != question or tags(words):
        found.append(("words", words))
    for name, text in (("system", system), ("fence", fence)):
        if tokens := control_tokens(text):
            found.append((name, tokens))
        # What guides to the fence names it once; everything else opens and closes.
        read = tags(text)[1:] if name == "system" else tags(text)
        depth = []
        for tag in read:
            if not tag.startswith("/"):
                depth.append(tag)
            elif not depth or depth.pop() != tag[1:]:
                found.append((name, "closes", tag))
        found += [(name, "stays open", tag) for tag in depth]
        if name == "fence" and read and (read[0], read[-1]) != ("recalled", "/recalled"):
            found.append((name, read))
        if read.count("recalled") > (name == "fence"):
            found.append((name, "opens twice"))
    return found


def test_no_injection_escapes_by_any_way(tmp_path):
    escapes, seen = [], {"system": set(), "fence": set()}

    async def asked(upstream):
        settings = config.load(
            home=tmp_path / "home",
            environ={},
            upstream="ollama",
            ollama_url=upstream.url,
            window=131_072,
            max_prompt_tokens=100_000,
            facts="none",
            store="memory",
        )
        service = Service(settings, SpacePool(settings, SystemClock()))
        app = create_app(service, [mcp_mount(service.pool, scope_of)])
        token = ApiKeys(settings.home).token()
        async with app.router.lifespan_context(app):
            for start in range(0, len(INJECTIONS), A_CHUNK):
                way = Way(app, token, f"user{start}")
                some = INJECTIONS[start : start + A_CHUNK]
                marks = [(start + n, f"zq{start + n}x {one.text}") for n, one in enumerate(some)]
                await way.admit(service, marks)
                for number, marked in marks:
                    await way.enter(number, marked)
                async for messages, question in way.prompts(upstream, marks):
                    escapes.extend(flaws(messages, question))
                    system, fence, _ = parted(messages)
                    for place, held in (("system", system), ("fence", fence)):
                        seen[place] |= {n for n, _ in marks if f"zq{n}x" in held}

    with OllamaTestServer("Yes.") as upstream:
        asyncio.run(asked(upstream))
    assert escapes == []
    assert len(seen["system"]) == len(INJECTIONS), "every pin stands in every prompt"
    assert len(seen["fence"]) > 0.9 * len(INJECTIONS), "what was not recalled proves nothing"
