"""Questions that were answered out of memory never take the place of what was quoted."""

import pytest
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.language.questions import is_question, only_asks
from unabridged.topics.of_space import topics

SAID = "My cat is called Ada."
ASKED = [
    "What is my cat called?", "How is my cat called?", "What's my cat's name?",
    "Tell me what my cat is called", "What is my cat called", "What is the name of my cat?",
    "What is my cat called then?", "Do you know what my cat is called?",
]  # fmt: skip


@pytest.fixture
def memory(tmp_path):
    with Talker.open(tmp_path, upstream="quote") as memory:
        yield memory


def say(memory, text):
    return memory.chat(text).text()


@pytest.mark.parametrize("times", [1, 5])
@pytest.mark.slow
def test_the_same_asked_in_many_words_is_answered_every_time(memory, times):
    say(memory, SAID)
    for _ in range(times):
        for question in ASKED:
            memory.new_session()
            assert SAID in say(memory, question), question


def test_a_prompt_recalls_what_was_said_and_no_quotation_of_it(memory):
    say(memory, SAID)
    for question in ASKED * 3:
        memory.new_session()
        say(memory, question)
    memory.new_session()
    context = memory.prepare("Remember what my cat is called?")
    recalled = [row for row in context.ledger.rows if row.score is not None]
    assert len(recalled) == 1
    assert SAID in str(context.messages)


def test_a_persons_own_search_finds_the_questions_too(memory):
    say(memory, SAID)
    say(memory, ASKED[0])
    assert len(memory.space.search("cat called")) == 2


def test_a_question_that_tells_something_is_recalled(memory):
    say(memory, "Is there a train at nine? My sister Anna takes it to Thun.")
    memory.new_session()
    assert "Anna" in say(memory, "Where does Anna go?")


@pytest.mark.parametrize(
    ("told", "asked", "word"),
    [
        ("Did I mention that Anna broke her leg?", "What did Anna break?", "leg"),
        ("Can you remember that my keys are under the stairs?", "Where are my keys?", "stairs"),
        ("What can I do since my wife Ella left me?", "What did Ella do?", "left"),
        ("Weißt du, dass ich in Bern wohne?", "Wo wohne ich?", "Bern"),
    ],
)
def test_what_is_told_inside_a_question_is_recalled(memory, told, asked, word):
    say(memory, told)
    memory.new_session()
    assert word in str(memory.prepare(asked).messages)
    assert word in say(memory, asked)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Where is Ada? And Bob?", True),
        ("Where is Ada? She is mine.", False),
        ("", False),
        ("How did that project of mine end?", True),
        ("Do you remember that cheese?", True),
        ("Could you note: the dentist on Tuesday?", False),
        ("Would you believe my sister is married?", False),
    ],
)
def test_only_asks(text, asks):
    assert only_asks(text) is asks
    assert is_question("Where is Ada?")


def test_a_search_finds_no_words_that_only_a_quotation_says(memory):
    say(memory, "I play the violin.")
    say(memory, "What do I play on Sundays?")
    say(memory, "The train leaves at nine.")
    found = memory.space.search("violin")
    assert [one.exchange.user.text for one in found] == ["I play the violin."]
    assert not memory.space.search("noted")
    assert not memory.space.search("memory")


def test_topics_do_not_count_stock_phrases_and_quotations(memory):
    for place in ("Lisbon", "Porto", "Braga", "Faro"):
        say(memory, f"The hotel in {place} was cheap and clean.")
        say(memory, f"Where in {place} is the museum of ships?")
    for topic in topics(store_of(memory)):
        assert not {"memory", "noted", "said", "november"} & {w.casefold() for w in topic.label}
