"""The contract of a memory: what holds whether it is open here or served over HTTP.

A test class inherits from ``MemoryContract`` and gives a fixture ``memory``: an empty one, over the
upstream ``quote``.
"""

import pytest

from unabridged.domain.chat import ToolSpec, Usage
from unabridged.domain.context import Tier
from unabridged.domain.exchange import ExchangeState
from unabridged.domain.fact import FactState
from unabridged.domain.message import Role, Text, ToolCall, ToolResult
from unabridged.errors import (
    EmptyMessageError,
    HeadMovedError,
    InputError,
    NotFoundError,
    PromptTooLargeError,
)
from unabridged.ports.remembering import Remembering


def say(memory: Remembering, user: str, answer: str = "I see.") -> str:
    """Record an exchange, and give its id."""
    return memory.record(memory.prepare(user), answer).id


class MemoryContract:
    """What every memory does."""

    def test_an_empty_one_has_nothing(self, memory: Remembering) -> None:
        """An empty one has nothing."""
        assert memory.session is None
        assert memory.sessions() == []
        assert memory.history() == []
        assert memory.search("anything") == []
        assert memory.pins() == []
        assert memory.stats().exchanges == 0
        assert list(memory.conversations()) == []
        with pytest.raises(NotFoundError):
            memory.why()

    def test_preparing_stores_nothing(self, memory: Remembering) -> None:
        """Preparing stores nothing."""
        context = memory.prepare("Hello there")
        assert context.new_session
        assert context.messages[-1]["role"] == "user"
        assert sum(context.ledger.parts.values()) == context.ledger.window
        assert context.budget.total == context.budget.window
        assert memory.session is None
        assert memory.stats().exchanges == 0

    def test_what_was_recorded_is_there(self, memory: Remembering) -> None:
        """What was recorded is there."""
        context = memory.prepare("My boat is called Kestrel.")
        begun = memory.begin(context)
        assert begun.state is ExchangeState.OPEN
        assert begun == memory.show(context.id)
        done = memory.record(context, "A fine name.", usage=Usage(prompt=123, answer=4))
        assert done.state is ExchangeState.COMPLETE
        assert [m.text for m in done.messages] == ["My boat is called Kestrel.", "A fine name."]
        assert memory.history() == [memory.show(context.id[:20])]
        assert memory.session is not None
        assert memory.session.id == context.scope.session
        account = memory.why(context.id)
        assert account.usage == Usage(prompt=123, answer=4)
        assert account.ledger == context.ledger
        assert account.hash == context.hash
        assert account.intact
        with pytest.raises(InputError):
            memory.record(context, "Again.")

    def test_what_was_said_is_recalled(self, memory: Remembering) -> None:
        """What was said is recalled."""
        wanted = say(memory, "My sister Marta keeps three goats in Porto.")
        memory.new_session()
        context = memory.prepare("Do you remember what animals my sister keeps?")
        assert wanted in {row.id for row in context.ledger.kept(Tier.SEMANTIC)}
        assert "three goats" in str(context.messages[-1]["content"])
        assert memory.search("sister goats")[0].exchange.id == wanted

    def test_tool_rounds_stay_with_their_exchange(self, memory: Remembering) -> None:
        """Tool rounds stay with their exchange."""
        spec = ToolSpec("weigh", "Weighs a thing.", {"type": "object", "properties": {}})
        context = memory.prepare("How heavy is it?", mode="tools", tools=[spec])
        assert context.tools == (spec,)
        memory.begin(context)
        call = memory.message(Role.ASSISTANT, [ToolCall("1", "weigh", "{}")])
        result = memory.message(Role.TOOL, [ToolResult("1", "weigh", "3 kg")])
        assert len(memory.step(context, [call, result]).messages) == 3
        memory.record(context, memory.message(Role.ASSISTANT, [Text("3 kg.")]))
        stored = memory.show(context.id)
        assert stored.messages[1].calls == (ToolCall("1", "weigh", "{}"),)
        assert stored.messages[2].results == (ToolResult("1", "weigh", "3 kg"),)
        assert stored.state is ExchangeState.COMPLETE

    @pytest.mark.parametrize("state", ["incomplete", "unanswered"])
    def test_what_broke_off_says_so(self, memory: Remembering, state: str) -> None:
        """What broke off says so."""
        reply = "Once upon" if state == "incomplete" else None
        done = memory.record(memory.prepare("Tell me a tale."), reply, state=state)
        assert done.state.value == state
        assert memory.show(done.id).state.value == state

    def test_a_message_is_answered_again_on_a_branch(self, memory: Remembering) -> None:
        """A message is answered again on a branch."""
        first = say(memory, "Pick a colour.", "Red.")
        again = memory.prepare("", retry_of=first)
        assert again.user.text == "Pick a colour."
        memory.record(again, "Blue.")
        (shown,) = memory.history()
        assert shown.answer is not None
        assert shown.answer.text == "Blue."
        assert len({e.id for c in memory.conversations() for e in c.exchanges}) == 2

    def test_errors_are_typed(self, memory: Remembering) -> None:
        """Errors are typed."""
        with pytest.raises(EmptyMessageError):
            memory.prepare("   ")
        with pytest.raises(PromptTooLargeError) as found:
            memory.prepare("word " * 60_000)
        assert found.value.over == found.value.needed - found.value.window > 0
        assert found.value.hint
        for look in (memory.show, memory.switch, memory.why):
            with pytest.raises(NotFoundError):
                look("nothing-of-this-name")

    def test_a_session_that_moved_on_is_not_torn(self, memory: Remembering) -> None:
        """A session that moved on is not torn."""
        say(memory, "One")
        late = memory.prepare("Late")
        say(memory, "Two")
        with pytest.raises(HeadMovedError) as found:
            memory.begin(late)
        assert found.value.session == late.scope.session
        assert [e.user.text for e in memory.history()] == ["One", "Two"]

    def test_sessions_are_taken_up_and_named(self, memory: Remembering) -> None:
        """Sessions are taken up and named."""
        memory.new_session("Boats: all / of them")
        say(memory, "About boats")
        boats = memory.session
        assert boats is not None
        memory.new_session()
        say(memory, "About trains")
        assert [line.current for line in memory.sessions()] == [True, False]
        assert [line.exchanges for line in memory.sessions()] == [1, 1]
        assert memory.switch("Boats: all / of them").id == boats.id
        assert memory.switch("1").title == "About trains"
        assert memory.switch(boats.id[:22]).id == boats.id
        assert memory.retitle("Ships").title == "Ships"
        assert memory.session is not None
        assert memory.session.title == "Ships"
        assert [e.user.text for e in memory.history()] == ["About boats"]
        with pytest.raises(InputError):
            memory.retitle("  ")

    def test_history_is_the_newest_of_the_path_the_oldest_first(self, memory: Remembering) -> None:
        """History is the newest of the path the oldest first."""
        for n in range(5):
            say(memory, f"Number {n}")
        assert [e.user.text for e in memory.history(2)] == ["Number 3", "Number 4"]
        assert len(memory.history()) == 5

    def test_facts_are_given_corrected_and_taken_back(self, memory: Remembering) -> None:
        """Facts are given corrected and taken back."""
        first = memory.facts.add("My favourite tea is sencha.")
        assert memory.facts.get(first.id) == first
        second = memory.facts.edit(first.id, text="My favourite tea is gyokuro.")
        assert memory.facts.all() == [second]
        assert memory.facts.pin(second.id).pinned
        assert [fact.id for fact in memory.facts.pinned()] == [second.id]
        assert not memory.facts.unpin("1").pinned
        assert len(memory.facts.history(second.id)) >= 2
        assert memory.facts.withdraw(second.id).text == "My favourite tea is gyokuro."
        assert second.id not in {fact.id for fact in memory.facts.all()}
        assert FactState.CURRENT not in {f.state for f in memory.facts.all(FactState.WITHDRAWN)}
        with pytest.raises(EmptyMessageError):
            memory.facts.add(" ")
        with pytest.raises(NotFoundError):
            memory.facts.get("none")

    def test_requirements_are_given_changed_and_taken_back(self, memory: Remembering) -> None:
        """Requirements are given changed and taken back."""
        made = memory.requirements.add("The page must load in 2 s.", priority="must")
        assert memory.requirements.get(made.id) == made
        assert memory.requirements.edit(made.id, satisfaction=4).satisfaction == 4
        assert memory.requirements.pin(made.id).pinned
        assert not memory.requirements.unpin(made.id).pinned
        assert memory.requirements.withdraw(made.id).text == "The page must load in 2 s."
        assert memory.requirements.all() == []
        assert [r.id for r in memory.requirements.all(withdrawn=True)] == [made.id]
        with pytest.raises(InputError):
            memory.requirements.add("It must be.", priority="perhaps")

    def test_pins_are_carried_by_every_prompt(self, memory: Remembering) -> None:
        """Pins are carried by every prompt."""
        words = memory.remember("Always answer in French.")
        said = memory.pin(say(memory, "I am allergic to nuts."))
        assert memory.pins() == [words, said]
        prompt = str(memory.prepare("Hello").messages)
        assert "Always answer in French." in prompt
        assert "allergic to nuts" in prompt
        memory.unpin(words.id)
        assert memory.pins() == [said]
        with pytest.raises(EmptyMessageError):
            memory.remember("")

    def test_what_was_condensed_opens_whole(self, memory: Remembering) -> None:
        """What was condensed opens whole."""
        for n in range(24):
            say(memory, f"Day {n}: we sailed to island {n}.", f"Island {n} has a harbour. " * 12)
        assert memory.session is not None
        session = memory.session.id
        assert memory.upkeep.plan(session).session == session
        made = memory.upkeep.condense(session, force=True).made
        assert made
        stored = {one.id: one for one in memory.upkeep.condensations()}
        assert stored.keys() >= {one.id for one in made}
        opened = memory.upkeep.expand(made[0].id)
        assert opened.condensation == stored[made[0].id]
        assert tuple(e.id for e in opened.exchanges) == made[0].covers
        assert "condense" in {step.stage for step in memory.tend(1)}
        with pytest.raises(NotFoundError):
            memory.upkeep.expand("c-none")

    def test_forgetting_is_planned_and_carried_out(self, memory: Remembering) -> None:
        """Forgetting is planned and carried out."""
        gone = say(memory, "The door code is 4711.", "Understood.")
        say(memory, "Good weather today.")
        plan = memory.forgetting.plan([gone])
        assert [e.id for e in plan.exchanges] == [gone]
        assert memory.show(gone).id == gone
        receipt = memory.forgetting.carry_out(plan)
        assert (receipt.id, receipt.exchanges) == (plan.id, 1)
        assert memory.forgetting.receipts() == [receipt]
        with pytest.raises(NotFoundError):
            memory.show(gone)
        assert memory.search("door code 4711") == [] or all(
            f.exchange.id != gone for f in memory.search("door code 4711")
        )
        with pytest.raises(InputError):
            memory.forgetting.plan()

    def test_what_comes_again_is_passed_on_and_not_stored(self, memory: Remembering) -> None:
        """What comes again is passed on and not stored."""
        words = "The safe opens with 8-15-42, keep that."
        memory.forgetting.carry_out(memory.forgetting.plan([say(memory, words)]))
        memory.new_session()
        done = memory.record(memory.prepare(words), "As you wish.")
        assert done.user.text == words
        assert memory.remarks()
        assert memory.remarks() == []
        assert memory.stats().exchanges == 0

    def test_conversations_go_from_one_place_to_another(self, memory: Remembering) -> None:
        """Conversations go from one place to another."""
        say(memory, "One", "Eins")
        say(memory, "Two", "Zwei")
        (whole,) = memory.conversations()
        assert memory.admit(whole) == 0
        memory.forgetting.carry_out(memory.forgetting.plan(session=whole.session.id))
        assert list(memory.conversations()) == []
        memory.admit(whole)  # what was forgotten is not stored again
        assert memory.stats().exchanges == 0

    def test_figures_are_those_of_the_space(self, memory: Remembering) -> None:
        """Figures are those of the space."""
        say(memory, "One")
        stats = memory.stats()
        assert (stats.sessions, stats.exchanges, stats.messages) == (1, 1, 2)
        assert stats.first is not None
