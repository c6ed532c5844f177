"""What a client sends goes on whole or is counted; what was forgotten passes through."""

import itertools
import random

import pytest
from tests.helpers.talker import Talker
from tests.opened import counter_of
from tests.unit.history_sync.hand import (
    ask,
    call,
    clients,
    contents,
    result,
    said,
    scripted,
    system,
    talk,
    user,
)

from unabridged.budget.allocate import least_answer
from unabridged.domain.chat import ToolSpec
from unabridged.domain.client_history import Fit, RequestOptions
from unabridged.domain.context import Decision, Tier
from unabridged.errors import ContextRefusedError, PromptTooLargeError

WINDOW = 8192


def long_talk(n, words=60):
    return talk(*(f"line {i} of the story: " + f"word{i} " * words for i in range(2 * n)))


def plain(drafts):
    return [draft.text for draft in drafts]


def test_recall_gets_what_the_client_leaves(memory):
    for n in range(20):
        memory.record(
            memory.prepare(f"The password of gate {n} is {n}-blue"), "Noted: " + "well " * 80
        )
        memory.new_session()
    asked = user("What was the password of gate 3? Tell me everything about the gates.")
    free = memory.prepare_synced(memory.sync([asked]), RequestOptions())
    assert len(free.ledger.kept(Tier.SEMANTIC)) > 8
    history = long_talk(9, 60)
    context = memory.prepare_synced(memory.sync([*history, asked], session="own"), RequestOptions())
    assert clients(context) == [*plain(history), asked.text]
    assert contents(context)[-1].startswith(f"{asked.text}\n<recalled ")
    assert context.ledger.parts["semantic"] < free.ledger.parts["semantic"]
    assert sum(context.ledger.parts.values()) == context.ledger.window


@pytest.mark.parametrize("n", [2, 8, 14, 20, 26, 32, 60])
def test_what_fits_goes_on_whole_and_what_does_not_is_condensed_and_counted(memory, n):
    drafts = [system("Be brief."), *long_talk(n), user("And then?")]
    heard = memory.sync(drafts)
    counter = counter_of(memory)
    sizes = [counter.sent(one.message) for one in heard.messages]
    whole = sum(sizes) + counter.opening() + least_answer(WINDOW)
    context = memory.prepare_synced(heard, RequestOptions())
    assert sum(context.ledger.parts.values()) == context.ledger.window == WINDOW
    if whole <= WINDOW:
        assert clients(context) == plain(drafts)
        assert memory.prepare_synced(heard, RequestOptions(fit=Fit.REFUSE)).hash == context.hash
        return
    edits, got = context.edits, contents(context)
    stay = [draft for place, draft in enumerate(drafts) if place not in edits.left_out]
    assert (got[0], got[2:]) == (drafts[0].text, plain(stay)[2:])
    assert got[1].startswith("<recalled-earlier")
    assert got[1].endswith(f"\n{stay[1].text}")
    assert edits.left_out == frozenset(range(1, len(edits.left_out) + 1))
    assert edits.left_out_tokens == sum(sizes[place] for place in edits.left_out)
    (row,) = [r for r in context.ledger.rows if r.decision is Decision.CONDENSED]
    assert f"{len(edits.left_out) // 2} exchange" in row.reason
    with pytest.raises(PromptTooLargeError) as refusal:
        memory.prepare_synced(heard, RequestOptions(fit=Fit.REFUSE))
    assert (refusal.value.needed, refusal.value.window) == (whole, WINDOW)
    assert refusal.value.hint


def test_an_open_tool_loop_that_does_not_fit_is_refused_and_its_results_are_stored(memory):
    drafts = [*long_talk(40), user("And then?")]
    fits = memory.prepare_synced(memory.sync(drafts), RequestOptions())
    assert fits.edits.left_out
    onward = [*drafts, call("look"), result("blue")]
    heard = memory.sync(onward)
    with pytest.raises(PromptTooLargeError):
        memory.prepare_synced(heard, RequestOptions())
    condensed = memory.prepare_synced(heard, RequestOptions(fit=Fit.CONDENSE))
    assert [m["role"] for m in condensed.messages[-3:]] == ["user", "assistant", "tool"]


