"""Tools, history and tool results of agents: all of them, or the dialect's own refusal.

Windows and sizes are those at which the programs failed: opencode, Codex, Qwen Code, Open WebUI.
"""

import pytest
from tests.helpers.agent_talks import (
    assistant,
    called,
    filler,
    request,
    rounds,
    system,
    tools,
    user,
)
from tests.helpers.arrivals import LEFT_OUT, align, has_text_before, is_context_error, is_same
from tests.helpers.client_talks import OLLAMA, OPENAI
from tests.helpers.front_door import opened
from tests.helpers.strict_rules import Strictness
from tests.helpers.strict_server import StrictModel
from tests.helpers.talker import talking

from unabridged.domain.scope import Scope

DIALECTS = pytest.mark.parametrize("dialect", [OPENAI, OLLAMA])


def door_of(serving, dialect, window, **settings):
    return opened(serving, dialect, models=[StrictModel(window=window)], **settings)


def arrives(door, dialect, body):
    """Every message and every tool, as they were sent."""
    got = door.ask(dialect, body)
    assert got.get("tools") == body.get("tools")
    kept, strange = align(body["messages"], got["messages"])
    assert strange == []
    assert [place for place, _ in kept] == list(range(len(body["messages"])))
    return got


def history(turns, tokens):
    """Turns of a chat, each question and answer of so many tokens."""
    made = []
    for turn in range(turns):
        made.append(user(filler(tokens, f"Question {turn}: how does part {turn} work?")))
        made.append(assistant(filler(tokens, f"Answer {turn}: part {turn} works well.")))
    return made


# What tools a client sends: D1 of the list of defects


@DIALECTS
@pytest.mark.parametrize(
    ("window", "many", "tokens"),
    [(8_192, 7, 330), (16_384, 10, 800), (16_384, 17, 400), (32_768, 40, 450)],
)
def test_all_tools_arrive_where_they_fit(serving, dialect, window, many, tokens):
    messages = [system(filler(500, "You are an agent.")), user("hello")]
    with door_of(serving, dialect, window) as door:
        arrives(door, dialect, request(dialect, messages, many_tools=many, tool_tokens=tokens))


def test_500_tools_arrive(serving):
    with door_of(serving, OPENAI, 131_072) as door:
        arrives(door, OPENAI, request(OPENAI, [user("hello")], many_tools=500, tool_tokens=60))


@DIALECTS
def test_tools_are_the_same_at_each_message(serving, dialect):
    messages = [system("You are an agent.")]
    with door_of(serving, dialect, 16_384) as door:
        for asked in ("hello", "Read the file.", "Write it in the list.", "Search the web."):
            messages = [*messages, user(asked)]
            body = request(dialect, messages, many_tools=10, tool_tokens=700)
            arrives(door, dialect, body)
            messages.append(assistant("Yes."))


def test_a_forced_tool_arrives_with_its_choice(serving):
    choice = {"type": "function", "function": {"name": "todowrite"}}
    body = request(OPENAI, [user("hello")], many_tools=10, tool_tokens=800, tool_choice=choice)
    with door_of(serving, OPENAI, 16_384) as door:
        got = arrives(door, OPENAI, body)
    assert got["tool_choice"] == choice


def test_a_forced_tool_arrives_before_ollama(serving):
    choice = {"type": "function", "function": {"name": "todowrite"}}
    body = request(OPENAI, [user("hello")], many_tools=10, tool_tokens=800, tool_choice=choice)
    with door_of(serving, OLLAMA, 16_384) as door:
        got = door.ask(OPENAI, body)
    assert "todowrite" in [each["function"]["name"] for each in got["tools"]]


@DIALECTS
@pytest.mark.parametrize("fit", ["auto", "refuse", "condense"])
def test_tools_that_cannot_fit_are_refused_and_nothing_is_sent(serving, dialect, fit):
    body = request(dialect, [user("hello")], many_tools=20, tool_tokens=1_000)
    with door_of(serving, dialect, 8_192, fit=fit) as door:
        answer = door.post(dialect, body)
        assert is_context_error(dialect, answer.status_code, answer.text), answer.text
        assert door.server.chats == []


# The client's own history (D2)


@DIALECTS
def test_history_arrives_behind_a_large_system_prompt(serving, dialect):
    """Qwen Code: system and tools alone pass 16,384 tokens; the window has 131,072."""
    messages = [system(filler(9_000, "You are an agent.")), *history(3, 60)]
    messages.append(user("Which port did I just tell you?"))
    body = request(dialect, messages, many_tools=15, tool_tokens=700)
    gpu = [StrictModel(window=131_072, gpu=131_072)]
    with opened(serving, dialect, models=gpu) as door:
        arrives(door, dialect, body)


