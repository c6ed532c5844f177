"""Clients that send their whole history, through the facade over a real store."""

import pytest

from unabridged import Memory
from unabridged.domain.chat import Abilities
from unabridged.domain.hearing import Wishes
from unabridged.domain.message import Role, Text
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock
from unabridged.wire.draft import Draft


def scripted(window=8192):
    able = Abilities("m", trained_window=window, tools=True, source="server")
    return ScriptedModel(("Yes.",), abilities=able)


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path, upstream=scripted(), clock=ManualClock()) as opened:
        yield opened


def user(text):
    return Draft(Role.USER, (Text(text),))


def said(text):
    return Draft(Role.ASSISTANT, (Text(text),))


def ask(memory, drafts, answer="Noted.", **how):
    heard = memory.hear(drafts, **how)
    context = memory.prepare_heard(heard, Wishes())
    return heard, context, memory.record(context, answer)


def words(messages):
    return [(m["role"], m["content"]) for m in messages]


def test_a_conversation_goes_on_and_each_message_is_stored_once(memory):
    first, _, one = ask(memory, [user("My cat is Mia.")], "Hello Mia!")
    assert first.new_session
    history = [user("My cat is Mia."), said("Hello Mia!")]
    second, context, two = ask(memory, [*history, user("Who is my cat?")], "Mia.")
    assert (second.session, second.parent, second.taken) == (first.session, one.id, 0)
    assert words(context.messages)[1:] == [
        ("user", "My cat is Mia."),
        ("assistant", "Hello Mia!"),
        ("user", "Who is my cat?"),
    ]
    assert [e.id for e in memory.history()] == [one.id, two.id]
    assert memory.stats().messages == 4


def test_an_unknown_history_is_taken_over(memory):
    drafts = [user("one"), said("1"), user("two"), said("2"), user("three")]
    heard, _, last = ask(memory, drafts, "3")
    assert heard.taken == 4
    assert [e.text for e in memory.history()] == ["one\n1", "two\n2", "three\n3"]
    assert memory.session.source == "server"
    assert memory.session.title == "one"
    again, _, _ = ask(memory, [*drafts, said("3"), user("four")])
    assert (again.taken, again.parent) == (0, last.id)


def test_an_answer_is_made_again(memory):
    drafts = [user("one"), said("1"), user("two")]
    _, _, first = ask(memory, drafts, "2")
    heard, _, second = ask(memory, drafts, "two")
    assert heard.retry_of == first.id
    assert second.user == first.user
    assert second.parent == first.parent
    assert memory.history()[-1].id == second.id
    assert memory.stats().messages == 5


def test_an_edited_message_is_a_branch(memory):
    ask(memory, [user("one")], "1")
    _, _, two = ask(memory, [user("one"), said("1"), user("two")], "2")
    heard, context, other = ask(memory, [user("one"), said("1"), user("deux")], "zwei")
    assert heard.retry_of is None
    assert other.parent == two.parent
    assert "two" not in str(context.messages)
    assert [e.text for e in memory.history()] == ["one\n1", "deux\nzwei"]
    back, _, _ = ask(memory, [user("one"), said("1"), user("two"), said("2"), user("three")])
    assert back.parent == two.id
    assert [e.user.text for e in memory.history()] == ["one", "two", "three"]
