"""Clients that send their whole history, through the facade over a real store."""

from datetime import timedelta

import pytest
from tests.helpers.talker import Talker
from tests.unit.history_sync.hand import (
    ask,
    clients,
    contents,
    said,
    scripted,
    system,
    talk,
    user,
    words,
)

from unabridged.domain.client_history import RequestOptions
from unabridged.domain.exchange import ExchangeState
from unabridged.domain.message import Image, Role, Text
from unabridged.domain.settings import Settings
from unabridged.errors import InputError, NameRefusedError
from unabridged.testing.clock import ManualClock
from unabridged.wire.incoming_message import IncomingMessage

LONG = "The river runs past the old tower and the mill."


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def memory(tmp_path, clock):
    with Talker.open(tmp_path, upstream=scripted(), clock=clock) as opened:
        yield opened


def test_a_conversation_goes_on_and_each_message_is_stored_once(memory):
    first, _, one = ask(memory, [user("My cat is Mia.")], "Hello Mia!")
    assert first.new_session
    history = [user("My cat is Mia."), said("Hello Mia!")]
    second, context, two = ask(memory, [*history, user("Who is my cat?")], "Mia.")
    assert (second.session, second.parent, second.taken) == (first.session, one.id, 0)
    assert words(context.messages) == [
        ("user", "My cat is Mia."),
        ("assistant", "Hello Mia!"),
        ("user", "Who is my cat?"),
    ]
    assert [e.id for e in memory.exchanges()] == [one.id, two.id]
    assert memory.stats().messages == 4


def test_an_unknown_history_is_taken_over(memory):
    drafts = [user("one"), said("1"), user("two"), said("2"), user("three")]
    heard, _, last = ask(memory, drafts, "3")
    assert heard.taken == 4
    assert [e.text for e in memory.exchanges()] == ["one\n1", "two\n2", "three\n3"]
    assert memory.header.source == "server"
    assert memory.header.title == "one"
    again, _, _ = ask(memory, [*drafts, said("3"), user("four")])
    assert (again.taken, again.parent) == (0, last.id)


def test_an_answer_is_made_again(memory):
    drafts = [user("one"), said("1"), user("two")]
    _, _, first = ask(memory, drafts, "2")
    heard, _, second = ask(memory, drafts, "two")
    assert heard.retry_of == first.id
    assert second.user == first.user
    assert second.parent == first.parent
    assert memory.exchanges()[-1].id == second.id
    assert memory.stats().messages == 5


def test_an_edited_message_is_a_branch(memory):
    ask(memory, [user("one")], "1")
    _, _, two = ask(memory, [user("one"), said("1"), user("count to two")], "2")
    heard, context, other = ask(memory, [user("one"), said("1"), user("count to deux")], "zwei")
    assert heard.retry_of is None
    assert other.parent == two.parent
    assert "two" not in str(context.messages)
    assert [e.text for e in memory.exchanges()] == ["one\n1", "count to deux\nzwei"]
    back, _, _ = ask(memory, [*talk("one", "1", "count to two", "2"), user("three")])
    assert back.parent == two.id
    assert [e.user.text for e in memory.exchanges()] == ["one", "count to two", "three"]


def test_a_first_message_is_asked_once_more_only_within_half_an_hour(memory, clock):
    one, _, first = ask(memory, [user("Hi")], "Hello!")
    again = memory.sync([user("Hi")])
    assert (again.session, again.retry_of) == (one.session, first.id)
    clock.time += timedelta(minutes=31)
    later = memory.sync([user("Hi")])
    assert later.new_session
    assert later.retry_of is None


def test_an_unanswered_message_is_stored_once(memory):
    drafts = [*talk("one", "1"), user("two")]
    heard = memory.sync(drafts)
    memory.record(memory.prepare_synced(heard, RequestOptions()), None, state="unanswered")
    again, _, stored = ask(memory, drafts, "2")
    assert again.retry_of is not None
    assert memory.stats().messages == 4
    onward, _, _ = ask(memory, [*drafts, said("2"), user("three")])
    assert onward.parent == stored.id


