"""Dana (its *Testing Requirements*): large histories, file I/O, memory given back, agents apart."""

import gc
import multiprocessing
import os
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

from bench.figures.timer import Spread, each, spread, timed
from bench.generator import SHORT, TalkGenerator
from bench.seeds.metric import SeedMetric, exactly, share, within
from bench.seeds.seed_setup import SeedRun, loaded, opened, plainly_saved, recalling
from unabridged.turn.conversation import Conversation

SEED = "agent"
SIZES = (10_000, 50_000)
"""Turns of one agent's session."""
CALLS = {"open": 3, "append": 12, "context": 30, "save": 3}
"""How often each is measured."""
TURNS = 20
"""The profile's ``max_turns``, which a prompt shows at most."""
AGENTS, SESSIONS, SAID = 5, 2, 8
"""Agents, sessions of each, and exchanges of each session, said at the same time."""
REOPENED = 8
"""Times that a memory is opened and closed to see what stays behind."""


def measure(course: SeedRun) -> Iterator[SeedMetric]:
    """Measure what the seed wants tested."""
    for size in SIZES:
        yield from _large(course, course.scaled(size, 30))
    course.say("agent: opening and closing …")
    yield from _given_back(course)
    for kind in ("threads", "processes"):
        course.say(f"agent: {AGENTS} agents in {kind} …")
        yield from _together(course, kind)


def _large(course: SeedRun, turns: int) -> Iterator[SeedMetric]:
    course.say(f"agent: a session of {turns:,} turns …")
    home = course.folder(f"turns-{turns}")
    drawn = TalkGenerator(13, SHORT)
    talk = drawn.conversation(turns)
    with opened(SEED, home) as memory:
        memory.space.log.import_transcript(talk)
    at = f", {turns:,} turns"
    path = max((home / "chats").glob("*_conversation.json"), key=lambda one: one.stat().st_size)
    read = each(lambda _: loaded(path), range(CALLS["open"]))
    saved = plainly_saved(path, CALLS["save"])
    gc.collect()
    took = [timed(_opened_and_closed, home)[0] for _ in range(CALLS["open"])]
    yield within(SEED, f"opening{at}", spread(took), most=None, baseline=read,
                 of="json.load of the same file")  # fmt: skip
    with opened(SEED, home) as memory:
        resumed = memory.conversation(talk.session.id)
        first, _ = timed(resumed.prepare, recalling(drawn))
        appends, contexts, shown = _talk(resumed, drawn, course)
        recent = each(lambda _: resumed.history(TURNS), range(CALLS["context"]))
        held = memory.stats().exchanges
    of = "json.dump of the turns, fsync, rename"
    yield within(SEED, f"appending a turn{at}", appends, most=None, baseline=saved, of=of,
                 note="begin and record: two durable writes")  # fmt: skip
    yield within(SEED, f"recent context{at}", recent, most=None, baseline=read,
                 of="json.load of the same file", note=f"the last {TURNS} turns")  # fmt: skip
    yield within(SEED, f"a prepared context{at}", contexts, most=None,
                 note=f"{first:.0f} ms for the first, which indexes what is stored")  # fmt: skip
    wanted = turns + len(range(course.scaled(CALLS["append"])))
    yield share(SEED, f"turns that are kept{at}", held, wanted, least=1,
                baseline=TURNS / wanted, of="the seed's history of max_turns")  # fmt: skip
    yield SeedMetric(SEED, f"turns in a prompt at most{at}", f"≤ {TURNS}", "turns", ours=shown,
                 met=shown <= TURNS)  # fmt: skip


def _opened_and_closed(home: Path) -> None:
    with opened(SEED, home):
        pass


def _talk(talk: Conversation, drawn: TalkGenerator, course: SeedRun) -> tuple[Spread, Spread, int]:
    appends, contexts = [], []
    shown = 0
    for _ in range(course.scaled(CALLS["append"])):
        question = drawn.question(drawn.topics[0])
        prepared, context = timed(talk.prepare, question)
        begun, _ = timed(talk.begin, context)
        recorded, _ = timed(talk.record, context, drawn.answered(drawn.topics[0]))
        contexts.append(prepared)
        appends.append(begun + recorded)
        asked = sum(message["role"] == "user" for message in context.messages)
        shown = max(shown, asked - 1)
    return spread(appends), spread(contexts), shown


