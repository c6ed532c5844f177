"""Forgetting at random, and a raw scan of every file of the home for what was forgotten.

Usage: python -m tests.faults.forgetting --count 500 [--seed 0] [--store sqlite|files]

Each forgetting is of another kind, in a home with sessions, branches, tool calls, facts,
requirements, pins, condensations, ledgers and titles. Every saying has a secret of its own. After
each forgetting every file of the home (packed ones unpacked too) is read and looked through for the
secrets that nothing which stays says. Prints one line of JSON; backups are left out and counted.
"""

import gzip
import json
import random
import shutil
import sys
import tempfile
import time
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from tests.faults.bench import kept_in
from tests.faults.figures import arguments, skip, tell
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.domain.chat import Abilities
from unabridged.domain.exchange import ExchangeState
from unabridged.domain.message import Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.errors import SettingError
from unabridged.factory.home import Home
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock

WINDOW = 2048
PLACES = ("Oslo", "Bern", "Turin", "Quito")
BACKUPS = "backups"
LAYOUTS = ("model", "agent", "user")


def secret(seed, number):
    """A name that nobody else has, with a letter that UTF-16 and JSON write in other bytes."""
    rng = random.Random(f"{seed}-{number}")
    return "Żub" + "".join(rng.choice("bcdfghjklmnpqrtvwxz") for _ in range(12))


@dataclass
class Said:
    """What was said in one home, and what it must be found by: the secrets of each exchange."""

    seed: int
    home: Path
    rng: random.Random
    number: int = 0
    secrets: dict[str, set[str]] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)


@contextmanager
def opened(home, clock, store="sqlite", **more):
    model = ScriptedModel(abilities=Abilities("m", trained_window=WINDOW, source="server"))
    settings = {"window": WINDOW, "condense_tokens": 400, "condense_messages": 4, **kept_in(store)}
    with Talker.open(home, upstream=model, clock=clock, **{**settings, **more}) as memory:
        yield memory


def words_of(rng, name, number):
    place = rng.choice(PLACES)
    kinds = [
        f"My cousin {name} lives in {place}. I have {number + 2} cats.",
        f"The system must export what {name} wrote as PDF within {number + 3} seconds.",
        f"{name} said so. " + "We went along the river and spoke of nothing much. " * 30,
        f"I live in {place}, and {name} is my dog. " + f"{name} barks. " * rng.randrange(40),
        f"Hello {name}",
        f"{name}\nand `code {name}` and\n```\n{name} = 1\n```\nso it is, said {name}",
    ]
    return rng.choice(kinds)


def speak(memory, said):
    """Say something with a secret of its own; now and then with an earlier one too."""
    rng, own = said.rng, secret(said.seed, said.number)
    names = {own}
    text = words_of(rng, own, said.number)
    known = sorted(set().union(*said.secrets.values()))
    if known and rng.random() < 0.1:
        other = rng.choice(known)
        text += f" And {other} lives there too, as I told you before."
        names.add(other)
    retry = memory.exchanges(1)
    if retry and rng.random() < 0.1:
        context = memory.prepare("", retry_of=retry[-1].id)
        names = {own, *(n for n in said.secrets[retry[-1].id] if n in retry[-1].user.text)}
    else:
        context = memory.prepare(text)
    memory.begin(context)
    if rng.random() < 0.2:
        call = ToolCall("c1", "look", json.dumps({"for": own}))
        rounds = [
            memory.space.message(Role.ASSISTANT, [Reasoning(f"I think of {own}."), call]),
            memory.space.message(Role.TOOL, [ToolResult("c1", "look", f"{own} was found. " * 20)]),
        ]
        memory.record_tools(context, rounds)
    state = ExchangeState.COMPLETE
    reply = f"So {own} it is. " + "I see that well enough by now. " * rng.randrange(1, 12)
    if rng.random() < 0.1:
        state = ExchangeState.INCOMPLETE
    answer = memory.space.message(Role.ASSISTANT, [Text(reply)])
    memory.record(context, answer, state=state)
    if memory.get(context.id):
        said.secrets[context.id] = names
        said.sessions[context.id] = memory.header.id


def fill(memory, said, count):
    rng = said.rng
    for _ in range(count):
        if rng.random() < 0.2 or memory.header is None:
            memory.new_session(
                f"About {secret(said.seed, said.number)}" if rng.random() < 0.3 else ""
            )
        speak(memory, said)
        said.number += 1
        chance = rng.random()
        if chance < 0.1:
            memory.pin(exchange=memory.exchanges(1)[-1].id)
        elif chance < 0.2 and memory.facts.all():
            fact = rng.choice(memory.facts.all())
            memory.facts.edit(fact.id, text=f"{fact.text} Indeed.")
        elif chance < 0.4:
            list(memory.maintain(pages=2))
    list(memory.maintain())
    memory.new_session()
    memory.record(
        memory.prepare(f"Summarize what we said about my cousins, {said.number}."), "Yes."
    )
    said.secrets[memory.exchanges(1)[-1].id] = set()
    said.sessions[memory.exchanges(1)[-1].id] = memory.header.id