def test_identical_beginnings_are_shared_until_they_diverge(memory):
    start = talk("Good morning, how are you?", "Fine, thank you.")
    ask(memory, start[:1], "Fine, thank you.")
    one, _, _ = ask(memory, [*start, user("Tell me of Oslo")], "A city.")
    two, _, _ = ask(memory, [*start, user("Tell me of Rome")], "A town.")
    assert one.session == two.session
    assert one.parent == two.parent
    back, context, _ = ask(memory, [*start, *talk("Tell me of Oslo", "A city."), user("More")])
    assert "Rome" not in str(context.messages)
    assert back.taken == 0


def test_a_client_that_trims_the_front_goes_on_where_it_was(memory):
    drafts = []
    for n in range(6):
        drafts.append(user(f"question {n} about the river"))
        ask(memory, drafts, f"answer {n} about the tower")
        drafts.append(said(f"answer {n} about the tower"))
    heard, context, _ = ask(memory, [*drafts[-4:], user("and now?")], "Now.")
    assert heard.taken == 0
    assert heard.parent == memory.exchanges()[-2].id
    assert len(heard.path) == 2
    assert contents(context) == [*(d.text for d in drafts[-4:]), "and now?"]
    assert all(len(exchange.messages) == 2 for exchange in heard.path)
    half, _, _ = ask(memory, [*drafts[-3:], *talk("and now?", "Now."), user("then?")])
    assert (half.taken, half.session) == (0, heard.session)


def test_a_trim_in_the_middle_is_no_edit(memory):
    drafts = []
    for n in range(6):
        drafts.append(user(f"question {n} about the river"))
        ask(memory, drafts, f"answer {n} about the tower")
        drafts.append(said(f"answer {n} about the tower"))
    heard, _, _ = ask(memory, [*drafts[:2], *drafts[-4:], user("and now?")])
    assert heard.taken == 0
    assert len(memory.exchanges()) == 7


def test_little_words_join_no_conversation(memory):
    ask(memory, talk("one long question of its own", "1", "Hi")[:1], "1")
    ask(memory, talk("one long question of its own", "1", "Hi"), "Hello!")
    heard = memory.sync([*talk("Hi", "Hello!"), user("what is new?")])
    assert heard.taken == 2
    assert heard.session != memory.sessions()[-1].session.id


def test_an_edited_answer_is_a_branch_that_shares_the_question(memory):
    ask(memory, [user(LONG)], "1")
    ask(memory, [*talk(LONG, "1"), user("two")], "2")
    heard, context, _ = ask(memory, [*talk(LONG, "one!", "two", "2"), user("three")], "3")
    assert heard.taken == 3  # the question of the first is there already
    assert contents(context) == [LONG, "one!", "two", "2", "three"]
    assert [e.text for e in memory.exchanges()] == [f"{LONG}\none!", "two\n2", "three\n3"]
    assert memory.stats().messages == 9


@pytest.mark.parametrize(
    "sent",
    [
        "The answer is\r\nfour.\r\n",
        "  The answer is\nfour.",
        "<think>\nTwo and two\n</think>\n\nThe answer is\nfour.",
        "Two and two</think>The answer is\nfour.",
        '<details type="reasoning" done="true"><summary>x</summary>y</details>\nThe answer is\nfour.',
    ],
)
def test_other_forms_of_the_same_words_are_the_same(memory, sent):
    ask(memory, [user("Zwei und zwei, süß?")], "The answer is\nfour.")
    heard = memory.sync([user("Zwei und zwei, su\u0308ß?\n"), said(sent), user("Sure?")])
    assert heard.taken == 0
    assert not heard.new_session


def test_an_inline_thought_that_is_stored_may_be_missing_later(memory):
    ask(memory, [user("Why?")], "<think>because</think>Because.")
    assert memory.sync([*talk("Why?", "Because."), user("So?")]).taken == 0


