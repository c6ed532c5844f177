"""Open WebUI and SillyTavern in headless Chromium, with the settings that ``connect`` prints.

Each is driven twice, before a scripted upstream and before our server before it. What the page
shows must be the same, and memory may only add to what arrives.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.clients.others.beside import differences
from tests.clients.process import PROGRAM, Serve
from tests.helpers.strict_server import StrictModel, StrictServer

from unabridged.cli.client_configs import ServerAddress, client_of, filled
from unabridged.clock import SystemClock
from unabridged.domain.permissions import Grant, Right
from unabridged.home.api_keys import ApiKeys
from unabridged.testing.replies import ScriptedReply

HERE = Path(__file__).parent.parent / "pages"
VENV = Path(sys.prefix)
WEBUI, NPM = VENV / "open-webui" / "bin" / "open-webui", VENV / "pages"
TAVERN = NPM / "node_modules" / "sillytavern" / "server.js"
PATIENCE = 300
"""Seconds for all steps of a page."""
STARTS = 240
"""Seconds until a program shows its page: SillyTavern compiles it first."""
FACT, QUESTION = "My boat is called Petronella and she weighs 5 tons.", "How heavy is my boat?"
TOLD = "weighs 5 tons"
ENDLESS = "Count on WITHOUT-END please."
SMALL = 8_192
VOLATILE = [(re.compile("(word ?){2,}"), "WORDS ")]
"""How far an answer came before it was stopped."""
NO_TOOLS = '{"capabilities": {"builtin_tools": false}}'
"""Open WebUI's setting for windows that its 36 tools do not fit into."""
OFFLINE = {
    "USE_SLIM_DOCKER": "true",  # without what needs PyTorch
    "OFFLINE_MODE": "True",
    "ENABLE_VERSION_UPDATE_CHECK": "False",
    "WEBUI_SECRET_KEY": "for this test and for no other one",
}


def script(body):
    """Answer by what is asked alone, so that two runs are alike."""
    text = str(body.get("prompt")).rpartition("User:")[2]
    messages = body.get("messages") or [{"role": "user", "content": text}]
    said = [str(each.get("content")) for each in messages if each["role"] == "user"]
    words = said[-1].partition("<recalled")[0].strip()
    if words.startswith("### Task"):
        named = {"follow_ups": ["What else?"], "tags": ["boats"], "title": "A boat"}
        key = next((name for name in named if f'"{name}"' in words), "title")
        return json.dumps({key: named[key]})
    if "WITHOUT-END" in words:
        return ScriptedReply("word " * 600, pause=0.05)
    pause = 0.2 if "slowly" in words else 0.0
    return ScriptedReply(f"Noted in turn {len(said)}: {words[-30:].strip()} So it is.", pause=pause)


@dataclass(frozen=True)
class Page:
    """A program with a page.

    ``start`` gives its command and environment for a folder, a port, the settings of ``connect``
    and a window; ``installed`` is there if it is installed.
    """

    name: str
    dialects: tuple[str, ...]
    installed: Path
    start: Callable
    sessions: dict


def _open_webui(folder, port, settings, trial):
    environ = dict(line.split("=", 1) for line in settings.split("\n") if "=" in line)
    if trial.dialect == "openai":
        key = json.loads(environ.pop("OLLAMA_API_CONFIGS"))["0"]["key"]
        url = environ.pop("OLLAMA_BASE_URL")
        environ |= {"ENABLE_OLLAMA_API": "False", "OPENAI_API_KEY": key}
        environ["OPENAI_API_BASE_URL"] = f"{url}/v1"
    else:
        environ["ENABLE_OPENAI_API"] = "False"
    if trial.window <= SMALL:
        environ["DEFAULT_MODEL_METADATA"] = NO_TOOLS
    argv = [WEBUI, "serve", "--host", "127.0.0.1", "--port", str(port)]
    return argv, environ | OFFLINE | {"DATA_DIR": str(folder)}


def _sillytavern(folder, port, _settings, _trial):
    files = ["--configPath", folder / "config.yaml", "--dataRoot", folder / "data"]
    return ["node", TAVERN, *files, "--browserLaunchEnabled", "false", "--port", str(port)], {}


PROGRAMS = [
    Page(
        "open-webui",
        ("ollama", "openai"),
        WEBUI,
        _open_webui,
        {FACT: 7, QUESTION: 1, ENDLESS: 2},
    ),
    Page(
        "sillytavern", ("openai", "text"), TAVERN, _sillytavern, {FACT: 11, QUESTION: 2, ENDLESS: 3}
    ),
]


