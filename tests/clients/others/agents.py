"""Coding agents against the server, with the settings that ``unabridged connect`` prints.

Each is started as its user starts it, in an empty project, before a scripted upstream that refuses
what real servers refuse. What the program sent is compared with what arrived upstream.
"""

import json
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.clients.others.beside import differences
from tests.clients.others.relay import Relay
from tests.clients.process import PROGRAM, Serve
from tests.helpers.arrivals import PATHS, is_context_error
from tests.helpers.atoms import atoms, holds
from tests.helpers.client_talks import OPENAI
from tests.helpers.strict_rules import Strictness, blocks_of
from tests.helpers.strict_server import StrictModel, StrictServer

from unabridged.cli.client_configs import NO_KEY, ServerAddress, client_of, filled
from unabridged.domain.message import ToolCall
from unabridged.testing.replies import ScriptedReply

PATIENCE = 120
"""Seconds for one run of a program."""
WINDOWS = (131_072, 32_768, 8_192)
FACT, QUESTION = "My boat is called Petronella and she weighs 5 tons.", "How heavy is my boat?"
TOOLS, AFTER = "Please RUN-alpha and RUN-beta now.", "And thanks, what did the tools say?"
TOLD = "weighs 5 tons"
ANSWERS = r"(?:Noted, says answer|Both were run, as answer) \d+"
LONG = "The router dispatched the request with three retries and kept the old path. " * 350
"""About 6,000 tokens."""


@dataclass(frozen=True)
class Agent:
    """A program.

    ``file``: where its settings go in the person's folder; without one they are exports of a shell.
    ``first`` and ``again``: its arguments before a prompt, in a new conversation and in the last;
    ``again`` is empty for one that cannot continue so.
    ``shell``: its tool that runs commands, and ``given`` the arguments of it.
    ``least``: the smallest of ``WINDOWS`` that its own instructions and tools fit into.
    ``compacts``: whether it summarizes its history by itself when the window is nearly full.
    ``speaks``: the dialect of the upstream that it talks to without us, or empty if the scripted
    one does not speak it. ``marks``: patterns of what is another in each of its runs.
    """

    name: str
    command: str
    first: list[str]
    again: list[str]
    shell: str
    given: Callable[[str], dict]
    file: str = ""
    least: int = 32_768
    environ: dict = field(default_factory=dict)
    compacts: bool = True
    speaks: str = "openai"
    marks: tuple[str, ...] = ()


def _described(command):
    return {"command": command, "description": "Runs a command"}


