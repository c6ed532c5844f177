import pytest
from tests.helpers.talker import Talker

from unabridged.domain.chat import Abilities
from unabridged.domain.context import Decision, ItemKind, Tier
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock

ABLE = Abilities("m", trained_window=16_384, source="server")


def shown(context) -> list[str]:
    return [
        row.id
        for row in context.ledger.rows
        if row.tier in {Tier.IMMEDIATE, Tier.RECENT}
        and row.kind is ItemKind.EXCHANGE
        and row.decision is not Decision.LEFT_OUT
    ]


@pytest.mark.parametrize("condenser", ["extract", "none"])
def test_no_more_exchanges_of_the_session_are_shown_than_max_turns(tmp_path, condenser):
    with Talker.open(
        tmp_path,
        upstream=ScriptedModel(abilities=ABLE),
        clock=ManualClock(),
        max_turns=8,
        condenser=condenser,
    ) as memory:
        counts, starts = [], []
        for number in range(40):
            context = memory.prepare(f"Item {number} is a violet lamp from Oslo, is it not?")
            ids = shown(context)
            counts.append(len(ids))
            starts.append(min(ids, default=""))
            memory.record(context, f"Yes, item {number} is a violet lamp.")
        assert max(counts) == 8
        assert min(counts[8:]) == 6
        assert len(set(starts)) < 16, "the beginning moves in blocks, not by one each time"
        assert memory.stats().exchanges == 40
        assert memory.space.search("item 3 lamp")


def test_without_max_turns_everything_that_fits_is_shown(tmp_path):
    with Talker.open(tmp_path, upstream=ScriptedModel(abilities=ABLE)) as memory:
        for number in range(12):
            memory.record(memory.prepare(f"Number {number}."), "Yes.")
        assert len(shown(memory.prepare("And now?"))) == 12