def _given_back(course: SeedRun) -> Iterator[SeedMetric]:
    home = course.folder("back")
    drawn = TalkGenerator(17, SHORT)
    with opened(SEED, home) as memory:
        memory.space.log.import_transcript(drawn.conversation(course.scaled(2_000, 30)))
    question = recalling(drawn)

    def use() -> int:
        with opened(SEED, home) as memory:
            memory.prepare(question)
            memory.search(question)
            return tracemalloc.get_traced_memory()[0]

    use()  # tables that every memory of a process shares
    tracemalloc.start()
    try:
        for _ in range(3):  # what the process keeps of its first uses
            use()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        peak = max(use() for _ in range(course.scaled(REOPENED)))
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    kept = max(0, after - before) / max(1, peak - before)
    yield SeedMetric(
        SEED, "memory given back after closing", "≥ 99 %", ours=round(100 * (1 - kept), 2),
        met=kept <= 0.01, note=f"{(peak - before) / 1e6:.1f} MB while open, "
        f"{(after - before) / 1e3:,.0f} kB more after {course.scaled(REOPENED)} times",
    )  # fmt: skip
    folder = home / "chats"
    stale = [path.name for path in folder.iterdir() if path.name.endswith((".part", ".tmp"))]
    yield exactly(SEED, "unfinished files left behind", len(stale), 0, "files")


def _together(course: SeedRun, kind: str) -> Iterator[SeedMetric]:
    home = course.folder(f"together-{kind}")
    said = course.scaled(SAID)
    jobs = [
        (str(home), agent, session, said) for agent in range(AGENTS) for session in range(SESSIONS)
    ]
    with _executor(kind) as executor:
        crossed = sum(executor.map(_converse, jobs))
    lost = wrong = 0
    for _, agent, session, _ in jobs:
        texts = _told(home, agent, session)
        lost += said - sum(_mark(agent, session) in text for text in texts)
        wrong += sum(_mark(agent, session) not in text for text in texts)
    note = f"{AGENTS} agents with {SESSIONS} sessions each, {said} exchanges a session"
    of = f", in {kind}"
    yield exactly(
        SEED, f"contexts with another session's words{of}", crossed, 0, "contexts", note=note
    )
    yield exactly(SEED, f"turns lost{of}", lost, 0, "turns")
    yield exactly(SEED, f"turns in a wrong session{of}", wrong, 0, "turns")
    yield from _placed(home, of)


def _placed(home: Path, of: str) -> Iterator[SeedMetric]:
    files = [path for path in home.rglob("*") if path.is_file()]
    named = [path for path in files if path.name.endswith("_conversation.json")]
    right = sum(path.parent == home / "chats" for path in named)
    yield share(SEED, f"conversations in the folder chats{of}", right, len(named), least=1)
    if os.name != "nt":
        private = sum(path.stat().st_mode & 0o077 == 0 for path in files)
        yield share(SEED, f"files for their owner only{of}", private, len(files), least=1)


def _executor(kind: str) -> Executor:
    if kind == "threads":
        return ThreadPoolExecutor(AGENTS * SESSIONS)
    return ProcessPoolExecutor(AGENTS, multiprocessing.get_context("spawn"))


def _mark(agent: int, session: int) -> str:
    return f"mark{agent}of{session}x"


def _agent(agent: int) -> str:
    return f"agent-{agent}"


def _converse(job: tuple[str, int, int, int]) -> int:
    home, agent, session, said = job
    own = _mark(agent, session)
    others = [
        _mark(a, s) for a in range(AGENTS) for s in range(SESSIONS) if (a, s) != (agent, session)
    ]
    crossed = 0
    with opened(SEED, Path(home), agent=_agent(agent)) as memory:
        talk = memory.conversation(title=own)
        for number in range(said):
            context = talk.prepare(f"Do you remember what was said of part {number}?")
            sent = " ".join(str(message["content"]) for message in context.messages)
            crossed += any(mark in sent for mark in others)
            talk.record(context, f"Part {number} belongs to {own}.")
    return crossed


def _told(home: Path, agent: int, session: int) -> list[str]:
    with opened(SEED, home, agent=_agent(agent)) as memory:
        found = memory.space.sessions.find(_mark(agent, session))
        return [exchange.text for exchange in memory.space.log.history(found.id, 10_000)]