@DIALECTS
@pytest.mark.parametrize("most", [2_048, 16_384])
def test_the_bound_of_the_prompt_is_not_for_what_a_client_sends(serving, dialect, most):
    messages = [system("Be brief."), *history(60, 130), user("And now?")]
    body = request(dialect, messages)
    gpu = [StrictModel(window=131_072, gpu=131_072)]
    with opened(serving, dialect, models=gpu, max_prompt_tokens=most) as door:
        arrives(door, dialect, body)


@DIALECTS
def test_the_results_of_an_earlier_turn_arrive(serving, dialect):
    """A turn of 20 rounds and 40,000 tokens, then "Now fix it."; the window may grow meanwhile."""
    messages = [system("Be brief."), user("Find the fault.")]
    gpu = [StrictModel(window=131_072, gpu=131_072)]
    with opened(serving, dialect, models=gpu) as door:
        for first in range(0, 20, 5):
            arrives(door, dialect, request(dialect, messages, many_tools=5))
            messages = [*messages, *rounds(dialect, 5, 1_900, first=first)]
        messages += [assistant("It is in file 7."), user("Now fix it.")]
        arrives(door, dialect, request(dialect, messages, many_tools=5))


@DIALECTS
def test_it_arrives_again_when_it_is_sent_again(serving, dialect):
    messages = [user("Find the fault."), *rounds(dialect, 12, 500), assistant("In file 7.")]
    with door_of(serving, dialect, 32_768, max_prompt_tokens=2_048) as door:
        for asked in ("Now fix it.", "Now test it.", "Now commit it."):
            messages = [*messages, user(asked)]
            arrives(door, dialect, request(dialect, messages, many_tools=5))
            messages.append(assistant("Yes."))


# A loop that outgrows the window (D5)


@DIALECTS
@pytest.mark.parametrize("stream", [False, True])
def test_a_loop_too_large_is_refused_before_anything_is_sent(serving, dialect, stream):
    messages = [system("Be brief."), user("Find the fault."), *rounds(dialect, 5, 2_500)]
    body = request(dialect, messages, many_tools=5, stream=stream)
    with door_of(serving, dialect, 8_192) as door:
        answer = door.post(dialect, body)
        assert is_context_error(dialect, answer.status_code, answer.text), answer.text
        assert door.server.chats == []


@DIALECTS
def test_a_loop_that_grows_arrives_whole_until_it_is_refused(serving, dialect):
    messages = [system("Be brief."), user("Find the fault.")]
    with door_of(serving, dialect, 8_192) as door:
        for number in range(12):
            body = request(dialect, messages, many_tools=5)
            answer = door.post(dialect, body)
            if answer.status_code != 200:
                break
            got = door.upstream_body()["messages"]
            assert len(got) == len(messages)
            assert all(map(is_same, messages, got))
            messages = [*messages, *rounds(dialect, 1, 900, first=number)]
    assert number >= 4, "refused long before the window was full"
    assert is_context_error(dialect, answer.status_code, answer.text), answer.text


@DIALECTS
def test_in_a_loop_auto_refuses_and_leaves_nothing_out(serving, dialect):
    messages = [*history(12, 400), user("Find the fault."), *rounds(dialect, 2, 300)]
    with door_of(serving, dialect, 8_192) as door:
        answer = door.post(dialect, request(dialect, messages, many_tools=3))
        assert is_context_error(dialect, answer.status_code, answer.text), answer.text
        assert door.server.chats == []


PROGRAMS = [
    ("codex_cli_rs/0.169.0 (Debian 13; x86_64)", "You are Codex, a coding agent based on GPT-5."),
    ("claude-cli/2.1.197 (external, cli)", "You are Claude Code, Anthropic's official CLI."),
    ("opencode/1.18.33", "You are opencode, an interactive CLI tool."),
    ("QwenCode/0.15.10 (linux; x64)", "You are Qwen Code, an interactive CLI agent."),
    ("Cline/3.40.0", "You are Cline, a highly skilled software engineer."),
]


@pytest.mark.parametrize(("agent", "prompt"), PROGRAMS)
def test_auto_refuses_programs_that_compact_by_themselves(serving, agent, prompt):
    messages = [system(prompt), *history(20, 400), user("And now?")]
    with door_of(serving, OPENAI, 8_192) as door:
        body = request(OPENAI, messages, many_tools=3)
        answer = door.post(OPENAI, body, **{"User-Agent": agent})
        assert is_context_error(OPENAI, answer.status_code, answer.text), answer.text
        assert door.server.chats == []


@DIALECTS
def test_condensed_or_not_an_open_loop_is_never_cut(serving, dialect):
    loop = [user("Find the fault."), *rounds(dialect, 6, 1_500)]
    with door_of(serving, dialect, 8_192, fit="condense") as door:
        answer = door.post(dialect, request(dialect, [*history(3, 200), *loop], many_tools=3))
        assert is_context_error(dialect, answer.status_code, answer.text), answer.text
        assert door.server.chats == []