def test_of_an_answer_that_broke_off_the_client_may_have_less(memory):
    heard = memory.sync([user("Tell me a story")])
    context = memory.prepare_synced(heard, RequestOptions())
    memory.record(context, "Once upon a time there was", state="incomplete")
    for seen in ("Once upon", "Once upon a time there was"):
        assert memory.sync([*talk("Tell me a story", seen), user("go on")]).taken == 0
    assert memory.sync([user("Tell me a story"), user("go on")]).taken == 0
    more = memory.sync(
        [*talk("Tell me a story", "Once upon a time there was a fox"), user("go on")]
    )
    assert more.taken == 1  # nothing that the client has is lost


def test_an_answer_that_was_never_stored_is_taken_over(memory):
    heard = memory.sync([user(LONG)])
    memory.begin(memory.prepare_synced(heard, RequestOptions()))  # and then the program was killed
    drafts = [*talk(LONG, "What the client saw of it"), user("and?")]
    heard, _, _ = ask(memory, drafts)
    assert heard.taken == 1
    assert [e.user.text for e in memory.exchanges()] == [LONG, "and?"]
    assert memory.sync([*drafts, said("Noted."), user("then")]).taken == 0


def test_messages_without_answers_are_exchanges_of_their_own(memory):
    drafts = [user("one"), user("two"), said("2a"), said("2b"), user("three")]
    ask(memory, drafts, "3")
    states = [e.state for e in memory.exchanges()]
    assert states == [ExchangeState.UNANSWERED, ExchangeState.COMPLETE, ExchangeState.COMPLETE]
    assert [m.text for m in memory.exchanges()[1].messages] == ["two", "2a", "2b"]
    assert memory.sync([*drafts, said("3"), user("four")]).taken == 0


def test_a_greeting_stands_nowhere_as_the_users_words(memory, clock):
    greeting = said("Welcome to my tavern, traveller. What shall it be?")
    first, context, _ = ask(memory, [system("You are Greta."), greeting, user("Ale.")], "Here.")
    assert contents(context) == ["You are Greta.", greeting.text, "Ale."]
    assert memory.exchanges()[0].user.text == ""
    onward = [system("You are Greta."), greeting, *talk("Ale.", "Here."), user("Thanks")]
    assert memory.sync(onward).parent == memory.exchanges()[-1].id
    clock.time += timedelta(hours=1)
    other, _, _ = ask(memory, [greeting, user("Ale.")], "Soon.")
    assert other.session != first.session  # another talk with the same character
    assert memory.header.title == "Ale."


@pytest.mark.parametrize(
    "kept",
    [
        {"store": "memory"},
        {"json_files": "model"},
        {"json_files": "agent"},
        {"json_files": "user"},
    ],
    ids=["memory", "model", "agent", "user"],
)
def test_other_stores_hold_the_same(tmp_path, clock, kept):
    settings = Settings(home=str(tmp_path), **kept)
    greeting = said("Welcome to my tavern, traveller. What shall it be?")
    drafts = [greeting, *talk(LONG, "1", "two", "2"), user("three")]
    with Talker.open(settings=settings, upstream=scripted(), clock=clock) as memory:
        ask(memory, drafts, "3", session="tavern: 7/8")
        ask(memory, drafts, "drei", session="tavern: 7/8")
        edited = [greeting, *talk(LONG, "one!", "two", "2"), user("three")]
        heard, _, _ = ask(memory, edited, "III", session="tavern: 7/8")
        assert heard.taken == 3
        before = memory.exchanges()
    if kept.get("store") != "memory":
        with Talker.open(settings=settings, upstream=scripted(), clock=clock) as memory:
            assert memory.exchanges() == before
            for answer in ("3", "drei"):
                assert memory.sync([*drafts, said(answer), user("four")]).taken == 0
            assert memory.sync([*edited, said("III"), user("four")]).taken == 0
            assert memory.space.log.check() == []


