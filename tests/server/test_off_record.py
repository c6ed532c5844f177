"""What a person says off the record is answered and never stored, in any client."""

from pathlib import Path

import httpx2
import pytest

from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer

SECRET = "The vault opens with 4711."


@pytest.fixture
def upstream():
    with OpenAITestServer("Understood.", models=[OpenAIEntry("m")]) as server:
        yield server


def ask(served, messages):
    body = {"model": "m", "messages": messages}
    return httpx2.post(f"{served.v1}/chat/completions", json=body, timeout=30)


def search(served, query):
    url = f"{served}/memory/search"
    return httpx2.post(url, json={"query": query}, headers=served.bearer).text


def on_disk(served, words):
    files = [path for path in Path(served.settings.home).rglob("*") if path.is_file()]
    return [path for path in files if words.encode() in path.read_bytes()]


@pytest.mark.parametrize("words", ["Off the record: ", "  OFF THE RECORD: "])
def test_it_is_answered_and_the_header_says_so(serving, upstream, words):
    served = serving(upstream="openai", openai_url=upstream.base_url)
    message = {"role": "user", "content": words + SECRET}
    answer = ask(served, [message])
    assert answer.status_code == 200
    assert answer.headers["x-unabridged-way"] == "off the record"
    assert upstream.sent("/v1/chat/completions")[-1]["messages"] == [message]
    assert "4711" not in search(served, "vault opens with")
    assert on_disk(served, "4711") == []


def test_it_is_not_stored_with_what_follows_it(serving, upstream):
    served = serving(upstream="openai", openai_url=upstream.base_url)
    talk = [{"role": "user", "content": f"off the record: {SECRET}"}]
    talk.append(
        {
            "role": "assistant",
            "content": ask(served, talk).json()["choices"][0]["message"]["content"],
        }
    )
    talk.append({"role": "user", "content": "My cat is called Minka."})
    answer = ask(served, talk)
    assert "x-unabridged-way" not in answer.headers
    sent = upstream.sent("/v1/chat/completions")[-1]["messages"]
    assert [m["content"] for m in sent[:2]] == [m["content"] for m in talk[:2]]
    assert on_disk(served, "4711") == []
    assert "Minka" in search(served, "cat called")


def test_the_words_are_a_setting(serving, upstream):
    served = serving(upstream="openai", openai_url=upstream.base_url, off_record="psst|entre nous")
    assert ask(served, [{"role": "user", "content": f"Psst, {SECRET}"}]).headers["x-unabridged-way"]
    plain = ask(served, [{"role": "user", "content": "Off the record: my cat is Minka."}])
    assert "x-unabridged-way" not in plain.headers
    assert on_disk(served, "4711") == []
