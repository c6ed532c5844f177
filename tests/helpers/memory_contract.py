"""The contract of a memory: what holds whether it is open here, awaited, or served over HTTP.

A test class inherits from ``MemoryContract`` and gives a fixture ``memory``: an empty one, over the
upstream ``quote``.
"""

from datetime import UTC, datetime
from typing import Any

import pytest

from unabridged.domain.chat import ToolSpec, Usage
from unabridged.domain.context import Tier
from unabridged.domain.exchange import ExchangeState
from unabridged.domain.fact import FactState
from unabridged.domain.message import ToolResult
from unabridged.errors import (
    EmptyMessageError,
    HeadMovedError,
    InputError,
    NameRefusedError,
    NotFoundError,
    PromptTooLargeError,
    TransferError,
)


def say(memory: Any, user: str, answer: str = "I see.") -> str:
    """Record an exchange in the default session, and return its id."""
    return str(memory.record(memory.prepare(user), answer).id)


def view_of(memory: Any, name: str) -> Any:
    """Return a view of the space: an embedded memory has it in ``space``."""
    return getattr(getattr(memory, "space", memory), name)


def transcripts_of(memory: Any) -> list[Any]:
    """Return every session with its exchanges."""
    given = getattr(memory, "transcripts", None) or view_of(memory, "log").transcripts
    return list(given())


def added(memory: Any, transcript: Any) -> int:
    """Import a conversation, and return how many of its exchanges were new."""
    given = getattr(memory, "import_transcript", None)
    return (
        given(transcript) if given else view_of(memory, "log").import_transcript(transcript).added
    )


