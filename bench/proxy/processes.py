"""The processes of a run: started, measured, and ended by their id."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from unabridged.errors import UnabridgedError

_SERVE = "import sys; from unabridged.cli.main import main; main(sys.argv[1:])"
_END_SECONDS = 40


class RunningProcess(NamedTuple):
    """A server that answers.

    Attributes:
        url: Its base address.
        pid: Its number.
    """

    url: str
    pid: int


@contextmanager
def upstream() -> Iterator[RunningProcess]:
    """Run the scripted upstream."""
    with _running([sys.executable, "-m", "bench.proxy.scripted_upstream"]) as found:
        yield found


@contextmanager
def bare(asked: str) -> Iterator[RunningProcess]:
    """Run the bare relay in front of an upstream."""
    with _running([sys.executable, "-m", "bench.proxy.bare_relay", asked]) as found:
        yield found


@contextmanager
def ours(home: Path, asked: str, dialect: str) -> Iterator[RunningProcess]:
    """Run the server in front of an upstream.

    Args:
        home: The folder of its memory.
        asked: The upstream's base address.
        dialect: What the upstream is taken for.
    """
    url = f"{asked}/v1" if dialect == "openai" else asked
    words = [
        "serve",
        "--json",
        "--log",
        "none",
        "--port",
        "0",
        "--home",
        str(home),
        "--model",
        "bench",
    ]
    words += ["--upstream", dialect, f"--{dialect}", url]
    with _running([sys.executable, "-c", _SERVE, *words]) as found:
        yield found


@contextmanager
def _running(command: list[str]) -> Iterator[RunningProcess]:
    process = subprocess.Popen(  # noqa: S603 - our own words
        command, stdout=subprocess.PIPE, text=True
    )
    try:
        line = process.stdout.readline().strip() if process.stdout else ""
        if not line:
            raise UnabridgedError(
                "A server of the benchmark did not start.", hint="Its output is above."
            )
        url = json.loads(line)["url"] if line.startswith("{") else line
        yield RunningProcess(url, process.pid)
    finally:
        process.terminate()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def load(job: Mapping[str, Any]) -> dict[str, Any]:
    """Put a load on a server from a separate process, and return its results."""
    with loading(job) as process:
        return told(process)


@contextmanager
def loading(job: Mapping[str, Any]) -> Iterator["subprocess.Popen[str]"]:
    """The same while something else is measured."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.proxy.load"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        if process.stdin is not None:
            process.stdin.write(json.dumps(job))
            process.stdin.close()
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def told(process: "subprocess.Popen[str]") -> dict[str, Any]:
    """Return the results of a load after its end.

    Raises:
        UnabridgedError: It failed.
    """
    said = process.stdout.read() if process.stdout is not None else ""
    if process.wait() != 0:
        raise UnabridgedError("The load failed.", hint="Its output is above.")
    found: dict[str, Any] = json.loads(said)
    return found


class ProcessUsage(NamedTuple):
    """Memory of a process, in megabytes.

    Attributes:
        own: Its own pages, which the system cannot take back.
        whole: With the pages of files that it has mapped.
    """

    own: float
    whole: float


def memory_of(pid: int) -> ProcessUsage | None:
    """Read how much memory a process holds; None if the system does not report it (only Linux does)."""
    path = Path(f"/proc/{pid}/status")
    if not path.exists():
        return None
    found = dict(re.findall(r"(RssAnon|VmRSS):\s+(\d+) kB", path.read_text()))
    return ProcessUsage(int(found["RssAnon"]) / 1024, int(found["VmRSS"]) / 1024) if found else None
