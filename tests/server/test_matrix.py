"""Every route × every method × every kind of identity: who may not, gets nothing of anybody's."""

import asyncio
import json
from dataclasses import replace

import pytest
from tests.helpers.talker import Talker
from tests.server.asking import ELSEWHERE, HERE
from tests.server.planted import ANN, BOB, METHODS, SECRETS, bearer, identities, planted, words_of

from unabridged.domain.permissions import Right
from unabridged.server.route_permissions import Door, rule_for

pytestmark = pytest.mark.slow

HEALTH = {"/", "/healthz", "/readyz"}
ASKING = "What is my secret word, my second secret and my secret dish?"
CHAT = {"model": "quote", "messages": [{"role": "user", "content": ASKING}], "stream": False}
BODIES = {
    "/api/chat": CHAT,
    "/v1/chat/completions": CHAT,
    "/api/generate": {"model": "quote", "prompt": ASKING, "stream": False},
    "/v1/completions": {"model": "quote", "prompt": ASKING},
    "/v1/responses": {"model": "quote", "input": ASKING},
    "/memory/search": {"query": ASKING},
    "/memory/prepare": {"message": ASKING},
    "/memory/sessions/{session}": {"title": "Taken"},
    "/memory/exchanges": {"user": ASKING, "assistant": "No."},
    "/memory/facts": {"text": "A fact."},
    "/memory/facts/{fact}": {"text": "Another fact."},
    "/memory/pins": {"text": "A pin."},
    "/memory/requirements": {"text": "It must work."},
    "/memory/requirements/{requirement}": {"text": "It must not."},
    "/memory/forget": {"search": ASKING},
    "/mcp": {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "search",
            "arguments": {"query": ASKING},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "probe", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    },
}
"""What a route takes; any other gets an object with nothing in it."""


_MCP = {
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "search",
}


async def index_query(house, index_queries, template, method, identity):
    name, headers, client, hidden = identity
    sent = {"content-type": "application/json", "if-match": "*", **headers}
    if template == "/mcp":
        sent |= _MCP
    body = b"" if method in ("GET", "HEAD") else json.dumps(BODIES.get(template, {})).encode()
    answer = await house.ask(method, house.path(template), sent, body=body, client=client)
    leaked = [word for word in hidden if word in answer.everything.lower()]
    index_queries.append((template, method, name, answer.status, leaked))
    return answer


def state_of(settings):
    """What Ann's memory holds, to see that nobody else changed it."""
    with Talker.open(settings=replace(settings, user=ANN)) as memory:
        exchanges = [
            (e.id, e.user.text, e.answer and e.answer.text) for e in memory.space.log.scan()
        ]
        titles = [(session.id, session.title) for session in memory.space.sessions.all()]
        return exchanges, titles, [pin.text for pin in memory.space.pins.all()]


def test_no_identity_gets_what_is_anothers_while_there_are_keys(tmp_path):
    index_queries = []

    async def asked():
        async with planted(tmp_path / "home") as house:
            everybody = identities(house)
            before = state_of(house.settings)
            for template in house.routes():
                for method in METHODS:
                    for identity in everybody:
                        await index_query(house, index_queries, template, method, identity)
            assert state_of(house.settings) == before

    asyncio.run(asked())
    assert [p for p in index_queries if p[4]] == [], "leaks"
    refused = {"none", "dummy", "wrong", "expired", "revoked", "token elsewhere"}
    for template, method, name, status, _ in index_queries:
        if template in HEALTH or status in (404, 405):
            continue
        if name in refused:
            assert status == 401, (template, method, name)
    assert len(index_queries) > 2000


def test_no_identity_gets_what_is_anothers_on_the_loopback_without_keys(tmp_path):
    index_queries = []

    async def asked():
        async with planted(tmp_path / "home") as house:
            token = house.access.token()
            every, of_ann = words_of(ANN) + words_of(BOB), words_of(ANN)
            table = [
                ("none", {}, HERE, every),
                ("none elsewhere", {}, ELSEWHERE, every),
                ("dummy", bearer("ollama"), HERE, every),
                ("wrong", bearer(token[:-1]), HERE, every),
                ("token elsewhere", bearer(token), ELSEWHERE, every),
                ("none as bob", {"x-unabridged-user": BOB}, HERE, of_ann),
                ("token", bearer(token), HERE, every),
                ("token as bob", {**bearer(token), "x-unabridged-user": BOB}, HERE, of_ann),
                ("through a proxy", {"x-forwarded-for": "127.0.0.1"}, HERE, every),
            ]
            before = state_of(house.settings)
            for template in house.routes():
                for method in METHODS:
                    for identity in table:
                        await index_query(house, index_queries, template, method, identity)
            assert state_of(house.settings) == before

    asyncio.run(asked())
    assert [p for p in index_queries if p[4]] == [], "leaks"
    for template, method, name, status, _ in index_queries:
        if template in HEALTH or status in (404, 405):
            continue
        door = rule_for(method, template).door
        if name in ("none elsewhere", "token elsewhere", "through a proxy"):
            assert status == 401, (template, method, name)
        elif name in ("none", "dummy", "wrong", "none as bob"):
            assert (status == 401) == (door is Door.MEMORY), (template, method, name)
        else:
            assert status != 401, (template, method, name)
    assert len(index_queries) > 1000