_CODEX = ["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access"]
_CLAUDE = ["--dangerously-skip-permissions", "-p"]
AGENTS = [
    Agent(
        "codex",
        "codex",
        _CODEX,
        [*_CODEX, "resume", "--last"],
        "exec_command",
        lambda command: {"cmd": command},
        ".codex/config.toml",
        speaks="",
    ),
    Agent(
        "opencode",
        "opencode",
        ["run"],
        ["run", "--continue"],
        "bash",
        _described,
        ".config/opencode/opencode.json",
        environ={"OPENCODE_PERMISSION": '{"bash": "allow"}'},
    ),
    Agent(
        "qwen-code",
        "qwen",
        ["--yolo"],
        ["--yolo", "--continue"],
        "run_shell_command",
        lambda command: {**_described(command), "is_background": False},
        ".qwen/settings.json",
        marks=(r"Output: [^\\]*",),  # it reads a quick command's output too late at times
    ),
    Agent(
        "claude-code",
        "claude",
        _CLAUDE,
        [*_CLAUDE, "--continue"],
        "Bash",
        _described,
        environ={"IS_SANDBOX": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
        speaks="anthropic",
        # The device; results of parallel calls come in the order in which they end.
        marks=("[0-9a-f]{64}", r"did-(alpha|beta)", r"call_\d+_\d"),
    ),
    Agent(
        "continue",
        "cn",
        ["--auto", "-p"],
        ["--auto", "--resume", "-p"],
        "Bash",
        _described,
        ".continue/config.yaml",
        least=8_192,
        compacts=False,
    ),
    Agent(
        "cline",
        "cline",
        [],
        [],  # it continues a task in its own screen only
        "run_commands",
        lambda command: {"commands": [command]},
        environ={"CLINE_SESSION_BACKEND_MODE": "local", "CLINE_NO_AUTO_UPDATE": "1"},
        least=8_192,
        compacts=False,
    ),
]
BEHIND = {
    "openai": ["--openai", "{url}/v1"],
    "ollama": ["--ollama", "{url}"],
    "anthropic": ["--set", "upstream=anthropic", "--set", "anthropic_url={url}"],
}
"""The arguments of ``serve`` for an upstream of a dialect."""


def script(agent):
    """Make a script: the tool's calls where a prompt names them, words otherwise.

    It depends on the request alone, so that two runs are alike.
    """

    def reply(body):
        messages = body["messages"]
        number = len(messages)
        said = max(n for n, each in enumerate(messages) if each["role"] == "user")
        results = any(block.get("type") == "tool_result" for block in blocks_of(messages[said]))
        if results or any(each["role"] == "tool" for each in messages[said:]):
            return ScriptedReply(f"Both were run, as answer {number} says.")
        asked = re.findall(r"RUN-(\w+)", str(messages[said]["content"]).partition("<recalled")[0])
        if not asked or not _has_shell(body, agent):
            return ScriptedReply(f"Noted, says answer {number}.")
        given = [json.dumps(agent.given(f"echo did-{each}")) for each in asked]
        calls = [ToolCall(f"call_{number}_{n}", agent.shell, one) for n, one in enumerate(given)]
        return ScriptedReply("I run them.", calls=tuple(calls))

    return reply


class Trial:
    """A program before our server, which is before the scripted upstream.

    ``speaks`` is the upstream's dialect; ``direct`` leaves our server out.
    """

    def __init__(self, agent, binaries, window, stack, *, speaks="openai", direct=False):
        self.agent, self.binaries, self.window = agent, binaries, window
        # Codex refuses to work in the folder for temporary files.
        self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=Path.home())))
        model = StrictModel(window=window)
        # Claude Code takes an unknown model for one of the newest, which know more fields.
        strict = Strictness(unknown=speaks != "anthropic")
        upstream = StrictServer(script(agent), models=[model], strict=strict)
        self.upstream = stack.enter_context(upstream)
        url = self.upstream.url
        if not direct:
            behind = [each.format(url=url) for each in BEHIND[speaks]]
            memory = [self.folder / "memory", *behind, "--window", str(window)]
            url = stack.enter_context(Serve(*memory)).url
        self.relay = stack.enter_context(Relay(url))
        (self.folder / "project").mkdir()
        self.environ = self._settled()

    def _settled(self):
        """Write the settings that ``connect`` prints; give the environment."""
        home = self.folder / "home"
        address = ServerAddress(self.relay.url, str(home), "m", NO_KEY, "", "", "unabridged")
        text = filled(client_of(self.agent.name), address).replace("32768", str(self.window))
        path = f"{self.binaries}:{os.environ['PATH']}"
        environ = {"PATH": path, "HOME": str(home), "XDG_CONFIG_HOME": f"{home}/.config"}
        home.mkdir()
        if self.agent.file:
            (home / self.agent.file).parent.mkdir(parents=True)
            (home / self.agent.file).write_text(text)
            return environ | self.agent.environ
        lines = [shlex.split(line) for line in text.splitlines()]
        exports = (words[1:] for words in lines if words[:1] == ["export"])
        environ |= self.agent.environ | dict(
            each.split("=", 1) for words in exports for each in words
        )
        for words in lines:
            if words[:1] == [self.agent.command] and len(words) > 1:
                argv = [self.binaries / words[0], *words[1:]]
                subprocess.run(argv, env=environ, capture_output=True, check=True)
        return environ

    def say(self, arguments, prompt):
        """Run the program with a prompt; give what it printed, and what arrived upstream of it."""
        argv = [str(self.binaries / self.agent.command), *arguments, prompt]
        seen = len(self.upstream.accepted)
        streams = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.STDOUT,
        }
        begun = {"cwd": self.folder / "project", "env": self.environ, "text": True, **streams}
        try:
            told = subprocess.run(argv, **begun, timeout=PATIENCE, check=False).stdout
        except subprocess.TimeoutExpired:
            told = f"did not end in {PATIENCE} seconds"
        return told, json.dumps([chat.body["messages"] for chat in self.upstream.accepted[seen:]])

    def sessions(self):
        """The titles of the sessions in memory."""
        asked = ["sessions", "--json", "--home", str(self.folder / "memory")]
        done = subprocess.run([*PROGRAM, *asked], capture_output=True, text=True, check=True)
        return sorted(row["title"].strip('"') for row in json.loads(done.stdout))

    def losses(self):
        """What of the program's requests neither arrived nor was refused for its length."""
        found = []
        bodies = [chat.body for chat in self.upstream.accepted]
        for row in self.relay.passed:
            dialect = next((name for name, path in PATHS.items() if path == row.path), None)
            if dialect is None:
                continue
            if row.status == 200:
                found += min((lost(dialect, row.body, body) for body in bodies), key=len)
            elif not is_context_error(dialect, row.status, row.answer):
                found.append(f"{row.status}: {row.answer[:200]}")
        return found


def lost(dialect, sent, arrived):
    """What of a request is not in a body upstream."""
    names = {tool["function"]["name"] for tool in arrived.get("tools") or ()}
    got = [atom for each in atoms(OPENAI, arrived) for atom in each]
    # Thoughts are not compared: only the server that made them can read some of them.
    wanted = [a for each in atoms(dialect, sent) for a in each if a[1] in {"text", "call", "image"}]
    return [f"tool {name}" for name in tool_names(sent) if name not in names] + [
        f"{atom[0]} {str(atom[2])[:80]!r}"
        for atom in wanted
        if not any(holds(each, atom) for each in got)
    ]


