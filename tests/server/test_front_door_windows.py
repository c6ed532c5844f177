"""One window for all requests of an Ollama model, which grows where it must and never shrinks (D6).

Nothing here loads a model: the upstream notes which window it was asked for, and tells what of it
is in GPU memory.
"""

import re

import pytest
from tests.helpers.agent_talks import assistant, filler, request, system, user
from tests.helpers.arrivals import is_context_error, is_same
from tests.helpers.client_talks import OLLAMA, OPENAI
from tests.helpers.front_door import opened
from tests.helpers.strict_server import StrictModel

USUAL, TRAINED = 16_384, 131_072
TITLE = (
    "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n"
    '### Output:\nJSON format: { "title": "your concise title here" }\n'
    "### Chat History:\n<chat_history>\nUSER: Hi\nASSISTANT: Yes.\n</chat_history>"
)


def asked(door, tokens=20, **fields):
    """Send a message of about so many tokens; give the window that the upstream was asked for."""
    body = request(OLLAMA, [user(filler(tokens, "Read this file."))], **fields)
    return door.ask(OLLAMA, body)["options"]["num_ctx"]


def trained(**more):
    return [StrictModel(window=TRAINED, **more)]


@pytest.mark.parametrize("client", [OPENAI, OLLAMA])
def test_side_requests_ask_for_the_same_window(serving, client):
    """Open WebUI: a title, an answer, follow-ups, tags; another window would load it again."""
    with opened(serving, OLLAMA, models=trained()) as door:
        messages = [user("Hi"), assistant("Yes."), user("And now?")]
        for each in ([user(TITLE)], messages[:1], messages, [user(TITLE)]):
            door.ask(client, request(client, each))
        windows = {chat.body["options"]["num_ctx"] for chat in door.server.accepted}
        assert windows == {USUAL}
        assert len(door.server.loads) == 1


def test_ollama_is_always_told_not_to_shorten(serving):
    with opened(serving, OLLAMA, models=trained()) as door:
        asked(door)
        door.ask(OPENAI, request(OPENAI, [user("Hi")]))
        bodies = [chat.body for chat in door.server.accepted]
    assert [body["truncate"] for body in bodies] == [False, False]
    assert [body["shift"] for body in bodies] == [False, False]


def test_the_window_doubles_to_what_fits_and_never_shrinks(serving):
    with opened(serving, OLLAMA, models=trained(gpu=TRAINED)) as door:
        assert asked(door) == USUAL
        assert asked(door, 20_000) == 2 * USUAL
        assert asked(door) == 2 * USUAL
        assert asked(door, 40_000) == 4 * USUAL
        assert asked(door, 18_000) == 4 * USUAL
        assert [window for _, window in door.server.loads] == [USUAL, 2 * USUAL, 4 * USUAL]
        assert door.server.cut == []


def test_tools_and_history_make_it_grow(serving):
    """Open WebUI's 17 tools; each arrives."""
    messages = [system("Be brief."), user(filler(6_000, "Read.")), assistant("Yes."), user("And?")]
    body = request(OLLAMA, messages, many_tools=17, tool_tokens=800)
    with opened(serving, OLLAMA, models=trained()) as door:
        got = door.ask(OLLAMA, body)
    assert got["options"]["num_ctx"] == 2 * USUAL
    assert got["tools"] == body["tools"]
    assert all(map(is_same, messages, got["messages"]))


def test_without_a_gpu_it_grows_to_32k_and_then_fit_decides(serving):
    with opened(serving, OLLAMA, models=trained(), fit="refuse") as door:
        assert asked(door, 20_000) == 2 * USUAL
        answer = door.post(OLLAMA, request(OLLAMA, [user(filler(40_000, "Read."))]))
        assert is_context_error(OLLAMA, answer.status_code, answer.text), answer.text
        assert max(window for _, window in door.server.loads) == 2 * USUAL


def test_it_stays_wholly_in_the_memory_of_the_gpu(serving):
    """64k was shown partly outside it, so 32k is the last step."""
    with opened(serving, OLLAMA, models=trained(gpu=40_000), fit="refuse") as door:
        asked(door)
        asked(door, 20_000)
        for _ in range(3):
            door.post(OLLAMA, request(OLLAMA, [user(filler(40_000, "Read."))]))
        assert door.server.loads[-1][1] <= 4 * USUAL
        door.post(OLLAMA, request(OLLAMA, [user(filler(80_000, "Read."))]))
        assert max(window for _, window in door.server.loads) <= 4 * USUAL


def test_it_does_not_grow_beyond_what_the_model_was_trained_for(serving):
    with opened(serving, OLLAMA, models=[StrictModel(window=24_000, gpu=TRAINED)]) as door:
        assert asked(door, 16_500) == 24_000
        answer = door.post(OLLAMA, request(OLLAMA, [user(filler(30_000, "Read."))]))
        assert is_context_error(OLLAMA, answer.status_code, answer.text), answer.text


def test_it_does_not_grow_beyond_window_max(serving):
    with opened(serving, OLLAMA, models=trained(gpu=TRAINED), window_max=32_768) as door:
        assert asked(door, 20_000) == 32_768
        answer = door.post(OLLAMA, request(OLLAMA, [user(filler(40_000, "Read."))]))
        assert is_context_error(OLLAMA, answer.status_code, answer.text), answer.text
        assert max(window for _, window in door.server.loads) == 32_768


def test_a_load_that_fails_goes_back_a_step_and_is_remembered(serving):
    with opened(serving, OLLAMA, models=trained(loads=20_000)) as door:
        asked(door)
        for _ in range(2):
            answer = door.post(OLLAMA, request(OLLAMA, [user(filler(20_000, "Read."))]))
            assert is_context_error(OLLAMA, answer.status_code, answer.text), answer.text
        failed = [chat for chat in door.server.chats if chat.status == 500]
        assert len(failed) == 1
        assert asked(door) == USUAL


def test_the_clients_own_window_wins(serving):
    with opened(serving, OLLAMA, models=trained(gpu=TRAINED)) as door:
        assert asked(door, options={"num_ctx": 24_576}) == 24_576
        assert asked(door, options={"num_ctx": 4_096}) == 4_096
        body = request(OLLAMA, [user(filler(8_000, "Read."))], options={"num_ctx": 4_096})
        answer = door.post(OLLAMA, body)
        assert is_context_error(OLLAMA, answer.status_code, answer.text), answer.text


@pytest.mark.parametrize("dialect", [OPENAI, OLLAMA])
def test_a_refusal_says_how_much_is_missing(serving, dialect):
    """In the words that LiteLLM and others look for, with numbers that programs can read (D7)."""
    body = request(dialect, [user(filler(12_000, "Read this."))])
    with opened(serving, dialect, models=[StrictModel(window=8_192)]) as door:
        answer = door.post(dialect, body)
    error = answer.json()["error"]
    text = error if isinstance(error, str) else error["message"]
    assert answer.status_code == 400
    words = {
        OPENAI: r"This model's maximum context length is 8192 tokens",
        OLLAMA: r"request \(\d+ tokens\) exceeds the available context size \(8192 tokens\)",
    }
    assert re.match(words[dialect], text)
    numbers = [int(number) for number in re.findall(r"\d+", text.replace(",", ""))]
    assert any(3_000 <= number <= 20_000 and number != 8_192 for number in numbers)
