"""Random homes, random words in random entrances, forgotten in every way, and a raw scan.

Usage: python -m tests.faults.entrances --count 1000 [--seed 0] [--store sqlite|files]

Each home is served, and a few of the places where a text can enter (`tests/helpers/entrances.py`)
each get a word of their own, sometimes with maintenance and a restart between. Then each word is
forgotten in one of the ways: by a search, with its exchanges, with its session, with its fact or
requirement; in the end the whole space goes. After each, every byte of every file of the home,
backups unpacked, is looked through. Prints one line of JSON.
"""

import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.figures import arguments, tell
from tests.helpers.entrances import ENTRANCES, Home, places, word_of
from tests.server.conftest import running

from unabridged.factory.home import Home as HomeOnDisk
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer

LAYOUTS = ("model", "agent", "user")
MOST = 6
"""Entrances that one home gets."""
LISTED = {"Preparation.session", "RecordExchangeBody.session", "AddedBody.session"}
"""A search only lists what has the word in its session's id."""
NAMELESS = {"RecordExchangeBody.model"}
"""A search does not look at the name of a model."""
BRANCHED = {"regenerated"}


def started(seed, home, upstream, store, rng):
    layout = rng.choice(LAYOUTS) if store == "files" else "none"
    server = running(
        home=home,
        upstream="openai",
        openai_url=upstream.base_url,
        json_files=layout,
        json_compression=layout != "none" and rng.random() < 0.3,
    )
    return server, Home(server.served, home)


def ways_of(home, entrance):
    """The ways in which what an entrance made can be forgotten."""
    made, ways = home.made[entrance], []
    if entrance not in NAMELESS:
        ways.append("search")
    if made.sessions and all(home.exchanges(session) for session in made.sessions):
        ways += ["session"] if entrance in BRANCHED else ["session", "exchanges"]
    if made.facts and not made.sessions:
        ways.append("fact")
    if made.requirements and not made.sessions:
        ways.append("requirement")
    return ways


def forget(home, entrance, word, way, report):
    made, receipts = home.made[entrance], []
    if way == "search":
        receipts.append(home.forget(search=word, with_repeats=entrance in LISTED))
    for session in made.sessions if way in {"session", "exchanges"} else ():
        named = {"session": session} if way == "session" else {"exchanges": home.exchanges(session)}
        receipts.append(home.forget(**named))
    facts = made.facts if way != "search" else ()
    receipts += [home.forget(fact=fact) for fact in facts if fact in home.ids()[1]]
    for requirement in made.requirements if way != "search" else ():
        if requirement in home.ids()[2]:
            home.memory("DELETE", f"/requirements/{requirement}")
    report["reported_left"] += sum(receipt["left"] for receipt in receipts)
    report["ways"][way] = report["ways"].get(way, 0) + 1


def one_home(seed, store, upstream, report):
    """Fill a home, and forget one word after the other; in the end the space."""
    rng = random.Random(f"{seed}-{store}")
    folder = Path(tempfile.mkdtemp(prefix="entrances-"))
    chosen = rng.sample(sorted(ENTRANCES), rng.randint(2, MOST))
    words = {entrance: word_of(entrance, seed) for entrance in chosen}
    server, home = started(seed, folder / "home", upstream, store, rng)
    try:
        for entrance in chosen:
            home.enter(entrance, words[entrance])
            if rng.random() < 0.3:
                home.memory("POST", "/tend")
        if rng.random() < 0.2:
            server.stop()
            made = home.made
            server, home = started(seed, folder / "home", upstream, store, rng)
            home.made = made
        report["never_entered"] += len(words.keys() - places(home.home, words).keys())
        rng.shuffle(chosen)
        for entrance in chosen[: rng.randint(1, len(chosen))]:
            way = rng.choice(ways_of(home, entrance))
            forget(home, entrance, words[entrance], way, report)
            report["forgettings"] += 1
            left = places(home.home, {entrance: words[entrance]})
            if left:
                report["left"] += 1
                report["where"].append([seed, entrance, way, left[entrance]])
        settings = server.served.settings
    finally:
        server.stop()
    try:
        on_disk = HomeOnDisk(settings)
        for plan in on_disk.plan_forgetting([info.space for info in on_disk.spaces()]):
            on_disk.forget(plan)
        left = places(home.home, words)
        report["left"] += len(left)
        report["where"] += [[seed, entrance, "space", files] for entrance, files in left.items()]
        report["homes"] += 1
    finally:
        shutil.rmtree(folder)


def run(count, seed=0, store="sqlite"):
    """Fill and empty so many homes; give the figures."""
    report = {
        "homes": 0, "forgettings": 0, "ways": {}, "left": 0, "reported_left": 0,
        "never_entered": 0, "where": [],
    }  # fmt: skip
    models = [OpenAIEntry("m")]
    with OpenAITestServer("The second one.", models=models, window=100_000) as upstream:
        for number in range(count):
            one_home(seed + number, store, upstream, report)
    return report


def main():
    chosen = arguments(__doc__, 1000)
    begun = time.perf_counter()
    report = run(chosen.count, chosen.seed, chosen.store)
    failed = any(report[name] for name in ("left", "reported_left", "never_entered"))
    return tell("entrances", chosen, begun, failed=failed, **report)


if __name__ == "__main__":
    sys.exit(main())
