"""Who asks what was talked about gets conversations as wholes."""

from datetime import timedelta

import pytest
from tests.helpers.talker import Talker

from unabridged.domain.chat import Abilities
from unabridged.domain.context import ItemKind
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock


@pytest.mark.parametrize("asked", ["What have we talked about?", "Summarize our conversations."])
def test_a_question_that_names_nothing_gets_the_newest_conversations(tmp_path, asked):
    model = ScriptedModel(abilities=Abilities("m", trained_window=4096, source="server"))
    clock = ManualClock(step=timedelta(minutes=3))
    with Talker.open(tmp_path, upstream=model, window=4096, clock=clock) as memory:
        for place in ("Oslo", "Lima", "Turin"):
            memory.new_session()
            for day in range(8):
                context = memory.prepare(f"I went to {place} on day {day} and bought {day} lamps.")
                memory.record(context, f"So {place} it was, on day {day}. " * 4)
        memory.new_session()
        memory.record(memory.prepare("Hello."), "Hello.")
        list(memory.maintain())
        context = memory.prepare(asked)
        last = context.prompt[-1].text
        assert last.count("<recalled-summary") == 3
        assert last.index("Turin") < last.index("Lima") < last.index("Oslo")
        assert sum(context.ledger.parts.values()) == 4096
        memory.record(context, "So.")
        account = memory.why(context.id)
        assert account.intact
        rows = [row for row in account.ledger.rows if row.kind is ItemKind.CONDENSATION]
        assert len(rows) == 3
        assert all(row.at is not None and row.session for row in rows)
        assert "Turin" in account.texts[rows[0].id]