@dataclass(frozen=True)
class Trial:
    """A page in a dialect and a window."""

    page: Page
    dialect: str
    window: int
    folder: Path
    pictures: str = ""

    def run(self, *, behind_us):
        """Drive the page; give what its steps showed, what arrived upstream, and the memory."""
        place = self.folder / ("through" if behind_us else "direct")
        (place / "program").mkdir(parents=True)
        models = [StrictModel(window=max(self.window, 32_768)), StrictModel("n")]
        with ExitStack() as stack:
            upstream = stack.enter_context(StrictServer(script, models=models))
            url, key = upstream.url, "none"
            if behind_us:
                grant = Grant(self.page.name, rights=frozenset({Right.CHAT}))
                key = ApiKeys(place / "home").create(grant, SystemClock().now())[1]
                url = stack.enter_context(self._server(place / "home", upstream)).url
            address = ServerAddress(url, str(place), "m", key, "", "", "unabridged")
            settings = filled(client_of(self.page.name), address)
            port = _free()
            argv, environ = self.page.start(place / "program", port, settings, self)
            stack.enter_context(_running(argv, environ, place / "program", port))
            seen = self._driven(f"http://127.0.0.1:{port}", settings)
            _quiet(upstream)
        return seen, upstream.chats, _memory(place) if behind_us else []

    def _server(self, home, upstream):
        behind = ["--ollama", upstream.url]
        if self.dialect != "ollama":
            behind = ["--openai", f"{upstream.url}/v1"]
        return Serve(home, *behind, "--window", str(self.window))

    def _driven(self, url, settings):
        told = {"ADDRESS": url, "FACT": FACT, "QUESTION": QUESTION, "ENDLESS": ENDLESS}
        told |= {"SETTINGS": settings, "DIALECT": self.dialect, "WINDOW": str(self.window)}
        told |= {"CHROMIUM": shutil.which("chromium"), "PICTURES": self.pictures}
        for file in HERE.glob("*.mjs"):
            shutil.copy(file, NPM / file.name)  # a script imports packages from its own folder
        driver = NPM / f"{self.page.name.replace('-', '_')}.mjs"
        done = subprocess.run(
            ["node", driver],
            env=os.environ | told,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        lines = done.stdout.strip().splitlines()
        return json.loads(lines[-1]) if lines else {"failed": {"drive": done.stderr[-400:]}}


@contextmanager
def _running(argv, environ, folder, port):
    """Run a program's server until the end, and wait until it shows its page."""
    kept = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            list(map(str, argv)),
            cwd=folder,
            env=kept | environ,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            until = time.monotonic() + STARTS
            while not _shows(f"http://127.0.0.1:{port}"):
                if process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError((folder / "log").read_text()[-400:])
                time.sleep(0.5)
            yield
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait(30)


def _shows(url):
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status == 200
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def _free():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def _quiet(upstream):
    """Wait until nothing has arrived for two seconds."""
    seen = -1
    while seen != len(upstream.chats):
        seen = len(upstream.chats)
        time.sleep(2)


def _memory(place):
    """Every exchange in memory: the title of its session, its words and its state."""
    command = ["export", "--all", "--home", str(place / "home"), "-o", f"{place}/out/"]
    subprocess.run([*PROGRAM, *command], capture_output=True, check=True)
    titles, found = {}, []
    for file in sorted((place / "out").rglob("*.jsonl")):
        for row in map(json.loads, file.read_text().splitlines()):
            if "session" in row:
                titles[row["session"]["id"]] = row["session"]["title"].strip('"')
            elif "exchange" in row:
                one = row["exchange"]
                found.append((titles[one["session"]], json.dumps(one["messages"]), one["state"]))
    return found


def page_run(page, dialect, window, pictures=""):
    """Drive a page with and without us; give what passed and what failed."""
    passed, failed = [], {}

    def step(name, held, seen):
        (passed.append(name) if held else failed.update({name: str(seen)[-600:]}))

    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(page, dialect, window, Path(folder), pictures)
        alone, direct, _ = trial.run(behind_us=False)
        ours, through, memory = trial.run(behind_us=True)
    for name, seen in {"without us": alone, "through us": ours}.items():
        step(f"every step is done {name}", not seen["failed"], seen["failed"])
    unlike = [
        (name, shown, ours["shown"].get(name))
        for name, shown in alone.get("shown", {}).items()
        if shown != ours.get("shown", {}).get(name)
    ]
    step("shows what it shows without us", not unlike, unlike)
    apart = differences(*([(chat, VOLATILE) for chat in chats] for chats in (direct, through)))
    step("sends on what arrives without us", not apart, apart[:3])
    asked = [json.dumps(chat.body) for chat in through]
    told = [body for body in asked if QUESTION in body and "### Task" not in body]
    if dialect == "text":
        step("texts are continued without memory", not memory, memory[:2])
        return {"passed": passed, "failed": failed}
    step("recalls in a second chat", told and TOLD in told[-1], told[-1:])
    sessions = Counter(title for title, _, _ in memory)
    step("has a session for each chat, with branches", sessions == page.sessions, sessions)
    side = [words for _, words, _ in memory if "### Task" in words]
    step("keeps nothing of the page's own requests", not side, side[:1])
    states = {state for _, words, state in memory if "word word" in words}
    step("keeps a stopped answer as incomplete", states == {"incomplete"}, states)
    return {"passed": passed, "failed": failed}


def pages(only=(), windows=(32_768, SMALL), pictures=""):
    """Try each page that is asked for; yields its label and what came of it."""
    for page in PROGRAMS:
        for dialect in page.dialects:
            for window in windows:
                label = f"{page.name} {dialect} {window // 1024}k"
                if not only or any(word in label for word in only):
                    why = lacking(page)
                    yield (
                        label,
                        {"skipped": why} if why else page_run(page, dialect, window, pictures),
                    )


def lacking(page):
    """Why a page cannot be tried; empty if it can."""
    if not shutil.which("chromium"):
        return "no chromium: apt-get install chromium"
    if not page.installed.exists() or not (NPM / "node_modules" / "playwright-core").exists():
        return f"{page.name} could not be installed: rm .venv/.pages; make .venv/.pages"
    return ""
