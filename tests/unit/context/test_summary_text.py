"""What falls out of the shown history: condensed, kept byte for byte, opened up again."""

from datetime import timedelta
from itertools import pairwise

import pytest
from tests.helpers.talker import Talker
from tests.opened import counter_of, store_of

from unabridged.domain.chat import Abilities
from unabridged.domain.context import Decision, ItemKind, Tier
from unabridged.domain.record import RecordKind
from unabridged.errors import NotFoundError
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock

WINDOW = 2048
PLACES = "Oslo Lima Quito Turin Accra Dakar Hanoi Kyoto Perth Sofia Tunis Vilnius".split()


def say_of(number: int) -> str:
    place = PLACES[number % len(PLACES)]
    return f"I went to {place} on day {number} and bought {number + 2} lamps there."


def answer_of(number: int) -> str:
    return f"Noted, number {number}. " + "That sounds like a fine day out for everybody. " * 3


@pytest.fixture
def memory(tmp_path):
    model = ScriptedModel(abilities=Abilities("m", trained_window=WINDOW, source="server"))
    clock = ManualClock(step=timedelta(minutes=7))
    with Talker.open(tmp_path, upstream=model, window=WINDOW, clock=clock) as opened:
        yield opened


def talk(memory, count: int, start: int = 0):
    contexts = []
    for number in range(start, start + count):
        context = memory.prepare(say_of(number))
        memory.record(context, answer_of(number))
        contexts.append(context)
    return contexts


def earlier_row(context):
    rows = [r for r in context.ledger.rows if r.kind is ItemKind.CONDENSATION]
    return rows[0] if rows else None


def shown_in(context):
    """The exchanges of the shown history."""
    tiers = (Tier.IMMEDIATE, Tier.RECENT)
    rows = [r for r in context.ledger.rows if r.tier in tiers and r.kind is ItemKind.EXCHANGE]
    assert all(r.decision is not Decision.LEFT_OUT for r in rows)
    return {r.id for r in rows}


def test_what_falls_out_of_the_history_is_condensed_and_counted(memory):
    contexts = talk(memory, 40)
    last = contexts[-1]
    row = earlier_row(last)
    assert row is not None
    assert row.decision is Decision.CONDENSED
    shown = shown_in(last)
    covered = int(row.reason.split()[0])
    assert covered + len(shown) == 39
    assert last.ledger.rest_count == 0
    assert sum(last.ledger.parts.values()) == WINDOW
    system = last.prompt[0].text
    counter = counter_of(memory)
    assert counter.text(system[system.index("\n\n<recalled-earlier") :]) == row.tokens


def test_it_takes_a_tenth_of_memory_at_most(memory):
    """WorkspaceAI: 10 % of the budget are kept for the summary of what is dropped."""
    contexts = talk(memory, 40)
    shares = [earlier_row(c).tokens / c.budget.memory for c in contexts if earlier_row(c)]
    assert 0.04 < max(shares) <= 0.105


def test_the_beginning_stays_until_it_moves_in_a_block(memory):
    systems = [context.messages[0]["content"] for context in talk(memory, 40)]
    moves = sum(a != b for a, b in pairwise(systems))
    assert 1 <= moves <= 8


def test_every_prompt_is_rendered_again_byte_for_byte(memory):
    contexts = talk(memory, 40)
    assert any(map(earlier_row, contexts))
    for context in contexts:
        account = memory.why(context.id)
        assert account.intact
        assert account.messages == tuple(context.messages)


def test_it_opens_up_to_exactly_what_is_shown_no_more(memory):
    contexts = talk(memory, 40)
    last = contexts[-1]
    row = earlier_row(last)
    shown = shown_in(last)
    opened = memory.space.condensations.expand(row.id)
    assert [e.user.text for e in opened.exchanges] == [
        say_of(n) for n, c in enumerate(contexts[:-1]) if c.id not in shown
    ]
    assert [e.answer.text for e in opened.exchanges] == [
        answer_of(n) for n, c in enumerate(contexts[:-1]) if c.id not in shown
    ]


