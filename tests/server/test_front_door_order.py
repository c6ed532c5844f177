"""Messages stay where the client put them, and none is added: not even a system prompt (D8, D6b)."""

import pytest
from tests.helpers.agent_talks import assistant, called, request, result, system, user
from tests.helpers.arrivals import is_same
from tests.helpers.client_talks import ANTHROPIC, OLLAMA, OPENAI, RESPONSES
from tests.helpers.front_door import opened
from tests.helpers.strict_rules import Strictness
from tests.helpers.strict_server import StrictModel

DIALECTS = pytest.mark.parametrize("dialect", [OPENAI, OLLAMA])
NUDGE = system("Continue the last message without repeating its content.")
ORDERS = {
    "author's note": [system("You are Mario."), user("Hi"), system("It is night."), user("Go on")],
    "post-history": [system("You are Mario."), user("Hi"), assistant("Yo"), user("Run"), NUDGE],
    "continue": [user("Tell me a story."), assistant("Once upon a"), NUDGE],
    "two users": [user("<environment>cwd: /work</environment>"), user("Say hello.")],
    "three users": [user("One."), user("Two."), user("Three."), assistant("Yes."), user("Four.")],
    "greeting first": [assistant("It is me, Mario!"), user("Hello, Mario.")],
    "greeting after system": [system("You are Mario."), assistant("It is me!"), user("Hi")],
    "two answers": [user("Hi"), assistant("Yo."), assistant("How are you?"), user("Fine.")],
    "prefill": [user("Write JSON."), assistant('{"name":')],
    "two systems": [system("You are Mario."), system("You like mushrooms."), user("Hi")],
    "system last": [user("Hi"), assistant("Yo."), user("Run."), system("Be brief.")],
    "only system": [system("Say hello to the visitor.")],
}


@DIALECTS
@pytest.mark.parametrize("name", ORDERS)
def test_order_stays_and_nothing_is_added(serving, dialect, name):
    messages = ORDERS[name]
    with opened(serving, dialect) as door:
        for _ in range(2):
            got = door.ask(dialect, request(dialect, messages))["messages"]
            assert [m["role"] for m in got] == [m["role"] for m in messages]
            assert all(map(is_same, messages, got))
            messages = [*messages, assistant("Yes."), user("And then?")]


def test_a_developer_message_stays_one_and_a_name_stays(serving):
    messages = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "name": "ada", "content": "Hi"},
        {"role": "assistant", "name": "mario", "content": "Yo."},
        {"role": "developer", "content": "Now at length."},
        {"role": "user", "name": "bob", "content": "And me?"},
    ]
    with opened(serving, OPENAI) as door:
        got = door.ask(OPENAI, request(OPENAI, messages))["messages"]
    assert len(got) == len(messages)
    assert all(map(is_same, messages, got))


def test_system_messages_inside_a_tool_loop_stay(serving):
    messages = [user("Read it."), called(OPENAI, 1), result(OPENAI, 1, "x = 1")]
    messages += [system("The user pressed a key."), called(OPENAI, 2), result(OPENAI, 2, "y = 2")]
    with opened(serving, OPENAI) as door:
        got = door.ask(OPENAI, request(OPENAI, messages, many_tools=3))["messages"]
    assert got[1:] == messages[1:]


def test_between_two_user_messages_of_codex_stands_nothing(serving):
    items = [
        {"type": "message", "role": "developer", "content": "Sandbox: read-only."},
        {"type": "message", "role": "user", "content": "<environment_context/>"},
        {"type": "message", "role": "user", "content": "Say hello."},
    ]
    with opened(serving, OPENAI) as door:
        got = door.ask(RESPONSES, {"model": "m", "instructions": "You code.", "input": items})
    roles = [m["role"].replace("developer", "system") for m in got["messages"]]
    assert roles == ["system", "system", "user", "user"]


@pytest.mark.parametrize(("client", "upstream"), [(OPENAI, OLLAMA), (OLLAMA, OPENAI)])
@pytest.mark.parametrize("name", ["author's note", "post-history", "three users", "prefill"])
def test_order_stays_in_translation(serving, client, upstream, name):
    messages = ORDERS[name]
    with opened(serving, upstream) as door:
        got = door.ask(client, request(client, messages))["messages"]
    assert [m["role"] for m in got] == [m["role"] for m in messages]
    assert all(map(is_same, messages, got))


@pytest.mark.parametrize("client", [OPENAI, OLLAMA, RESPONSES, ANTHROPIC])
def test_the_system_of_a_modelfile_lives(serving, client):
    """Ollama puts its SYSTEM first only where the request has no system message."""
    mario = StrictModel(system="You are Mario.")
    if client == RESPONSES:
        body = {"model": "m", "input": "Who are you?"}
    else:
        body = request(client, [user("Who are you?")])
    with opened(serving, OLLAMA, models=[mario]) as door:
        door.ask(client, request(client, [user("I live in Ghent.")]) if client == OLLAMA else body)
        got = door.ask(client, body)["messages"]
    assert [m["role"] for m in got] == ["user"]
    assert got[0]["content"].startswith("Who are you?")


@pytest.mark.parametrize("upstream", [OPENAI, OLLAMA])
def test_no_system_prompt_is_put_before_a_client_that_sent_none(serving, upstream):
    with opened(serving, upstream) as door:
        for text in ("I live in Ghent.", "Where do I live?"):
            got = door.ask(upstream, request(upstream, [user(text)]))["messages"]
            assert [m["role"] for m in got] == ["user"]


def test_templates_that_are_strict_about_order_take_what_they_took(serving):
    strict = Strictness(alternates=True, system_first=True)
    messages = [system("Be brief."), user("Hi"), assistant("Yo."), user("Where do I live?")]
    with opened(serving, OPENAI, strict=strict) as door:
        door.ask(OPENAI, request(OPENAI, [user("I live in Ghent.")]))
        door.ask(OPENAI, request(OPENAI, messages))


def test_no_field_is_added(serving):
    """Beyond the four edits there are none: no bound of the answer, no sampling."""
    with opened(serving, OPENAI) as door:
        got = door.ask(OPENAI, request(OPENAI, [user("Hi")]))
    assert got.keys() - {"stream_options", "stream"} == {"model", "messages"}


@DIALECTS
def test_fields_of_the_request_arrive_as_they_came(serving, dialect):
    fields = {"temperature": 0.25, "seed": 7, "stop": ["END"], "top_p": 0.5}
    if dialect == OLLAMA:
        more = {"options": {**fields, "mirostat": 1}, "keep_alive": "7m", "think": "high"}
        more |= {"format": {"type": "object"}, "x_client": {"a": [1]}}
    else:
        more = {**fields, "logit_bias": {"1": -1}, "metadata": {"a": "b"}, "x_client": {"a": [1]}}
        more |= {"response_format": {"type": "json_object"}, "max_completion_tokens": 77}
    with opened(serving, dialect, strict=Strictness(unknown=False)) as door:
        got = door.ask(dialect, request(dialect, [user("Hi")], many_tools=2, **more))
    options = got.get("options", {})
    assert options.items() >= more.pop("options", {}).items()
    assert got.items() >= more.items()
