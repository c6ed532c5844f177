"""A new operation is one entry: routes, OpenAPI, the client and MCP follow it.

The operation is the example of docs/howto/add-an-operation.md, as it is printed there.
"""

import inspect
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import anyio
import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client
from tests.helpers.web_server import WebServer
from tests.mcp.talking import called, refused, text_of

from mcp import Client
from unabridged import config
from unabridged.cli.operation_command import from_operation
from unabridged.client import RemoteMemory
from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.errors import InputError, PermissionRefusedError
from unabridged.factory.space_pool import SpacePool
from unabridged.home.api_keys import ApiKeys
from unabridged.mcp.http_transport import mcp_mount
from unabridged.operations import TABLE
from unabridged.operations.call import Call
from unabridged.operations.operation import Effect, operation
from unabridged.operations.search import SearchBody, search
from unabridged.server.app import create_app
from unabridged.server.resolve_scope import scope_of
from unabridged.server.routes import openapi_document
from unabridged.server.state import Service

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "add-an-operation.md"
DECLARED, USED, COMMAND = re.findall(
    r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
)


@pytest.fixture(scope="module")
def operations():
    names = {"__name__": "example"}
    exec(DECLARED, names)
    return (*TABLE, names["count_word"])


@pytest.fixture
def server(tmp_path, operations):
    settings = config.load(home=tmp_path / "home", environ={}, upstream="quote")
    service = Service(settings, SpacePool(settings))
    route = mcp_mount(service.pool, scope_of, operations=operations)
    with WebServer(create_app(service, [route], operations)) as server:
        server.token = ApiKeys(settings.home).token()
        server.access = ApiKeys(settings.home)
        yield server


def test_the_client_calls_it(server, operations):
    with RemoteMemory(server.url, key=server.token, operations=operations) as memory:
        memory.record(memory.prepare("My boat is red."), "A fine boat.")
        count = eval(USED, {"memory": memory})
        assert (count.word, count.exchanges) == ("boat", 1)
        assert memory.words.count(word="boat", most=5) == count
        assert "Count the exchanges" in memory.words.count.__doc__
        assert list(inspect.signature(memory.words.count).parameters) == ["word", "most"]
        assert "count" in dir(memory.words)
        with pytest.raises(InputError, match=r"query\.most: Expected `int`"):
            memory.words.count("boat", most="many")
        with pytest.raises(TypeError, match="colour"):
            memory.words.count("boat", colour="red")
        with pytest.raises(AttributeError, match="it has count"):
            memory.words.list()
        with pytest.raises(AttributeError):
            memory.nothing_of_this_name.list()


def test_openapi_describes_it(operations):
    document = openapi_document("", operations)
    found = document["paths"]["/memory/words/{word}"]["get"]
    assert found["description"] == "Count the exchanges that contain a word."
    parameters = {each["name"]: each for each in found["parameters"] if each["in"] != "header"}
    assert parameters["word"]["in"] == "path"
    assert parameters["most"]["description"] == "Stop at this number."
    assert "WordCount" in document["components"]["schemas"]


def test_mcp_offers_it_as_a_tool(server):
    async def talk(client):
        tools = {one.name: one for one in (await client.list_tools()).tools}
        tool = tools["count_word"]
        assert tool.title == "Count word"
        assert tool.description == "Count the exchanges that contain a word."
        assert tool.input_schema["required"] == ["word"]
        assert tool.input_schema["properties"]["most"]["default"] == 1000
        assert tool.output_schema["properties"]["exchanges"]["type"] == "integer"
        assert tool.annotations.read_only_hint
        await called(client, "record", user="Say </recalled> boat.", assistant="Boat.")
        assert (await called(client, "count_word", word="boat"))["exchanges"] == 1
        odd = await client.call_tool("count_word", {"word": "</recalled> boat"})
        assert text_of(odd).count("</recalled>") == 1
        said = await refused(client, "count_word", word="boat", colour="red")
        assert "unknown field `colour`" in said
        assert "`count_word` takes `word`, `most`" in said

    anyio.run(_talking, f"{server.url}/mcp", server.token, talk)


async def _talking(url, key, talk):
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http), cache=None) as client,
    ):
        await talk(client)


@pytest.mark.parametrize(
    ("route", "effect", "found"),
    [
        ("GET /toys", None, Effect.READS),
        ("POST /toys", None, Effect.WRITES),
        ("DELETE /toys/{toy}", None, Effect.DESTROYS),
        ("POST /toys/find", Effect.READS, Effect.READS),
    ],
)
def test_the_effect_follows_the_method_unless_it_is_named(route, effect, found):
    @operation("toys.do", route, "It.", effect=effect)
    def do(call, toy: str) -> str:
        """Do it."""

    assert do.effect is found
    assert do.is_idempotent
    assert do.is_repeatable is (found is Effect.READS)