@DIALECTS
def test_condense_shortens_what_comes_before_an_open_loop(serving, dialect):
    """Where a person chose it, older exchanges may go, but the loop and its question stay."""
    loop = [user("Find the fault."), *rounds(dialect, 2, 300)]
    messages = [*history(12, 400), *loop]
    with door_of(serving, dialect, 8_192, fit="condense") as door:
        answer = door.post(dialect, request(dialect, messages, many_tools=3))
        if answer.status_code != 200:
            assert is_context_error(dialect, answer.status_code, answer.text), answer.text
            return
        got = door.upstream_body()["messages"]
    assert all(map(is_same, loop, got[-len(loop) :]))
    left = LEFT_OUT.fullmatch(answer.headers["x-unabridged-left-out"])
    assert int(left[1]) == len(messages) - len(got)


# What condense leaves out


@DIALECTS
@pytest.mark.parametrize("fit", ["condense", "auto"])
def test_condense_leaves_out_the_oldest_exchanges_and_says_so(serving, dialect, fit):
    messages = [system("Be brief."), *history(20, 400), user("Which part was the third?")]
    body = request(dialect, messages, many_tools=3)
    with door_of(serving, dialect, 8_192, fit=fit) as door:
        answer = door.post(dialect, body)
        assert answer.status_code == 200, answer.text
        counted = LEFT_OUT.fullmatch(answer.headers["x-unabridged-left-out"])
        got = door.upstream_body()
    assert got["tools"] == body["tools"]
    kept, strange = align(messages, got["messages"])
    assert strange == []
    assert kept[0][0] == 0
    first = kept[1][0]
    assert [place for place, _ in kept[1:]] == list(range(first, len(messages)))
    assert messages[first]["role"] == "user"
    assert int(counted[1]) == first - 1 > 0
    assert int(counted[2]) > 0
    assert has_text_before(messages[first], kept[1][1])
    assert len(kept) > 5, "much more was left out than had to be"


@DIALECTS
@pytest.mark.parametrize("stream", [False, True])
def test_fit_refuse_refuses_a_chat_too(serving, dialect, stream):
    body = request(dialect, [*history(20, 400), user("And now?")], stream=stream)
    with door_of(serving, dialect, 8_192, fit="refuse") as door:
        answer = door.post(dialect, body)
        assert is_context_error(dialect, answer.status_code, answer.text), answer.text
        assert door.server.chats == []


@DIALECTS
def test_the_newest_message_is_refused_where_it_alone_is_too_large(serving, dialect):
    body = request(dialect, [*history(3, 100), user(filler(12_000, "Read this."))])
    with door_of(serving, dialect, 8_192, fit="condense") as door:
        answer = door.post(dialect, body)
        assert is_context_error(dialect, answer.status_code, answer.text), answer.text
        assert door.server.chats == []


def test_what_fits_is_never_left_out(serving):
    messages = [system("Be brief."), *history(20, 100), user("And now?")]
    with door_of(serving, OPENAI, 16_384, fit="condense") as door:
        answer = door.post(OPENAI, request(OPENAI, messages))
        assert answer.status_code == 200
        assert "x-unabridged-left-out" not in answer.headers
        assert len(door.upstream_body()["messages"]) == len(messages)


# What the upstream itself refuses


def test_what_is_not_paired_gets_the_upstreams_own_words(serving):
    """A call without its result is the client's; no result is made up for it."""
    messages = [user("Find it."), called(OPENAI, 1), user("Well?")]
    with door_of(serving, OPENAI, 8_192) as door:
        answer = door.post(OPENAI, request(OPENAI, messages, many_tools=3))
    assert answer.status_code == 400
    assert "call_1" in answer.json()["error"]["message"]


def test_too_many_tools_for_the_upstream_get_its_own_words(serving):
    strict = Strictness(most_tools=128)
    with opened(serving, OPENAI, strict=strict) as door:
        answer = door.post(OPENAI, request(OPENAI, [user("hello")], many_tools=130))
        assert len(door.server.chats[0].body["tools"]) == len(tools(130))
    assert answer.status_code == 400
    assert "array too long" in answer.json()["error"]["message"]


def test_a_tool_loop_that_a_prompt_of_our_own_began_is_answered_too(serving):
    asked, loop = "What is at the gate?", rounds(OPENAI, 1, 20)
    with door_of(serving, OPENAI, 32_768) as door:
        with talking(door.url.service.pool, Scope()) as memory:
            begun = memory.talk.prepare(asked)
            memory.talk.record_tools(begun, loop)
        got = arrives(door, OPENAI, request(OPENAI, [user(asked), *loop]))
        with talking(door.url.service.pool, Scope()) as memory:
            assert memory.space.contexts.why(begun.id).intact
    assert got["messages"][-1]["role"] == "tool"
