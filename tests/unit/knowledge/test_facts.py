from dataclasses import replace
from datetime import UTC, timedelta

import pytest

from unabridged.domain.fact import FactState
from unabridged.domain.record import Record, RecordKind
from unabridged.embeddings.static import StaticEmbedder
from unabridged.errors import EmptyMessageError, InputError, NotFoundError
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.statements import ExtractedStatement, tied


def by_hand(exchange):
    """Draws what stands in a message as ``attribute=value`` words."""
    for piece in exchange.user.text.split("; "):
        attribute, found, value = piece.partition("=")
        if found and (
            statement := tied(ExtractedStatement(attribute, value, piece), exchange, "hand")
        ):
            yield statement


def test_what_is_drawn_names_its_exchange_and_when_it_was_said(talk, book):
    exchange = talk.say("lives in=Berlin")
    assert book.learn([exchange], by_hand) == 1
    (fact,) = book.all()
    assert (fact.value, fact.exchange, fact.since) == ("Berlin", exchange.id, exchange.at)
    assert fact.quote == "lives in=Berlin"
    (record,) = talk.store.records(RecordKind.FACT)
    assert record.exchanges == (exchange.id,)


def test_a_quote_that_does_not_stand_in_the_message_is_no_fact(talk):
    exchange = talk.say("I live in Berlin.", answer="You live in Rome.")
    assert (
        tied(ExtractedStatement("lives in", "Berlin", "I live in Berlin"), exchange, "m")
        is not None
    )
    assert tied(ExtractedStatement("lives in", "Rome", "You live in Rome"), exchange, "m") is None
    assert tied(ExtractedStatement("lives in", "Berlin", "i live in berlin"), exchange, "m") is None
    assert tied(ExtractedStatement("lives in", "Berlin", " "), exchange, "m") is None


def test_learning_twice_and_in_two_books_adds_nothing(talk, book, clock):
    exchanges = [talk.say("lives in=Berlin; likes=tea"), talk.say("likes=tea")]
    other = Facts(talk.store, clock)
    assert (book.learn(exchanges, by_hand), other.learn(exchanges, by_hand)) == (3, 0)
    assert [f.value for f in other.all()] == ["Berlin", "tea"]
    before = talk.store.last_revision()
    book.learn(exchanges, by_hand)
    assert RecordKind.FACT not in talk.store.changes(before).kinds


def test_forgetting_an_exchange_removes_its_facts_and_lets_the_older_hold_again(talk, book):
    old, new = talk.say("lives in=Berlin"), talk.say("lives in=Paris")
    book.learn([old, new], by_hand)
    assert [f.value for f in book.all()] == ["Paris"]
    talk.store.erase([new.id])
    assert [(f.value, f.state) for f in book.all(None)] == [("Berlin", FactState.CURRENT)]


def test_a_fact_stays_while_another_exchange_says_so(talk, book):
    first, second = talk.say("lives in=Berlin"), talk.say("lives in=berlin")
    book.learn([first, second], by_hand)
    talk.store.erase([first.id])
    assert [(f.value, f.exchange) for f in book.all()] == [("berlin", second.id)]


def test_pins_of_the_first_format_are_facts(talk, book, clock):
    at = clock.now()
    body = {"text": "Call me Ann.", "pinned": True, "exchange": None}
    talk.store.put([Record(RecordKind.FACT, "01OLD", at, body)])
    (fact,) = book.pinned()
    assert (fact.id, fact.text, fact.by, fact.since) == ("01OLD", "Call me Ann.", "user", at)
    assert book.unpin("1").pinned is False
    assert talk.store.records(RecordKind.FACT)[0].body["text"] == "Call me Ann."


def test_facts_are_found_by_number_id_and_its_beginning(book):
    first, second = book.add("I like tea."), book.add("I like coffee.")
    assert book.get("2") == second
    assert book.get(first.id) == first
    assert book.get(second.id[:-1] + second.id[-1]) == second
    for wrong in ("0", "3", "zz", "", first.id[:5]):
        with pytest.raises(NotFoundError):
            book.get(wrong)