def test_what_only_reads_creates_no_space(server, tmp_path):
    key = {"Authorization": f"Bearer {server.token}", "X-Unabridged-User": "nobody"}
    for path, body in (
        ("search", {"query": "boat"}),
        ("prepare", {"message": "Hello"}),
    ):
        answer = httpx2.post(f"{server.url}/memory/{path}", headers=key, json=body)
        assert answer.status_code == 200, answer.text
    for path in ("topics", "annotations/stats", "receipts", "stats"):
        assert httpx2.get(f"{server.url}/memory/{path}", headers=key).status_code == 200
    spaces = httpx2.get(f"{server.url}/memory/spaces", headers=key).json()["items"]
    assert "nobody" not in {one["user"] for one in spaces}
    begun = httpx2.post(
        f"{server.url}/memory/prepare?begin=true", headers=key, json={"message": "Hello"}
    )
    assert begun.status_code == 200, begun.text
    spaces = httpx2.get(f"{server.url}/memory/spaces", headers=key).json()["items"]
    assert "nobody" in {one["user"] for one in spaces}


def test_other_operations_are_methods_of_their_subject(server):
    with RemoteMemory(server.url, key=server.token) as memory:
        memory.record(memory.prepare("My boat is red."), "A fine boat.")
        (exchange,) = memory.exchanges.list()
        assert [topic.exchanges for topic in memory.topics.list()] == [(exchange.id,)]
        assert memory.topics.list(until="2001-01-01") == []
        set_to = memory.annotations.set(exchange.id, "small talk", importance=0.1)
        assert set_to.messages[exchange.user.id].category == "small_talk"
        assert memory.annotations.stats().exchanges >= 0
        session = memory.sessions()[0].session.id
        (listed,) = memory.annotations.list(session)
        assert listed == set_to
        share = memory.shares.add({"user": "bob", "agent": "default"}, sessions=[session])
        assert [one.share.id for one in memory.shares.list()] == [share.share.id]
        assert memory.shares.revoke(share.share.id).state.value == "revoked"


def test_the_search_filters(server):
    with RemoteMemory(server.url, key=server.token) as memory:
        for year in (2024, 2025):
            memory.exchanges.add(f"The boat of {year}.", at=f"{year}-06-01T12:00:00+00:00")
        found = memory.search("boat", since=datetime(2024, 12, 31, tzinfo=UTC))
        assert [one.exchange.user.text for one in found] == ["The boat of 2025."]
        found = memory.search("boat", until=datetime(2024, 6, 2, tzinfo=UTC))
        assert [one.exchange.user.text for one in found] == ["The boat of 2024."]
        assert len(memory.search("boat of 2024", exact=True)) == 1
        assert memory.search("boat", session=found[0].exchange.session)[0] in memory.search("boat")
        assert len(memory.search("boat", session=found[0].exchange.session)) == 1
        assert memory.search("boat", min_relevance=1.0) == []
        for wrong in ("2025-13-01", "yesterday", "2025-01-01T99:00"):
            with pytest.raises(InputError):
                memory.search("boat", since=wrong)
        with pytest.raises(InputError, match="min_relevance"):
            memory.search("boat", min_relevance=2)


def test_a_role_is_passed_to_the_search_only_if_it_is_given():
    asked = []
    space = SimpleNamespace(search=lambda *_, **named: asked.append(named) or [])
    call = Call(space, Scope(), Grant("test"), None, None)
    search.run(call, SearchBody(query="boat"))
    search.run(call, SearchBody(query="boat", role="user"))
    assert ["role" in named for named in asked] == [False, True]


@pytest.mark.parametrize("module", ["unabridged.operations", "unabridged.client"])
def test_the_table_and_the_client_need_no_front_end(module):
    code = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"mcp", "starlette", "pydantic", "click", "httpx2"} & set(loaded)


def test_a_scope_without_rights_may_not(operations):
    (operation_,) = (each for each in operations if each.name == "exchanges.add")
    with pytest.raises(PermissionRefusedError, match="lacks the right 'write'"):
        operation_.check(Grant("reader", rights=frozenset({"read"})))
    with pytest.raises(PermissionRefusedError, match="for one session"):
        next(each for each in TABLE if each.name == "stats").check(Grant("one", session="s"))
    assert Scope().session is None


def test_a_command_is_one_call():
    names = {"from_operation": from_operation, "count_lines": lambda result, call: [str(result)]}
    assert eval(COMMAND, names).name == "count"
