"""Which session a program's conversation is: openings, ids of programs, summaries, lone messages."""

import itertools
import json

import httpx2
import pytest
from tests.helpers.talker import talking
from tests.opened import store_of

from unabridged.domain.record import RecordKind
from unabridged.domain.scope import Scope
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer
from unabridged.testing.replies import ScriptedReply

CODEX = [
    "# AGENTS.md instructions for /home/ada/boat\n\nUse tabs.",
    "<environment_context>\n  <cwd>/home/ada/boat</cwd>\n  <shell>bash</shell>\n</environment_context>",
]
QWEN = [
    "This is the Qwen Code. We are setting up the context for our chat.\nToday's date is a Monday.",
    ("assistant", "Got it. Thanks for the context!"),
]
AIDER = [
    "Change the greeting to be more casual",
    ("assistant", "Ok, I will: hello.py\n<<<<<<< SEARCH\nhello\n=======\nhey\n>>>>>>> REPLACE"),
    "I switched to a new code base. Please don't consider the above files.",
    ("assistant", "Ok."),
]
UNKNOWN = [
    "These are the rules of the house: be short, be kind, be exact.",
    ("assistant", "Understood."),
]
OPENINGS = pytest.mark.parametrize(
    "opening", [CODEX, QWEN, AIDER, UNKNOWN], ids=["codex", "qwen", "aider", "unknown"]
)
UUIDS = [f"{n}f0c7e3a-5b1d-4c8e-9a2f-0123456789ab" for n in range(1, 5)]


@pytest.fixture
def upstream():
    numbers = itertools.count(1)

    def reply(_):
        return ScriptedReply(f"Answer {next(numbers)}, which is short and unlike all others.")

    with OpenAITestServer(reply, models=[OpenAIEntry("m")], window=65_536) as server:
        yield server


@pytest.fixture
def url(serving, upstream):
    return serving(upstream="openai", openai_url=upstream.base_url)


def wire(*messages):
    """Messages as they are sent; a text alone is the user's."""
    pairs = (m if isinstance(m, tuple) else ("user", m) for m in messages)
    return [{"role": role, "content": text} for role, text in pairs]


class Program:
    """A program that keeps its list and sends it whole, with its opening before it."""

    def __init__(self, url, opening=(), headers=None, **body):
        self.url, self.opening, self.headers, self.body = url, list(opening), headers or {}, body
        self.said = []
        self.session = None

    def say(self, text):
        answer = self.ask(*self.opening, *self.said, text)
        self.said += [text, ("assistant", answer)]
        return answer

    def ask(self, *messages):
        body = {"model": "m", "messages": wire(*messages), **self.body}
        with httpx2.Client(timeout=30) as client:
            got = client.post(f"{self.url.v1}/chat/completions", json=body, headers=self.headers)
        assert got.status_code == 200, got.text
        self.session = got.headers["x-unabridged-session"]
        return got.json()["choices"][0]["message"]["content"]


def stored(url):
    """Every session's id, with its title and the texts of its exchanges, the oldest first."""
    with talking(url.service.pool, Scope()) as memory:
        return {
            one.session.id: (one.session.title, [e.text for e in one.exchanges])
            for one in memory.space.log.transcripts()
        }


def records(url, kind):
    with talking(url.service.pool, Scope()) as memory:
        return store_of(memory).records(kind)


def last_sent(upstream):
    return json.dumps(upstream.sent("/v1/chat/completions")[-1]["messages"], ensure_ascii=False)


# --- openings ----------------------------------------------------------------------------------


@OPENINGS
def test_conversations_that_begin_alike_are_sessions_and_recall_each_other(url, upstream, opening):
    one, two = Program(url, opening), Program(url, opening)
    one.say("My cat is called Zanzibar and she weighs 5 kilos.")
    two.say("How heavy is my cat Zanzibar?")
    assert one.session != two.session
    sent = last_sent(upstream)
    assert "weighs 5 kilos" in sent
    for text in opening:  # once, as the program sent it: not recalled from the other session
        said = text if isinstance(text, str) else text[1]
        assert sent.count(json.dumps(said, ensure_ascii=False)[1:-1]) == 1
    one.say("And what is she called?")
    two.say("Thanks, and who is she?")
    held = stored(url)
    assert len(held) == 2
    assert [len(texts) for _, texts in held.values()] == [2 + len(wire(*opening)) // 2] * 2 or (
        opening is CODEX and [len(texts) for _, texts in held.values()] == [4, 4]
    )
    assert [title for title, _ in held.values()] == [
        "My cat is called Zanzibar and she weighs 5 kilos.",
        "How heavy is my cat Zanzibar?",
    ]


