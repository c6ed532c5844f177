"""A server that is killed while clients write: what they repeat under its key is done once."""

import json
import random
import signal
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import httpx2
import pytest
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.domain.record import RecordKind

ROUNDS = 4
WRITERS = 3


class Killed:
    """A server in a process of its own, which can be killed."""

    def __init__(self, home):
        command = "from unabridged.cli.main import main; main()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", command, "serve", "--port", "0", "--json", "--home", str(home),
             "--upstream", "quote"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.url = json.loads(self.process.stdout.readline())["url"]
        token = (Path(home) / "config" / "server-token").read_text("utf-8").strip()
        self.client = httpx2.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {token}"}, timeout=30
        )

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def close(self):
        self.client.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(30)
        self.process.stdout.close()


def _write(client, request):
    """Send a request, and tell whether it was acknowledged."""
    path, body, key = request
    try:
        answer = client.post(path, json=body, headers={"Idempotency-Key": key})
    except httpx2.HTTPError:
        return False
    assert answer.status_code == 201, answer.text
    return True


def _requests(writer):
    """Requests without end: exchanges, facts, pins, in turn."""
    number = 0
    while True:
        number += 1
        words = f"writer {writer} number {number}"
        kind = number % 3
        path = ("/memory/exchanges", "/memory/facts", "/memory/pins")[kind]
        body = {"user": words, "assistant": "Noted."} if kind == 0 else {"text": words}
        yield path, body, str(uuid.uuid4())


@pytest.mark.long
def test_what_is_repeated_after_a_kill_is_done_once(tmp_path):
    chance = random.Random(6)
    sources = [_requests(n) for n in range(WRITERS)]
    pending = [next(source) for source in sources]
    acknowledged = []
    for round_ in range(ROUNDS + 1):
        server = Killed(tmp_path / "home")
        try:
            ending = threading.Event()
            threads = [
                threading.Thread(
                    target=_go_on, args=(server, n, sources, pending, acknowledged, ending)
                )
                for n in range(WRITERS)
            ]
            for thread in threads:
                thread.start()
            enough = len(acknowledged) + 2 * WRITERS
            begun = time.monotonic()
            while len(acknowledged) < enough and time.monotonic() < begun + 120:
                time.sleep(0.02)
            time.sleep((time.monotonic() - begun) * chance.random())
            if round_ < ROUNDS:
                server.kill()
            ending.set()
            for thread in threads:
                thread.join(60)
        finally:
            server.close()
    assert len(acknowledged) > ROUNDS * WRITERS
    _check(tmp_path / "home", acknowledged)


def _go_on(server, writer, sources, pending, acknowledged, ending):  # noqa: PLR0917 - one caller
    """Send what waits, first of all what was not acknowledged, until the server is gone."""
    while _write(server.client, pending[writer]):
        acknowledged.append(pending[writer][1])
        pending[writer] = next(sources[writer])
        if ending.is_set():
            return


def _check(home, acknowledged):
    """Everything that was acknowledged is there, and nothing is there twice."""
    with Talker.open(home, upstream="quote") as memory:
        facts = [record.body["text"] for record in store_of(memory).records(RecordKind.FACT)]
        told = {
            "user": [exchange.user.text for exchange in memory.space.log.scan(None, 100_000)],
            "text": facts,
        }
    for field, stored in told.items():
        assert len(stored) == len(set(stored))
        assert {body[field] for body in acknowledged if field in body} <= set(stored)