def test_system_messages_take_no_part_and_go_on_where_they_stand(memory):
    ask(memory, [system("Be brief."), user("one")], "1")
    drafts = [system("Be kind."), *talk("one", "1"), system("Now rhyme."), user("two")]
    heard, context, exchange = ask(memory, drafts, "2")
    assert heard.taken == 0
    assert words(context.messages) == [(draft.role.value, draft.text) for draft in drafts]
    assert memory.why(exchange.id).intact
    assert memory.stats().messages == 4


def test_no_system_prompt_is_put_before_a_client_that_sends_none(memory):
    _, context, _ = ask(memory, [user("one")])
    assert words(context.messages) == [("user", "one")]
    assert context.ledger.parts["system"] == 0


def test_pictures_count(memory):
    cat = IncomingMessage(Role.USER, (Text("what is it?"), Image("data:image/png;base64,AAAA")))
    dog = IncomingMessage(Role.USER, (Text("what is it?"), Image("data:image/png;base64,BBBB")))
    ask(memory, [cat], "a cat")
    assert memory.sync([cat, said("a cat"), user("sure?")]).taken == 0
    assert memory.sync([dog, said("a cat"), user("sure?")]).taken == 2
    assert memory.sync([IncomingMessage(Role.USER, dog.parts[1:])]).new_session


def test_nothing_is_written_where_nothing_may_be(memory):
    ask(memory, [user(LONG)], "1")
    before = memory.stats()
    for drafts in ([user("x")], [*talk("a", "b"), user("c")], [*talk(LONG, "1"), user("d")]):
        heard = memory.sync(drafts, store=False)
        context = memory.prepare_synced(heard, RequestOptions())
        assert not heard.stored
        assert contents(context) == [draft.text for draft in drafts]
    assert memory.stats() == before


def test_a_request_without_a_question_is_refused(memory):
    for drafts in ([], [system("x")], [said("x")]):
        with pytest.raises(InputError) as caught:
            memory.sync(drafts)
        assert caught.value.hint


def test_an_empty_message_goes_on(memory):
    heard = memory.sync([user("  ")])
    assert contents(memory.prepare_synced(heard, RequestOptions())) == ["  "]


def test_a_prefill_is_stored_with_its_answer(memory):
    drafts = [user("Write a poem"), said("Roses are")]
    heard = memory.sync(drafts)
    assert [m.text for m in heard.rounds] == ["Roses are"]
    assert heard.new_rounds == ()
    context = memory.prepare_synced(heard, RequestOptions())
    memory.begin(context)
    assert memory.stats().messages == 1
    memory.record(context, "Roses are red")
    assert memory.sync([*talk("Write a poem", "Roses are red"), user("more")]).taken == 0


def test_a_question_that_the_client_wraps_when_it_asks_is_its_own_later(memory):
    wrapped = "### Task: answer from the context.\n" + "<source>words</source>\n" * 20 + LONG
    ask(memory, [user(wrapped)], "By what the sources say, yes.")
    drafts = talk(LONG, "By what the sources say, yes.")
    assert memory.sync([*drafts, user("Sure?")]).taken == 0
    ask(memory, [*drafts, user(wrapped + " Sure?")], "Quite sure, the second source says so.")
    drafts += talk(wrapped[-46:] + " Sure?", "Quite sure, the second source says so.")
    assert memory.sync([*drafts, user("Really?")]).taken == 0


def test_an_answer_that_was_gone_on_with_may_come_as_one_or_as_two(memory):
    drafts = talk("Tell me a story", "Once upon a time")
    ask(memory, drafts[:1], "Once upon a time")
    heard = memory.sync(drafts)  # go on with it
    assert [m.text for m in heard.rounds] == ["Once upon a time"]
    memory.record(
        memory.prepare_synced(heard, RequestOptions()), "Once upon a time there was a fox."
    )
    for answers in (
        ["Once upon a time there was a fox."],
        ["Once upon a time", "there was a fox."],
    ):
        sent = [drafts[0], *map(said, answers), user("and then?")]
        assert memory.sync(sent).taken == 0


