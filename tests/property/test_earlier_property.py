"""Random conversations under changing windows: what stands for what is shown no more stays right."""

import random
from datetime import timedelta

import pytest
from tests.helpers.examples import examples
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.domain.chat import Abilities
from unabridged.domain.context import Decision, ItemKind, Tier
from unabridged.domain.record import RecordKind
from unabridged.errors import PromptTooLargeError
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock

WORDS = (
    "lamp river Oslo seven bread Anna window garden Turin violet paper nine stone Marek "
    "winter song bicycle Quito copper letter"
).split()
WINDOWS = (512, 768, 1024, 2048, 4096)


def model_of(window: int) -> ScriptedModel:
    return ScriptedModel(abilities=Abilities(f"m{window}", trained_window=window, source="server"))


def words(rng, most: int) -> str:
    sentences = []
    for _ in range(rng.randint(1, most)):
        said = " ".join(rng.choice(WORDS) for _ in range(rng.randint(2, 14)))
        sentences.append(said.capitalize() + rng.choice([".", "?", "!", ".\n", ":\n- "]))
    return " ".join(sentences)


def message_of(rng) -> str:
    asks = ["What did we discuss?", "Do you remember the lamp?", "Thanks.", ""]
    return (rng.choice(asks) + " " + words(rng, rng.choice([1, 1, 2, 4]))).strip()


def path_to(memory, exchange: str | None) -> list[str]:
    path = []
    while exchange:
        path.append(exchange)
        exchange = store_of(memory).get([exchange])[exchange].parent
    return path[::-1]


def looked_at(memory, context, *, forgotten: bool):
    """Check one context against the store."""
    ledger = context.ledger
    assert sum(ledger.parts.values()) == ledger.window
    assert all(part >= 0 for part in ledger.parts.values()), ledger.parts
    path = path_to(memory, context.parent)
    shown = [
        r.id
        for r in ledger.rows
        if r.tier in {Tier.IMMEDIATE, Tier.RECENT}
        and r.kind is ItemKind.EXCHANGE
        and r.decision is not Decision.LEFT_OUT
    ]
    assert len(set(shown)) == len(shown)
    history = [item["id"] for item in context.manifest["history"]]
    assert [name for name in path if name in shown] == history
    block = context.manifest["earlier"]
    if block is None:
        assert not shown or path[path.index(history[0]) :] == history
        return
    body, drawn = context.shared[block]
    places = {name: place for place, name in enumerate(path)}
    first = places[history[0]] if shown else len(path)
    stands = [n for n in path if places[n] < first or n in body["inner"]]
    assert not set(stands) & set(shown)
    assert set(body["inner"]) <= set(path)
    assert set(stands) | set(shown) == set(path)
    if not forgotten:  # a block without words of what was forgotten stays as it was
        assert body["count"] <= len(stands)
        total = store_of(memory).totals().exchanges
        rows = {r.id for r in ledger.rows if r.kind is ItemKind.EXCHANGE}
        if total == len(path) and body["count"] == len(stands):
            assert ledger.rest_count == total - len(rows | set(stands))
    held = store_of(memory).get(drawn)
    said = " ".join(m.text for e in held.values() for m in e.messages)
    for text, *_ in body["lines"]:
        assert all(piece.strip() in said for piece in text.split(" […] "))


@pytest.mark.parametrize("seed", range(examples(14)))
def test_whatever_window_and_whatever_is_forgotten(tmp_path, seed):
    rng = random.Random(seed)
    clock = ManualClock(step=timedelta(hours=5))
    window = rng.choice(WINDOWS)
    forgotten = False
    turns = rng.choice([None, None, 3, 9])
    with Talker.open(tmp_path, upstream=model_of(window), clock=clock, max_turns=turns) as memory:
        for _ in range(60):
            if rng.random() < 0.1:
                window = rng.choice(WINDOWS)
                memory.asked = model_of(window)
            path = memory.exchanges(1000)
            if seed % 2 and rng.random() < 0.05 and path:
                store_of(memory).erase([rng.choice(path).id])
                forgotten = True
            if rng.random() < 0.05:
                list(memory.maintain(pages=rng.choice([None, 1])))
            again = None
            if rng.random() < 0.1 and (path := memory.exchanges(1000)):
                taken = rng.choice(path).id
                if rng.random() < 0.5:
                    memory.checkout(taken)
                else:
                    again = taken
            try:
                mode = rng.choice(["chat", "tools"])
                context = memory.prepare(message_of(rng), mode=mode, retry_of=again)
            except PromptTooLargeError:
                continue
            looked_at(memory, context, forgotten=forgotten)
            memory.record(context, words(rng, rng.choice([1, 3, 9, 30])))
            assert memory.why(context.id).intact
        for record in store_of(memory).records(RecordKind.OVERVIEW):
            if "lines" in record.body:
                memory.space.condensations.expand(record.id)
