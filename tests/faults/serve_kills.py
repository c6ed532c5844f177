"""SIGKILL of `unabridged serve` while answers stream, again and again on one home.

    python -m tests.faults.serve_kills [--count 200] [--seed 0] [--store sqlite|files]

Pages of both dialects talk to the server, each in a conversation of its own, and go on after each
kill: with what came of the answer, or by asking once more. The model server behind notes which
questions reached it: each of them must be stored, since the user's message is durable before the
upstream is asked. An answer whose end a page was told must be there, whole. Nothing is doubled, no
conversation falls into two. Between the kills the store is opened and looked at; how long the next
server took from its start until /readyz said yes is measured.
"""

import itertools
import shutil
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from statistics import median

import httpx2
from tests.clients.held import path
from tests.clients.patterns.page import Page, RefusedError
from tests.clients.process import Serve
from tests.faults.bench import kept_in, quick_folder
from tests.faults.figures import arguments, tell
from tests.helpers.talker import talking

from unabridged import config
from unabridged.domain.exchange import ExchangeState
from unabridged.domain.scope import Scope
from unabridged.errors import UnabridgedError
from unabridged.factory.space_pool import SpacePool
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.replies import ScriptedReply

FRESH = 20
"""Kills after which another home is begun."""
PAGES = ("openai", "ollama", "openai")
SLOWEST = 1.0
"""Seconds in which a server shall be ready again."""


@dataclass
class Tally:
    """What came of the kills."""

    kills: int = 0
    asked: int = 0
    answered: int = 0
    mid_stream: int = 0
    lost: int = 0
    half: int = 0
    doubled: int = 0
    strayed: int = 0
    damaged: int = 0
    starts: list[float] = field(default_factory=list)
    wrong: Counter[str] = field(default_factory=Counter)

    @property
    def failed(self) -> bool:
        """Whether a must was missed; how long a start takes is measured, and no must here."""
        return bool(self.lost or self.half or self.doubled or self.strayed or self.damaged)

    def miss(self, what: str, detail: object) -> None:
        """Note that a must was missed."""
        setattr(self, what, getattr(self, what) + 1)
        self.wrong[f"{what}: {str(detail)[:200]}"] += 1


class Behind:
    """The model server, and the questions that reached it."""

    def __init__(self, rng: Random) -> None:
        self.reached: set[str] = set()
        self.news = threading.Event()
        """Set when a question came."""
        self._numbers = itertools.count(1)
        self._rng = rng
        self.server = OllamaTestServer(self._reply, models=[OllamaEntry("m:latest")])

    def _reply(self, body):
        content = body["messages"][-1]["content"].partition("<recalled ")[0]
        words = content.rstrip().splitlines()[-1]
        self.reached.add(words)
        self.news.set()
        number = next(self._numbers)
        text = " ".join(f"Word {place} of answer {number}." for place in range(12))
        return ScriptedReply(text, pause=self._rng.choice([0.0, 0.002, 0.01]))


class Talker:
    """A page that talks on, whatever becomes of the server."""

    def __init__(self, name: str, dialect: str, rng: Random) -> None:
        self.name = name
        self.dialect = dialect
        self.rng = rng
        self.said: list[dict] = []
        self.pending = ""
        self.numbers = itertools.count(1)
        self.done: list[tuple[str, str]] = []
        """Questions and answers whose end was told."""
        self.broken = 0

    def question(self) -> str:
        """The next question: a new one, or the one that broke off.

        A first question is asked again: a new one without any history would begin a conversation.
        """
        if self.pending and (not self.said or self.rng.random() < 0.5):
            return self.pending
        return f"{self.name} asks number {next(self.numbers)} of boxes."

    def talk(self, url: str, stop: threading.Event) -> None:
        """Ask one question after the other until the server is gone."""
        page = Page(url, dialect=self.dialect)
        while not stop.is_set():
            words = self.question()
            self.pending = words
            partial: list[str] = []
            try:
                heard = self._ask(page, words, partial)
            except (httpx2.HTTPError, RefusedError, ValueError, OSError):
                self._broke_off(words, "".join(partial))
                return
            if not heard.done:
                self._broke_off(words, heard.text)
                return
            self.done.append((words, heard.text.strip()))
            self.said += [
                {"role": "user", "content": words},
                {"role": "assistant", "content": heard.text},
            ]
            self.pending = ""

    def _ask(self, page: Page, words: str, partial: list[str]):
        messages = [*self.said, {"role": "user", "content": words}]
        return page.send(messages, partial=partial)

    def _broke_off(self, words: str, partial: str) -> None:
        self.broken += 1
        if partial and self.rng.random() < 0.5:  # keep what came, and go on from there
            self.said += [
                {"role": "user", "content": words},
                {"role": "assistant", "content": partial},
            ]
            self.pending = ""


