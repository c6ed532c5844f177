"""Forgetting: what goes, what stays, what is recognised, and what is shown for it."""

from dataclasses import replace

import pytest
from tests.helpers.folders import bytes_in
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.domain.chat import Abilities
from unabridged.domain.message import Role
from unabridged.domain.record import RecordKind
from unabridged.domain.results import Transcript
from unabridged.errors import InputError, NotFoundError
from unabridged.models.scripted import ScriptedModel
from unabridged.recording.forgotten_filter import BEFORE, MEANWHILE
from unabridged.testing.clock import ManualClock

SECRET = "My cousin Xylophonia lives behind the old brewery in Ulaanbaatar."


@pytest.fixture
def memory(tmp_path):
    model = ScriptedModel(abilities=Abilities("m", trained_window=4096, source="server"))
    with Talker.open(tmp_path / "home", upstream=model, clock=ManualClock()) as opened:
        yield opened


def say(memory, text, answer="I see, thank you for telling me about that today."):
    context = memory.prepare(text)
    memory.record(context, answer)
    return context.id


def test_a_plan_changes_nothing_and_says_what_goes(memory):
    gone = say(memory, SECRET)
    say(memory, "Something else altogether, about boats and rivers.")
    list(memory.maintain())
    before = memory.space.forgetting.plan([gone])
    assert [e.id for e in before.exchanges] == [gone]
    kinds = {one.kind for one in before.going}
    assert {RecordKind.CONTEXT, RecordKind.READING, RecordKind.FACT} <= kinds
    assert any("Xylophonia" in one.text for one in before.going)
    assert memory.get(gone).user.text == SECRET
    assert memory.space.forgetting.receipts() == []


def test_what_is_forgotten_is_gone_and_receipted(memory, tmp_path):
    gone = say(memory, SECRET)
    kept = say(memory, "Something else altogether, about boats and rivers.")
    list(memory.maintain())
    assert SECRET.encode() in bytes_in(tmp_path)
    receipt = memory.space.forgetting.execute(memory.space.forgetting.plan([gone]))
    assert b"Xylophonia" not in bytes_in(tmp_path)
    assert (receipt.exchanges, receipt.messages, receipt.left) == (1, 2, 0)
    assert receipt.pieces > 0
    assert receipt.scanned > 0
    assert any(name.endswith(".db") for name in receipt.files)
    assert receipt.records["fact"] >= 1
    assert memory.space.forgetting.receipts() == [receipt]
    assert memory.space.forgetting.is_genuine(receipt)
    assert not memory.space.forgetting.is_genuine(replace(receipt, exchanges=2))
    assert memory.get(kept)
    with pytest.raises(NotFoundError):
        memory.get(gone)
    assert memory.space.log.check() == []
    assert not store_of(memory).records(RecordKind.PROGRESS, ids=[f"forgetting-{receipt.id}"])


def test_nothing_named_is_refused(memory):
    with pytest.raises(InputError):
        memory.space.forgetting.plan()
    with pytest.raises(NotFoundError):
        memory.space.forgetting.plan(["nothing-of-the-kind"])


def test_a_session_goes_whole_with_its_title(memory, tmp_path):
    for number in range(3):
        say(memory, f"{SECRET} That was number {number} of it.")
    other = memory.header.id
    memory.new_session()
    say(memory, "Quite another thing was said here, about mountains.")
    plan = memory.space.forgetting.plan(session=other)
    assert [s.id for s in plan.sessions] == [other]
    receipt = memory.space.forgetting.execute(plan)
    assert receipt.sessions == 1
    assert len(memory.sessions()) == 1
    assert b"Xylophonia" not in bytes_in(tmp_path)


def test_a_title_elsewhere_that_quotes_it_is_cleared(memory, tmp_path):
    gone = say(memory, SECRET)
    memory.new_session("Xylophonia lives behind the old brewery")
    say(memory, "Quite another thing was said here, about mountains.")
    plan = memory.space.forgetting.plan([gone])
    assert [s.title for s in plan.titles] == ["Xylophonia lives behind the old brewery"]
    memory.space.forgetting.execute(plan)
    assert b"Xylophonia" not in bytes_in(tmp_path)
    assert memory.header.title == ""