LOOKING = {
    "/api/chat",
    "/v1/chat/completions",
    "/v1/responses",
    "/mcp",
    "/memory/search",
    "/memory/prepare",
    "/memory/exchanges",
    "/memory/exchanges/{exchange}",
    "/memory/sessions",
    "/memory/sessions/{session}",
    "/memory/sessions/{session}/exchanges",
    "/memory/contexts/{context}",
    "/memory/facts",
    "/memory/facts/{fact}",
    "/memory/pins",
    "/memory/requirements",
    "/memory/requirements/{requirement}",
    "/memory/condensations/{condensation}",
    "/memory/export",
}
"""Routes by which whoever may see it finds what is hidden."""


def test_who_may_gets_it(tmp_path):
    """The same probes find what they look for where the key is right: else they would prove nothing."""
    found, index_queries = set(), []

    async def asked():
        async with planted(tmp_path / "home") as house:
            ann = house.key("ann", user=ANN, rights=frozenset(Right))
            whole = ("ann", bearer(ann), ELSEWHERE, [])
            for template in house.routes():
                for method in ("GET", "POST"):
                    answer = await index_query(house, index_queries, template, method, whole)
                    words = [w for w in SECRETS[ANN].values() if w in answer.everything.lower()]
                    found.update((template, word) for word in words)

    asyncio.run(asked())
    seen = {word for _, word in found}
    assert seen >= set(words_of(ANN, "elsewhere")), "a secret that no probe can find"
    assert SECRETS[ANN]["elsewhere"] not in seen
    looked = {template for template, _ in found}
    assert looked >= LOOKING


def test_rights_bind_on_every_route(tmp_path):
    index_queries = []

    async def asked():
        async with planted(tmp_path / "home") as house:
            for right in Right:
                key = house.key(right, user=ANN, rights=frozenset({right}))
                for template in house.routes():
                    for method in METHODS:
                        if template in HEALTH or method == "OPTIONS":
                            continue
                        needed = rule_for(method, template).right
                        who = (right, bearer(key), ELSEWHERE, [])
                        if needed is not right:
                            answer = await index_query(house, index_queries, template, method, who)
                            assert answer.status == 403, (template, method, right, needed)
                            leaked = [w for w in words_of(ANN) if w in answer.everything]
                            assert not leaked

    asyncio.run(asked())
    assert len(index_queries) > 300


def test_a_key_for_one_session_lists_shows_and_recalls_no_other(tmp_path):
    async def asked():
        async with planted(tmp_path / "home") as house:
            key = house.key("one", user=ANN, session=house.ids["second"], rights=frozenset(Right))
            index_queries = []
            hidden = words_of(ANN, "two") + words_of(BOB)
            for template in house.routes():
                if template.startswith("/memory"):
                    for method in METHODS:
                        who = ("session", bearer(key), ELSEWHERE, hidden)
                        await index_query(house, index_queries, template, method, who)
            return index_queries

    assert [p for p in asyncio.run(asked()) if p[4]] == []


def test_what_the_server_holds_for_one_is_nobody_elses(tmp_path):
    """Contexts and plans lie in the server's own memory, under ids: ids open nothing."""

    async def asked():
        async with planted(tmp_path / "home") as house:
            every = frozenset(Right)
            ann = bearer(house.key("ann", user=ANN, rights=every))
            bob = bearer(house.key("bob", user=BOB, rights=every))
            cook = bearer(house.key("cook", user=ANN, agent="cook", rights=every))
            typed = {"content-type": "application/json"}

            async def post(path, body, who):
                sent = {**typed, **who}
                return await house.ask(
                    "POST", path, sent, body=json.dumps(body).encode() if body else b""
                )

            held = json.loads((await post("/memory/prepare", {"message": ASKING}, ann)).body)["id"]
            plan = await post("/memory/forget", {"session": house.ids["session"]}, ann)
            planned = json.loads(plan.body)["id"]
            before = state_of(house.settings)
            for who in (bob, cook):
                for path, body in [
                    (f"/memory/contexts/{held}/begin", {}),
                    (f"/memory/contexts/{held}/record", {"reply": "No."}),
                    (f"/memory/forget/{planned}", None),
                ]:
                    answer = await post(path, body, who)
                    assert answer.status == 404, (path, answer.everything)
                    assert not [w for w in words_of(ANN) if w in answer.everything]
            assert state_of(house.settings) == before
            begun = await post(f"/memory/contexts/{held}/begin", {}, ann)
            carried = await post(f"/memory/forget/{planned}", None, ann)
            assert (begun.status, carried.status) == (200, 200), "the ids are right for her"

    asyncio.run(asked())
