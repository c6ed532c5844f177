"""No tool, message or thought of a client is lost without being told, whatever it sends.

Random requests, each continued as programs do, are compared with what arrives upstream. A failure
names its seed: ``run(door, dialect, [seed])`` repeats it.
"""

import random
import re
from collections import Counter
from dataclasses import replace

import pytest
from tests.helpers.agent_talks import assistant, filler, request, user
from tests.helpers.arrivals import is_context_error
from tests.helpers.client_talks import (
    ANTHROPIC,
    OLLAMA,
    OPENAI,
    RESPONSES,
    Said,
    Talker,
    sizes,
)
from tests.helpers.front_door import opened
from tests.helpers.strict_rules import Strictness, blocks_of
from tests.helpers.strict_server import StrictModel

from unabridged.testing.replies import ScriptedReply

WINDOWS = (4_096, 8_192, 16_384, 32_768, 131_072, 1_048_576)
WAYS = [(client, up) for up in (OPENAI, OLLAMA) for client in (OPENAI, OLLAMA, RESPONSES)]
WAYS += [(ANTHROPIC, OPENAI), (ANTHROPIC, OLLAMA)]
TO_ANTHROPIC = [(client, ANTHROPIC) for client in (ANTHROPIC, OPENAI, OLLAMA, RESPONSES)]
REQUESTS, SHORT = 2_000, 60
SHOWN = 8
LARGE = 10
"""One talk of so many may be this many times longer, so that the largest windows are filled."""


class Replies:
    """The answers of the upstream, which a client then sends back with its next message."""

    def __init__(self):
        self.next = "Yes."

    def __call__(self, body):
        return self.next


def model_of(window):
    return StrictModel(f"w{window}", window)


def turns(seed, dialect, windows, most_characters, **most):
    """One talk as it goes on: each time the model, the talk as sent, and the answer to it."""
    source = random.Random(f"{seed} {dialect}")
    window = source.choice(windows)
    talker = Talker(source, dialect, foreign=source.random() < 0.5)
    bound = most_characters * (LARGE if source.random() < 1 / LARGE else 1)
    talk = talker.talk(*sizes(source, window, most_characters=bound, **most))
    for _ in range(source.choice((1, 2, 3))):
        answer = Said("assistant", talker.words(60), reasoning=talker.words(40))
        yield f"w{window}", talk, answer
        talk = follow(source, talker, talk, answer)


def follow(source, talker, talk, answer):
    """The client's next list: it goes on, asks again, or has cut its beginning."""
    said = list(talk.said)
    how = source.random()
    if how < 0.1 and said[-1].role == "user":
        return replace(talk, said=[*said[:-1], talker.user(200)])
    if how < 0.2:
        users = [place for place, one in enumerate(said) if one.role == "user"]
        said = said[users[len(users) // 2] :]
    then = replace(talk, said=[*said, answer])
    if talk.tools and how > 0.6:
        then.said.append(talker.user(100))
        talker.round(then, 200)
    else:
        then.said.append(talker.user(200))
    return then


def run(door, dialect, seeds, windows=WINDOWS, most_characters=600_000, **most):
    """Put talks to the server until so many requests were made; what went wrong, and what came."""
    wrong, came = [], Counter()
    for seed in seeds:
        for model, talk, answer in turns(seed, dialect, windows, most_characters, **most):
            door.server.script.script.next = ScriptedReply(answer.text, reasoning=answer.reasoning)
            sent, found = door.put(talk, dialect, model, stream=seed % 2 == 0)
            left = "x-unabridged-left-out" in sent.headers
            came["left out" if left else sent.status] += 1
            about = f"seed {seed}, {model}, {len(talk.said)} messages, {len(talk.tools)} tools"
            wrong += [f"{about}: {fault}" for fault in found]
            came["faulty"] += bool(found)
            door.server.clear()
    return wrong, came


def check(door, dialect, wrong, came):
    """Fail where a request was spoiled, and say how many were."""
    requests = came.total() - came["faulty"]
    kinds = {re.sub(r"\d+", "", line.partition(": ")[2])[:24]: line for line in reversed(wrong)}
    lines = "\n".join(list(kinds.values())[-SHOWN:])
    assert not wrong, f"{came['faulty']} of {requests} requests: {dict(came)}\n{lines}"
    assert door.server.cut == [], "Ollama shortened prompts in silence"
    answered = came[200] + came["left out"]
    assert answered >= requests // 4, f"too few were answered: {dict(came)}"


def walk(serving, client, upstream, seeds, **bounds):
    models = [model_of(window) for window in WINDOWS]
    lenient = Strictness(unknown=False)
    with opened(serving, upstream, Replies(), models=models, strict=lenient) as door:
        if not door.speaks(client):
            pytest.skip(f"the server does not speak {client}")
        check(door, client, *run(door, client, seeds, **bounds))


@pytest.mark.slow
@pytest.mark.parametrize(("client", "upstream"), WAYS + TO_ANTHROPIC)
def test_nothing_is_lost_in_silence(serving, client, upstream):
    few = SHORT // len(WAYS) // 2 + 1
    bounds = {"most_characters": 60_000, "most_messages": 120, "most_tools": 60}
    walk(serving, client, upstream, range(few), windows=WINDOWS[:4], **bounds)


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize(("client", "upstream"), WAYS + TO_ANTHROPIC)
def test_nothing_is_lost_in_silence_in_2000_requests(serving, client, upstream):
    every = len(WAYS) + len(TO_ANTHROPIC)
    walk(serving, client, upstream, range(1_000, 1_000 + REQUESTS // every // 2 + 1))


@pytest.mark.parametrize("dialect", [OPENAI, OLLAMA, ANTHROPIC])
def test_what_is_left_out_is_said_however_little_room_is_left(serving, dialect):
    """The line that counts it takes room too: one more exchange is left out, or all is refused."""

    def sent(characters):
        about = f"{characters} {{}}?".format
        turns = [m for n in range(9) for m in (user(about(n)), assistant("Yes. " * 9))]
        body = request(dialect, [*turns, user(filler(20_000)[:characters])])
        answer = door.post(dialect, body)
        if answer.status_code != 200:
            assert is_context_error(dialect, answer.status_code, answer.text), answer.text
            return None
        arrived = door.upstream_body()["messages"]
        told = answer.headers.get("x-unabridged-left-out", "messages=0,")
        gone = len(body["messages"]) - len(arrived)
        assert f"messages={gone}," in told
        first = blocks_of(arrived[0])[0]["text"]
        assert first.startswith("<recalled-earlier") == (gone > 0)
        return len(arrived)

    with opened(serving, dialect, models=[StrictModel(window=4_096)]) as door:
        fits, refused = 2_000, 80_000
        while refused - fits > 20:
            middle = (fits + refused) // 2
            fits, refused = (fits, middle) if sent(middle) is None else (middle, refused)
        came = Counter(sent(n) for n in range(fits - 1_500, fits + 100, 20))
    assert came[None] >= 3, came
    assert came[1] >= 3, came
