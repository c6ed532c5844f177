"""Chat pages as they send: whole histories, branches, side requests; read by path afterwards."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.clients.conftest import answering
from tests.clients.held import check, conversations, paths, states, words
from tests.clients.patterns.librechat import LibreChat
from tests.clients.patterns.open_webui import OpenWebUI

from unabridged.domain.scope import Scope
from unabridged.testing.replies import ScriptedReply

DIALECTS = ["openai", "ollama"]
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="


def weather(given):
    return f"Rain in {given['city']}, 9 degrees."


def slowly(body):
    """Answer a question for something longer piece by piece, so that it can be stopped."""
    words = str(body["messages"][-1]["content"])
    if words.endswith("A longer one."):
        return ScriptedReply(
            "So it went on and on, and nobody knew how it would end. " * 9, pause=0.05
        )
    return ScriptedReply(f"{len(body['messages'])} messages I heard.")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("upstream", DIALECTS)
def test_open_webui_talks_regenerates_and_edits(behind, dialect, upstream):
    served, _ = behind(upstream)
    page = OpenWebUI(served, dialect=dialect, system="You are Ada's gardener.")
    page.say("How do I prune an old apple tree?")
    second = page.say("And when?")
    again = page.regenerate(second)
    page.say("What tools do I need?")
    page.edit(second.parent, "And why?")
    page.say("Which cut first?")
    page.current = again
    page.say("Back to the apple tree: how much at once?")
    check(served, [page], sessions=1)
    assert states(served) == {"complete": 7}


@pytest.mark.parametrize("reasoning", ["details", "tags", "field", "none"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_thoughts_go_on_as_open_webui_sends_them_and_are_not_recalled(behind, dialect, reasoning):
    served, upstream = behind("ollama", answering(thinks=True))
    page = OpenWebUI(served, dialect=dialect, reasoning=reasoning)
    for text in ("Where is the key?", "And the lock?", "And the door?"):
        page.say(text)
    check(served, [page], sessions=1)
    assert not any("Thought" in text for text in words(served))
    last = [body for body in upstream.sent("/api/chat") if len(body["messages"]) > 4][-1]
    sent = str(last["messages"])
    match reasoning:
        case "tags":
            assert sent.count("<think>Thought") == 2
        case "field":
            assert sent.count("'thinking': 'Thought") == 2
        case "details":
            assert sent.count("<details") == sent.count("Thought") == 0  # it leaves them out itself
        case _:
            assert "Thought" not in sent


@pytest.mark.parametrize("dialect", DIALECTS)
def test_open_webui_asks_several_models_at_once_and_merges(behind, dialect):
    served, _ = behind("openai")
    page = OpenWebUI(served, dialect=dialect)
    answers = page.say("Name a river.", models=["m", "n"])
    page.current = answers[0]
    both = page.say("And a lake?", models=["m", "n"])
    check(served, [page], sessions=1)
    merged = page.merge(both)
    page.aside.clear()  # the merged answer is in the history from here on
    page.note(merged)
    page.say("And a sea?")
    check(served, [page], sessions=1)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_open_webui_edits_an_answer_by_hand(behind, dialect):
    served, _ = behind("openai")
    page = OpenWebUI(served, dialect=dialect)
    page.say("What is the capital of Peru?")
    answer = page.say("And of Chile?")
    page.edit_answer(answer, "It is Santiago, as everybody knows.")
    page.say("And of Bolivia?")
    check(served, [page], sessions=1)
    assert len(paths(served)) == 4


@pytest.mark.parametrize("dialect", DIALECTS)
def test_open_webui_has_an_answer_continued(behind, dialect):
    served, upstream = behind("ollama")
    page = OpenWebUI(served, dialect=dialect)
    page.say("Tell me a story.")
    short = page.say("Another one.")
    whole = page.go_on(short)
    page.say("And the moral?")
    check(served, [page], sessions=1)
    asked = upstream.sent("/api/chat")
    assert any(body["messages"][-1]["role"] == "assistant" for body in asked)
    assert whole.text.startswith(short.text)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_open_webui_calls_tools(behind, dialect):
    served, _ = behind("openai" if dialect == "openai" else "ollama")
    page = OpenWebUI(served, dialect=dialect, tools={"weather": weather})
    page.say("Hello.")
    page.say("What is the weather in Leith?")
    page.say("Should I take a coat?")
    check(served, [page], sessions=1)
    (conversation,) = conversations(served)
    called = next(x for x in conversation.exchanges if "weather" in x.user.text)
    assert [m.role for m in called.messages] == ["user", "assistant", "tool", "assistant"]
    assert called.messages[2].results[0].text == "Rain in Leith, 9 degrees."
    assert called.messages[2].results[0].call_id == called.messages[1].calls[0].id


@pytest.mark.parametrize("dialect", DIALECTS)
def test_open_webui_shows_pictures(behind, dialect):
    served, _ = behind("ollama")
    page = OpenWebUI(served, dialect=dialect)
    page.say("What is this?", images=[PIXEL])
    page.say("And its colour?")
    check(served, [page], sessions=1)
    (conversation,) = conversations(served)
    (picture,) = [p for p in conversation.exchanges[0].user.parts if hasattr(p, "uri")]
    assert picture.uri == PIXEL


@pytest.mark.parametrize("dialect", DIALECTS)
def test_open_webui_puts_what_it_found_before_one_question(behind, dialect):
    """The page sends the question with its template once and bare ever after: it is one question."""
    served, upstream = behind("openai")
    page = OpenWebUI(served, dialect=dialect)
    page.say("Hello.")
    page.say("What do my notes say?", found="The boat is called Petronella.")
    page.say("Who named her?")
    page.say("And when?")
    assert states(served) == {"complete": 4}
    (conversation,) = conversations(served)
    asked = [x.user.text for x in conversation.exchanges]
    assert [text.splitlines()[-1] for text in asked] == [
        "Hello.",
        "What do my notes say?",
        "Who named her?",
        "And when?",
    ]
    assert len(max(paths(served), key=len)) == 4
    sent = [str(body["messages"]) for body in upstream.sent("/v1/chat/completions")]
    assert any("Petronella" in text and "What do my notes say?" in text for text in sent)


def test_a_first_question_that_is_edited_begins_a_conversation(behind):
    """Nothing in such a request says where it came from."""
    served, _ = behind("openai")
    page = OpenWebUI(served)
    first = page.say("How do I prune an old apple tree?")
    page.say("And when?")
    other = OpenWebUI(served)
    other.edit(first.parent, "How do I prune a young pear tree?")
    other.say("Which cut first?")
    check(served, [page, other], sessions=2)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_open_webui_stops_an_answer(behind, dialect):
    served, _ = behind("openai", slowly)
    page = OpenWebUI(served, dialect=dialect)
    page.say("Tell me a story.")
    page.say("A longer one.", stop_after=3)
    page.say("Thank you.")
    asked = [one for one in paths(served) if one[-1][0] == "Thank you."]
    assert len(asked) == 1
    assert [question for question, _ in asked[0]] == [
        "Tell me a story.",
        "A longer one.",
        "Thank you.",
    ]
    assert len(conversations(served)) == 1
    assert sum(text == "A longer one." for text in words(served)) == 1
    assert states(served) == {"complete": 2, "incomplete": 1}


def test_two_chats_side_by_side_stay_apart(behind):
    served, _ = behind("openai")
    pages = [OpenWebUI(served, dialect=dialect) for dialect in ("openai", "ollama", "openai")]
    for round_ in range(4):
        with ThreadPoolExecutor(3) as pool:
            list(
                pool.map(
                    lambda place, number=round_: pages[place].say(f"Chat {place}, word {number}."),
                    range(3),
                )
            )
    check(served, pages, sessions=3)


def test_two_chats_with_one_beginning_part_where_they_differ(behind):
    served, _ = behind("openai")
    page = OpenWebUI(served)
    first = page.say("Hello.")
    other = OpenWebUI(served)
    other.current = first
    other.shown = page.shown
    page.say("My cat is called Ada.")
    other.say("My dog is called Bob.")
    page.say("How old is she?")
    other.say("How old is he?")
    check(served, [page, other], sessions=1)


@pytest.mark.parametrize("parts", [False, True])
def test_librechat_talks_regenerates_edits_and_forks(behind, parts):
    served, _ = behind("openai")
    page = LibreChat(
        served, user="65f0c0ffee", system="Be brief.", parts=parts, headers=served.bearer
    )
    page.say("How do I prune an old apple tree?")
    second = page.say("And when?")
    page.regenerate(second)
    page.say("What tools do I need?")
    fork = page.fork(second)
    fork.say("Only a saw, then?")
    page.edit(second.parent, "And why?")
    page.say("So what?")
    scope = Scope(user="65f0c0ffee")
    check(served, [page, fork], scope, sessions=1)
    assert conversations(served) == []


def test_librechat_calls_tools(behind):
    served, _ = behind("openai")
    page = LibreChat(served, tools={"weather": weather}, parts=True)
    page.say("What is the weather in Leith?")
    page.say("Should I take a coat?")
    check(served, [page], sessions=1)
    (conversation,) = conversations(served)
    roles = [m.role for m in conversation.exchanges[0].messages]
    assert roles == ["user", "assistant", "tool", "assistant"]


def test_librechat_leaves_out_what_does_not_fit(behind):
    served, _ = behind("openai")
    page = LibreChat(served, most=5, system="Be brief.")
    for number in range(8):
        page.say(f"Question number {number}, which is a longer one.")
    check(served, [page], sessions=1)
    assert states(served) == {"complete": 8}


def test_accounts_of_one_page_stay_apart(behind):
    served, _ = behind("openai")
    pages = {name: LibreChat(served, user=name, headers=served.bearer) for name in ("ada", "bob")}
    for name, page in pages.items():
        page.say("Hello.")
        page.say(f"I am {name}.")
    for name, page in pages.items():
        check(served, [page], Scope(user=name), sessions=1)
