"""The history keeps its beginning, moves it in blocks, and yields to strong evidence."""

import itertools
from statistics import fmean

import pytest
from tests.helpers.talker import Talker
from tests.opened import use_settings

from unabridged.budget.tiers import exchange_limits
from unabridged.condense.topic_density import NEUTRAL
from unabridged.context import history, tiers
from unabridged.context.assemble import STEADY_SHARE
from unabridged.domain.chat import Abilities
from unabridged.domain.context import Decision, Tier
from unabridged.domain.settings import Settings
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock

WINDOW = 2048
TALK = "We spoke about subject {n} and what it means for plan {n}, in {k} words or so. "


def open_memory(window: int = WINDOW) -> Talker:
    model = ScriptedModel(abilities=Abilities("m", trained_window=window, source="server"))
    settings = Settings(home="unused", store="memory", window=window)
    return Talker.open(settings=settings, upstream=model, clock=ManualClock())


def shown(context) -> list[str]:
    return [item["id"] for item in context.manifest["history"]]


def hold(memory: Talker, count: int, say: str = "Tell me of subject {n}."):
    contexts = []
    for n in range(count):
        context = memory.prepare(say.format(n=n))
        memory.record(context, TALK.format(n=n, k=n % 7) * 2)
        contexts.append(context)
    return contexts


def test_the_history_begins_where_it_began_until_it_must_move_and_then_in_a_block():
    with open_memory() as memory:
        contexts = hold(memory, 60)
        beginnings = [shown(context)[0] for context in contexts[1:]]
        moves = sum(a != b for a, b in itertools.pairwise(beginnings))
        assert 1 <= moves <= 12
        kept = [c.ledger.prefix_reuse for c in contexts[1:] if c.ledger.prefix_reuse is not None]
        assert fmean(kept) >= 0.75
        for before, after in itertools.pairwise(contexts[1:]):
            run = shown(after)
            assert run == sorted(run)
            assert shown(before)[-1] in run


def test_the_newest_exchange_is_always_there():
    with open_memory(600) as memory:
        for context in hold(memory, 20)[1:]:
            assert context.ledger.kept(Tier.IMMEDIATE)


def test_of_short_exchanges_the_newest_five_are_immediate_of_long_ones_fewer():
    """WhisperEngine: the last 3 to 5 exchanges."""
    with open_memory(16_384) as memory:
        short = hold(memory, 12)[-1]
        assert len(short.ledger.kept(Tier.IMMEDIATE)) == 5
    with open_memory(2048) as memory:
        long = hold(memory, 12, "Tell me of subject {n} once more. " * 6)[-1]
        assert 1 <= len(long.ledger.kept(Tier.IMMEDIATE)) < 5


def test_strong_evidence_makes_the_history_yield_and_small_talk_does_not():
    with open_memory() as memory:
        told = memory.prepare("The lighthouse keeper was called Jonas Pedersen of Skagen.")
        memory.record(told, "Jonas Pedersen of Skagen, the lighthouse keeper. " * 12)
        hold(memory, 40)
        asked = memory.prepare("Remember what the lighthouse keeper of Skagen was called?")
        rows = {row.id: row for row in asked.ledger.rows}
        assert rows[told.id].tier is Tier.SEMANTIC
        assert rows[told.id].decision is Decision.KEPT
        small = memory.prepare("thanks!")
        assert not small.ledger.kept(Tier.SEMANTIC)


def test_a_window_that_grows_begins_the_history_anew():
    with open_memory() as memory:
        hold(memory, 40)
        narrow = shown(memory.prepare("And now?"))
        wide = Abilities("m", trained_window=16_384, source="server")
        use_settings(memory, Settings(home="unused", store="memory", window=16_384))
        memory.asked = ScriptedModel(abilities=wide)
        assert len(shown(memory.prepare("And now?"))) > len(narrow)


def test_a_long_exchange_behind_the_newest_comes_as_the_same_excerpt_every_time():
    with open_memory(4096) as memory:
        long = memory.prepare("Give me the whole story. " * 30)
        memory.record(long, "".join(f"Chapter {n} tells of the sea. " for n in range(160)))
        forms = set()
        for context in hold(memory, 14)[6:]:
            for item in context.manifest["history"]:
                if item["id"] == long.id:
                    forms.add(tuple(map(tuple, item.get("sentences", ()))))
        assert len(forms) <= 1


