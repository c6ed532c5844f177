"""``unabridged serve`` as a process: what it prints, what it answers, and how it ends."""

import json
import os
import signal
import socket
import subprocess
import sys

import httpx2
import pytest

COMMAND = [sys.executable, "-c", "from unabridged.cli.main import main; main()", "serve"]


@pytest.fixture
def served(tmp_path):
    """Start a server with options; give its process and what it said of itself."""
    started = []

    def start(*options):
        env = {**os.environ, "UNABRIDGED_HOME": str(tmp_path / "home")}
        process = subprocess.Popen(
            [*COMMAND, "--port", "0", "--upstream", "quote", "--json", *options],
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
    assert f"port {port} already" in ran.stderr
    assert f"--port {port + 1}" in ran.stderr
    assert not ran.stdout


def test_it_does_not_listen_to_others_without_keys(tmp_path):
    ran = subprocess.run(
        [*COMMAND, "--listen", "0.0.0.0:0", "--home", str(tmp_path / "h")],
        check=False, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 2
    assert "keys create" in ran.stderr


def test_a_stream_is_finished_before_the_end(served):
    """Nothing new is taken while a request that was begun is answered to its end."""
    process, said = served()
    host, port = said["url"].removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as idle:
        idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert b"200" in idle.recv(4096).split(b"\r\n")[0]
        assert end(process)[0] == 0  # an idle connection keeps nobody waiting