def shared(before, after):
    """The share of a request that an upstream has in its cache from the one before."""
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    return sum(len(text) for text, _ in same) / sum(map(len, after))


def test_the_prompt_keeps_its_beginning(memory):
    drafts, reused, before = [], [], None
    for n in range(40):
        drafts.append(user(f"question {n} " + f"word{n} " * 45))
        _, context, _ = ask(memory, drafts, f"answer {n} " + f"word{n} " * 45)
        drafts += talk("", f"answer {n} " + f"word{n} " * 45)[1:]
        if before is not None:
            reused.append(shared(before, contents(context)))
        before = contents(context)
    assert context.edits.left_out
    moved = [share for share in reused if share < 0.5]
    assert len(moved) <= 5
    assert sum(reused) / 39 > 0.8


def test_earlier_blocks_come_again_at_their_messages(memory):
    memory.record(memory.prepare("The password of gate 3 is blue heron"), "Noted.")
    memory.new_session()
    drafts, before = [user("What was the password of gate 3?")], []
    for n in range(5):
        _, context, _ = ask(memory, drafts, f"answer {n}")
        assert clients(context) == plain(drafts)
        assert contents(context)[: len(before)] == before
        before = contents(context)
        drafts += [said(f"answer {n}"), user(f"question {n} of the garden")]
    assert "blue heron" in before[0]
    assert "blue heron" not in "".join(before[1:])  # it is said once
    blocks = counter_of(memory).text(context.edits.after[0])
    assert context.ledger.parts["history"] >= blocks


def test_a_branch_keeps_the_beginning_of_its_own_path(memory):
    drafts = []
    for n in range(6):
        drafts.append(user(f"question {n} " + f"word{n} " * 45))
        _, context, _ = ask(memory, drafts, f"answer {n}")
        drafts += talk("", f"answer {n}")[1:]
    _, branch, _ = ask(memory, [*drafts[:8], user("another one")])
    assert contents(branch)[:8] == contents(context)[:8]


def test_what_was_forgotten_passes_through(memory):
    secret = "My secret number is four thousand and seven"
    drafts = [*talk("Hello, who are you then?", "A machine."), user(secret)]
    ask(memory, drafts[:1], "A machine.")
    _, _, exchange = ask(memory, drafts, "I see.")
    onward = [*drafts, *talk(secret, "I see.")[1:], user("And what follows from it?")]
    _, _, last = ask(memory, onward, "Nothing at all.")
    memory.space.forgetting.execute(memory.space.forgetting.plan(exchanges=[exchange.id]))
    heard, context, _ = ask(memory, [*onward, *talk("", "Nothing at all.")[1:], user("Good.")])
    assert heard.parent == last.id
    assert heard.taken == 0
    assert clients(context) == [*plain(onward), "Nothing at all.", "Good."]
    assert not any(secret in str(e.text) for e in memory.exchanges())
    alone = memory.sync([*talk(secret, "I see."), user("Again?")])
    assert alone.taken == 0
    assert alone.path[0].user.text == secret
    assert memory.sync([user(secret)]).new_session
    before = memory.stats()
    ask(memory, [user(secret)], "I see.")
    assert memory.stats() == before
    assert memory.take_notes()


def test_the_clients_wishes_hold(memory):
    tool = ToolSpec("look", "Looks.", {"type": "object", "properties": {}})
    heard = memory.sync([system("Be brief."), user("one")])
    plain_one = memory.prepare_synced(heard, RequestOptions())
    assert (plain_one.tools, plain_one.ledger.window) == (None, 8192)
    wished = memory.prepare_synced(heard, RequestOptions((tool,), window=4096, max_output=77))
    assert wished.tools == (tool,)
    assert (wished.ledger.window, wished.max_output) == (4096, 77)
    with pytest.raises(PromptTooLargeError):
        memory.prepare_synced(memory.sync([user("word " * 3000)]), RequestOptions(window=1024))


