"""The page on MCP names the tools, resources and prompts that there are."""

import json
import re
from pathlib import Path

import anyio
import pytest

from mcp import Client
from unabridged import config
from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.factory.space_pool import SpacePool
from unabridged.mcp.request_context import Caller, ToolRequests
from unabridged.mcp.server import server_of

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "mcp.md").read_text("utf-8")


@pytest.fixture(scope="module")
def offered(tmp_path_factory):
    pool = SpacePool(
        config.load(home=tmp_path_factory.mktemp("home"), environ={}, upstream="quote")
    )
    caller = Caller(Scope(), Grant("test"))

    async def ask():
        async with Client(server_of(ToolRequests(pool, lambda _: caller)), cache=None) as client:
            return (
                {one.name for one in (await client.list_tools()).tools},
                {one.name for one in (await client.list_prompts()).prompts},
                {
                    one.uri_template
                    for one in (await client.list_resource_templates()).resource_templates
                },
            )

    found = anyio.run(ask)
    pool.close()
    return found


def test_every_tool_prompt_and_resource_is_named(offered):
    tools, prompts, resources = offered
    rows = [line.split("|") for line in PAGE.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row[1])}
    assert named == tools
    assert {row[-2].strip() for row in rows} == {"read", "write", "forget"}
    assert all(f"`{name}`" in PAGE for name in prompts)
    assert all(f"`{uri.replace('{id}', 'ID')}`" in PAGE for uri in resources)


def test_what_is_to_be_pasted_is_json():
    for block in re.findall(r"```json\n(.+?)```", PAGE, re.DOTALL):
        assert json.loads(block)["mcpServers"]["unabridged"]
