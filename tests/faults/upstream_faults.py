"""A model server that fails in every way, behind `unabridged serve`'s application, in both dialects.

    python -m tests.faults.upstream_faults [--count 280] [--seed 0] [--store sqlite|files]

Refused and reset connections, silence, half a chunk, what is no JSON, status 500, and streams that
never end until the client leaves: each with clients of both dialects before servers of both,
streamed and whole. Each request must come to its end, with an error in the client's dialect where
the server failed; the user's message is stored once, with what came of the answer; and the same
question, asked again of a healthy server, is answered without another copy of it.
"""

import json
import shutil
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random

import httpx2
from tests.faults import faulty
from tests.faults.bench import kept_in, quick_folder
from tests.faults.figures import arguments, tell
from tests.helpers.talker import talking
from tests.server.conftest import running

from unabridged.domain.exchange import ExchangeState
from unabridged.domain.scope import Scope
from unabridged.errors import UnabridgedError
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer

PATHS = {"ollama": "/api/chat", "openai": "/v1/chat/completions"}
SILENCE = 1.5
"""Seconds after which our server gives up waiting."""
LONGEST = 15.0
"""Seconds in which a request must have come to its end."""
BROKEN = (ExchangeState.UNANSWERED, ExchangeState.INCOMPLETE)


@dataclass
class Tally:
    """What came of the faults."""

    faults: int = 0
    doubled: int = 0
    lost: int = 0
    hung: int = 0
    untold: int = 0
    repaired: int = 0
    """Resets of a connection used before, on which nothing was said: asked once more on a new one."""
    unhealed: int = 0
    slowest: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)

    @property
    def failed(self) -> bool:
        """Whether a must was missed."""
        return bool(self.doubled or self.lost or self.hung or self.untold or self.unhealed)

    def miss(self, what: str, trial: "Trial", detail: object = "") -> None:
        """Note that a must was missed."""
        setattr(self, what, getattr(self, what) + 1)
        self.wrong[f"{what}: {trial.name} {str(detail)[:160]}"] += 1


@dataclass
class Trial:
    """One request that meets a fault."""

    kind: str
    client: str
    server: str
    stream: bool
    number: int
    fault: faulty.Fault

    @property
    def name(self) -> str:
        """What it is, for people."""
        how = "streamed" if self.stream else "whole"
        return (
            f"{self.kind}/{self.fault.form}/{self.fault.pieces} {self.client}>{self.server} {how}"
        )

    @property
    def words(self) -> str:
        """What the user says, like nothing else."""
        return f"Question {self.number:05} about boxes."

    def body(self) -> dict:
        """The request."""
        said = [{"role": "user", "content": self.words}]
        return {"model": "m", "messages": said, "stream": self.stream}


def upstream(dialect: str):
    """A healthy server."""
    if dialect == "ollama":
        return OllamaTestServer("It is as it was.", models=[OllamaEntry("m:latest")])
    return OpenAITestServer("It is as it was.", models=[OpenAIEntry("m")])


def asked(url: str, trial: Trial) -> tuple[int, str, bool]:
    """Ask; gives the status, what was said, and whether an error was told. Leaves endless ones."""
    path, said, status = PATHS[trial.client], "", 0
    try:
        with (
            httpx2.Client(timeout=LONGEST) as client,
            client.stream("POST", url + path, json=trial.body()) as answer,
        ):
            status = answer.status_code
            for count, piece in enumerate(answer.iter_text()):
                said += piece
                if trial.kind == "endless" and count >= trial.fault.pieces:
                    return status, said, True
    except httpx2.ReadTimeout:
        if trial.kind == "endless" and not trial.stream:
            return 0, "", True
        raise
    return status, said, _told(status, said, trial)


def _told(status: int, said: str, trial: Trial) -> bool:
    """Whether an error stands in what came, in the client's dialect."""
    if status >= 400:
        try:
            error = json.loads(said)["error"]
        except (ValueError, KeyError, TypeError):
            return trial.kind == "500" and faulty.REASON in said
        known = faulty.REASON in str(error) or trial.kind != "500"
        kind = str if trial.client == "ollama" else dict
        return isinstance(error, kind) and known
    if not trial.stream:
        return False
    lines = [line.removeprefix("data: ") for line in said.splitlines() if line.strip()]
    return bool(lines) and _is_error(lines[-1])


def _is_error(line: str) -> bool:
    """Whether a line of a stream says an error."""
    try:
        value = json.loads(line)
    except ValueError:
        return False
    return isinstance(value, dict) and "error" in value


def leave_soon(url: str, trial: Trial) -> tuple[int, str, bool]:
    """Ask for a whole answer of an endless stream, and leave after a moment."""
    try:
        with httpx2.Client(timeout=httpx2.Timeout(LONGEST, read=SILENCE)) as client:
            client.post(url + PATHS[trial.client], json=trial.body())
    except httpx2.ReadTimeout:
        return 0, "", True
    return 0, "", False


