"""A person's own machine: an empty folder to stand in, a home, and the program as processes."""

import json
import os
import signal
import subprocess
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner
from tests.helpers import program

from unabridged.cli.main import cli
from unabridged.testing.ollama_server import OllamaTestServer


@dataclass
class House:
    """A home, an empty folder beside it, and a profile under which everything runs.

    Attributes:
        root: The folder of both.
        url: Where the model server is.
        profile: The profile.
        running: The servers that were started.
    """

    root: Path
    url: str
    profile: str
    running: list = field(default_factory=list)

    def __post_init__(self):
        self.cwd.mkdir(parents=True)

    @property
    def home(self):
        return self.root / "home"

    @property
    def cwd(self):
        """The folder in which every command is given; nothing may appear in it."""
        return self.root / "project"

    @property
    def settings(self):
        """What ``Memory.open`` takes for the same memory."""
        return {
            "home": self.home,
            "profile": self.profile,
            "upstream": "ollama",
            "ollama_url": self.url,
            "model": "llama3.2",
        }

    @property
    def environment(self):
        told = {
            "UNABRIDGED_HOME": str(self.home),
            "UNABRIDGED_PROFILE": self.profile,
            "UNABRIDGED_UPSTREAM": "ollama",
            "UNABRIDGED_OLLAMA_URL": self.url,
            "UNABRIDGED_MODEL": "llama3.2",
            "HOME": str(self.cwd),
            "COLUMNS": "100",
        }
        return {**os.environ, **told}

    def start(self, *words, stdin=None):
        """Start the program."""
        return program.start(
            *words,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.cwd,
            env=self.environment,
            text=True,
        )

    def apart(self, *words, text=None):
        """Run the program to its end in a process of its own; give what it printed."""
        process = self.start(*words, stdin=subprocess.PIPE)
        out, err = process.communicate(text, timeout=240)
        assert process.returncode == 0, f"{words}: {out}{err}"
        return out

    def run(self, *words, text=None, code=0):
        """Run a command in this process; give what it printed, on either stream."""
        with chdir(self.cwd):
            ran = CliRunner().invoke(cli, words, input=text, env=self.environment)
        assert ran.exit_code == code, f"{words}: {ran.output}"
        return ran.output

    def data(self, *words, text=None):
        """The same, as JSON."""
        with chdir(self.cwd):
            ran = CliRunner().invoke(cli, [*words, "--json"], input=text, env=self.environment)
        assert ran.exit_code == 0, f"{words}: {ran.output}"
        return json.loads(ran.stdout)

    def serve(self, *words):
        """Start the server; give its address."""
        process = self.start("serve", "--port", "0", "--json", "--log", "none", *words)
        self.running.append(process)
        line = process.stdout.readline()
        assert line, process.stderr.read()
        return json.loads(line)["url"]

    def end(self):
        """End the servers in peace."""
        for process in self.running:
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=60)
            assert process.returncode == 0, err
        self.running.clear()


def asked_last(body):
    """The last user message of a request to the model, with what memory put before it."""
    return body["messages"][-1]["content"]


def prompts(server: OllamaTestServer):
    """Every prompt that the model was sent, as one text each, the oldest first."""
    return [json.dumps(body["messages"], ensure_ascii=False) for body in server.sent("/api/chat")]