def test_another_model_is_asked_for_one_request_alone(memory):
    other = scripted(window=2048)
    before = memory.model
    memory.asked = other
    assert memory.prepare_synced(memory.sync([user("one")]), RequestOptions()).ledger.window == 2048
    memory.asked = None
    assert memory.model is before
    assert memory.prepare_synced(memory.sync([user("one")]), RequestOptions()).ledger.window == 8192


def test_a_refusal_for_length_leads_to_a_shorter_prompt_of_the_same_path(memory):
    history = long_talk(12)
    heard = memory.sync([system("Be brief."), *history, user("And then?")])
    turn = memory.started(heard, RequestOptions(window=8000))
    context = turn.context
    turn.refused(ContextRefusedError("too long", window=3000, prompt_tokens=3500))
    again = turn.context
    assert again.id == context.id
    assert again.ledger.window == 3000
    assert contents(again)[0] == "Be brief."
    assert contents(again)[-1] == "And then?"
    assert again.edits.left_out
    assert not context.edits.left_out
    memory.record(again, "The end.")
    assert memory.why(context.id).intact
    assert memory.sync([*history, *talk("And then?", "The end."), user("So?")]).taken == 0


def test_two_requests_on_one_path_hinder_each_other_nowhere(memory, tmp_path):
    start = talk("Good morning, how are you?", "Fine, thank you.")
    ask(memory, start[:1], "Fine, thank you.")
    one = memory.prepare_synced(memory.sync([*start, user("Tell me of Oslo")]), RequestOptions())
    two = memory.prepare_synced(memory.sync([*start, user("Tell me of Rome")]), RequestOptions())
    with Talker.open(tmp_path, upstream=scripted()) as other:
        other.begin(two)
        memory.begin(one)
        memory.record(one, "A city.")
        other.record(two, "A town.")
        heard = other.sync([*start, *talk("Tell me of Oslo", "A city."), user("More")])
        assert (heard.parent, heard.taken) == (one.id, 0)
    heard = memory.sync([*start, *talk("Tell me of Rome", "A town."), user("More")])
    assert (heard.parent, heard.taken) == (two.id, 0)


@pytest.mark.parametrize("seed", range(6))
def test_any_window_holds_what_it_says(memory, seed):
    """Windows of every size, histories that fit and that do not, trimmed, edited and gone on with."""
    dice = random.Random(seed)
    drafts = []
    for n in range(14):
        drafts.append(user(f"question {n} " + "why " * dice.randint(1, 150)))
        sent = drafts[dice.choice([0, 0, 0, 2 * (n // 2)]) :]
        heard = memory.sync([system("Be brief."), *sent])
        window = dice.choice([700, 1024, 2048, 4096, 16_384])
        context = memory.prepare_synced(heard, RequestOptions(window=window))
        ledger, edits = context.ledger, context.edits
        assert heard.taken == 0
        assert sum(ledger.parts.values()) == ledger.window == window
        sizes = [counter_of(memory).sent(one.message) for one in heard.messages]
        assert edits.left_out_tokens == sum(sizes[place] for place in edits.left_out)
        assert ledger.prompt_tokens + least_answer(window) <= window
        drawn = [system("Be brief."), *sent]
        stay = [draft.text for place, draft in enumerate(drawn) if place not in edits.left_out]
        for own, got in zip(stay, contents(context), strict=True):
            assert own in got
        assert (
            memory.record(context, f"answer {n} " + "so " * dice.randint(1, 150)).id == context.id
        )
        drafts.append(said(memory.get(context.id).answer.text))
        if dice.random() < 0.2:
            drafts[-1] = said("Another answer, which the client wrote itself.")
            memory.sync([*drafts, user("x")])
