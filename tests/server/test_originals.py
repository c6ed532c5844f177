"""A conversation that is continued from memory goes on from what the client sent, word for word."""

import httpx2
import pytest

from unabridged.domain.scope import Scope
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer

FIRST = {
    "role": "user",
    "name": "mia",
    "content": [
        {"type": "text", "text": "Look at this.", "cache_control": {"type": "ephemeral"}},
        {
            "type": "file",
            "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,QQ=="},
        },
    ],
}


@pytest.fixture
def upstream():
    with OpenAITestServer("Seen.", models=[OpenAIEntry("m")]) as server:
        yield server


def ask(served, messages, session):
    body = {"model": "m", "messages": messages}
    headers = {"X-Unabridged-Session": session}
    return httpx2.post(f"{served.v1}/chat/completions", json=body, headers=headers, timeout=30)


def test_a_client_that_sends_only_its_newest_message_continues_from_its_own_originals(
    serving, upstream
):
    served = serving(upstream="openai", openai_url=upstream.base_url)
    assert ask(served, [FIRST], "trip").status_code == 200
    assert ask(served, [{"role": "user", "content": "And now?"}], "trip").status_code == 200
    sent = upstream.sent("/v1/chat/completions")[-1]["messages"]
    assert sent[0] == FIRST
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]


def test_what_the_parts_give_back_is_stored_once(serving, upstream):
    served = serving(upstream="openai", openai_url=upstream.base_url)
    plain = {"role": "user", "content": "My cat is called Minka."}
    ask(served, [plain], "cats")
    ask(served, [FIRST], "files")

    pool = served.service.pool
    with pool.use(Scope("default", "default")) as opened:
        exchanges = [e for one in opened.sessions.all() for e in opened.log.history(one.id, 9)]
        store = opened.dependencies.store
        kept = store.originals(m.id for e in exchanges for m in e.messages)
    asked = {e.user.text.strip(): e.user.id for e in exchanges}
    assert set(kept) == {asked["Look at this."]}