class MemoryContract:
    """What every memory does."""

    def test_an_empty_one_has_nothing(self, memory: Any) -> None:
        """An empty one has nothing."""
        assert memory.sessions() == []
        assert memory.history() == []
        assert memory.search("anything") == []
        assert memory.stats().exchanges == 0
        with pytest.raises(NotFoundError):
            memory.why()

    def test_preparing_stores_nothing(self, memory: Any) -> None:
        """Preparing stores nothing."""
        context = memory.prepare("Hello there")
        assert context.new_session
        assert context.messages[-1]["role"] == "user"
        assert sum(context.ledger.parts.values()) == context.ledger.window
        assert context.budget.total == context.budget.window
        assert memory.sessions() == []
        assert memory.stats().exchanges == 0

    def test_what_was_recorded_is_there(self, memory: Any) -> None:
        """What was recorded is there."""
        talk = memory.conversation()
        context = talk.prepare("My boat is called Kestrel.")
        begun = talk.begin(context)
        assert begun.state is ExchangeState.OPEN
        assert begun == memory.get(context.id)
        done = talk.record(context, "A fine name.", usage=Usage(prompt=123, answer=4))
        assert done.state is ExchangeState.COMPLETE
        assert done.notes == ()
        assert [m.text for m in done.messages] == ["My boat is called Kestrel.", "A fine name."]
        assert talk.history() == [memory.get(context.id[:20])]
        assert talk.session == context.scope.session
        account = memory.why(context)
        assert account.usage == Usage(prompt=123, answer=4)
        assert account.ledger == context.ledger
        assert account.hash == context.hash
        assert account.intact
        with pytest.raises(InputError):
            talk.record(context, "Again.")

    def test_what_was_said_is_recalled(self, memory: Any) -> None:
        """What was said is recalled."""
        wanted = say(memory, "My sister Marta keeps three goats in Porto.")
        talk = memory.conversation()
        context = talk.prepare("Do you remember what animals my sister keeps?")
        assert wanted in {row.id for row in context.ledger.kept(Tier.SEMANTIC)}
        assert "three goats" in str(context.messages)
        found = memory.search("Which animals does Marta keep?", limit=3)
        assert found[0].exchange.id == wanted
        assert 0 < found[0].score <= 1
        assert found[0].session_title

    def test_messages_come_in_as_plain_data_and_go_out_as_it(self, memory: Any) -> None:
        """Messages come in as plain data and go out as it."""
        talk = memory.conversation()
        tool = ToolSpec("weigh", "Weigh something.", {"type": "object"})
        context = talk.prepare("How heavy is it?", mode="tools", tools=[tool])
        assert context.tools == (tool,)
        talk.begin(context)
        function = {"name": "weigh", "arguments": "{}"}
        call = {"id": "1", "type": "function", "function": function}
        asked = {"role": "assistant", "content": None, "tool_calls": [call]}
        told = {"role": "tool", "tool_call_id": "1", "content": "3 kg"}
        assert talk.record_tools(context, [asked, told]).state is ExchangeState.OPEN
        done = talk.record(context, {"role": "assistant", "content": "Three kilograms."})
        stored = memory.get(done.id)
        assert [m.role.value for m in stored.messages] == ["user", "assistant", "tool", "assistant"]
        assert stored.messages[2].results == (ToolResult("1", "weigh", "3 kg"),)
        assert stored.state is ExchangeState.COMPLETE
        said = memory.history(talk.session)
        assert [one["role"] for one in said] == ["user", "assistant", "tool", "assistant"]
        assert said[-1]["content"] == "Three kilograms."

    @pytest.mark.parametrize("state", ["incomplete", "unanswered"])
    def test_what_broke_off_says_so(self, memory: Any, state: str) -> None:
        """What broke off says so."""
        reply = "Once upon" if state == "incomplete" else None
        done = memory.record(memory.prepare("Tell me a tale."), reply, state=state)
        assert done.state.value == state
        assert memory.get(done.id).state.value == state

    def test_a_message_is_answered_again_on_a_branch(self, memory: Any) -> None:
        """A message is answered again on a branch."""
        first = say(memory, "Pick a colour.", "Red.")
        again = memory.prepare("", retry_of=first)
        assert again.user.text == "Pick a colour."
        other = memory.record(again, "Blue.")
        assert [one["content"] for one in memory.history()] == ["Pick a colour.", "Blue."]
        assert other.id != first
        assert memory.stats().exchanges == 2

    def test_errors_are_typed(self, memory: Any) -> None:
        """Errors are typed."""
        with pytest.raises(EmptyMessageError):
            memory.prepare("   ")
        with pytest.raises(PromptTooLargeError) as found:
            memory.prepare("word " * 60_000)
        assert found.value.over == found.value.needed - found.value.window > 0
        assert found.value.hint
        for look in (memory.get, memory.why):
            with pytest.raises(NotFoundError):
                look("nothing-of-this-name")

    def test_a_conversation_that_moved_on_is_not_torn(self, memory: Any) -> None:
        """A conversation that moved on is not torn."""
        talk = memory.conversation()
        talk.record(talk.prepare("One"), "Eins")
        late = talk.prepare("Late")
        talk.record(talk.prepare("Two"), "Zwei")
        with pytest.raises(HeadMovedError) as found:
            talk.begin(late)
        assert found.value.session == late.scope.session
        assert [e.user.text for e in talk.history()] == ["One", "Two"]

    def test_a_conversation_takes_only_its_own_contexts(self, memory: Any) -> None:
        """A conversation takes only its own contexts."""
        one, two = memory.conversation("one"), memory.conversation("two")
        context = one.prepare("For one")
        for use in (lambda: two.begin(context), lambda: two.record(context, "Yes.")):
            with pytest.raises(InputError):
                use()
        assert memory.stats().exchanges == 0

    def test_conversations_are_named_and_continued(self, memory: Any) -> None:
        """Conversations are named and continued."""
        boats = memory.conversation(title="Boats: all / of them")
        boats.record(boats.prepare("About boats"), "Yes.")
        trains = memory.conversation()
        trains.record(trains.prepare("About trains"), "Yes.")
        lines = memory.sessions()
        assert [line.session.title for line in lines] == ["About trains", "Boats: all / of them"]
        assert [line.current for line in lines] == [True, False]
        assert [line.exchanges for line in lines] == [1, 1]
        assert len(memory.sessions(limit=1)) == 1
        assert boats.rename("Ships").title == "Ships"
        again = memory.conversation(boats.session)
        assert [e.user.text for e in again.history()] == ["About boats"]
        again.record(again.prepare("More boats"), "Yes.")
        assert len(boats.history()) == 2
        with pytest.raises(InputError):
            boats.rename("  ")

    def test_a_session_is_an_argument(self, memory: Any) -> None:
        """A session is an argument; without it, the newest one is meant."""
        one, two = memory.conversation(), memory.conversation()
        one.record(one.prepare("One"), "Eins")
        two.record(two.prepare("Two"), "Zwei")
        more = memory.prepare("One more", session=one.session)
        assert more.scope.session == one.session
        memory.record(more, "Ja.")
        assert [e.user.text for e in one.history()] == ["One", "One more"]
        assert memory.prepare("Which?").scope.session == one.session
        assert [m["content"] for m in memory.history(two.session)] == ["Two", "Zwei"]

    @pytest.mark.parametrize(
        "name", ["support-42", "a/b", "a%2Fb", "user:7 ümlaut?#", "...", "50%"]
    )
    def test_a_session_may_have_an_id_of_its_owner(self, memory: Any, name: str) -> None:
        """A session begins with what is written to an unknown id, whatever the id."""
        say(memory, "Said elsewhere.")
        assert memory.history(name) == []
        assert memory.search("elsewhere", session=name) == []
        context = memory.prepare("First", session=name)
        assert (context.scope.session, context.new_session) == (name, True)
        memory.record(context, "Yes.")
        talk = memory.conversation(name)
        talk.record(talk.prepare("Second"), "Yes.")
        said = memory.history(name)
        assert [m["content"] for m in said] == ["First", "Yes.", "Second", "Yes."]
        assert talk.rename("Named").title == "Named"
        assert memory.plan_forget(session=name).exchanges[0].session == name
        assert memory.forget(session=name).exchanges == 2
        assert memory.stats().exchanges == 1

    @pytest.mark.parametrize("name", ["", "  ", ".", "..", "last", "x" * 201, "a\nb"])
    def test_an_id_that_no_session_can_have_is_refused(self, memory: Any, name: str) -> None:
        """An id that no session can have is refused, and reaches nothing else."""
        say(memory, "Kept apart.")
        for use in (
            memory.history,
            memory.conversation,
            lambda session: memory.prepare("Hi", session=session),
            lambda session: memory.add("Hi", session=session),
        ):
            with pytest.raises(NameRefusedError) as found:
                use(name)
            assert found.value.hint

    @pytest.mark.parametrize("name", ["", ".", "..", "../sessions", "last?", "x" * 300])
    def test_a_strange_id_finds_nothing(self, memory: Any, name: str) -> None:
        """A strange id finds nothing."""
        say(memory, "Kept apart.")
        for look in (memory.get, memory.why, memory.facts.get, memory.requirements.get):
            with pytest.raises((NotFoundError, InputError)):
                look(name)

    def test_what_was_said_elsewhere_is_added(self, memory: Any) -> None:
        """What was said elsewhere is added to the end of a session."""
        at = datetime(2024, 5, 1, 12, tzinfo=UTC)
        said = [
            {"role": "user", "content": "My cat is called Miso."},
            {"role": "assistant", "content": "A fine name."},
            {"role": "user", "content": "She is six."},
        ]
        made = memory.add(said, session="diary", at=at)
        assert [one.state.value for one in made] == ["complete", "unanswered"]
        assert {one.at for one in made} == {at}
        assert [m["content"] for m in memory.history("diary")] == [m["content"] for m in said]
        assert memory.add("And black.")[0].session == "diary"
        memory.forget(made[0].id)
        again = memory.add([said[0], said[1]], session="diary")
        assert again == []
        for wrong in (5, None, [5], [{"role": "assistant", "content": "Nobody asked."}], b"x"):
            with pytest.raises(InputError):
                memory.add(wrong, session="other")

    def test_a_message_has_any_form(self, memory: Any) -> None:
        """A message has any form that programs hold it in, also a whole response."""
        image = {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}
        words = {"type": "text", "text": "What is this?"}
        context = memory.prepare({"role": "user", "content": [words, image]})
        assert context.user.text == "What is this?"
        assert "https://example.org/cat.png" in repr(context.user.parts)
        choice = {"message": {"role": "assistant", "content": "A cat"}, "finish_reason": "length"}
        usage = {"prompt_tokens": 7, "completion_tokens": 2}
        done = memory.record(context, {"choices": [choice], "usage": usage})
        assert (done.state, done.messages[-1].text) == (ExchangeState.INCOMPLETE, "A cat")
        assert memory.why(context).usage == Usage(prompt=7, answer=2)

    def test_recording_late_stores_behind_other_writers(self, memory: Any) -> None:
        """Recording late stores behind other writers."""
        say(memory, "One")
        late = memory.prepare("Late")
        say(memory, "Two")
        memory.record(late, "Better than never.")
        said = [m["content"] for m in memory.history() if m["role"] == "user"]
        assert said == ["One", "Two", "Late"]

    def test_arguments_of_other_types_are_refused(self, memory: Any) -> None:
        """Arguments of other types are refused with the reason, before anything is done."""
        for use in (
            lambda: memory.search(5),
            lambda: memory.search("x", limit=-1),
            lambda: memory.search("x", limit="many"),
            lambda: memory.history(limit=-1),
            lambda: memory.history(5),
            lambda: memory.get(None),
            lambda: memory.prepare(5),
            lambda: memory.prepare("Hi", mode="loud"),
            lambda: memory.prepare([{"role": "user", "content": "One"}]),
            lambda: memory.record("context", "Hi"),
            lambda: memory.record(memory.prepare("Hi"), 5),
            lambda: memory.record(memory.prepare("Hi"), "Yes", state="perhaps"),
            lambda: memory.conversation(5),
            lambda: memory.pin(5),
            lambda: memory.forget(5),
            lambda: list(memory.maintain(pages=-1)),
        ):
            with pytest.raises(InputError):
                use()
        assert memory.search("x", limit=0) == []
        assert memory.history(limit=0) == []
        assert memory.stats().exchanges == 0

    def test_files_go_in_and_out(self, memory: Any, tmp_path: Any) -> None:
        """A file that was exported is imported, and what is here already is skipped."""
        say(memory, "My kite is red.", "Noted.")
        path = tmp_path / "all.jsonl"
        assert memory.export(path) == 1
        memory.forget(session=memory.sessions()[0].session.id)
        (tmp_path / "notes.jsonl").write_text(
            '{"messages": [{"role": "user", "content": "Hello"},'
            ' {"role": "assistant", "content": "Hello!"}]}\n'
        )
        result = memory.import_file(tmp_path / "notes.jsonl")
        assert (result.exchanges, result.added, result.is_complete) == (1, 1, True)
        assert memory.import_file(str(tmp_path / "notes.jsonl")).added == 0
        assert memory.export(tmp_path / "talk.md", format="markdown") == 1
        assert "Hello!" in (tmp_path / "talk.md").read_text("utf-8")
        with pytest.raises(InputError):
            memory.export(path)  # it is there already
        with pytest.raises(InputError):
            memory.export(tmp_path / "other", format="song")
        with pytest.raises(TransferError):
            memory.import_file(tmp_path / "none.jsonl")

    def test_history_is_the_newest_of_the_path_the_oldest_first(self, memory: Any) -> None:
        """History is the newest of the path the oldest first."""
        for n in range(5):
            say(memory, f"Number {n}", "Yes.")
        newest = [one["content"] for one in memory.history(limit=2)]
        assert newest == ["Number 3", "Yes.", "Number 4", "Yes."]
        assert len(memory.history()) == 10

    def test_pins_are_carried_by_every_prompt(self, memory: Any) -> None:
        """Pins are carried by every prompt."""
        words = memory.pin("Always answer in French.")
        said = memory.pin(exchange=say(memory, "I am allergic to nuts."))
        assert words.pinned
        assert said.pinned
        prompt = str(memory.prepare("Hello").messages)
        assert "Always answer in French." in prompt
        assert "allergic to nuts" in prompt
        with pytest.raises(EmptyMessageError):
            memory.pin(" ")
        with pytest.raises(InputError):
            memory.pin()

    def test_forgetting_is_planned_and_executed(self, memory: Any) -> None:
        """Forgetting is planned and executed."""
        gone = say(memory, "The door code is 4711.", "Understood.")
        say(memory, "Good weather today.")
        plan = memory.plan_forget(gone)
        assert [e.id for e in plan.exchanges] == [gone]
        assert memory.get(gone).id == gone
        receipt = memory.forget(plan)
        assert (receipt.id, receipt.exchanges) == (plan.id, 1)
        with pytest.raises(NotFoundError):
            memory.get(gone)
        assert all(f.exchange.id != gone for f in memory.search("door code 4711"))
        other = say(memory, "The window code is 0815.", "Understood.")
        assert memory.forget(other).exchanges == 1
        with pytest.raises(InputError):
            memory.plan_forget()

    def test_what_comes_again_is_passed_on_and_not_stored(self, memory: Any) -> None:
        """What comes again is passed on and not stored."""
        words = "The safe opens with 8-15-42, keep that."
        memory.forget(say(memory, words))
        talk = memory.conversation()
        done = talk.record(talk.prepare(words), "As you wish.")
        assert done.user.text == words
        assert done.notes
        assert memory.stats().exchanges == 0

    def test_maintenance_says_how_far_it_has_come(self, memory: Any) -> None:
        """Maintenance says how far it has come."""
        for n in range(8):
            say(memory, f"Day {n}: we sailed to island {n}.", f"Island {n} has a harbour.")
        assert "condense" in {step.stage for step in memory.maintain(pages=1)}

    def test_figures_are_those_of_the_space(self, memory: Any) -> None:
        """Figures are those of the space."""
        say(memory, "One")
        stats = memory.stats()
        assert (stats.sessions, stats.exchanges, stats.messages) == (1, 1, 2)
        assert stats.first is not None


