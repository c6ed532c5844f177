"""The same contract for the embedded memory, for the awaited one, and for the client of a server."""

import asyncio
import inspect
import json
import socket
import threading
from contextlib import closing
from datetime import UTC, datetime

import httpx2
import pytest
from tests.helpers.memory_contract import KnowledgeContract, MemoryContract

from unabridged import AsyncMemory, Memory
from unabridged.aio import AsyncConversation, AsyncFacts, AsyncReply, AsyncRequirements
from unabridged.client import RemoteMemory
from unabridged.client.remote_conversation import RemoteConversation
from unabridged.client.remote_views import RemoteFacts, RemoteRequirements
from unabridged.domain.fact import Fact
from unabridged.domain.results import MaintenanceProgress
from unabridged.errors import (
    InputError,
    KeyRefusedError,
    NameRefusedError,
    NotFoundError,
    SettingError,
    StoreClosedError,
    UnsupportedError,
    UpstreamAwayError,
    UpstreamBrokenError,
)
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.requirements import Requirements
from unabridged.operations.operation_results import Tended
from unabridged.space.idempotency import Idempotency
from unabridged.turn.conversation import Conversation
from unabridged.wire.json_api import to_json


class TestEmbedded(MemoryContract, KnowledgeContract):
    @pytest.fixture
    def memory(self, tmp_path):
        with Memory.open(tmp_path / "home", upstream="quote") as memory:
            yield memory


class Blocking:
    """An asynchronous object as a blocking one: each call waits in an event loop."""

    def __init__(self, inner, loop):
        self.inner = inner
        self.loop = loop

    def __getattr__(self, name):
        found = getattr(self.inner, name)
        if callable(found):
            return self._waiting(found)
        views = isinstance(found, AsyncFacts | AsyncRequirements)
        return Blocking(found, self.loop) if views else found

    def _waiting(self, method):
        def call(*args, **kwargs):
            made = method(*args, **kwargs)
            if inspect.iscoroutine(made):
                made = self.loop.run_until_complete(made)
            elif hasattr(made, "__anext__"):
                made = self.loop.run_until_complete(collected(made))
            asynchronous = isinstance(made, AsyncConversation | AsyncReply)
            return Blocking(made, self.loop) if asynchronous else made

        return call


async def collected(steps):
    return [step async for step in steps]


class TestAwaited(MemoryContract, KnowledgeContract):
    @pytest.fixture
    def memory(self, tmp_path):
        loop = asyncio.new_event_loop()
        memory = loop.run_until_complete(AsyncMemory.open(tmp_path / "home", upstream="quote"))
        yield Blocking(memory, loop)
        loop.run_until_complete(memory.close())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


class TestRemote(MemoryContract, KnowledgeContract):
    @pytest.fixture
    def memory(self, serving):
        url = serving(upstream="quote")
        key = url.bearer["Authorization"].removeprefix("Bearer ")
        with RemoteMemory(str(url), key=key) as memory:
            yield memory


@pytest.fixture
def url(serving):
    return serving(upstream="quote")


def key_of(url):
    return url.bearer["Authorization"].removeprefix("Bearer ")


def test_a_wrong_key_is_told(url):
    for key in ("", "wrong"):
        with pytest.raises(KeyRefusedError) as found:
            RemoteMemory(str(url), key=key)
        assert found.value.hint


def test_users_are_kept_apart_whatever_their_script(url):
    with RemoteMemory(str(url), key=key_of(url), user="Žofie 陳") as memory:
        memory.record(memory.prepare("Mine."), "Yours.")
        assert memory.stats().space == "Žofie 陳/default"
    with RemoteMemory(str(url), key=key_of(url), user="Bob") as memory:
        assert memory.sessions() == []
    with pytest.raises(NameRefusedError):
        RemoteMemory(str(url), key=key_of(url), user="x" * 300)


def test_a_remote_conversation_has_a_head(url):
    with RemoteMemory(str(url), key=key_of(url)) as memory:
        talk = memory.conversation("tea")
        assert (talk.is_named, talk.header, talk.head) == (True, None, None)
        done = talk.record(talk.prepare("Sencha."), "Good.")
        assert talk.head == done.messages[-1].id
        assert not memory.conversation().is_named


def test_a_session_is_taken_up_by_its_name(url):
    with RemoteMemory(str(url), key=key_of(url)) as memory:
        talk = memory.conversation(title="Tea")
        talk.record(talk.prepare("Sencha."), "Good.")
    with RemoteMemory(str(url), key=key_of(url), session="Tea") as memory:
        assert memory.history()[0]["content"] == "Sencha."
    with pytest.raises(NotFoundError):
        RemoteMemory(str(url), key=key_of(url), session="Coffee")


def test_what_is_no_address_or_nobodys_is_told():
    with pytest.raises(SettingError):
        RemoteMemory("localhost:1")
    with closing(socket.socket()) as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(UpstreamAwayError):
            RemoteMemory(f"http://127.0.0.1:{port}")