def held(served, trial: Trial):
    """The exchanges that hold the question."""
    with talking(served.service.pool, Scope()) as memory:
        found = [x for one in memory.space.log.transcripts() for x in one.exchanges]
    return [x for x in found if trial.words in x.user.text]


def settled(served, trial: Trial):
    """The same, once what was broken off is stored."""
    until = time.monotonic() + LONGEST
    while True:
        found = held(served, trial)
        done = found and all(x.state is not ExchangeState.OPEN for x in found)
        if done or time.monotonic() > until:
            return found
        time.sleep(0.02)


def meet(served, front, trial: Trial) -> tuple[int, str, bool]:
    """Ask while the server fails."""
    if trial.kind == "refused":
        front.shut()
        try:
            return asked(served, trial)
        finally:
            front.open()
    front.fault = trial.fault
    if trial.kind == "endless" and not trial.stream:
        return leave_soon(served, trial)
    return asked(served, trial)


def judge(served, front, trial: Trial, tally: Tally) -> None:
    """Ask, look at what is in memory, and ask again."""
    tally.faults += 1
    tally.kinds[trial.kind] += 1
    before = time.monotonic()
    try:
        _, said, told = meet(served, front, trial)
    except httpx2.TimeoutException as error:
        tally.miss("hung", trial, error)
        return
    except httpx2.HTTPError as error:
        tally.miss("untold", trial, repr(error))
        said, told = "", True
    tally.slowest = max(tally.slowest, time.monotonic() - before)
    found = settled(served, trial)
    if trial.kind == "reset" and not trial.fault.form and not told:
        tally.repaired += 1
        if [x.state for x in found] != [ExchangeState.COMPLETE]:
            tally.miss("untold", trial, [str(x.state) for x in found])
        return
    if not told:
        tally.miss("untold", trial, said[-120:])
    if trial.kind == "endless" and not trial.fault.left.wait(LONGEST):
        tally.miss("hung", trial, "the upstream was not let go")
    _stored_once(found, trial, tally)
    _ask_again(served, trial, tally)


def _stored_once(found, trial: Trial, tally: Tally) -> None:
    if not found:
        tally.miss("lost", trial)
    elif len(found) > 1:
        tally.miss("doubled", trial, [str(x.state) for x in found])
    elif found[0].state not in BROKEN:
        tally.miss("untold", trial, found[0].state)


def _ask_again(served, trial: Trial, tally: Tally) -> None:
    again = Trial("healthy", trial.client, trial.server, trial.stream, trial.number, trial.fault)
    status, said, _ = asked(served, again)
    found = settled(served, trial)
    answered = [x for x in found if x.state is ExchangeState.COMPLETE]
    if status != 200 or "It" not in said or len(answered) != 1:
        tally.miss("unhealed", trial, (status, [str(x.state) for x in found]))
    if len({x.user.id for x in found}) > 1:
        tally.miss("doubled", trial, "asked again")


def run(count: int, seed: int, store: str) -> Tally:
    """Meet so many faults, the kinds in turn, for each pair of dialects."""
    tally, rng, folder = Tally(), Random(seed), quick_folder("upstreams")
    servers = {dialect: upstream(dialect) for dialect in PATHS}
    fronts = {name: faulty.Front(server.url, SILENCE + 2) for name, server in servers.items()}
    urls = {"ollama": fronts["ollama"].url, "openai": f"{fronts['openai'].url}/v1"}
    ones = {
        name: running(
            home=folder / name,
            upstream=name,
            timeout=SILENCE,
            **kept_in(store),
            **{f"{name}_url": url},
        )
        for name, url in urls.items()
    }
    try:
        for number in range(count):
            kind = faulty.KINDS[number % len(faulty.KINDS)]
            turn = number // len(faulty.KINDS)
            client, server = ("ollama", "openai")[turn % 2], ("ollama", "openai")[turn // 2 % 2]
            fault = faulty.made(kind, rng)
            trial = Trial(kind, client, server, rng.random() < 0.75, number, fault)
            try:
                judge(ones[server].served, fronts[server], trial, tally)
            except UnabridgedError as error:
                tally.miss("lost", trial, repr(error))
    finally:
        for front in fronts.values():
            front.close()
        for one in ones.values():
            one.stop()
        for server in servers.values():
            server.close()
        shutil.rmtree(folder)
    return tally


def main() -> int:
    """Print the figures."""
    chosen = arguments(__doc__, count=280)
    begun = time.perf_counter()
    tally = run(chosen.count, chosen.seed, chosen.store)
    return tell(
        "upstream_faults", chosen, begun,
        failed=tally.failed, wrong=dict(tally.wrong.most_common(12)), faults=tally.faults,
        kinds=tally.kinds, lost=tally.lost, doubled=tally.doubled, hung=tally.hung,
        untold=tally.untold, repaired=tally.repaired, unhealed=tally.unhealed, slowest_s=round(tally.slowest, 2),
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
