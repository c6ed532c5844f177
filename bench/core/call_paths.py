"""``python -m bench paths``: how many files and functions of the package one call passes through."""

import asyncio
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import unabridged
from bench.core.core_benchmark import machine
from bench.figures.report import BenchReport, ReportRow, row
from bench.generator import TalkGenerator
from unabridged import config
from unabridged.factory.space_pool import SpacePool
from unabridged.memory import Memory

SAID = 60
"""Exchanges that are stored before."""
ADDRESS = "http://127.0.0.1:11435"
IDLE_SECONDS = 30.0
PACKAGE = str(Path(unabridged.__file__).parent)
VIVID = "Do you remember what I told you about the boat of my sister?"

Progress = Callable[[str], None]


@dataclass(slots=True)
class CallPath:
    """What a call passed through.

    Attributes:
        files: The files of the package.
        functions: Its functions, with their files.
        is_on: Whether calls are noted now.
    """

    files: set[str] = field(default_factory=set)
    functions: set[tuple[str, str]] = field(default_factory=set)
    is_on: bool = True

    def take(self, frame: FrameType, event: str, _: object) -> None:
        """Add one event of the interpreter's profiling hook."""
        code = frame.f_code
        if self.is_on and event == "call" and code.co_filename.startswith(PACKAGE):
            self.files.add(code.co_filename)
            self.functions.add((code.co_filename, code.co_qualname))


@contextmanager
def followed(*, wait: bool = False) -> Iterator[CallPath]:
    """Follow what this thread, and threads that begin inside, call of the package.

    Args:
        wait: Whether nothing is noted until ``is_on`` is set.
    """
    path = CallPath(is_on=not wait)
    threading.setprofile(path.take)
    sys.setprofile(path.take)
    try:
        yield path
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def run(*, progress: Progress | None = None, seed: int = 7) -> BenchReport:
    """Count the files and functions of a prepared context, of a recorded answer and of a request.

    Each is done once before, so that what happens only the first time is not counted.

    Args:
        progress: Called with a few words on what is done.
        seed: Seed of the generated conversation.
    """
    say = progress or (lambda _: None)
    drawn = TalkGenerator(seed)
    rows: list[ReportRow] = []
    with tempfile.TemporaryDirectory() as folder:
        say("Storing a conversation …")
        with Memory.open(folder, upstream="quote") as memory:
            memory.space.log.import_transcript(drawn.conversation(SAID))
            say("Following the library …")
            for name, message in (("vivid", VIVID), ("casual", "Thanks!")):
                memory.prepare(message)
                with followed() as path:
                    memory.prepare(message)
                rows += _rows(f"prepare: {name}", path)
            context = memory.prepare("Thanks!")
            with followed() as path:
                memory.record(context, "You are welcome.")
            rows += _rows("record", path)
        say("Following the server …")
        rows += _rows("chat completion", asyncio.run(_completion(folder)))
    return BenchReport(machine(), tuple(rows))


async def _completion(folder: str) -> CallPath:
    """Answer a request twice, and follow the second one with the work in the background."""
    import httpx2  # noqa: PLC0415 - an extra

    from unabridged.server.app import create_app  # noqa: PLC0415 - an extra
    from unabridged.server.state import Service  # noqa: PLC0415 - an extra

    body: dict[str, Any] = {"model": "quote", "messages": [{"role": "user", "content": VIVID}]}
    settings = config.load(home=folder, upstream="quote", log="none", require_key="never")
    with followed(wait=True) as path:
        service = Service(settings, SpacePool(settings))
        transport = httpx2.ASGITransport(app=create_app(service))
        async with httpx2.AsyncClient(transport=transport, base_url=ADDRESS) as client:
            for is_followed in (False, True):
                path.is_on = is_followed
                answer = await client.post("/v1/chat/completions", json=body)
                answer.raise_for_status()
        await service.watch.idle(IDLE_SECONDS)
        path.is_on = False
        await service.end()
    return path


def _rows(name: str, path: CallPath) -> Iterator[ReportRow]:
    yield row(f"files: {name}", len(path.files), unit="files")
    yield row(f"functions: {name}", len(path.functions), unit="functions")
