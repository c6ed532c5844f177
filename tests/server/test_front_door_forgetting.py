"""Forgetting what a running conversation contains, also while its requests are answered."""

import threading

import httpx2
import pytest
from tests.helpers.talker import talking

from unabridged.context.earlier_blocks import ClientManifests
from unabridged.domain.record import RecordKind
from unabridged.domain.scope import Scope
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer

SECRET = "Zanzibarquux"
CHAT = "/v1/chat/completions"


@pytest.fixture
def upstream():
    with OpenAITestServer("Yes.", models=[OpenAIEntry("m")], window=100_000) as server:
        yield server


def ask(url, talk, text, **headers):
    """Ask in a talk, and add message and answer to it."""
    talk.append({"role": "user", "content": text})
    body = {"model": "m", "messages": talk}
    answer = httpx2.post(f"{url}{CHAT}", json=body, headers=headers, timeout=60)
    assert answer.status_code == 200, answer.text
    talk.append({"role": "assistant", "content": "Yes."})
    return answer.headers["x-unabridged-context"]


def forget(url, *names):
    with talking(url.service.pool, Scope()) as memory:
        memory.forget(*names)


def test_a_condensation_made_from_a_forgotten_exchange_goes(serving, upstream, tmp_path):
    url = serving(upstream="openai", openai_url=upstream.base_url, window=2_048, fit="condense")
    said = (
        "Turn {0}: the {1} of room {0} costs {0} euros, and must never be sold below {0} dollars. "
    )
    talk = []
    names = [ask(url, talk, said.format(n, SECRET if n == 2 else "lamp") * 2) for n in range(50)]
    sent = str(upstream.sent(CHAT)[-1])
    assert "condensed" in sent
    assert SECRET in sent
    forget(url, names[2])
    ask(url, talk, "And now, what of it?")  # the client still sends the forgotten exchange
    assert "condensed" in str(upstream.sent(CHAT)[-1])
    assert SECRET not in str(upstream.sent(CHAT)[-1])
    held = (path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file())
    assert not any(SECRET.encode() in data for data in held)


def test_requests_are_answered_while_what_they_follow_is_forgotten(serving, upstream):
    url = serving(upstream="openai", openai_url=upstream.base_url)
    talk = []
    names = [ask(url, talk, f"What is the port of module {n} of the gateway?") for n in range(8)]
    failed = []

    def asking(n):
        try:
            ask(url, list(talk), f"And the port of module {n} of the gateway, is it the same?")
        except AssertionError as error:
            failed.append(error)

    threads = [threading.Thread(target=asking, args=(n,)) for n in range(10)]
    threads += [threading.Thread(target=forget, args=(url, name)) for name in names[-1:3:-1]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


class Watched:
    """A store whose reads of contexts are counted."""

    def __init__(self, store):
        self._store, self.read = store, []

    def __getattr__(self, name):
        return getattr(self._store, name)

    def records(self, kind, **asked):
        if kind is RecordKind.CONTEXT:
            self.read.append(list(asked["ids"]))
        return self._store.records(kind, **asked)


def test_the_manifests_of_a_conversation_are_read_once_and_dropped_by_a_forgetting(
    serving, upstream
):
    url = serving(upstream="openai", openai_url=upstream.base_url)
    talk = []
    names = [ask(url, talk, f"What is the port of module {n} of the gateway?") for n in range(4)]
    with talking(url.service.pool, Scope()) as memory:
        store = Watched(memory.space.dependencies.store)
        path = list(store.get(names).values())
        manifests = ClientManifests(store)
        first = manifests.of(path[:3])
        assert set(first) == set(names[:3])
        assert set(manifests.of(path)) == set(names)
        assert store.read == [names[:3], names[3:]]
        memory.forget(names[1])
        assert set(manifests.of([path[0], *path[2:]])) == {names[0], *names[2:]}
        assert store.read[-1] == [names[0], *names[2:]]
        assert names[1] not in manifests.of(path)
