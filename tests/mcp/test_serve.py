"""``unabridged serve`` with MCP clients, over HTTP and beside a process of their own."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from tests.helpers import program
from tests.mcp.talking import called, refused

from mcp import Client

pytestmark = pytest.mark.slow
COMMAND = [sys.executable, "-c", "from unabridged.cli.main import main; main()", "serve"]


@pytest.fixture
def served(home):
    """A server in a process of its own: its address and token."""
    process = program.start(
        *("serve", "--port", "0", "--upstream", "quote", "--json"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "UNABRIDGED_HOME": str(home)},
    )  # fmt: skip
    try:
        said = json.loads(process.stdout.readline())
        token = Path(said["token"]).read_text("ascii").strip()
        yield process, f"{said['url']}/mcp", token
    finally:
        process.kill()
        process.communicate()


def talk(url, token, work, **options):
    async def run():
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, cache=None, **options) as client:
                return await work(client)

    return anyio.run(run)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_serve_and_a_process_of_ones_own_share_a_home(served, stdio, mode):
    process, url, token = served

    async def over_http(client):
        kept = await called(client, "record", user="The boat is called Wren.", assistant="Ok.")
        return kept["session"]

    session = talk(url, token, over_http, mode=mode)

    async def over_stdio(client):
        found = await called(client, "search", query="What is the boat called?")
        assert "Wren" in found["exchanges"][0]["recalled"]
        await called(client, "record", user="It is blue.", assistant="Ok.", session=session)

    stdio(over_stdio, mode=mode)

    async def again(client):
        return await called(client, "recent", session=session)

    assert len(talk(url, token, again, mode=mode)["exchanges"]) == 2
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "Wren" not in errors
    assert token not in errors


def test_nobody_comes_in_without_the_token_or_from_a_page(served):
    _, url, token = served

    async def nothing(client):
        return await client.list_tools()

    with pytest.raises((MCPError, ExceptionGroup)):
        talk(url, "another", nothing)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "Mcp-Protocol-Version": "2025-11-25",
    }
    with httpx2.Client() as client:
        assert client.post(url, json=body).status_code == 401
        foreign = {**headers, "Origin": "https://example.org"}
        assert client.post(url, json=body, headers=foreign).status_code == 403
        assert client.post(url, json=body, headers={**headers, "Host": "evil"}).status_code == 403


@pytest.mark.long
def test_a_listening_client_does_not_hold_the_server_up(served):
    process, url, token = served

    async def work(client):
        await called(client, "record", user="a", assistant="b")
        process.send_signal(signal.SIGTERM)
        await anyio.to_thread.run_sync(process.wait, 25)

    talk(url, token, work, mode="legacy")
    assert process.returncode == 0


def _key(home, name, *words):
    ran = subprocess.run(
        [*COMMAND[:-1], "keys", "create", name, *words, "--json"],
        env={**os.environ, "UNABRIDGED_HOME": str(home)},
        check=True, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    return json.loads(ran.stdout)["key"]


def test_keys_say_whose_memory_it_is_and_what_may_be_done(served, home):
    _, url, _ = served
    ann = _key(home, "ann", "--user", "ann", "--right", "read", "--right", "write")
    bob = _key(home, "bob", "--user", "bob", "--right", "read")

    async def as_ann(client):
        await called(client, "record", user="My PIN is 9137.", assistant="I keep it.")
        assert "lacks the right 'forget'" in await refused(client, "forget", search="PIN")

    async def as_bob(client):
        assert "lacks the right 'write'" in await refused(client, "record", user="a", assistant="b")
        seen = [
            await client.call_tool("search", {"query": "What is the PIN?"}),
            await client.call_tool("recent", {}),
            await client.call_tool("prepare", {"message": "What is my PIN?"}),
            await client.list_resources(),
            await client.get_prompt("recall", {"topic": "PIN"}),
        ]
        return "".join(map(str, seen))

    talk(url, ann, as_ann)
    assert "9137" not in talk(url, bob, as_bob)
    with httpx2.Client() as client:
        as_another = {"Authorization": f"Bearer {bob}", "X-Unabridged-User": "ann"}
        assert client.post(url, json={}, headers=as_another).status_code == 403
