"""Adding what was said elsewhere: one message at a time, cut short, empty, dated, known."""

from datetime import UTC, datetime

import pytest

from unabridged import Memory
from unabridged.domain.exchange import ExchangeState
from unabridged.errors import EmptyMessageError, InputError, PromptTooLargeError


@pytest.fixture
def memory():
    with Memory.open(ephemeral=True, upstream="quote", home="/nonexistent") as memory:
        yield memory


def user(text):
    return {"role": "user", "content": text}


def assistant(text, **more):
    return {"role": "assistant", "content": text, **more}


CALL = {"id": "c", "type": "function", "function": {"name": "lucky", "arguments": "{}"}}
ROUND = [
    user("Number?"),
    assistant("", tool_calls=[CALL]),
    {"role": "tool", "tool_call_id": "c", "content": "7"},
    assistant("It is 7."),
    user("Thanks."),
    assistant("You are welcome."),
]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
def test_messages_may_come_in_any_portions(memory, size):
    for start in range(0, len(ROUND), size):
        memory.add(ROUND[start : start + size], session="one")
    exchanges = memory.conversation("one").history()
    assert [len(exchange.messages) for exchange in exchanges] == [4, 2]
    assert {exchange.state for exchange in exchanges} == {ExchangeState.COMPLETE}
    assert [one["role"] for one in memory.history("one")] == [one["role"] for one in ROUND]
    assert memory.search("welcome")[0].exchange.id == exchanges[-1].id


def test_an_answer_completes_only_what_waits_for_one(memory):
    for session in (None, "new"):
        with pytest.raises(InputError, match="waits for an answer"):
            memory.add(assistant("Hi"), session=session)
    memory.add([user("Hello"), assistant("Hi")], session="new")
    with pytest.raises(InputError, match="waits for an answer"):
        memory.add(assistant("Hi again"), session="new")
    talk = memory.conversation("new")
    context = talk.prepare("And?")
    talk.begin(context)
    with pytest.raises(InputError, match="waits for an answer"):
        memory.add(assistant("Not yours"), session="new")
    assert talk.record(context, "Mine.").answer.text == "Mine."


def test_nothing_is_nothing_and_an_empty_message_is_refused(memory):
    assert memory.add([]) == []
    for given in ("", "  ", user(""), [user("Hello"), assistant("Hi"), user(" ")]):
        with pytest.raises(EmptyMessageError):
            memory.add(given)
        if isinstance(given, str | dict):
            with pytest.raises(EmptyMessageError):
                memory.prepare(given)
    assert memory.stats().exchanges == 0


def test_an_answer_that_reached_its_limit_is_incomplete(memory):
    response = {"choices": [{"message": assistant("A fine"), "finish_reason": "length"}]}
    ended = {"choices": [{"message": assistant("A fine name."), "finish_reason": "stop"}]}
    cut, whole = memory.add([user("Name?"), response, user("Name?"), ended], session="a")
    assert (cut.state, whole.state) == (ExchangeState.INCOMPLETE, ExchangeState.COMPLETE)
    memory.add(user("Name?"), session="b")
    (later,) = memory.add(response, session="b")
    assert later.state is ExchangeState.INCOMPLETE
    ollama = {"message": assistant("A fine"), "done_reason": "length"}
    (other,) = memory.add([user("Name?"), ollama], session="c")
    assert other.state is ExchangeState.INCOMPLETE


def test_a_date_in_the_future_does_not_hold_the_default_session(memory):
    at = datetime(2090, 1, 1, tzinfo=UTC)
    memory.add([user("From the future"), assistant("Hi")], session="future", at=at)
    memory.add([user("More"), assistant("Hi")], session="future", at=at)
    assert memory.history("future")
    assert memory.search("future")[0].exchange.at == at
    memory.record(memory.prepare("Hello", session="now"), "Hi")
    assert memory.sessions()[0].session.id == "now"
    assert memory.prepare("And?").scope.session == "now"


def test_what_was_forgotten_is_missing_in_the_result(memory):
    said = [user("My secret word is swordfish today."), assistant("I will remember it.")]
    (exchange,) = memory.add(said, session="s")
    memory.forget(exchange.id)
    assert memory.add(said, session="s") == []
    (one,) = memory.add([*said, user("What else is new?"), assistant("Nothing.")], session="t")
    assert one.user.text == "What else is new?"


def test_a_fact_that_is_stated_twice_is_one(memory):
    first = memory.facts.add("I like green tea.")
    assert memory.facts.add("I like green tea.") == first
    assert memory.facts.add("I like green tea.", pinned=True).id == first.id
    assert memory.facts.get(first.id).pinned
    assert memory.facts.add("I like green tea.").pinned
    assert len(memory.facts.all(None)) == 1
    memory.facts.withdraw(first.id)
    again = memory.facts.add("I like green tea.")
    assert again.id != first.id
    assert [fact.text for fact in memory.facts.all()] == ["I like green tea."]
    other = memory.facts.add("I like green tea.", subject="Ann")
    assert other.id != again.id


def test_a_fact_that_a_person_states_too_stays_when_its_source_is_forgotten(memory):
    exchange = memory.record(memory.prepare("My favourite colour is blue."), "Noted.")
    list(memory.maintain())
    (learned,) = memory.facts.all()
    memory.facts.add(learned.text)
    memory.forget(exchange.id)
    assert len(memory.facts.all()) == 1


def test_pins_that_fill_the_window_name_the_way_out():
    with Memory.open(ephemeral=True, upstream="quote", window=1024, home="/nonexistent") as memory:
        pin = memory.pin("word " * 3000)
        with pytest.raises(PromptTooLargeError) as refusal:
            memory.prepare("Hello")
        assert "facts.unpin(ID)" in refusal.value.hint
        memory.facts.unpin(pin.id)
        assert memory.prepare("Hello").messages
