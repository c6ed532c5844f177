from datetime import UTC, datetime, timedelta

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text, ToolResult
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.stores.in_memory import InMemoryStore
from unabridged.topics.of_space import topics

BEGUN = datetime(2026, 5, 1, 9, tzinfo=UTC)


def exchange(number, session, user, answer, parts=()):
    at = BEGUN + timedelta(days=number)
    key = f"{number:026d}"
    messages = [Message(f"{key}u", Role.USER, (Text(user),), at, tokens=5)]
    messages += [Message(f"{key}t{n}", Role.TOOL, (part,), at) for n, part in enumerate(parts)]
    messages.append(Message(f"{key}a", Role.ASSISTANT, (Text(answer),), at, tokens=7))
    return Exchange(key, session, None, ExchangeState.COMPLETE, tuple(messages), at)


def filled(*exchanges):
    store = InMemoryStore(SpaceId("ann", "bot"))
    for one in exchanges:
        head = one.messages[-1].id
        store.import_session(Session(one.session, "", one.at, one.at, head), [one])
    return store


def test_a_part_of_a_space_can_be_looked_at():
    said = [
        exchange(0, "a", "Which strings suit my guitar?", "Bronze strings suit the guitar."),
        exchange(1, "b", "When is the tax return due?", "The tax return is due in July."),
        exchange(2, "b", "Which expenses lower my tax?", "Travel expenses lower the tax."),
    ]
    store = filled(*said)
    everything = topics(store)
    assert sum(len(topic.exchanges) for topic in everything) == 3
    assert sum(topic.tokens for topic in everything) == 36

    def held(**chosen):
        return sorted(e for topic in topics(store, **chosen) for e in topic.exchanges)

    assert held(session="b") == [said[1].id, said[2].id]
    assert held(since=BEGUN + timedelta(days=1)) == [said[1].id, said[2].id]
    assert held(until=BEGUN + timedelta(days=1)) == [said[0].id]
    assert held(session="nowhere") == []
    store.close()


def test_what_tools_said_names_no_topic():
    result = ToolResult("1", "weather", "hurricane hurricane hurricane")
    store = filled(exchange(0, "a", "Shall I sail tomorrow?", "Better stay in harbour.", [result]))
    (topic,) = topics(store)
    assert not any("hurricane" in word for word in topic.label)
    store.close()


def test_names_are_whole_words_although_only_the_beginning_of_a_long_text_is_read():
    words = "physiotherapy and homework for the shoulder exercise plan every single morning "
    said = [exchange(n, "a", words * 12, words * 12) for n in range(4)]
    [name] = {topic.name for topic in topics(filled(*said)) if not topic.other}
    assert set(name.replace(",", "").split()) <= set(words.split())
