"""``unabridged serve`` as a process: what it prints, what it answers, and how it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest
from tests.helpers import program
from tests.helpers.talker import Talker

from unabridged.testing.ollama_server import OllamaTestServer
from unabridged.testing.replies import ScriptedReply

COMMAND = [sys.executable, "-c", "from unabridged.cli.main import main; main()", "serve"]


@pytest.fixture
def served(tmp_path):
    """Start a server with options; give its process and what it said of itself."""
    started = []

    def start(*options):
        env = {**os.environ, "UNABRIDGED_HOME": str(tmp_path / "home")}
        process = program.start(
            *("serve", "--port", "0", "--json", *(options or ("--upstream", "quote"))),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            text=True,
        )
        started.append(process)
        line = process.stdout.readline()
        assert line, process.stderr.read()
        return process, json.loads(line)

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def end(process, which=signal.SIGTERM):
    process.send_signal(which)
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGINT])
def test_it_says_where_it_listens_answers_and_ends_in_peace(served, tmp_path, which):
    process, said = served()
    assert said["provider"] == "quote"
    assert said["home"] == str(tmp_path / "home")
    with httpx2.Client(base_url=said["url"]) as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        ready = client.get("/readyz")
        assert (ready.status_code, ready.json()["status"]) == (200, "ok")
        assert client.get("/nowhere?secret=words").status_code == 404
    code, _, err = end(process, which)
    assert code == 0
    assert "route=other status=404" in err
    assert "secret" not in err
    assert "healthz" not in err


def test_a_taken_port_is_told_with_another_one(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = subprocess.run(
            [*COMMAND, "--port", str(port), "--home", str(tmp_path / "h")],
            check=False, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    assert ran.returncode == 2
    assert f"port {port} is already in use" in ran.stderr
    assert f"--port {port + 1}" in ran.stderr
    assert not ran.stdout


def test_it_does_not_listen_to_others_without_keys(tmp_path):
    ran = subprocess.run(
        [*COMMAND, "--listen", "0.0.0.0:0", "--home", str(tmp_path / "h")],
        check=False, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 2
    assert "keys create" in ran.stderr


def test_an_idle_connection_keeps_nobody_waiting(served):
    process, said = served()
    host, port = said["url"].removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as idle:
        idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert b"200" in idle.recv(4096).split(b"\r\n")[0]
        assert end(process)[0] == 0


SLOW = ScriptedReply("one two three four five six seven eight nine ten", pause=0.1)
BODY = {"model": "llama3.2", "messages": [{"role": "user", "content": "Count, please."}]}


def last_state(home):
    with Talker.open(home, upstream="quote") as memory:
        return [e.state.value for c in memory.space.log.transcripts() for e in c.exchanges]


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGHUP])
def test_a_stream_is_finished_before_the_end_and_nothing_new_is_begun(served, tmp_path, which):
    with OllamaTestServer(script=SLOW) as upstream, httpx2.Client(timeout=30) as client:
        process, said = served("--upstream", "ollama", "--ollama", upstream.url)
        with client.stream("POST", f"{said['url']}/api/chat", json=BODY) as answer:
            lines = answer.iter_lines()
            first = next(lines)
            process.send_signal(which)
            last = [first, *lines][-1]
        assert json.loads(last)["done"] is True
        with pytest.raises(httpx2.TransportError):
            client.get(f"{said['url']}/healthz")
        assert process.wait(30) == 0
    assert last_state(tmp_path / "home") == ["complete"]


@pytest.mark.parametrize("how", ["two signals", "too slow"])
def test_what_is_not_finished_in_time_is_kept_as_incomplete(tmp_path, how):
    forever = ScriptedReply(" ".join(["word"] * 1000), pause=0.1)
    grace = "import unabridged.server.run_server as s; s.serve.__defaults__ = (0.5,)\n"
    code = (grace if how == "too slow" else "") + COMMAND[2]
    home = tmp_path / "home"
    with OllamaTestServer(script=forever) as upstream, httpx2.Client(timeout=30) as client:
        process = program.python(
            code, "serve", "--port", "0", "--ollama", upstream.url, "--json", "--home", home,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            url = json.loads(process.stdout.readline())["url"]
            with client.stream("POST", f"{url}/api/chat", json=BODY) as answer:
                lines = answer.iter_lines()
                next(lines)
                process.send_signal(signal.SIGTERM)
                if how == "two signals":
                    process.send_signal(signal.SIGINT)  # two of one kind at once may come as one
                with suppress(httpx2.HTTPError):
                    list(lines)
            assert process.wait(30) == 0
        finally:
            process.kill()
            process.communicate()
    assert last_state(home) == ["incomplete"]


def test_mcp_is_served_to_who_has_the_token(served):
    _, said = served()
    assert said["mcp"]
    body = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }  # fmt: skip
    accept = {"accept": "application/json, text/event-stream"}
    token = {"authorization": f"Bearer {Path(said['token']).read_text('ascii').strip()}"}
    with httpx2.Client(base_url=said["url"]) as client:
        assert client.post("/mcp", json=body, headers=accept).status_code == 401
        answer = client.post("/mcp", json=body, headers={**accept, **token})
    assert answer.status_code == 200
    assert "unabridged" in answer.text


def test_without_the_extra_for_mcp_it_says_so_and_goes_on(tmp_path):
    code = (
        "import sys; sys.modules['mcp'] = None\n"
        "from unabridged.cli.main import main; main(sys.argv[1:])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, "serve", "--port", "0", "--upstream", "quote",
         "--home", str(tmp_path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    shown = []
    for line in process.stdout:
        shown.append(line)
        if "Ctrl-C" in line:
            break
    assert end(process)[0] == 0
    assert "[mcp]'" in "".join(shown)


def test_without_the_extra_for_the_server_it_says_how_to_get_it(tmp_path):
    code = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from unabridged.cli.main import main; main(sys.argv[1:])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, "serve", "--home", str(tmp_path)],
        check=False, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 2
    assert "[server]'" in ran.stderr