def test_a_fact_stays_where_something_else_supports_it(memory):
    first = say(memory, "I live in Bern.")
    say(memory, "What shall I cook tonight for supper?")
    second = say(memory, "As I said, I live in Bern.")
    list(memory.maintain())
    fact = next(f for f in memory.facts.all() if "Bern" in f.text)
    assert fact.exchange == first
    memory.facts.pin(fact.id)
    plan = memory.space.forgetting.plan([first])
    (stays,) = plan.staying
    assert stays.exchange == second
    assert stays.quote in memory.get(second).user.text
    receipt = memory.space.forgetting.execute(plan)
    assert receipt.staying == 1
    (left,) = [f for f in memory.facts.all() if "Bern" in f.text]
    assert (left.exchange, left.pinned) == (second, True)
    memory.space.forgetting.execute(memory.space.forgetting.plan([second]))
    assert not [f for f in memory.facts.all() if "Bern" in f.text]


def test_a_fact_is_taken_back_with_or_without_what_it_rests_on(memory, tmp_path):
    source = say(memory, "I live in Bern.")
    list(memory.maintain())
    fact = next(f for f in memory.facts.all() if "Bern" in f.text)
    plan = memory.space.forgetting.plan(fact=fact.id)
    assert (plan.exchanges, [f.id for f in plan.facts]) == ((), [fact.id])
    assert memory.space.forgetting.sources_of(fact.id) == [source]
    memory.space.forgetting.execute(plan)
    assert not [f for f in memory.facts.all() if "Bern" in f.text]
    list(memory.maintain())
    assert not [f for f in memory.facts.all() if "Bern" in f.text]
    assert memory.get(source)
    again = say(memory, "I live in Chur.")
    list(memory.maintain())
    chur = next(f for f in memory.facts.all() if "Chur" in f.text)
    plan = memory.space.forgetting.plan(fact=chur.id, with_sources=True)
    assert [e.id for e in plan.exchanges] == [again]
    memory.space.forgetting.execute(plan)
    assert b"Chur" not in bytes_in(tmp_path)


def test_a_requirement_is_drawn_from_what_else_states_it(memory):
    words = "The system must export every report as PDF."
    first = say(memory, words)
    second = say(memory, f"{words} It is important.")
    memory.space.requirements.learn_pending()
    (before,) = memory.requirements.all()
    assert before.exchange == first
    memory.space.forgetting.execute(memory.space.forgetting.plan([first]))
    (after,) = memory.requirements.all()
    assert after.exchange == second


def test_repeats_are_listed_and_go_on_request(memory, tmp_path):
    gone = say(memory, SECRET)
    memory.new_session()
    again = say(memory, f"You know: {SECRET} I told you so.")
    plan = memory.space.forgetting.plan([gone])
    assert [(r.id, r.kind) for r in plan.repeats] == [(again, "exchange")]
    receipt = memory.space.forgetting.execute(plan)
    assert receipt.repeats == (again,)
    assert receipt.left == 0  # what a repeat says is no remnant
    assert b"Xylophonia" in bytes_in(tmp_path)
    # Only the repeat holds the words now: forgetting it forgets them.
    memory.space.forgetting.execute(memory.space.forgetting.plan([again]))
    assert b"Xylophonia" not in bytes_in(tmp_path)


def test_with_repeats_everything_that_says_it_goes(memory, tmp_path):
    gone = say(memory, SECRET)
    say(memory, f"You know: {SECRET} I told you so.")
    memory.space.pins.add("Xylophonia lives behind the old brewery in Ulaanbaatar, my cousin.")
    plan = memory.space.forgetting.plan([gone], with_repeats=True)
    assert len(plan.exchanges) == 2
    assert len(plan.given) == 1
    memory.space.forgetting.execute(plan)
    assert b"Xylophonia" not in bytes_in(tmp_path)
    assert memory.space.pins.all() == []