def test_no_sentence_in_it_was_not_said(memory):
    last = talk(memory, 40)[-1]
    said = {say_of(n) for n in range(40)} | {answer_of(n) for n in range(40)}
    text = last.prompt[0].text.partition("<recalled-earlier")[2]
    lines = [x.partition(": ")[2] for x in text.splitlines() if x.startswith(("user", "assist"))]
    assert lines
    for line in lines:
        for piece in line.split(" […] "):
            assert any(piece.strip() in one for one in said), piece


def test_forgetting_takes_its_words_out_of_the_next_prompt(memory):
    contexts = talk(memory, 40)
    row = earlier_row(contexts[-1])
    system = contexts[-1].prompt[0].text
    gone = next(n for n in range(40) if say_of(n) in system)
    store_of(memory).erase([contexts[gone].id])
    assert store_of(memory).records(RecordKind.OVERVIEW, ids=[row.id]) == []
    again = memory.prepare(say_of(41))
    assert say_of(gone) not in again.prompt[0].text
    assert all(say_of(gone) not in message.text for message in again.prompt)
    assert row.id in memory.why(contexts[-1].id).missing
    with pytest.raises(NotFoundError):
        memory.space.condensations.expand(row.id)


def test_without_a_condenser_it_is_left_out_and_said(tmp_path):
    model = ScriptedModel(abilities=Abilities("m", trained_window=WINDOW, source="server"))
    with Talker.open(tmp_path, upstream=model, window=WINDOW, condenser="none") as memory:
        contexts = talk(memory, 30)
    assert not any(map(earlier_row, contexts))
    reasons = {r.reason for c in contexts for r in c.ledger.rows}
    assert "older than the part of this session that is shown" in reasons


def test_what_tells_something_stays_longer_than_what_does_not(memory):
    """Small talk goes first, though what tells something is older."""
    for number in range(6):
        context = memory.prepare(f"Which lamp suits a room of {number} square metres?")
        memory.record(context, answer_of(number))
    telling = {e.id for e in memory.exchanges()}
    plain = []
    for _ in range(30):
        context = memory.prepare("Nice.")
        if earlier_row(context):
            break
        memory.record(context, "Glad you like it. " * 12)
        plain.append(context.id)
    shown = shown_in(context)
    older = plain[:-5]
    assert not shown & set(older[: len(older) // 2])
    assert len(shown & telling) >= 2


def test_what_another_program_forgot_does_not_come_back_with_a_prepared_prompt(memory, tmp_path):
    talk(memory, 39)
    context = memory.prepare(say_of(39))
    words = context.prompt[0].text.partition("<recalled-earlier")[2]
    gone = next(n for n in range(39) if say_of(n) in words)
    path = memory.exchanges(100)
    block = context.manifest["earlier"]
    store_of(memory).delete(RecordKind.OVERVIEW, [block])  # as if the history had moved just now
    model = ScriptedModel(abilities=Abilities("m", trained_window=WINDOW, source="server"))
    with Talker.open(tmp_path, upstream=model, window=WINDOW) as other:
        store_of(other).erase([path[gone].id])
    memory.record(context, "Noted.")
    assert store_of(memory).records(RecordKind.OVERVIEW, ids=[block]) == []
    assert block in memory.why(context.id).missing
    assert say_of(gone) not in "".join(m.text for m in memory.prepare("So?").prompt)


def test_a_block_that_is_needed_again_is_stored_again(memory):
    """Its words were forgotten, and brought back as by an import."""
    talk(memory, 40)
    held = list(memory.space.log.transcripts())
    context = memory.prepare(say_of(40))
    block = context.manifest["earlier"]
    assert store_of(memory).records(RecordKind.OVERVIEW, ids=[block])
    store_of(memory).erase([context.shared[block][1][0]])
    assert store_of(memory).records(RecordKind.OVERVIEW, ids=[block]) == []
    for conversation in held:
        memory.import_transcript(conversation)
    memory.begin(context)
    assert store_of(memory).records(RecordKind.OVERVIEW, ids=[block])
