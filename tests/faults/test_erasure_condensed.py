"""After forgetting, nothing of the words is left in what was made of them either."""

import random
from datetime import timedelta

import pytest
from tests.helpers.folders import bytes_in
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.domain.chat import Abilities
from unabridged.domain.record import RecordKind
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock

WINDOW = 2048
SESSIONS, EXCHANGES = 3, 24


def secret(number: int) -> str:
    rng = random.Random(number)
    return "Z" + "".join(rng.choice("bcdfghjklmnpqrtvwx") for _ in range(11))


@pytest.mark.slow
def test_no_byte_is_left_in_condensations_facts_readings_and_prompts(tmp_path):
    model = ScriptedModel(abilities=Abilities("m", trained_window=WINDOW, source="server"))
    clock = ManualClock(step=timedelta(hours=3))
    settings = {"window": WINDOW, "condense_tokens": 400, "condense_messages": 4}
    ids = {}
    with Talker.open(tmp_path, upstream=model, clock=clock, **settings) as memory:
        number = 0
        for _ in range(SESSIONS):
            memory.new_session()
            for _ in range(EXCHANGES):
                text = f"My cousin {secret(number)} lives in Oslo. I have {number + 2} cats."
                context = memory.prepare(text)
                memory.record(context, f"So {secret(number)} lives there. " + "I see that. " * 12)
                ids[number] = context.id
                number += 1
            list(memory.maintain(pages=4))
        list(memory.maintain())
        memory.new_session()
        memory.record(memory.prepare("Summarize what we said about my cousins in Oslo."), "Yes.")
        store = store_of(memory)
        kinds = (RecordKind.CONDENSATION, RecordKind.READING, RecordKind.FACT, RecordKind.RUN)
        assert all(store.records(kind) for kind in kinds)
        blobs = [r for r in store.records(RecordKind.OVERVIEW) if r.id.startswith("c-")]
        assert blobs
        before = bytes_in(tmp_path)
        assert all(secret(n).encode() in before for n in ids)

        gone = random.Random(3).sample(sorted(ids), len(ids) // 2)
        store.erase([ids[n] for n in gone])
        assert [n for n in gone if secret(n).encode() in bytes_in(tmp_path)] == []
        list(memory.maintain())
        said = " ".join(
            line.text for c in memory.space.condensations.condensations() for line in c.lines
        )
        assert said
        assert not any(secret(n) in said for n in gone)
        known = " ".join(fact.text for fact in memory.facts.all(None))
        assert known
        assert not any(secret(n) in known for n in gone)
        assert memory.space.log.check() == []
    left = bytes_in(tmp_path)
    assert [n for n in gone if secret(n).encode() in left] == []
    assert [n for n in ids if n not in gone and secret(n).encode() not in left] == []