def test_everything_that_has_the_words_is_found(memory):
    one = say(memory, SECRET)
    two = say(memory, "In Ulaanbaatar there is more than one brewery.")
    say(memory, "There is a brewery in Bern.")
    plan = memory.space.forgetting.plan(search="brewery Ulaanbaatar")
    assert [e.id for e in plan.exchanges] == [one, two]
    assert memory.space.forgetting.plan(search="nothingofthekind").is_empty


def test_what_comes_again_is_passed_on_and_not_stored(memory, tmp_path):
    gone = say(memory, SECRET, "Thank you.")
    say(memory, "Quite another thing was said here, about mountains.")
    receipt = memory.space.forgetting.execute(memory.space.forgetting.plan([gone]))
    assert memory.space.forgetting.was_forgotten(SECRET)
    assert memory.space.forgetting.was_forgotten(
        "  My cousin Xylophonia lives\nbehind the old brewery in Ulaanbaatar. "
    )
    assert not memory.space.forgetting.was_forgotten("My cousin lives in Bern, behind the brewery.")
    assert not memory.space.forgetting.was_forgotten("Thank you.", role=Role.ASSISTANT)
    assert memory.space.forgetting.was_forgotten("Thank you.", SECRET, role=Role.ASSISTANT)
    count = memory.stats().exchanges
    context = memory.prepare(SECRET)
    assert SECRET in str(context.messages)
    assert memory.begin(context).messages
    exchange = memory.record(context, "Thank you.")
    assert [m.text for m in exchange.messages] == [SECRET, "Thank you."]
    assert memory.take_notes() == [BEFORE]
    assert memory.stats().exchanges == count
    assert b"Xylophonia" not in bytes_in(tmp_path)
    turn = memory.chat(SECRET)
    turn.finish()
    assert BEFORE in turn.notes
    assert memory.stats().exchanges == count
    assert b"Xylophonia" not in bytes_in(tmp_path)
    assert memory.space.forgetting.allow_again(receipt.id[-6:]).lifted
    assert not memory.space.forgetting.was_forgotten(SECRET)
    say(memory, SECRET)
    assert memory.stats().exchanges == count + 1
    assert b"Xylophonia" in bytes_in(tmp_path)
    assert memory.space.forgetting.receipts()[0].lifted
    assert memory.space.forgetting.is_genuine(memory.space.forgetting.receipts()[0])


def test_short_words_are_recognised_only_behind_the_same_message(memory):
    first = say(memory, "Shall I take the red one, or the blue one?", "Take the red one.")
    gone = say(memory, "Yes", "It is done.")
    memory.space.forgetting.execute(memory.space.forgetting.plan([gone]))
    assert not memory.space.forgetting.was_forgotten("Yes")
    assert not memory.space.forgetting.was_forgotten("Yes", "Do you like it?")
    assert memory.space.forgetting.was_forgotten("Yes", "Take the red one.")
    assert memory.exchanges()[-1].id == first
    context = memory.prepare("Yes")
    memory.record(context, "It is done.")
    assert memory.take_notes() == [BEFORE]
    memory.new_session()
    say(memory, "Shall I take the green one, or the blue one?", "Take the green one.")
    say(memory, "Yes")
    assert memory.take_notes() == []
    assert memory.exchanges()[-1].user.text == "Yes"


def test_an_import_does_not_bring_it_back(memory, tmp_path):
    first = say(memory, "Let us speak of boats on the river today.")
    gone = say(memory, SECRET)
    last = say(memory, "And now of mountains, and of snow on them.")
    exported = list(memory.space.log.transcripts())
    memory.space.forgetting.execute(memory.space.forgetting.plan([gone]))
    assert sum(map(memory.import_transcript, exported)) == 0
    assert "forgotten before" in memory.take_notes()[0]
    session = replace(exported[0].session, id="other")
    renamed = tuple(
        replace(
            e,
            id=f"o-{e.id}",
            session="other",
            parent=e.parent and f"o-{e.parent}",
            messages=tuple(
                replace(m, id=f"o-{m.id}", parent=m.parent and f"o-{m.parent}") for m in e.messages
            ),
        )
        for e in exported[0].exchanges
    )
    session = replace(session, head=f"o-{session.head}")
    assert memory.import_transcript(Transcript(session, renamed)) == 2
    assert b"Xylophonia" not in bytes_in(tmp_path)
    assert [e.id for e in store_of(memory).recent("other", 9)] == [f"o-{first}", f"o-{last}"]
    assert memory.space.log.check() == []