def test_a_plan_is_forgotten_alone(url):
    with RemoteMemory(str(url), key=key_of(url)) as memory:
        memory.record(memory.prepare("Sencha."), "Good.")
        exchange = memory.conversation(memory.sessions()[0].session.id).history()[0].id
        plan = memory.plan_forget(exchange)
        for given in ((plan, exchange), (plan, plan)):
            with pytest.raises(InputError):
                memory.forget(*given)
        with pytest.raises(InputError):
            memory.forget(plan, search="Sencha")
        assert memory.get(exchange).id == exchange
        assert memory.forget(plan).id == plan.id


@pytest.mark.parametrize(("pages", "asked"), [(0, []), (2, [2]), (45, [20, 20, 5])])
def test_maintenance_does_as_many_pages_as_are_given(url, monkeypatch, pages, asked):
    seen = []

    def call(operation, pages):
        seen.append(pages)
        return Tended((MaintenanceProgress("facts", len(seen), 1),), done=False)

    with RemoteMemory(str(url), key=key_of(url)) as memory:
        monkeypatch.setattr(memory._wire, "call", call)
        assert len(list(memory.maintain(pages=pages))) == len(asked)
    assert seen == asked


def test_what_follows_the_table_has_the_signature_of_the_embedded_memory():
    assert inspect.signature(RemoteFacts.add) == inspect.signature(Facts.add)
    assert RemoteMemory.get.__doc__ == Memory.get.__doc__


class Peer:
    """A server that gives the answers it was told, one a connection; None closes without one."""

    def __init__(self, *answers):
        self.requests = []
        self._answers = answers
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self):
        for answer in self._answers:
            connection, _ = self._door.accept()
            with connection:
                self.requests.append(self._read(connection))
                if answer is not None:
                    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
                    connection.sendall(head.encode() + body)

    @staticmethod
    def _read(connection):
        got = b""
        while b"\r\n\r\n" not in got:
            got += connection.recv(65536)
        head, _, body = got.partition(b"\r\n\r\n")
        fields = dict(
            line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:] if ": " in line
        )
        while len(body) < int(fields.get("content-length", 0)):
            body += connection.recv(65536)
        return head.decode().split("\r\n")[0], fields, body

    def close(self):
        self._thread.join(60)
        self._door.close()


NOTHING = {"items": [], "next": None}


def test_what_writes_is_repeated_under_the_same_key_where_the_answer_is_lost():
    pin = {"id": "p", "text": "x", "at": "2026-01-01T00:00:00+00:00", "exchange": None}
    fact = json.loads(to_json(Fact("p", "x", datetime(2026, 1, 1, tzinfo=UTC))))
    with closing(Peer(NOTHING, None, pin, fact)) as peer, RemoteMemory(peer.url) as memory:
        assert memory.pin("x").id == "p"
    (_, first, said), (_, second, again) = peer.requests[1:3]
    assert first["idempotency-key"] == second["idempotency-key"]
    assert said == again


@pytest.mark.parametrize("answer", [b"<html>", b"[1]", {"items": [{"id": 3}], "next": None}])
def test_an_answer_of_something_else_is_told(answer):
    with closing(Peer(answer)) as peer, pytest.raises(UpstreamBrokenError):
        RemoteMemory(peer.url)