def test_where_memory_is_short_one_exchange_takes_a_quarter_of_it_at_most():
    """WorkspaceAI skips what is over 25 % of the budget; here it comes as an excerpt, and is said."""
    with open_memory(4096) as memory:
        hold(memory, 6, "Nice.")
        long = memory.prepare("I am devastated, my brother Aurelio died at sea. Who was he?")
        memory.record(long, "".join(f"Chapter {n} tells of the sea. " for n in range(150)))
        rows = [
            row
            for context in hold(memory, 40, "Nice.")
            for row in context.ledger.rows
            if row.id == long.id
        ]
        limit = exchange_limits(int(STEADY_SHARE * 4096)).whole
        assert rows[0].decision is Decision.KEPT, "whole while there is room"
        short = [row for row in rows if row.decision is Decision.CONDENSED]
        assert short
        assert {row.reason for row in short} == {"over 25% of the room for memory"}
        assert all(limit / 2 < row.tokens <= limit for row in short)
        assert len({row.sentences for row in short}) == 1


def test_what_a_tier_leaves_is_reserve_and_nothing_is_negative():
    with open_memory() as memory:
        for context in hold(memory, 30, "What about subject {n}? Do you remember plan {n}?"):
            assert min(context.ledger.parts.values()) >= 0
            assert sum(context.ledger.parts.values()) == WINDOW


def told_of(memory: Talker, count: int) -> None:
    """Another session that holds much of what is asked for below."""
    for n in range(count):
        context = memory.prepare(f"Notes on the lighthouse of Skagen, part {n}.")
        memory.record(context, f"The lighthouse of Skagen was lit in {1700 + n} by Jonas. " * 20)
    memory.new_session()


DETAILS = "Remember subject {n}? And what do my notes on the lighthouse of Skagen say?"


def moves_of(monkeypatch, richness, say=DETAILS) -> tuple[int, list[int], list[int]]:
    """Talk while the conversation is so rich; the moves, and what recall and history took."""
    asked: list[int] = []

    def measured(path):
        asked.append(len(path))
        return richness(len(asked))

    monkeypatch.setattr(history, "richness", measured)
    with open_memory() as memory:
        told_of(memory, 12)
        asked.clear()
        contexts = hold(memory, 40, say)
        parts = [context.ledger.parts for context in contexts]
        runs = [set(shown(context)) for context in contexts[1:]]
        moves = sum(not before <= after for before, after in itertools.pairwise(runs))
        recalled = [part["semantic"] for part in parts]
        return moves, recalled, asked


@pytest.mark.slow
def test_a_rich_conversation_recalls_more_where_memory_is_short(monkeypatch):
    plain, rich = (
        fmean(moves_of(monkeypatch, lambda _, value=value: value)[1][15:]) for value in (0.5, 1.0)
    )
    assert plain < rich


@pytest.mark.parametrize(
    ("say", "less"),
    [
        ("Like last time: what do my notes on the lighthouse of Skagen say of its lamp?", True),
        ("Remember what my notes on the lighthouse of Skagen say of its lamp?", False),
    ],
)
def test_a_simple_conversation_gives_less_but_never_to_who_asks_for_details(monkeypatch, say, less):
    real, given = tiers.history_before, []

    def spied(plan, material, memory, give):
        given.append((give(NEUTRAL), give(history.richness(material.path))))
        return real(plan, material, memory, give)

    monkeypatch.setattr(tiers, "history_before", spied)
    with open_memory() as memory:
        told_of(memory, 12)
        hold(memory, 4)
        for value in (0.0, 0.5, 1.0):
            monkeypatch.setattr(history, "richness", lambda _, value=value: value)
            memory.prepare(say)
    poor, plain, rich = given[-3:]
    assert poor[0] == plain[0] == rich[0] == plain[1] > 0
    assert rich[1] > plain[1]
    assert (poor[1] < plain[1]) is less


@pytest.mark.slow
def test_richness_is_asked_only_where_the_history_outgrew_its_room_and_moves_nothing(monkeypatch):
    moves, _, asked = moves_of(monkeypatch, lambda _: 0.5)
    assert len(asked) <= moves + 1
    wild, _, _ = moves_of(monkeypatch, lambda n: float(n % 2))
    assert wild <= moves + 2