@pytest.mark.parametrize("stored", [True, False])
def test_an_answer_to_what_was_forgotten_meanwhile_is_not_stored(memory, tmp_path, stored):
    say(memory, "Let us speak of boats on the river today.")
    context = memory.prepare(SECRET)
    memory.begin(context)
    if stored:
        memory.space.forgetting.execute(memory.space.forgetting.plan([context.id]))
    else:
        store_of(memory).erase([context.id])
    exchange = memory.record(context, "So Xylophonia lives there.")
    assert len(exchange.messages) == 2
    assert memory.take_notes() == [MEANWHILE]
    assert b"Xylophonia" not in bytes_in(tmp_path)
    assert memory.stats().exchanges == 1


def test_a_branch_keeps_the_message_that_it_shares(memory):
    kept = say(memory, SECRET, "The first answer to that is this one, I would say.")
    context = memory.prepare("", retry_of=kept)
    memory.record(context, "The second answer, with Zanzibar in its midst, is quite another one.")
    plan = memory.space.forgetting.plan([context.id])
    assert [m.text[:10] for m in plan.messages] == ["The second"]
    memory.space.forgetting.execute(plan)
    assert memory.get(kept).user.text == SECRET
    assert not memory.space.forgetting.was_forgotten(SECRET)


def test_what_a_forgotten_answer_of_quote_repeats_does_not_mention_it(tmp_path):
    with Talker.open(tmp_path, upstream="quote") as memory:
        dog = "We have an old dog, his name is Burek and he sleeps in Gdansk."
        memory.chat(dog).text()
        asked = memory.chat("What is the name of the dog in the town of Sopot?")
        assert "Burek" in asked.text()
        (gone,) = [e.id for e in memory.space.log.scan() if "Sopot" in e.user.text]
        plan = memory.space.forgetting.plan([gone])
        assert plan.repeats == ()
        (said,) = [e.id for e in memory.space.log.scan() if e.user.text == dog]
        assert [r.id for r in memory.space.forgetting.plan([said]).repeats] == [gone]


def test_an_answer_that_quotes_a_fact_is_listed_and_goes_with_it(memory, tmp_path):
    words = "The alarm code of the cabin is seven four nine two eleven."
    pinned = memory.pin(words)
    quoting = say(memory, "What did I note about it?", f"You noted: {words}")
    short = memory.pin("Eats no gluten")
    again = say(memory, "And what else?", "That she eats no gluten at all.")
    forgetting = memory.space.forgetting
    assert [r.id for r in forgetting.plan(fact=pinned.id).repeats] == [quoting]
    assert [r.id for r in forgetting.plan(fact=short.id).repeats] == [again]
    receipt = forgetting.execute(forgetting.plan(fact=pinned.id, with_repeats=True))
    assert (receipt.exchanges, receipt.left) == (1, 0)
    assert b"seven four nine" not in bytes_in(tmp_path)


def test_words_in_a_name_only_are_said_to_be_there(memory):
    say(memory, "Quite another thing was said here, about mountains.")
    assert memory.space.forgetting.plan(search="Xylophonia").remnants == 0
    memory.add([{"role": "user", "content": "Hello."}], session="s-Xylophonia1")
    plan = memory.space.forgetting.plan(search="Xylophonia")
    assert [r.reason for r in plan.repeats] == ["inside other words"]
    store_of(memory).import_session(*_answered_by(memory, "model-Xylophonia2"))
    memory.forget(session="s-Xylophonia1")
    plan = memory.space.forgetting.plan(search="Xylophonia2")
    assert plan.is_empty
    assert plan.remnants > 0


def _answered_by(memory, model):
    exchange = memory.exchanges()[-1]
    other = replace(
        exchange,
        id="x1",
        session="other",
        parent=None,
        model=model,
        messages=tuple(
            replace(m, id=f"m{n}", parent=None) for n, m in enumerate(exchange.messages[:1])
        ),
    )
    header = replace(memory.header, id="other", title="", head="m0")
    return header, [other]