def tool_names(body):
    """The names of a request's tools; those that only OpenAI's servers run have none."""
    for tool in body.get("tools") or ():
        inner = tool.get("function", tool)
        if tool.get("type") == "namespace":
            yield from (f"{tool['name']}__{one['name']}" for one in tool["tools"])
        elif "name" in inner:
            yield inner["name"]


def _has_shell(body, agent):
    return agent.shell in tool_names(body)


def agent_runs(agent, binaries, window):
    """Try a program in a window; give what passed and what failed."""
    passed, failed = [], {}

    def step(name, held, seen):
        (passed.append(name) if held else failed.update({name: str(seen)[-300:]}))

    with ExitStack() as stack:
        trial = Trial(agent, binaries, window, stack)
        told, _ = trial.say(agent.first, FACT)
        if window < agent.least:
            refused = [row.status for row in trial.relay.passed if _has_shell(row.body, agent)]
            step("is refused where its own tools do not fit", set(refused) == {400}, refused)
        else:
            step("answers", "Noted" in told, told)
            told, arrived = trial.say(agent.first, QUESTION)
            step("recalls in a new conversation", TOLD in arrived, told)
            told, arrived = trial.say(agent.first, TOOLS)
            ran = all(each in arrived for each in ("did-alpha", "did-beta"))
            step("runs two tools of one answer", "Both were run" in told and ran, told)
            if agent.again:
                told, arrived = trial.say(agent.again, AFTER)
                whole = all(each in arrived for each in ("did-alpha", "Both were run", AFTER))
                step("continues with its whole history", "Noted" in told and whole, told)
            titles = trial.sessions()
            step(
                "has a session for each conversation",
                titles == sorted([FACT, QUESTION, TOOLS]),
                titles,
            )
            if agent.compacts and window == agent.least:
                step("compacts, and its summary is no conversation", *compacted(trial))
        losses = trial.losses()
        step("loses nothing", not losses, losses[:3])
    return {"passed": passed, "failed": failed}


def agent_beside(agent, binaries, window):
    """Try a program with us and without; give what passed and what failed."""
    passed, failed, runs = [], {}, []
    for direct in (True, False):
        with ExitStack() as stack:
            trial = Trial(agent, binaries, window, stack, speaks=agent.speaks, direct=direct)
            said = [(agent.first, text) for text in (FACT, QUESTION, TOOLS)]
            said += [(agent.again, AFTER)] if agent.again else []
            told = [re.findall(ANSWERS, trial.say(*each)[0])[-1:] for each in said]
            folder = str(trial.folder)
            names = (re.escape(folder), re.sub("[^a-zA-Z0-9]", "-", folder), *agent.marks)
            marks = [(re.compile(each), "MARK") for each in names]
            chats = [(chat, marks) for chat in trial.upstream.chats]
            runs.append((told, chats))
            sent = [
                (row, ())
                for row in trial.relay.passed
                if row.path == trial.upstream.chats[0].dialect
            ]
    (alone, direct), (ours, through) = runs
    unlike = [pair for pair in zip(alone, ours, strict=True) if pair[0] != pair[1]]
    apart = differences(direct, through)
    added = differences(sent, [(chat, ()) for chat, _ in through])
    for name, found in {
        "says what it says without us": unlike or [each for each in alone if not each],
        "sends on what the program sends, and only memory adds": added,
        "has the upstream asked what it is asked without us": apart,
    }.items():
        failed.update({name: str(found[:4])[:1500]}) if found else passed.append(name)
    return {"passed": passed, "failed": failed}


def compacted(trial):
    """Talk until the window is full; give whether the program was served a summary, and what it asked."""
    for number in range(4):
        trial.say(trial.agent.again, f"What about this, number {number}? {LONG}")
        ways = [
            row.headers.get("x-unabridged-way", "")
            for row in trial.relay.passed
            if row.status == 200
        ]
        if f"{trial.agent.name} compaction" in ways:
            asked = [
                title for title in trial.sessions() if title.startswith(("CRITICAL", "First,"))
            ]
            return not asked, asked
    return False, ways[-5:]


def agents(binaries, only=(), windows=WINDOWS):
    """Try every program that is asked for; yields its label and what came of it."""
    for agent in AGENTS:
        for window in windows:
            label = f"{agent.name} {window // 1024}k"
            if not only or any(word in label for word in only):
                yield label, agent_runs(agent, binaries, window)
        label = f"{agent.name} beside"
        if agent.speaks and (not only or any(word in label for word in only)):
            yield label, agent_beside(agent, binaries, windows[0])
