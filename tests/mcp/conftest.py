"""The official client, over standard input and output or over HTTP, for tests without async."""

import sys

import anyio
import pytest
from mcp.client.stdio import stdio_client

from mcp import Client, StdioServerParameters

PROGRAM = ["-c", "from unabridged.cli.main import main; main()", "mcp"]


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def stdio(home, tmp_path):
    """Give a function that runs a coroutine function with a client of a process of its own."""
    log = tmp_path / "stderr.txt"

    def run(work, *words, mode="auto", **options):
        environment = {"UNABRIDGED_HOME": str(home), "UNABRIDGED_UPSTREAM": "quote"}
        command = StdioServerParameters(
            command=sys.executable, args=[*PROGRAM, *words], env=environment
        )

        async def talk():
            with log.open("a", encoding="utf-8") as errors:
                transport = stdio_client(command, errlog=errors)
                async with Client(transport, mode=mode, cache=None, **options) as client:
                    return await work(client)

        return anyio.run(talk)

    run.log = log
    return run
