"""The recall blocks of earlier messages: frozen, and without what was forgotten."""

import pytest
from tests.helpers.talker import Talker
from tests.unit.history_sync.hand import (
    ask,
    call,
    clients,
    contents,
    result,
    said,
    scripted,
    talk,
    user,
)

from unabridged.domain.chat import StreamChunk, ToolSpec
from unabridged.domain.client_history import Fit, RequestOptions
from unabridged.domain.context import Tier
from unabridged.domain.message import ToolCall
from unabridged.domain.settings import Settings
from unabridged.testing.clock import ManualClock

GATE = "The password of gate 3 is blue heron"
ASKED = "What was the password of gate 3?"


@pytest.fixture
def memory(tmp_path):
    with Talker.open(tmp_path, upstream=scripted(), clock=ManualClock()) as opened:
        yield opened


def told(memory, text, answer="Noted."):
    """Say something in a session of its own."""
    memory.new_session()
    return memory.record(memory.prepare(text), answer)


def forget(memory, *exchanges):
    forgetting = memory.space.forgetting
    forgetting.execute(forgetting.plan(exchanges=[one.id for one in exchanges]))


def test_a_block_loses_what_is_forgotten_and_keeps_the_rest(memory):
    gate = told(memory, GATE)
    told(memory, "The password of gate 3 was changed by Jonas on Monday")
    _, first, exchange = ask(memory, [user(ASKED)], "It was changed.")
    assert "blue heron" in contents(first)[0]
    assert "Jonas" in contents(first)[0]
    forget(memory, gate)
    drafts = [user(ASKED), said("It was changed."), user("And of the garden?")]
    _, onward, _ = ask(memory, drafts)
    assert clients(onward) == [draft.text for draft in drafts]
    assert "blue heron" not in str(contents(onward))
    assert "Jonas" in contents(onward)[0]
    report = memory.why(exchange.id)
    assert gate.id in report.missing
    assert not report.intact


def test_an_empty_block_is_left_out(memory):
    gate = told(memory, GATE)
    ask(memory, [user(ASKED)], "Blue.")
    forget(memory, gate)
    _, onward, _ = ask(memory, [user(ASKED), said("Blue."), user("And of the garden?")])
    assert contents(onward)[0] == ASKED


def test_a_block_is_gone_with_its_exchange(memory):
    told(memory, GATE)
    _, _, exchange = ask(memory, [user(ASKED)], "I see.")
    forget(memory, exchange)
    drafts = [user(ASKED), said("I see."), user("And of the garden?")]
    heard, onward, _ = ask(memory, drafts)
    assert heard.unstored == {heard.path[0].id}
    assert clients(onward) == [draft.text for draft in drafts]
    assert 0 not in onward.edits.after


def test_an_answer_that_came_later_changes_no_block(memory):
    late = memory.prepare(GATE)
    memory.begin(late)
    _, first, exchange = ask(memory, [user(ASKED)], "Blue.")
    assert "blue heron" in contents(first)[0]
    assert memory.why(exchange.id).intact
    memory.talk_in(late.scope.session)
    memory.record(late, "Noted, a blue heron.")
    _, onward, _ = ask(memory, [user(ASKED), said("Blue."), user("And of the garden?")])
    assert contents(onward)[0] == contents(first)[0]
    assert memory.why(exchange.id).intact


def test_a_tool_loop_keeps_its_block_and_nothing_is_recalled_again(memory):
    tools = RequestOptions((ToolSpec("look", "Looks.", {}),))
    told(memory, GATE)
    turn = memory.started(memory.sync([user(ASKED)]), tools)
    begun = turn.context
    turn.receive(StreamChunk(calls=(ToolCall("c1", "look", "{}"),)))
    turn.finish()
    drafts = [user(ASKED), call("look"), result("a gate")]
    heard = memory.sync(drafts)
    assert heard.open.id == begun.id
    loop = memory.prepare_synced(heard, tools)
    assert loop.messages[0] == begun.messages[0]
    assert len(loop.messages) == 3
    told(memory, "The password of gate 3 is now red fox")
    again = memory.prepare_synced(memory.sync(drafts), tools)
    assert again.messages[0] == begun.messages[0]
    parts = again.ledger.parts
    assert parts["semantic"] == 0
    assert parts["history"] > 0  # its own block is part of what was sent before
    assert sum(parts.values()) == again.ledger.window


def test_a_condensation_goes_with_its_words(tmp_path):
    chosen = Settings(home=str(tmp_path), window=2048)
    with Talker.open(settings=chosen, upstream=scripted(), clock=ManualClock()) as memory:
        drafts = talk("My number is 4007 and I live by the river.", "I see.")
        _, _, exchange = ask(memory, drafts[:1], "I see.")
        for n in range(20):
            drafts += talk(f"line {n} of the story " + f"word{n} " * 50, f"answer {n}.")
        options = RequestOptions(fit=Fit.CONDENSE)
        _, first, _ = ask(memory, [*drafts, user("And then?")], "The end.", options)
        assert "4007" in contents(first)[0]
        forget(memory, exchange)
        drafts += talk("And then?", "The end.")
        _, onward, _ = ask(memory, [*drafts, user("Good.")], request_options=options)
        assert "4007" not in str(contents(onward)[:-1])


def test_a_client_of_one_message_gets_pins_or_a_ledger_without_them(tmp_path):
    """A long session of a client that sends its newest message alone: whatever is shown is counted."""
    chosen = Settings(home=str(tmp_path), window=2048)
    with Talker.open(settings=chosen, upstream=scripted(), clock=ManualClock()) as memory:
        memory.facts.pin(memory.facts.add("Anna is allergic to nuts").id)
        for n in range(14):
            words = user(f"line {n} of the story " + f"word{n} " * (30 + 7 * n))
            _, context, exchange = ask(memory, [words], f"answer {n}", session="one")
            named = bool(context.manifest["pins"])
            assert ("allergic to nuts" in context.edits.after.get(0, "")) is named
            rows = context.ledger.kept(Tier.KNOWLEDGE)
            assert bool(rows) is named
            assert sum(context.ledger.parts.values()) == context.ledger.window
            assert memory.why(exchange.id).intact
        assert context.edits.inserted
