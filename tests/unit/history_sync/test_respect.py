"""What a client sends within budget stays whole; what was forgotten passes through."""

import random

import pytest
from tests.helpers.talker import Talker
from tests.opened import counter_of
from tests.unit.history_sync.hand import ask, contents, said, scripted, system, talk, user

from unabridged.domain.chat import ToolSpec
from unabridged.domain.client_history import RequestOptions
from unabridged.domain.context import Decision, Tier
from unabridged.errors import ContextRefusedError, PromptTooLargeError


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
    history = long_talk(14, 60)
    context = memory.prepare_synced(memory.sync([*history, asked], session="own"), RequestOptions())
    assert contents(context)[:-1] == plain(history)
    assert contents(context)[-1].endswith(asked.text)
    assert context.ledger.parts["semantic"] < free.ledger.parts["semantic"]
    assert sum(context.ledger.parts.values()) == context.ledger.window


@pytest.mark.parametrize("n", [2, 8, 14, 20, 26, 32, 60])
def test_what_fits_comes_whole_and_what_does_not_gives_way(memory, n):
    history = long_talk(n)
    context = memory.prepare_synced(memory.sync([*history, user("And then?")]), RequestOptions())
    ledger = context.ledger
    assert sum(ledger.parts.values()) == ledger.window
    counter = counter_of(memory)
    heard = memory.sync([*history, user("And then?")])
    tokens = sum(counter.message(m) for e in heard.path for m in e.messages)
    whole = contents(context)[:-1] == plain(history)
    assert whole == (tokens <= context.budget.memory)
    if not whole:
        left = [r for r in ledger.rows if r.decision is not Decision.KEPT]
        assert left
        assert contents(context)[-2] == plain(history)[-1]


def test_the_prompt_keeps_its_beginning(memory):
    drafts, reused = [], []
    for n in range(40):
        drafts.append(user(f"question {n} " + f"word{n} " * 60))
        _, context, _ = ask(memory, drafts, f"answer {n} " + f"word{n} " * 60)
        drafts += talk("", f"answer {n} " + f"word{n} " * 60)[1:]
        reused.append(context.ledger.prefix_reuse)
    assert reused[0] is None
    assert sum(share > 0.6 for share in reused[1:]) >= 33
    assert sum(reused[1:]) / 39 > 0.7


def test_a_branch_keeps_the_beginning_of_its_own_path(memory):
    drafts = []
    for n in range(6):
        drafts.append(user(f"question {n} " + f"word{n} " * 60))
        ask(memory, drafts, f"answer {n}")
        drafts += talk("", f"answer {n}")[1:]
    _, context, _ = ask(memory, [*drafts[:8], user("another one")])
    assert context.ledger.prefix_reuse > 0.7


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
    assert contents(context)[:-1] == [*plain(onward), "Nothing at all."]
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
    assert again.messages[0]["content"].startswith("Be brief.")
    assert contents(again)[-1].endswith("And then?")
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
        ledger, budget = context.ledger, context.budget
        assert heard.taken == 0
        assert sum(ledger.parts.values()) == ledger.window == window
        own = [draft.text for draft in sent[:-1]]
        counter = counter_of(memory)
        tokens = sum(counter.message(m) for e in heard.path for m in e.messages)
        if tokens <= budget.memory - ledger.parts["knowledge"]:
            assert contents(context)[:-1][-len(own) :] == own or not own
        assert (
            memory.record(context, f"answer {n} " + "so " * dice.randint(1, 150)).id == context.id
        )
        drafts.append(said(memory.get(context.id).answer.text))
        if dice.random() < 0.2:
            drafts[-1] = said("Another answer, which the client wrote itself.")
            memory.sync([*drafts, user("x")])