@OPENINGS
def test_behind_an_opening_a_conversation_branches_as_every_other(url, opening):
    program = Program(url, opening)
    program.say("Name a river of the north.")
    before = list(program.said)
    program.say("And its length?")
    program.said = before
    program.say("And its source?")  # edited
    program.said = []
    again = Program(url, opening)
    again.said, again.session = [], program.session
    again.say("Name a river of the north.")  # made again at once
    held = stored(url)
    assert {program.session, again.session} == set(held)
    (_, texts) = held[program.session]
    assert sum(text.startswith("Name a river") for text in texts) == 2
    assert len(texts) == 4 + (len(opening) if opening is CODEX else len(opening) // 2)


def test_a_title_that_a_person_chose_stays(url):
    one, two = Program(url, UNKNOWN), Program(url, UNKNOWN)
    one.say("The boat is painted blue.")
    with talking(url.service.pool, Scope()) as memory:
        memory.talk_in(one.session)
        memory.rename("Our boat")
    two.say("The house is painted white.")
    assert [title for title, _ in stored(url).values()] == [
        "Our boat",
        "The house is painted white.",
    ]


def test_a_third_conversation_is_not_given_the_opening_of_others(url, upstream):
    for n in range(2):
        Program(url, UNKNOWN).say(f"The boat number {n} is painted blue.")
    assert len(records(url, RecordKind.OPENING)) == 2
    Program(url).say("What are the rules of the house, short and kind and exact?")
    assert "be short, be kind, be exact" not in last_sent(upstream)


def test_a_long_history_that_moved_here_is_stored_once(url):
    moved = []
    for n in range(12):
        moved += [f"Old question {n} of the long voyage.", ("assistant", f"Old answer {n}.")]
    program = Program(url, moved)
    program.say("And now?")
    program.said = []
    program.say("And what happens next?")  # edited
    ((_, texts),) = stored(url).values()
    assert len(texts) == 14


def test_codex_sends_its_opening_over_responses_too(url, upstream):
    def run(question):
        body = {"model": "m", "instructions": "You are Codex.", "store": False, "input": []}
        for text in (*CODEX, question):
            content = [{"type": "input_text", "text": text}]
            body["input"].append({"type": "message", "role": "user", "content": content})
        with httpx2.Client(timeout=30) as client:
            got = client.post(f"{url.v1}/responses", json=body)
        assert got.status_code == 200, got.text
        return got.headers["x-unabridged-session"]

    assert run("My cat is called Zanzibar and she weighs 5 kilos.") != run("How heavy is my cat?")
    assert "weighs 5 kilos" in last_sent(upstream)


# --- siblings ----------------------------------------------------------------------------------


def test_only_an_edit_of_the_very_message_is_left_out_of_recall(url, upstream):
    program = Program(url)
    program.say("Good morning to you, and a fine day.")
    before = list(program.said)
    program.say("My cat Zanzibar weighs 5 kilos on the kitchen scales.")
    program.said = list(before)
    program.say("Remember: how heavy is Zanzibar?")
    assert "5 kilos" in last_sent(upstream)
    program.said = list(before)
    program.say("My cat Zanzibar weighs 6 kilos on the kitchen scales.")
    assert "5 kilos" not in last_sent(upstream)


# --- ids ---------------------------------------------------------------------------------------

CLAUDE = "user_0abc_account_11111111-2222-3333-4444-555555555555_session_{}"
PLACES = {
    "codex": lambda name: ({"session-id": name}, {}),
    "codex before": lambda name: ({"session_id": name}, {}),
    "codex cache key": lambda name: ({}, {"prompt_cache_key": name}),
    "conversation_id": lambda name: ({"conversation_id": name}, {}),
    "open webui": lambda name: ({"X-OpenWebUI-Chat-Id": name}, {}),
    "opencode": lambda name: ({"x-session-affinity": f"ses_{name}"}, {}),
    "qwen": lambda name: ({}, {"metadata": {"sessionId": name, "promptId": "1"}}),
    "claude": lambda name: ({"X-Claude-Code-Session-Id": name}, {}),
    "claude body": lambda name: ({}, {"metadata": {"user_id": CLAUDE.format(name)}}),
    "claude json": lambda name: (
        {},
        {"metadata": {"user_id": json.dumps({"device_id": "d", "session_id": name})}},
    ),
    "x-session-id": lambda name: ({"x-session-id": name}, {}),
    "x-conversation-id": lambda name: ({"x-conversation-id": name}, {}),
    "body session": lambda name: ({}, {"session_id": name}),
    "body conversation": lambda name: ({}, {"conversation_id": name}),
    "body chat": lambda name: ({}, {"chat_id": name}),
    "metadata": lambda name: ({}, {"metadata": {"session_id": name}}),
}


@pytest.mark.parametrize("place", PLACES)
def test_an_id_parts_conversations_that_say_the_same(url, place):
    programs = []
    for name in UUIDS[:2]:
        headers, body = PLACES[place](name)
        programs.append(Program(url, headers=headers, **body))
        programs[-1].say("Hi")
    assert programs[0].session != programs[1].session
    homes = [program.session for program in programs]
    for program in programs:
        program.said = ["Hi", ("assistant", "Hello!")]  # both have the same words
        program.say("Go on")
    for program in programs:
        program.say("And more")
    assert [program.session for program in programs] == homes


def test_a_cache_key_that_is_no_id_is_not_read(url):
    for _ in range(2):
        program = Program(url, prompt_cache_key="my-app-v3")
        program.say("Hi")
    assert len(stored(url)) == 1  # the same first message, within half an hour


def test_an_id_of_all_conversations_puts_them_into_no_common_session(url):
    headers = {"x-session-id": "my-laptop"}
    programs = [Program(url, headers=headers) for _ in range(3)]
    for n, program in enumerate(programs):
        program.say(f"Question {n} is about something else.")
    for program in programs:
        program.say("Go on.")
    assert len({program.session for program in programs}) == 3
    assert [len(texts) for _, texts in stored(url).values()] == [2, 2, 2]


def test_a_conversation_that_goes_on_under_another_id_is_stored_once(url):
    one = Program(url, CODEX, headers={"session-id": UUIDS[0]})
    one.say("My cat is called Zanzibar.")
    resumed = Program(url, CODEX, headers={"session-id": UUIDS[1]})
    resumed.said = list(one.said)
    resumed.say("What is she called?")
    assert resumed.session == one.session
    assert len(stored(url)) == 1


def test_ids_are_known_after_a_restart(serving, upstream):
    settings = {"upstream": "openai", "openai_url": upstream.base_url}
    url = serving(**settings)
    one = Program(url, headers={"session-id": UUIDS[0]})
    one.say("Hi")
    one.say("Well")
    other = Program(serving(**settings), headers={"session-id": UUIDS[1]})
    other.say("Hi")
    assert other.session != one.session


def test_our_own_header_comes_first(url):
    one = Program(url, headers={"session-id": UUIDS[0]})
    one.say("My cat is called Zanzibar.")
    headers = {"session-id": UUIDS[0], "X-Unabridged-Session": "elsewhere"}
    two = Program(url, headers=headers)
    two.said = list(one.said)
    two.say("And what is she called?")
    assert (one.session != "elsewhere", two.session) == (True, "elsewhere")


# --- summaries ---------------------------------------------------------------------------------

CLAUDE_SUMMARY = (
    "This session is being continued from a previous conversation that ran out of context. "
    "The conversation is summarized below:\nAda asked about the rivers of the north, one by one."
)
CODEX_SUMMARY = (
    "Another language model started to solve this problem and produced a summary of its thinking "
    "process. Here it is:\nAda asked about the rivers of the north, one by one."
)
QWEN_SUMMARY = [
    "<state_snapshot><overall_goal>Ada learns the rivers.</overall_goal></state_snapshot>",
    ("assistant", "Got it. Thanks for the additional context!"),
]
OWN_SUMMARY = ["In short: Ada asked about rivers, and I named them to her one after the other."]


def talked(url, opening=(), **more):
    """A program with eight turns behind it."""
    program = Program(url, opening, **more)
    for n in range(8):
        program.say(f"Tell me of river number {n} of the north, its length and its source.")
    return program


def kept(program, summary, tail):
    """Put a summary in the place of all but the last messages; go on, and give all answers."""
    session = program.session
    program.opening = [*program.opening, *summary]
    program.said = program.said[-tail:] if tail else []
    for text in ("Which of them is the longest?", "Which one is the shortest?"):
        program.say(text)
        assert program.session == session


@pytest.mark.parametrize("summary", [QWEN_SUMMARY, OWN_SUMMARY], ids=["qwen", "its own"])
def test_a_summary_with_the_last_turns_goes_on_in_the_session(url, summary):
    program = talked(url)
    before = stored(url)[program.session][1]
    kept(program, summary, 4)
    (_, texts) = stored(url)[program.session]
    assert len(texts) == len(before) + 3  # the summary, and two questions
    assert set(before) <= set(texts)
    with talking(url.service.pool, Scope()) as memory:
        memory.talk_in(program.session)
        path = [exchange.text for exchange in memory.exchanges()]
        (linked,) = records(url, RecordKind.COMPACTION)
        assert memory.get(linked.body["through"]).text == before[5]
    assert path[:8] == before
    assert path[8].startswith("Which of them is the longest?")
    assert len(path) == 10


def test_a_summary_alone_goes_on_where_the_id_tells(url, upstream):
    program = talked(url, headers={"X-Claude-Code-Session-Id": UUIDS[0]})
    before = stored(url)[program.session][1]
    kept(program, [CLAUDE_SUMMARY], 0)
    (_, texts) = stored(url)[program.session]
    assert len(texts) == len(before) + 3
    (linked,) = records(url, RecordKind.COMPACTION)
    with talking(url.service.pool, Scope()) as memory:
        assert "river number 7" in memory.get(linked.body["through"]).user.text
    Program(url).say("Remember: who asked about the rivers of the north, one by one?")
    assert CLAUDE_SUMMARY not in last_sent(upstream)


def test_a_summary_that_was_forgotten_is_not_stored_again(url):
    program = talked(url)
    kept(program, QWEN_SUMMARY, 4)
    (linked,) = records(url, RecordKind.COMPACTION)
    with talking(url.service.pool, Scope()) as memory:
        memory.space.forgetting.execute(memory.space.forgetting.plan(exchanges=[linked.id]))
    assert records(url, RecordKind.COMPACTION) == []
    (_, before) = stored(url)[program.session]
    program.say("And the widest?")
    (_, texts) = stored(url)[program.session]
    assert len(texts) == len(before) + 1
    assert not any("state_snapshot" in text for text in texts)


def test_our_own_header_tells_where_a_summary_belongs(url):
    program = talked(url, headers={"X-Unabridged-Session": "desk"})
    kept(program, [CLAUDE_SUMMARY], 0)
    assert len(stored(url)["desk"][1]) == 8 + 3


def test_a_summary_goes_to_the_longest_conversation_of_an_id(url):
    headers = {"X-Claude-Code-Session-Id": UUIDS[0]}
    program = talked(url, headers=headers)
    helper = Program(url, headers=headers)  # what a program asks for a part of its work
    helper.say("List the files of the boat.")
    assert helper.session != program.session
    kept(program, [CLAUDE_SUMMARY], 0)


def test_codex_keeps_its_opening_and_the_newest_questions_beside_its_summary(url):
    program = talked(url, CODEX, headers={"session-id": UUIDS[0]})
    before = stored(url)[program.session][1]
    questions = [text for text in program.said if isinstance(text, str)][-3:]
    kept(program, [*questions, CODEX_SUMMARY], 0)
    (_, texts) = stored(url)[program.session]
    assert len(texts) == len(before) + 3
    program.opening = [*CODEX, CODEX_SUMMARY.replace("one by one", "and more")]  # a second time
    program.said = []
    session = program.session
    program.say("And the widest?")
    program.say("And the coldest?")
    assert program.session == session
    assert len(stored(url)[session][1]) == len(before) + 6


def test_a_summary_that_nothing_tells_of_begins_a_session_that_is_not_called_after_it(url):
    program = Program(url, [CLAUDE_SUMMARY])
    program.say("Which of them is the longest?")
    program.say("And the shortest?")
    ((title, texts),) = stored(url).values()
    assert title == "Which of them is the longest?"
    assert len(texts) == 3


# --- other habits ------------------------------------------------------------------------------


def test_a_client_that_sends_its_newest_message_alone_names_its_session(url):
    for n in range(3):
        program = Program(url, headers={"X-Unabridged-Session": "desk"})
        program.say(f"Message {n} of the desk.")
    ((_, texts),) = stored(url).values()
    assert [text.splitlines()[0] for text in texts] == [
        f"Message {n} of the desk." for n in range(3)
    ]


@pytest.mark.parametrize("ids", [UUIDS[:2], UUIDS[:1] * 2], ids=["two ids", "one id"])
def test_two_clients_in_one_conversation_are_branches_of_it(url, ids):
    one, two = (Program(url, headers={"session-id": name}) for name in ids)
    one.say("The lighthouse at Leith was built by two brothers.")
    two.said = list(one.said)
    one.say("Who were they, by name?")
    two.say("When did they build it?")
    one.say("And where did they live?")
    two.say("And who paid for it?")
    assert one.session == two.session
    assert len(stored(url)[one.session][1]) == 5


def test_a_client_that_trims_to_little_words_is_told_by_its_id(url):
    programs = [Program(url, headers={"session-id": name}) for name in UUIDS[:2]]
    for n, program in enumerate(programs):
        program.say(f"Let us speak of boat number {n}, and of nothing else.")
        program.ask(*program.said, "go on")
        program.said += ["go on", ("assistant", "ok")]
        program.say("more")
    homes = [program.session for program in programs]
    assert len(set(homes)) == 2
