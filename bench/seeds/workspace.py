"""WorkspaceAI (its plan, *Success Metrics*): one memory for both modes, one for each model."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.core.store_sizes import newest_conversation
from bench.generator import TalkGenerator
from bench.seeds.metric import SeedMetric, exactly, share
from bench.seeds.seed_setup import TYPICAL, SeedRun, dumped, opened, settings
from bench.seeds.workspace_times import MODELS, SEED, times
from unabridged.clock import SystemClock
from unabridged.domain.budget import Mode
from unabridged.domain.context import Context
from unabridged.factory.load_tools import built_in
from unabridged.factory.migration import Migrations

EXCHANGES = 60
"""Exchanges that are held in turn in both modes, and with two models."""
WINDOWS = (512, 1_024, 4_096, 8_192, 32_768, 131_072, 1_048_576)
SIMPLE = "hi"
COMPLEX = (
    "Analyze this code file, explain the architecture, identify issues, and suggest detailed "
    "improvements"
)
"""The seed's two examples."""


def measure(course: SeedRun) -> Iterator[SeedMetric]:
    """Measure what the seed asks for."""
    course.say("workspace: both modes, two models …")
    yield from _one_path(course)
    yield from _budgets(course)
    yield from _apart(course)
    yield from times(course)


def _one_path(course: SeedRun) -> Iterator[SeedMetric]:
    count = course.scaled(EXCHANGES)
    seen = dict.fromkeys(Mode, 0)
    asked = dict.fromkeys(Mode, 0)
    fits = right = total = 0
    with opened(SEED, course.folder("modes")) as memory:
        tools = built_in(SystemClock().now, memory.space.search)
        drawn = TalkGenerator(11, TYPICAL)
        before = ""
        for number, exchange in enumerate(drawn.conversation(count).exchanges):
            mode = Mode.TOOLS if number % 3 else Mode.CHAT
            offered = tools if mode is Mode.TOOLS else None
            context = memory.prepare(exchange.user.text, mode=mode, tools=offered)
            total += 1
            fits += _fits(context)
            right += (context.tools is None) is (mode is Mode.CHAT)
            if before:
                asked[mode] += 1
                seen[mode] += _sends(context, before)
            before = exchange.answer.text if exchange.answer else ""
            memory.record(context, before)
    for mode in Mode:
        name = f"interactions with conversation history, {mode} mode"
        yield share(SEED, name, seen[mode], asked[mode], least=1)
    yield share(SEED, "contexts within the model's window", fits, total, least=1)
    yield share(SEED, "tools only where they are asked for", right, total, least=1)


def _fits(context: Context) -> bool:
    whole = sum(context.ledger.parts.values()) == context.ledger.window
    return (
        whole and context.ledger.prompt_tokens + (context.max_output or 0) <= context.ledger.window
    )


def _sends(context: Context, text: str) -> bool:
    return any(text in str(message["content"]) for message in context.messages)


def _budgets(course: SeedRun) -> Iterator[SeedMetric]:
    shares: dict[str, list[float]] = {SIMPLE: [], COMPLEX: []}
    for window in WINDOWS:
        home = course.folder(f"window-{window}")
        with opened(SEED, home, window=window, max_prompt_tokens=2 * WINDOWS[-1]) as memory:
            for text, found in shares.items():
                context = memory.prepare(text, mode=Mode.TOOLS, tools=[])
                found.append(context.ledger.response_percentage)
    at = WINDOWS.index(32_768)
    simple, long = shares[SIMPLE][at], shares[COMPLEX][at]
    note = f"{SIMPLE!r}, tools mode; the seed's example has complexity 0.1"
    yield SeedMetric(SEED, "answer's room, simple", "15 to 17 %", ours=round(simple, 2),
                 met=15 <= simple <= 17, note=note)  # fmt: skip
    note = "the seed's complex example, tools mode; it has complexity 0.8"
    yield SeedMetric(SEED, "answer's room, complex", "31 %", ours=round(long, 2),
                 met=abs(long - 31) <= 2, note=note)  # fmt: skip
    spans = [max(found) - min(found) for found in shares.values()]
    yield SeedMetric(
        SEED,
        f"the same share at windows from {WINDOWS[0]:,} to {WINDOWS[-1]:,}",
        must="within 1 %",
        ours=round(max(spans), 3),
        met=max(spans) < 1,
        note="the largest difference, in percent of the window",
    )


def _apart(course: SeedRun) -> Iterator[SeedMetric]:
    home = course.folder("apart")
    count = course.scaled(EXCHANGES // 3)
    crossed = total = 0
    for number in range(count):
        for which, name in enumerate(MODELS):
            with opened(SEED, home, model=name) as memory:
                context = memory.prepare(f"What did we say of {_word(which, number)}?")
                sent = " ".join(str(message["content"]) for message in context.messages)
                crossed += f"only{1 - which}said" in sent
                total += 1
                memory.record(context, f"It is {_word(which, number)} only{which}said.")
    note = f"{total:,} contexts by turns"
    yield exactly(SEED, "contexts with another model's words", crossed, 0, "contexts", note=note)
    yield from _damaged(home, count)
    yield _taken_over(course)


def _word(which: int, number: int) -> str:
    return f"topic{which}number{number}"


def _damaged(home: Path, count: int) -> Iterator[SeedMetric]:
    path = next(path for path in (home / "memory").glob("*.json") if "3b" in path.name)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with opened(SEED, home, model=MODELS[0]) as memory:
        yield share(SEED, "exchanges of other models after damage to one's file",
                    len(newest_conversation(memory).history(10 * count)), count, least=1)  # fmt: skip
    with opened(SEED, home, model=MODELS[1]) as memory:
        kept = len(newest_conversation(memory).history(10 * count))
        told = bool(memory.space.log.file_notes)
    metric = share(SEED, "exchanges of the damaged file that are still there", kept, count, least=1)
    note = f"{metric.note}; the seed begins an empty file; it was {'' if told else 'not '}reported"
    yield replace(
        metric, baseline=0.0, of="the seed's fresh memory", note=note, met=told and kept > 0
    )


def _taken_over(course: SeedRun) -> SeedMetric:
    home = course.folder("old")
    talk = TalkGenerator(5, TYPICAL).conversation(course.scaled(EXCHANGES))
    old = [
        {"user": e.user.text, "assistant": e.answer.text, "timestamp": e.at.isoformat()}
        for e in talk.exchanges
        if e.answer
    ]
    folder = course.folder("old-program")
    dumped(folder / "memory.json", {"current_conversation": old})
    Migrations(settings(SEED, home)).migrate(folder, model=MODELS[0])
    with opened(SEED, home, model=MODELS[0]) as memory:
        told = {
            (e.user.text, e.answer.text if e.answer else "")
            for e in newest_conversation(memory).history(10_000)
        }
    kept = sum((one["user"], one["assistant"]) in told for one in old)
    return share(SEED, "exchanges of an old memory.json taken over", kept, len(old), least=1)