def test_a_client_keeps_its_first_messages_and_trims_behind_them(memory):
    drafts = talk("An example of a question?", "An example of an answer.")
    ask(memory, drafts[:1], drafts[1].text)
    for n in range(6):
        drafts.append(user(f"question {n} about the river"))
        ask(memory, drafts, f"answer {n} about the tower")
        drafts.append(said(f"answer {n} about the tower"))
    for behind in (10, 9, 8, 7):  # whole exchanges, and halves
        sent = [*drafts[:2], *drafts[behind:], user(f"and now, {behind}?")]
        heard, context, _ = ask(memory, sent)
        assert heard.taken == 0
        assert heard.parent == memory.exchanges()[-2].id
        assert clients(context) == [draft.text for draft in sent]


def test_a_question_that_was_shortened_in_its_place_is_edited(memory):
    ask(memory, [user(LONG + " And then?")], "By what the sources say, yes.")
    assert memory.sync([*talk(LONG, "By what the sources say, yes."), user("x")]).taken == 2


def test_an_answer_that_came_behind_the_clients_back_is_no_edit(memory):
    """It was asked on before the answer came, and never shown it."""
    one = memory.prepare_synced(memory.sync([user("one question")]), RequestOptions())
    memory.begin(one)
    _, _, two = ask(memory, [user("one question"), user("two")], "2")
    memory.record(one, "1")
    heard, _, _ = ask(memory, [user("one question"), *talk("two", "2"), user("three")], "3")
    assert (heard.parent, heard.taken) == (two.id, 0)
    with_it = [*talk("one question", "1", "two", "2", "three", "3"), user("four")]
    assert memory.sync(with_it).taken == 0


# A session that the client names.


def test_a_named_session_is_begun_and_gone_on_with(memory):
    heard, _, _ = ask(memory, [user("My dog is Rex")], "Hi Rex", session="chat-1")
    assert (heard.session, heard.new_session) == ("chat-1", True)
    other, _, _ = ask(memory, [user("My dog is Rex")], "Ho", session="chat-2")
    assert other.session == "chat-2"
    assert other.retry_of is None
    heard, context, _ = ask(memory, [user("Who is my dog?")], "Rex", session="chat-1")
    assert contents(context)[:2] == ["My dog is Rex", "Hi Rex"]
    assert [e.user.text for e in memory.exchanges()] == ["My dog is Rex", "Who is my dog?"]


def test_a_named_session_is_searched_alone(memory):
    ask(memory, [user(LONG)], "1", session="a")
    heard, _, _ = ask(memory, [*talk(LONG, "1"), user("two")], session="b")
    assert (heard.session, heard.taken) == ("b", 2)
    ask(memory, [*talk("unknown", "x"), user("y")], session="a")
    assert len(memory.sessions()) == 2


def test_a_lone_message_is_asked_once_more_in_its_named_session(memory, clock):
    ask(memory, [user("one")], "1", session="a")
    ask(memory, [user("two")], "2", session="a")
    heard = memory.sync([user("two")], session="a")
    assert heard.retry_of == memory.exchanges()[-1].id
    clock.time += timedelta(hours=1)
    heard = memory.sync([user("two")], session="a")
    assert heard.retry_of is None
    assert heard.parent == memory.exchanges()[-1].id


def test_a_session_is_known_by_the_id_that_it_had_elsewhere(memory, tmp_path):
    from unabridged.domain.exchange import Exchange
    from unabridged.domain.message import Message
    from unabridged.domain.results import Transcript
    from unabridged.domain.session import Session

    at = ManualClock().now()
    words = Message("m1", Role.USER, (Text("old"),), at)
    exchange = Exchange("x1", "s1", None, ExchangeState.UNANSWERED, (words,), at)
    header = Session("s1", "t", at, at, "m1", "openwebui", "their-chat")
    memory.import_transcript(Transcript(header, (exchange,)))
    assert memory.sync([user("new")], session="their-chat").session == "s1"
    for name in ("", "a\nb", "x" * 300):
        with pytest.raises(NameRefusedError):
            memory.sync([user("new")], session=name)