def choose(memory, said):
    """What to forget: a plan of a random kind."""
    rng = said.rng
    forget, ids = memory.space.forgetting, sorted(said.secrets)
    kind = rng.choice(["one", "one", "some", "session", "search", "fact", "repeats"])
    picked = rng.choice(ids)
    if kind == "some":
        return kind, forget.plan(rng.sample(ids, min(len(ids), rng.randrange(2, 6))))
    if kind == "session":
        return kind, forget.plan(session=said.sessions[picked])
    if kind == "search" and said.secrets[picked]:
        return kind, forget.plan(search=rng.choice(sorted(said.secrets[picked])))
    sourced = [f for f in memory.facts.all() if memory.space.forgetting.sources_of(f.id)]
    if kind == "fact" and sourced:
        return kind, forget.plan(fact=rng.choice(sourced).id, with_sources=True)
    return kind, forget.plan([picked], with_repeats=kind == "repeats")


def raw(home):
    """Every byte of every file of a home but its backups; what is packed unpacked too."""
    found = []
    for path in sorted(home.rglob("*")):
        if not path.is_file() or BACKUPS in path.relative_to(home).parts:
            continue
        data = path.read_bytes()
        found.append(data)
        if data[:2] == b"\x1f\x8b":
            found.append(gzip.decompress(data))
    return b"\x00".join(found)


def forms(name):
    return {
        name.encode(),
        name.encode("utf-16-le"),
        json.dumps(name)[1:-1].encode(),
        name.casefold().encode(),
        name[3:].encode(),
        name[3:].encode("utf-16-le"),
        zlib.compress(name.encode()),
    }


def remnants(home, names):
    held = raw(home)
    return sorted(name for name in names if any(form in held for form in forms(name)))


def after(said, plan):
    """Take what went out of the books; give the secrets that must be gone now."""
    lost = set()
    for exchange in plan.exchanges:
        lost |= said.secrets.pop(exchange.id, set())
        said.sessions.pop(exchange.id, None)
    return lost - set().union(*said.secrets.values(), set())


def one_home(seed, store, layout, times, report):
    """Forget several times in one home, and look through it after each."""
    rng = random.Random(f"{seed}-{store}")
    home = Path(tempfile.mkdtemp(prefix="forgetting-")) / "home"
    more = (
        {"json_files": layout, "json_compression": rng.random() < 0.5} if store == "files" else {}
    )
    said, clock = Said(seed, home, rng), ManualClock(step=timedelta(hours=3))
    try:
        with opened(home, clock, store, **more) as memory:
            fill(memory, said, 14)
            for _ in range(times):
                kind, plan = choose(memory, said)
                receipt = memory.space.forgetting.execute(plan)
                gone = after(said, plan)
                check(memory, said, gone, receipt, report)
                count(report, kind)
                if len(said.secrets) < 8:
                    fill(memory, said, 6)
        report["closed"] += len(remnants(home, gone))
        with opened(home, clock, store, **more) as memory:
            space, settings = store_of(memory).space, memory.space.settings
        wiped(Home(settings), space, clock, said, report)
    finally:
        shutil.rmtree(home.parent)


def count(report, kind):
    report["forgettings"] += 1
    report["kinds"][kind] = report["kinds"].get(kind, 0) + 1


def check(memory, said, gone, receipt, report):
    left = remnants(said.home, gone)
    kept = set().union(*said.secrets.values(), set())
    report["exchanges"] += receipt.exchanges
    report["secrets"] += len(gone)
    report["left"] += len(left)
    report["reported_left"] += receipt.left
    report["unsound"] += len(memory.space.log.check())
    report["lost"] += len(kept) - len(remnants(said.home, kept))
    if left or receipt.left:
        report["where"].append([said.seed, receipt.id, left[:3]])


def wiped(home, space, clock, said, report):
    """At last the whole space goes."""
    names = set().union(*said.secrets.values(), set())
    (plan,) = home.plan_forgetting([space])
    home.forget(plan, clock)
    count(report, "space")
    report["secrets"] += len(names)
    report["left"] += len(remnants(said.home, names))


def run(count, seed=0, store="sqlite", times=9):
    """Forget so many times; give the figures."""
    report = {
        "forgettings": 0, "kinds": {}, "exchanges": 0, "secrets": 0, "left": 0, "closed": 0,
        "reported_left": 0, "lost": 0, "unsound": 0, "where": [],
    }  # fmt: skip
    while report["forgettings"] < count:
        layout = LAYOUTS[seed % len(LAYOUTS)]
        one_home(seed, store, layout, min(times, count - report["forgettings"] - 1) or 1, report)
        seed += 1
    return report


def main():
    chosen = arguments(__doc__, 500)
    begun = time.perf_counter()
    try:
        report = run(chosen.count, chosen.seed, chosen.store)
    except SettingError as error:
        return skip("forgetting", chosen, str(error))
    failed = any(report[name] for name in ("left", "closed", "reported_left", "lost", "unsound"))
    return tell("forgetting", chosen, begun, failed=failed, **report)


if __name__ == "__main__":
    sys.exit(main())
