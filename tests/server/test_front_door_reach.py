"""Earlier blocks of a conversation obey the reach of the key or setting that asks now."""

import httpx2
import pytest
from tests.helpers.talker import talking

from unabridged.domain.message import ToolCall
from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.home.api_keys import ApiKeys
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.replies import ScriptedReply

MODEL = "llama3.2:latest"
SECRET = "The vault of the cheese project opens with the word Ulaanbaatar."
PIN = "My aunt Ottilie keeps the spare key of the boat house."
ASKED = "What opens the vault of the cheese project?"


@pytest.fixture
def upstream(request):
    with OllamaTestServer(request.param, models=[OllamaEntry(MODEL)]) as server:
        yield server


def post(url, key, messages, **headers):
    body = {"model": MODEL, "stream": False, "messages": messages}
    headers["Authorization"] = f"Bearer {key}"
    answer = httpx2.post(f"{url}/api/chat", json=body, headers=headers, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()["message"]["content"]


CALL = {"function": {"name": "look", "arguments": {"at": "it"}}}
CALLS = ScriptedReply(calls=(ToolCall("c1", "look", '{"at": "it"}'),))
GOES_ON = [{"role": "assistant", "content": "Yes."}, {"role": "user", "content": "And now?"}]
LOOP = [
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "content": "Nothing.", "tool_name": "look"},
]


@pytest.mark.parametrize(
    ("upstream", "more"),
    [("Yes.", GOES_ON), (["Yes.", CALLS, "Yes."], LOOP)],
    indirect=["upstream"],
    ids=["later", "loop"],
)
def test_a_block_of_a_wide_key_is_not_rendered_for_a_narrow_one(serving, upstream, tmp_path, more):
    home = tmp_path / "home"
    url = serving(home=home, upstream="ollama", ollama_url=upstream.url)
    access, clock = ApiKeys(str(home)), url.service.clock
    wide = access.create(Grant("wide", user="ann"), clock.now())[1]
    narrow = access.create(Grant("narrow", user="ann", session="desk"), clock.now())[1]
    post(url, wide, [{"role": "user", "content": SECRET}])
    with talking(url.service.pool, Scope(user="ann")) as memory:
        memory.space.pins.add(PIN)
    talk = [{"role": "user", "content": ASKED}]
    post(url, wide, talk, **{"x-unabridged-session": "desk"})
    first = str(upstream.sent("/api/chat")[-1])
    assert "Ulaanbaatar" in first
    assert "Ottilie" in first
    talk += more
    post(url, narrow, talk)
    got = str(upstream.sent("/api/chat")[-1])
    assert "Ulaanbaatar" not in got
    assert "Ottilie" not in got
    post(url, wide, talk, **{"x-unabridged-session": "desk"})
    assert "Ulaanbaatar" in str(upstream.sent("/api/chat")[-1])
