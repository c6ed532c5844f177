"""A window that nobody told is a guess: it refuses and condenses nothing, the server does."""

import httpx2
import pytest

from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer

LONG = [
    {"role": "user", "content": "Read this: " + "one two three four five six " * 900},
    {"role": "assistant", "content": "Done."},
    {"role": "user", "content": "And now?"},
]


@pytest.fixture
def start(serving):
    """Give a function that starts our server before one that says nothing of its window."""
    opened = []

    def begin(window, **settings):
        opened.append(OpenAITestServer("Yes.", models=[OpenAIEntry("some-model")], window=window))
        served = serving(upstream="openai", openai_url=opened[-1].base_url, **settings)
        return served, opened[-1]

    yield begin
    for server in opened:
        server.close()


def ask(served, messages):
    body = {"model": "some-model", "messages": messages}
    return httpx2.post(f"{served.v1}/chat/completions", json=body, timeout=30)


@pytest.mark.parametrize("fit", ["refuse", "condense"])
def test_a_request_beyond_the_guess_is_sent_whole(start, fit):
    served, upstream = start(100_000, fit=fit)
    answer = ask(served, LONG)
    assert answer.status_code == 200, answer.text
    assert "x-unabridged-left-out" not in answer.headers
    sent = upstream.sent("/v1/chat/completions")[-1]["messages"]
    assert [m["content"] for m in sent] == [m["content"] for m in LONG]


def test_once_the_server_refused_its_window_counts(start):
    served, upstream = start(5_000)
    answer = ask(served, LONG)
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-unabridged-left-out"].startswith("messages=2,")
    assert len(upstream.sent("/v1/chat/completions")) == 2
    assert ask(served, LONG).status_code == 200
    assert len(upstream.sent("/v1/chat/completions")) == 3