def test_an_edit_takes_the_place_and_the_old_words_stay_in_the_history(talk, book):
    exchange = talk.say("lives in=Berlin")
    book.learn([exchange], by_hand)
    book.pin("1")
    edited = book.edit("1", value="Bern")
    assert (edited.text, edited.value, edited.by) == ("lives in=Bern", "Bern", "user")
    assert edited.pinned
    assert [f.value for f in book.all()] == ["Bern"]
    assert [(c.what, c.by, c.text) for c in book.history("1")] == [
        ("added", "hand", "lives in=Berlin"),
        ("pinned", "user", "lives in=Berlin"),
        ("edited", "user", "lives in=Bern"),
    ]
    assert [r.body["pinned"] for r in talk.store.records(RecordKind.FACT)].count(True) == 1


def test_an_edited_fact_keeps_its_number_and_so_do_the_others(talk, book):
    book.learn([talk.say("lives in=Berlin"), talk.say("dog=Rex", day=2)], by_hand)
    book.add("I like tea.", pinned=True)
    before = [fact.text for fact in book.all()]
    for number, text in enumerate(before, 1):
        edited = book.edit(str(number), text=f"{text} Really.")
        assert book.get(str(number)) == edited
    assert [fact.text for fact in book.all()] == [f"{text} Really." for text in before]
    again = book.edit("1", text="Moved.")
    assert book.all()[0] == again
    book.add("The newest.")
    assert [fact.text for fact in book.all()][-1] == "The newest."


def test_an_edit_needs_words_and_a_text_where_the_value_is_not_in_it(book):
    book.add("I drink tea.")
    with pytest.raises(EmptyMessageError):
        book.edit("1", text="  ")
    with pytest.raises(InputError):
        book.edit("1", value="coffee")
    assert book.edit("1", text="I drink coffee.").text == "I drink coffee."
    assert [f.text for f in book.all()] == ["I drink coffee."]
    with pytest.raises(EmptyMessageError):
        book.add(" ")


def test_what_a_person_said_is_disputed_and_not_superseded(talk, book):
    person = book.add("I live in Bern.", attribute="lives in", value="Bern")
    late = talk.say("lives in=Oslo", day=200)
    book.learn([late], by_hand)
    ((one, other),) = book.disputes()
    assert {one.value, other.value} == {"Bern", "Oslo"}
    assert book.get(person.id).state is FactState.CURRENT
    book.edit(person.id, value="Oslo")
    assert book.disputes() == []


def test_a_withdrawn_fact_leaves_no_words_and_is_not_drawn_again(talk, book):
    exchanges = [talk.say("likes=quokkas"), talk.say("likes=Quokkas"), talk.say("likes=tea")]
    book.learn(exchanges, by_hand)
    gone = book.withdraw("1")
    assert gone.value == "quokkas"
    assert "uokka" not in str([r.body for r in talk.store.records(RecordKind.FACT)])
    assert book.learn(exchanges, by_hand) == 0
    early = talk.say("likes=QUOKKAS", day=0)  # an import that comes later, of what was said before
    assert book.learn([early], by_hand) == 0
    assert [f.value for f in book.all()] == ["tea"]
    assert [f.text for f in book.all(FactState.WITHDRAWN)] == ["", ""]
    again = talk.say("likes=quokkas", day=300)  # said anew: the user speaks of it again
    assert book.learn([again], by_hand) == 1


def test_withdrawing_an_edited_fact_takes_back_what_it_was_edited_from(talk, book):
    exchanges = [talk.say("likes=tee"), talk.say("likes=tee")]
    book.learn(exchanges, by_hand)
    book.edit("1", value="tea")
    book.withdraw("1")
    assert book.all() == []
    assert "te" not in str([r.body["text"] for r in talk.store.records(RecordKind.FACT)])


def test_withdrawing_what_superseded_lets_the_older_hold_again(talk, book):
    book.learn([talk.say("lives in=Berlin"), talk.say("lives in=Paris")], by_hand)
    book.withdraw("1")
    assert [f.value for f in book.all()] == ["Berlin"]


def test_a_pin_passes_to_the_successor_and_comes_off_there(talk, book):
    book.learn([talk.say("lives in=Berlin")], by_hand)
    book.pin("1")
    book.learn([talk.say("lives in=Paris")], by_hand)
    assert [f.value for f in book.pinned()] == ["Paris"]
    assert not book.unpin("1").pinned
    assert book.pinned() == []