def test_nothing_of_the_client_needs_a_proxy_on_this_machine(url, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with RemoteMemory(str(url), key=key_of(url)) as memory:
        assert memory.stats().exchanges == 0
    with httpx2.Client(trust_env=True) as client, pytest.raises(httpx2.HTTPError):
        client.get(f"{url}/memory/stats")  # the proxy is asked, and is not there


def test_a_closed_memory_says_so(url):
    memory = RemoteMemory(str(url), key=key_of(url))
    context = memory.prepare("Hello")
    memory.close()
    for use in (
        memory.stats,
        memory.sessions,
        memory.facts.all,
        lambda: memory.prepare("Hi"),
        lambda: memory.record(context, "Hi"),
        lambda: memory.import_file(__file__),
    ):
        with pytest.raises(StoreClosedError) as found:
            use()
        assert found.value.hint


def test_what_only_an_embedded_memory_can_do_is_refused_with_a_way_to_do_it(url):
    with RemoteMemory(str(url), key=key_of(url)) as memory:
        for lacking in (
            lambda: memory.ask("Hello"),
            lambda: memory.chat("Hello"),
            lambda: memory.save,
            lambda: memory.space,
            lambda: memory.conversation().chat("Hello"),
            lambda: memory.conversation().undo(),
        ):
            with pytest.raises(UnsupportedError) as found:
                lacking()
            assert found.value.hint
        with pytest.raises(UnsupportedError, match="ask") as found:
            memory.ask("Hello")
        assert "/v1" in found.value.hint
        assert not hasattr(memory, "ask")
        with pytest.raises(AttributeError) as plain:
            memory.no_such_thing()
        assert not isinstance(plain.value, UnsupportedError)


def test_a_client_can_be_looked_at(url):
    with RemoteMemory(str(url), key=key_of(url), user="ada") as memory:
        assert repr(memory) == f"<RemoteMemory {url} 'ada'>"
        assert repr(memory.facts) == f"<RemoteFacts {url}>"
        assert repr(memory.conversation("tea")) == "<RemoteConversation tea>"
        assert key_of(url) not in repr(memory)
        assert {"topics", "shares", "spaces", "prepare", "facts"} <= set(dir(memory))
    assert len(str(inspect.signature(RemoteMemory))) < 500


@pytest.mark.parametrize("wrong", [5, None, b"http://127.0.0.1"])
def test_an_address_of_another_type_is_refused(wrong):
    with pytest.raises(InputError):
        RemoteMemory(wrong)


def test_the_address_of_the_chat_is_refused_with_the_right_one(url):
    for wrong in (f"{url}/v1", f"{url}/v1/"):
        with pytest.raises(SettingError) as found:
            RemoteMemory(wrong, key=key_of(url))
        assert "/v1" in found.value.hint


def test_an_encoded_slash_is_a_part_of_an_id(url):
    with httpx2.Client(base_url=str(url), headers=url.bearer) as client:
        said = {"user": "One", "assistant": "Yes", "session": "a/b"}
        assert client.post("/memory/exchanges", json=said).status_code == 201
        assert client.get("/memory/sessions/a%2Fb").json()["id"] == "a/b"
        assert client.get("/memory/sessions/a%2fb/exchanges").json()["items"]
        assert client.get("/memory/sessions/a/b").status_code == 404
        assert client.get("/memory/sessions/a%252Fb").status_code == 404
        for odd in ("%2e%2e", "%2E", "%2e%2e%2fsessions"):
            assert client.get(f"/memory/sessions/{odd}/exchanges").status_code == 404
        for odd in ("..", ".", "last", " "):
            body = {"message": "Hi", "session": odd}
            assert client.post("/memory/prepare", json=body).status_code == 400, odd


def test_added_messages_are_stored_once_under_one_key(url):
    body = {
        "messages": [{"role": "user", "content": "One"}, {"role": "assistant", "content": "Yes"}],
        "session": "diary",
    }
    headers = {**url.bearer, "Idempotency-Key": "k1"}
    with httpx2.Client(base_url=str(url), headers=headers) as client:
        first, again = (client.post("/memory/messages", json=body) for _ in range(2))
        assert first.status_code == again.status_code == 201
        assert first.json() == again.json()
        assert client.get("/memory/stats").json()["exchanges"] == 1
        other = {**url.bearer, "Idempotency-Key": "k2"}
        wrong = {"messages": [{"role": "user"}]}
        assert client.post("/memory/messages", json=wrong, headers=other).status_code == 400


@pytest.mark.parametrize("session", ["diary", "new"])
def test_added_messages_that_were_stored_before_a_kill_are_found(url, monkeypatch, session):
    put = Idempotency.put

    def killed(self, key, digest, what, *, done):
        if done:
            raise OSError
        put(self, key, digest, what, done=done)

    said = [{"role": "user", "content": "Two"}, {"role": "assistant", "content": "Yes"}]
    body = {"messages": said, "session": session}
    headers = {**url.bearer, "Idempotency-Key": "k"}
    with httpx2.Client(base_url=str(url), headers=url.bearer) as client:
        first = {"messages": said, "session": "diary"}
        assert client.post("/memory/messages", json=first).status_code == 201
        with monkeypatch.context() as patch:
            patch.setattr(Idempotency, "put", killed)
            assert client.post("/memory/messages", json=body, headers=headers).status_code == 500
        again = client.post("/memory/messages", json=body, headers=headers)
        assert again.status_code == 201
        (made,) = again.json()["exchanges"]
        assert made["session"] == session
        assert client.get("/memory/stats").json()["exchanges"] == 2


PAIRS = [
    (Memory, RemoteMemory),
    (Conversation, RemoteConversation),
    (Facts, RemoteFacts),
    (Requirements, RemoteRequirements),
]


def public(kind):
    return [name for name in dir(kind) if not name.startswith("_")]


@pytest.mark.parametrize(("embedded", "remote"), PAIRS)
def test_a_remote_method_takes_what_the_embedded_one_takes(embedded, remote):
    same = [name for name in public(embedded) if callable(getattr(remote, name, None))]
    assert len(same) >= 6
    for name in same:
        theirs = inspect.signature(getattr(embedded, name)).parameters
        for parameter in inspect.signature(getattr(remote, name)).parameters.values():
            assert parameter.name in theirs, (name, parameter)
            known = theirs[parameter.name]
            assert (parameter.kind, parameter.default) == (known.kind, known.default), name


def test_what_a_remote_object_lacks_says_what_to_do_instead(url):
    with RemoteMemory(str(url), key=key_of(url)) as memory:
        talk = memory.conversation()
        pairs = (Memory, memory), (Conversation, talk), (Facts, memory.facts)
        lacking = [
            (mine, name)
            for kind, mine in (*pairs, (Requirements, memory.requirements))
            for name in public(kind)
            if not hasattr(mine, name)
        ]
        assert {name for _, name in lacking} >= {"ask", "chat", "save", "space", "undo"}
        for mine, name in lacking:
            with pytest.raises(UnsupportedError, match=name) as found:
                getattr(mine, name)
            assert found.value.hint