def round_of(server: Serve, behind: Behind, talkers, rng: Random, tally: Tally) -> None:
    """Let everybody talk to a server that was just started, and kill it while answers stream."""
    tally.starts.append(server.ready)
    stop = threading.Event()
    behind.news.clear()
    threads = [threading.Thread(target=one.talk, args=(server.url, stop)) for one in talkers]
    for thread in threads:
        thread.start()
    if rng.random() < 0.9:  # else while the first questions are on their way
        behind.news.wait(30)
    time.sleep(rng.uniform(0.0, 0.6))
    server.kill()
    stop.set()
    for thread in threads:
        thread.join(30)
    tally.kills += 1


def judge(pool: SpacePool, behind: Behind, talkers, tally: Tally, *, whole: bool) -> None:
    """Look for what was acknowledged."""
    with talking(pool, Scope()) as memory:
        found = list(memory.space.log.transcripts())
        damage = memory.space.log.check() if whole else []
    exchanges = [(one, x) for one in found for x in one.exchanges]
    messages = {(x.user.text, x.user.id) for _, x in exchanges}
    users = Counter(text for text, _ in messages)
    for words in behind.reached:
        if not users[words]:
            tally.miss("lost", f"asked of the upstream, and not stored: {words}")
    for words, many in users.items():
        if many > 1:
            tally.miss("doubled", f"{many} times: {words}")
    complete = {
        (x.user.text, x.answer.text.strip())
        for _, x in exchanges
        if x.state is ExchangeState.COMPLETE and x.answer
    }
    for talker in talkers:
        for words, answer in talker.done:
            if (words, answer) not in complete:
                tally.miss("half", f"its end was told, and it is not whole: {words}")
        homes = {one.session.id for one, x in exchanges if x.user.text.startswith(talker.name)}
        if len(homes) > 1:
            tally.miss("strayed", f"{talker.name} lies in {len(homes)} sessions")
        _in_order(exchanges, talker, tally)
    if damage := [line for line in damage if "not entered the index yet" not in line]:
        tally.miss("damaged", damage[0])


def _in_order(exchanges, talker: Talker, tally: Tally) -> None:
    """Each acknowledged answer stands where the page has it: behind what the page said before."""
    if not talker.done:
        return
    words, _ = talker.done[-1]
    paths = [path(one, x) for one, x in exchanges if x.user.text == words]
    wanted = [text["content"] for text in talker.said if text["role"] == "user"]
    wanted = wanted[: wanted.index(words) + 1] if words in wanted else wanted
    if not any([asked for asked, _ in way] == wanted for way in paths):
        tally.miss("strayed", f"not on the page's path: {words}")


def run(count: int, seed: int, store: str) -> Tally:
    """Kill so many times."""
    tally, rng, folder = Tally(), Random(seed), quick_folder("serve")
    behind = talkers = home = None
    kept = {f"UNABRIDGED_{name.upper()}": value for name, value in kept_in(store).items()}
    environ = {**kept, "UNABRIDGED_LOG": "none"}
    try:
        for number in range(count):
            if number % FRESH == 0:
                _close(behind, talkers, tally)
                home = folder / str(number) / "home"
                behind = Behind(Random(rng.random()))
                talkers = [
                    Talker(f"Page {number}-{place}", dialect, Random(rng.random()))
                    for place, dialect in enumerate(PAGES)
                ]
            server = Serve(home, "--ollama", behind.server.url, environ=environ)
            round_of(server, behind, talkers, rng, tally)
            found = config.load(home=home, environ=environ)
            pool = SpacePool(found)
            try:
                judge(pool, behind, talkers, tally, whole=number % 5 == 4)
            except UnabridgedError as error:
                tally.miss("damaged", repr(error))
            finally:
                pool.close()
        _close(behind, talkers, tally)
    finally:
        shutil.rmtree(folder)
    return tally


def _close(behind: Behind | None, talkers: list[Talker] | None, tally: Tally) -> None:
    if behind is None or talkers is None:
        return
    tally.asked += len(behind.reached)
    tally.answered += sum(len(one.done) for one in talkers)
    tally.mid_stream += sum(one.broken for one in talkers)
    with suppress(OSError):
        behind.server.close()


def main() -> int:
    """Print the figures."""
    chosen = arguments(__doc__, count=200)
    begun = time.perf_counter()
    tally = run(chosen.count, chosen.seed, chosen.store)
    starts = sorted(tally.starts)
    return tell(
        "serve_kills", chosen, begun,
        failed=tally.failed, wrong=dict(tally.wrong.most_common(12)), kills=tally.kills,
        asked=tally.asked, answered=tally.answered, mid_stream=tally.mid_stream, lost=tally.lost,
        half=tally.half, doubled=tally.doubled, strayed=tally.strayed, damaged=tally.damaged,
        median_ready_s=round(median(starts), 3), p95_ready_s=round(starts[int(len(starts) * 0.95)], 3),
        slowest_ready_s=round(starts[-1], 3),
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