def test_what_waits_is_read_page_by_page_and_once(talk, book, clock):
    for number in range(5):
        talk.say(f"likes={number}")
    seen = []

    def watched(exchange):
        seen.append(exchange.id)
        return by_hand(exchange)

    assert [book.learn_pending(2, watched) for _ in range(4)] == [2, 2, 1, 0]
    talk.say("likes=new")
    assert book.learn_pending(10, watched) == 1
    assert len(seen) == len(set(seen)) == 6
    assert Facts(talk.store, clock).learn_pending(10, watched) == 0


def test_an_import_of_old_exchanges_is_read_though_it_lies_behind(talk, book):
    talk.say("likes=tea")
    assert book.learn_pending(10, by_hand) == 1
    talk.say("likes=maps", name="a0000", session="old", day=0)
    while book.learn_pending(1, by_hand):
        pass
    assert {f.value for f in book.all()} == {"tea", "maps"}
    assert book.learn_pending(10, by_hand) == 0
    talk.store.erase(["x0001"])
    while book.learn_pending(10, by_hand):
        pass
    assert [f.value for f in book.all()] == ["maps"]


def test_facts_bear_on_a_message_by_name_words_and_alias(book):
    book.add("I have a dog named Rex.", attribute="dog", value="Rex")
    book.add("I live in Berlin.", attribute="lives in", value="Berlin")
    book.add("Deploys to a cluster.", attribute="kubernetes", aliases=["k8s"])
    assert [b.fact.value for b in book.bearing("What should I feed Rex?")] == ["Rex"]
    assert [b.fact.value for b in book.bearing("In which city do I live?")] == ["Berlin"]
    assert [b.fact.attribute for b in book.bearing("how do pods restart in k8s?")] == ["kubernetes"]
    assert book.bearing("Write a poem about clouds") == []
    assert book.bearing("") == []
    (found,) = book.bearing("Is Rex hungry?")
    assert 0 < found.score <= 1
    assert "rex" in found.reason


def test_superseded_and_withdrawn_facts_never_bear(talk, book):
    book.learn([talk.say("lives in=Berlin"), talk.say("lives in=Paris")], by_hand)
    book.learn([talk.say("likes=quokkas")], by_hand)
    book.withdraw("2")
    assert [b.fact.value for b in book.bearing("Berlin, Paris or quokkas?")] == ["Paris"]


def test_facts_of_recalled_exchanges_bear_also_those_that_only_confirm(talk, book):
    first, second = talk.say("likes=tea"), talk.say("likes=tea")
    book.learn([first, second], by_hand)
    (found,) = book.bearing("hello", evidence=[second.id])
    assert (found.fact.value, found.reason) == ("tea", "its exchange was recalled")


def test_what_disputes_a_fact_comes_with_it_or_neither_comes(talk, book):
    book.learn([talk.say("lives in=Berlin; lives in=Paris")], by_hand)
    found = book.bearing("What about Berlin?", limit=2)
    assert [b.fact.value for b in found] == ["Berlin", "Paris"]
    assert found[1].reason == "says otherwise"
    assert book.bearing("What about Berlin?", limit=1) == []


def test_slips_find_what_they_meant_and_words_of_their_own_do_not(talk, clock):
    book = Facts(talk.store, clock, StaticEmbedder())
    book.add("Uses the raw driver.", attribute="database", aliases=["Mongo"])
    book.add("I have a house.", attribute="has", value="house")
    assert [b.fact.attribute for b in book.bearing("mongod will not start")] == ["database"]
    assert book.bearing("mango lassi") == []
    assert book.bearing("my horse is ill") == []


def test_meaning_finds_what_words_do_not(talk, clock):
    book = Facts(talk.store, clock, StaticEmbedder())
    book.add("I have a dog named Rex.", attribute="dog", value="Rex")
    (found,) = book.bearing("Which puppy treats are healthy for dogs and puppies?")
    assert "meaning" in found.reason or "dog" in found.reason