class KnowledgeContract:
    """What every memory does that gives its views."""

    def test_facts_are_given_corrected_and_taken_back(self, memory: Any) -> None:
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

    def test_requirements_are_given_changed_and_taken_back(self, memory: Any) -> None:
        """Requirements are given changed and taken back."""
        made = memory.requirements.add("The page must load in 2 s.", priority="must")
        assert memory.requirements.get(made.id) == made
        assert memory.requirements.edit(made.id, satisfaction=4).satisfaction == 4
        assert memory.requirements.pin(made.id).pinned
        assert not memory.requirements.unpin(made.id).pinned
        steps = memory.requirements.history(made.id)
        assert isinstance(steps, tuple)
        assert [step.what for step in steps][:2] == ["added", "edited"]
        assert memory.requirements.withdraw(made.id).text == "The page must load in 2 s."
        assert memory.requirements.all() == []
        assert [r.id for r in memory.requirements.all(withdrawn=True)] == [made.id]
        with pytest.raises(InputError):
            memory.requirements.add("It must be.", priority="perhaps")

    def test_what_was_condensed_opens_whole(self, memory: Any) -> None:
        """What was condensed opens whole."""
        for n in range(24):
            say(memory, f"Day {n}: we sailed to island {n}.", f"Island {n} has a harbour. " * 12)
        condensations = view_of(memory, "condensations")
        session = memory.sessions()[0].session.id
        assert condensations.plan(session).session == session
        made = condensations.condense(session, force=True).made
        assert made
        stored = {one.id: one for one in condensations.condensations()}
        assert stored.keys() >= {one.id for one in made}
        opened = condensations.expand(made[0].id)
        assert opened.condensation == stored[made[0].id]
        assert tuple(e.id for e in opened.exchanges) == made[0].covers
        with pytest.raises(NotFoundError):
            condensations.expand("c-none")

    def test_conversations_go_from_one_place_to_another(self, memory: Any) -> None:
        """Conversations go from one place to another."""
        say(memory, "One", "Eins")
        say(memory, "Two", "Zwei")
        (whole,) = transcripts_of(memory)
        assert added(memory, whole) == 0
        memory.forget(session=whole.session.id)
        assert transcripts_of(memory) == []
        added(memory, whole)  # what was forgotten is not stored again
        assert memory.stats().exchanges == 0
