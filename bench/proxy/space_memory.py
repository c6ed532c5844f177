"""What open spaces take of the server's memory, and what closing them gives back."""

import http.client
import json
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from bench.core.store_sizes import model
from bench.figures.report import ReportAim, ReportRow, row
from bench.generator import TalkGenerator
from bench.proxy import processes
from bench.proxy.stream_script import asking
from unabridged.domain.settings import Settings
from unabridged.home.api_keys import ApiKeys
from unabridged.memory import Memory

EXCHANGES = 200
"""Exchanges that each space holds."""
CHATS = 3
"""Messages that are put to each space."""
SETTLES_SECONDS = 65
"""Until the server has done its background work and given free pages back."""
AIMS = {"memory of a space": ReportAim(most=3)}


def run(home: Path, asked: str, drawn: TalkGenerator, spaces: int) -> Iterator[ReportRow]:
    """Open spaces over HTTP, then as many empty ones, so that the first are closed.

    Args:
        home: An empty folder.
        asked: The upstream's base address.
        drawn: The conversations.
        spaces: How many; the server keeps 64 open. The first third is not counted.
    """
    for number in range(spaces):
        _fill(home, drawn, f"user{number}")
    token = ApiKeys(str(home)).token()
    held: list[float] = []
    with processes.ours(home, asked, "ollama") as ours:
        users = [f"user{number}" for number in range(spaces)]
        third = spaces // 3  # what all spaces share is filled by then
        for some in (["warm"] * 5, users[:third], users[third:], [f"new{n}" for n in range(64)]):
            for user in some:
                _chat(ours.url, token, user, drawn)
            held.append(_own(ours.pid))
    note = (
        f"{held[0]:.0f} MB with one, {held[1]:.0f} MB with {third} more, {held[2]:.0f} MB with "
        f"{spaces}, {held[3]:.0f} MB with 64 empty ones in their place"
    )
    taken = round((held[2] - held[1]) / (spaces - third), 2)
    size = spaces * EXCHANGES
    yield row("memory of a space", taken, size=size, aims=AIMS, unit="MB", note=note)


def _fill(home: Path, drawn: TalkGenerator, user: str) -> None:
    settings = Settings(home=str(home), user=user)
    with Memory.open(settings=settings, upstream=model("bench")) as memory:
        for conversation in drawn.conversations(EXCHANGES):
            memory.space.log.import_transcript(conversation)


def _chat(url: str, token: str, user: str, drawn: TalkGenerator) -> None:
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port)
    headers = {"Authorization": f"Bearer {token}", "X-Unabridged-User": user}
    for number in range(CHATS):
        words = f"{drawn.question(drawn.topics[number])} {asking(20)}"
        body = {"model": "bench", "stream": False, "messages": [{"role": "user", "content": words}]}
        connection.request("POST", "/api/chat", json.dumps(body), headers)
        connection.getresponse().read()
    connection.close()


def _own(pid: int) -> float:
    time.sleep(SETTLES_SECONDS)
    held = processes.memory_of(pid)
    return held.own if held else 0.0
