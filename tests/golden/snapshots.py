"""What programs and people see of the interfaces: routes, tools, help, and what commands write.

A deliberate change is recorded with ``python -m tests.golden.record --snapshots``.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import anyio
import click
from click.testing import CliRunner
from tests.golden.driver import Drive
from tests.golden.words import ANSWERS, DEMANDS, PERSONAL, Dice

import unabridged
from mcp import Client
from unabridged import config
from unabridged.cli.main import cli
from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.factory.space_pool import SpacePool
from unabridged.mcp.request_context import Caller, ToolRequests
from unabridged.mcp.server import server_of
from unabridged.server.routes import openapi_document

CHECKOUT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "snapshots"
WIDTH = 100
PACKAGE = Path(unabridged.__file__).parent
PAGE = 4096
RANDOM = ("digest", "root", "mark")
TIME = re.compile(r"20\d\d-(?!03-02)\d\d-\d\dT[\d:.]+(?:\+00:00|Z)")
ULID = re.compile(r"\b01(?=\d*[A-Z])[0-9A-HJKMNP-TV-Z]{24}\b")
COMMANDS = (
    "sessions",
    "stats",
    "search boat",
    "search --limit 2 sister",
    "show {first}",
    "show --session 2",
    "why",
    "facts",
    "facts history 1",
    "requirements",
    "topics",
    "spaces",
    "annotations",
    "receipts",
    "share list",
    "profiles",
    "profiles show story",
    "personas",
    "config",
    "verify",
    "condense --test",
    "condense --test --force",
    "forget --search boat --dry-run",
    "keys list",
    "backup list",
    "show nothing-of-that-name",
)


def _json(data):
    return json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def openapi():
    """The document of the routes."""
    return _json(openapi_document(""))


def tools():
    """What is offered over MCP."""
    with tempfile.TemporaryDirectory() as home:
        pool = SpacePool(config.load(home=home, environ={}, upstream="quote"))
        caller = Caller(Scope(), Grant("test"))

        async def asked():
            async with Client(
                server_of(ToolRequests(pool, lambda _: caller)), cache=None
            ) as client:
                return {
                    "tools": (await client.list_tools()).tools,
                    "prompts": (await client.list_prompts()).prompts,
                    "resources": (await client.list_resource_templates()).resource_templates,
                }

        found = anyio.run(asked)
        pool.close()
    plain = {
        kind: [one.model_dump(mode="json", exclude_none=True) for one in offered]
        for kind, offered in found.items()
    }
    return _json(plain)


def texts():
    """The help of every command; from a process of its own, since click keeps what it made first."""
    code = "from tests.golden.snapshots import print_help; print_help()"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=CHECKOUT
    )
    return ran.stdout


def print_help():
    root = click.Context(cli, info_name="unabridged", **cli.context_settings)
    print("\n".join(_help(root)), end="")


def _help(context):
    context.terminal_width = WIDTH
    yield f"$ {context.command_path} --help\n{context.command.get_help(context)}\n"
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            command = context.command.get_command(context, name)
            yield from _help(click.Context(command, info_name=name, parent=context))


def outputs():
    """What commands write over a small home, by command."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve() / "home"
        first = _fill(home)
        return _json({words: _said(words.format(first=first), home) for words in COMMANDS})


def _fill(home):
    """Make the home; gives the id of its first exchange."""
    dice = Dice("outputs")
    drive = Drive("outputs", "sqlite", home, requirement_patterns="narrow")
    said = []
    try:
        for n in range(2):
            drive.new_session(f"Talk {n}")
            table = DEMANDS if n else PERSONAL
            said += [drive.say(dice.text(table), dice.text(ANSWERS)) for _ in range(5)]
            drive.maintain()
        drive.pin("Be brief.")
        gone = drive.say("My secret number is 4711.", "I keep it.")
        drive.share("bob", sessions=["Talk 0"])
        drive.forget(gone)
        drive.say("I live in Visby with my sister Elin. We have a boat.", "A fine boat.")
        drive.maintain()
    finally:
        drive.close()
    return said[0]


def _said(words, home):
    environment = {
        "UNABRIDGED_HOME": str(home),
        "UNABRIDGED_USER": "ada",
        "UNABRIDGED_MODEL": "golden",
        "UNABRIDGED_UPSTREAM": "quote",
        "UNABRIDGED_TOKENIZER": "estimate",
        "OLLAMA_HOST": None,
        "COLUMNS": "100",
    }
    ran = CliRunner().invoke(cli, [*words.split(), "--json"], env=environment)
    written = [json.loads(line) for line in _lines(ran.stdout)]
    told = [json.loads(line) for line in _lines(ran.stderr)]
    return _plain({"exit": ran.exit_code, "told": told, "written": written}, home)


def _lines(text):
    """Values of JSON: one a line, or one over many lines."""
    try:
        json.loads(text)
    except ValueError:
        return text.splitlines()
    return [text]


def _plain(data, home):
    """Take out what differs from run to run: paths, ids and times of now, keys, sizes of files."""
    match data:
        case dict():
            return {key: _masked(key, _plain(value, home)) for key, value in data.items()}
        case list():
            return [_plain(each, home) for each in data]
        case float():
            return round(data, 3)
        case str():
            text = data.replace(str(home), "HOME").replace(str(PACKAGE), "PACKAGE")
            return TIME.sub("(now)", ULID.sub("(id)", text))
        case _:
            return data


def _masked(key, value):
    if key == "seconds" and value is not None:
        return "(seconds)"
    if key in RANDOM and isinstance(value, str) and value:
        return f"({key})"
    if key == "bytes" and value and value % PAGE == 0:
        return "(file)"
    return value


KINDS = {
    "openapi.json": openapi,
    "mcp.json": tools,
    "help.txt": texts,
    "outputs.json": outputs,
}
"""File name to what writes it."""
