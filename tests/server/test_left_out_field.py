"""What was left out of a request is counted in the answer too, where official clients can read it."""

import json
import re

import anthropic
import httpx2
import pytest
from tests.helpers.agent_talks import assistant, filler, request, system, user
from tests.helpers.arrivals import LEFT_OUT, PATHS
from tests.helpers.client_talks import ANTHROPIC, OLLAMA, OPENAI, RESPONSES
from tests.helpers.front_door import HEADERS, opened
from tests.helpers.strict_server import StrictModel
from tests.server.clients import ollama_client, openai_client

SAID = 'It is "message":{"done":true}, {there}.'
LONG = [m for n in range(20) for m in (user(filler(400, f"{n}?")), assistant(filler(400, "Yes.")))]
ASKED = [*LONG, user("And now?")]
UPSTREAMS = pytest.mark.parametrize("upstream", [OPENAI, OLLAMA, ANTHROPIC])
STREAMS = pytest.mark.parametrize("stream", [True, False])


def door_of(serving, upstream):
    return opened(serving, upstream, SAID, models=[StrictModel(window=8_192)], fit="condense")


def left_out(headers):
    found = LEFT_OUT.fullmatch(headers["x-unabridged-left-out"])
    return {"left_out": {"messages": int(found[1]), "tokens": int(found[2])}}


def by_openai(url, stream):
    with openai_client(url) as client:
        made = client.chat.completions.with_raw_response
        raw = made.create(model="m", messages=ASKED, stream=stream)
        answer = raw.parse()
        if not stream:
            return raw.headers, answer.unabridged, answer.choices[0].message.content
        chunks = list(answer)
        said = "".join(each.choices[0].delta.content or "" for each in chunks if each.choices)
        assert not any("unabridged" in each.model_extra for each in chunks[1:])
        return raw.headers, chunks[0].unabridged, said


def by_responses(url, stream):
    with openai_client(url) as client:
        raw = client.responses.with_raw_response.create(model="m", input=ASKED, stream=stream)
        answer = raw.parse()
        if stream:
            events = [each for each in answer if hasattr(each, "response")]
            assert [each.type for each in events][-1] == "response.completed"
            assert len({json.dumps(each.response.unabridged) for each in events}) == 1
            answer = events[-1].response
        return raw.headers, answer.unabridged, answer.output_text


def by_anthropic(url, stream):
    with anthropic.Anthropic(base_url=str(url), api_key="any", max_retries=0) as client:
        body = {"model": "m", "messages": ASKED, "max_tokens": 400}
        if stream:
            with client.messages.stream(**body) as came:
                answer = came.get_final_message()
                return came.response.headers, answer.unabridged, answer.content[0].text
        raw = client.messages.with_raw_response.create(**body)
        answer = raw.parse()
        return raw.headers, answer.unabridged, answer.content[0].text


def by_ollama(url, stream):
    """Its client has no place for other fields, and reads the rest."""
    with ollama_client(url) as client:
        came = client.chat("m", ASKED, stream=stream)
        said = "".join(each.message.content for each in (came if stream else [came]))
    body = {"model": "m", "messages": ASKED, "stream": stream}
    raw = httpx2.post(f"{url}/api/chat", json=body, timeout=30)
    *lines, last = map(json.loads, raw.text.strip().splitlines())
    assert [line for line in lines if "unabridged" in line] == []
    return raw.headers, last["unabridged"], said


@UPSTREAMS
@STREAMS
@pytest.mark.parametrize("client", [by_openai, by_responses, by_anthropic, by_ollama])
def test_official_clients_read_it(serving, upstream, stream, client):
    with door_of(serving, upstream) as door:
        headers, field, said = client(door.url, stream)
    assert field == left_out(headers)
    assert said == SAID


@STREAMS
@pytest.mark.parametrize("dialect", [OPENAI, OLLAMA, ANTHROPIC])
def test_all_other_bytes_pass(serving, dialect, stream):
    body = request(dialect, ASKED, stream=stream)
    if dialect == OPENAI and stream:
        body["stream_options"] = {"include_usage": True}
    with door_of(serving, dialect) as door:
        answer = door.post(dialect, body)
        sent, where = door.server.accepted[-1].raw, f"{door.server.url}{PATHS[dialect]}"
        direct = httpx2.post(where, content=sent, headers=HEADERS, timeout=30)
    field = json.dumps({"unabridged": left_out(answer.headers)}, separators=(",", ":"))
    assert answer.text.count(field[1:-1] + ",") == 1
    assert counted(answer.text.replace(field[1:-1] + ",", "")) == counted(direct.text)


def counted(text):
    """A text without the counts and ids that differ from answer to answer."""
    return re.sub(r"\d+", "0", text)


@STREAMS
@pytest.mark.parametrize("upstream", [OPENAI, OLLAMA])
@pytest.mark.parametrize("dialect", [OPENAI, OLLAMA, ANTHROPIC, RESPONSES])
def test_nothing_is_added_when_nothing_was_left_out(serving, upstream, dialect, stream):
    messages = [user("Hello")] if dialect == ANTHROPIC else [system("Be brief."), user("Hello")]
    body = request(dialect, messages, stream=stream)
    if dialect == RESPONSES:
        body["input"] = body.pop("messages")
    with door_of(serving, upstream) as door:
        answer = door.post(dialect, body)
        assert answer.status_code == 200
        assert "x-unabridged-left-out" not in answer.headers
        assert '"unabridged"' not in answer.text