def test_every_state_is_exported(talk, book):
    book.learn([talk.say("lives in=Berlin"), talk.say("lives in=Paris")], by_hand)
    book.add("Call me Ann.", pinned=True)
    facts = book.all(None)
    assert [(f.value, f.state, f.pinned) for f in facts] == [
        ("Berlin", "superseded", False),
        ("Paris", "current", False),
        ("", "current", True),
    ]
    assert facts[0].until.tzinfo == UTC


def test_the_order_of_what_a_person_pins_is_that_of_time(book, clock):
    clock.time += timedelta(days=1)
    names = [book.add(f"fact {n}", pinned=True).text for n in range(3)]
    assert [f.text for f in book.pinned()] == names
    assert replace(book.get("1"), text="") != book.get("1")


def test_what_a_person_adds_is_understood_where_it_says_one_thing(talk, book):
    book.learn([talk.say("I live in Berlin.")])
    added = book.add("I live in Bern.")
    assert (added.attribute, added.value, added.text) == ("lives in", "Bern", "I live in Bern.")
    assert [f.value for f in book.all()] == ["Bern"]
    for text in ("Always answer in French.", "I live in Bern, so speak German to me."):
        assert book.add(text).attribute == ""


def test_a_withdrawn_facts_own_record_is_gone_and_its_remains_hide_it(talk, book, clock):
    exchange = talk.say("likes=quokkas")
    book.learn([exchange], by_hand)
    (record,) = talk.store.records(RecordKind.FACT)
    book.withdraw("1")
    assert talk.store.records(RecordKind.FACT, ids=[record.id]) == []
    talk.store.put([record])  # as if it had been killed before the words were removed
    assert Facts(talk.store, clock).all() == []
    talk.store.erase([exchange.id])
    assert talk.store.records(RecordKind.FACT) == []


def test_an_edit_holds_words_of_the_exchange_and_goes_with_it(talk, book):
    exchange = talk.say("likes=quokkas in zoos")
    book.learn([exchange], by_hand)
    book.edit("1", value="quokkas in Perth")
    book.edit("1", value="quokkas everywhere")
    book.add("I like tea.")
    talk.store.erase([exchange.id])
    assert [f.text for f in book.all(None)] == ["I like tea."]
    assert "quokka" not in str([r.body for r in talk.store.records(RecordKind.FACT)])


def told(book, message, session):
    return [bearing.fact for bearing in book.bearing(message, session=session)]


def test_one_sessions_facts_are_as_if_no_other_had_ever_been(talk, book):
    berlin = talk.say("lives in=Berlin; likes=tea", session="a")
    paris = talk.say("lives in=Paris; likes=tea", session="b")
    book.learn([berlin, paris], by_hand)
    (everywhere,) = [
        f for f in told(book, "who lives in which town?", None) if f.attribute == "lives in"
    ]
    assert everywhere.value == "Paris"
    for session, city in (("a", "Berlin"), ("b", "Paris")):
        (lives,) = told(book, "who lives in which town?", session)
        assert (lives.value, lives.disputed_by, lives.supersedes) == (city, (), None)
        assert [f.value for f in told(book, "what do I like to drink, tea?", session)] == ["tea"]
    assert told(book, "who lives in which town?", "new") == []
    talk.store.erase([berlin.id])
    assert told(book, "who lives in which town?", "a") == []


def test_what_a_person_gave_holds_in_every_session(talk, book):
    exchange = talk.say("lives in=Berlin", session="a")
    book.learn([exchange], by_hand)
    book.add("The boat is called Elin.")
    book.edit(book.all()[0].id, value="Bonn")
    for session in ("a", "b"):
        assert [f.value for f in told(book, "who lives in which town?", session)] == ["Bonn"]
        assert [f.text for f in told(book, "what is the boat called?", session)] == [
            "The boat is called Elin."
        ]


def test_the_shelves_of_many_sessions_are_not_held_for_ever(talk, book):
    exchanges = [talk.say(f"lives in=Town {n}", session=f"s{n}") for n in range(40)]
    book.learn(exchanges, by_hand)
    for _ in range(2):
        for n in range(40):
            assert [f.value for f in told(book, "who lives in which town?", f"s{n}")] == [
                f"Town {n}"
            ]
    assert len(book._shelves) <= 16
