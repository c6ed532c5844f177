import asyncio

import ollama
import openai
import pytest
from tests.opened import answer_also
from tests.server.clients import (
    async_ollama_client,
    async_openai_client,
    http,
    ollama_client,
    openai_client,
)

from unabridged.testing.http_server import Answered, BreakOff
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer

ENTRIES = [OllamaEntry(loaded=4096), OllamaEntry("other:1b", day=3)]


@pytest.fixture
def before_ollama(serving):
    """An Ollama with ours in front of it."""
    with OllamaTestServer(models=ENTRIES) as server:
        yield server, serving(upstream="ollama", ollama_url=server.url)


@pytest.fixture
def before_openai(serving):
    """A server of OpenAI's dialect, with a key, and ours in front of it."""
    models = [OpenAIEntry(), OpenAIEntry("org/model-2", {"max_model_len": 32_768})]
    with OpenAITestServer(models=models, key="upstream-key") as server:
        yield (
            server,
            serving(
                upstream="openai",
                openai_url=server.base_url,
                openai_key="upstream-key",
                model="test-model",
            ),
        )


# ---- Ollama behind ----------------------------------------------------------------------------


def test_the_root_says_that_ollama_is_running(before_ollama):
    _, url = before_ollama
    with http(url) as client:
        assert client.get("/").text == "Ollama is running"
        assert client.head("/").status_code == 200


def test_ollamas_listings_come_through_byte_for_byte(before_ollama):
    server, url = before_ollama
    with http(url) as ours, http(server.url) as theirs:
        for path in ("/api/tags", "/api/ps", "/api/version"):
            assert ours.get(path).content == theirs.get(path).content
            assert ours.get(path).headers["content-type"] == "application/json"
            assert (ours.head(path).status_code, ours.head(path).content) == (200, b"")
        shown = {"json": {"model": "llama3.2"}}
        assert ours.post("/api/show", **shown).content == theirs.post("/api/show", **shown).content
        missing = ours.post("/api/show", json={"model": "nobody"})
        assert missing.status_code == 404
        assert missing.json() == {"error": "model 'nobody' not found"}


def test_the_ollama_client_manages_its_models_through_ours(before_ollama, tmp_path):
    server, url = before_ollama
    with ollama_client(url) as client:
        assert [m.model for m in client.list().models] == ["llama3.2:latest", "other:1b"]
        assert [m.model for m in client.ps().models] == ["llama3.2:latest"]
        steps = list(client.pull("llama3.2", stream=True))
        assert [step.status for step in steps][-1] == "success"
        assert client.copy("llama3.2", "mine").status == "success"
        assert client.delete("other:1b").status == "success"
        file = tmp_path / "weights"
        file.write_bytes(b"\x00weights\n" * 400_000)
        digest = client.create_blob(file)
        assert server.blobs[digest] == file.read_bytes()
        with pytest.raises(ollama.ResponseError, match="not found"):
            client.delete("other:1b")
    assert [entry.name for entry in server.models] == ["llama3.2:latest", "mine:latest"]


def test_ollamas_vectors_for_both_clients(before_ollama):
    server, url = before_ollama
    with ollama_client(url) as client, openai_client(url) as other:
        both = client.embed("llama3.2", ["a", "b"]).embeddings
        assert client.embeddings("llama3.2", "a").embedding == both[0]
        made = other.embeddings.create(model="llama3.2", input=["a", "b"])
        plain = other.embeddings.create(model="llama3.2", input="b", encoding_format="float")
    assert [row.embedding for row in made.data] == [pytest.approx(row) for row in both]
    assert plain.data[0].embedding == both[1]
    assert made.usage.prompt_tokens == 2
    assert all(body["truncate"] is False for body in server.sent("/api/embed")[-2:])


def test_what_is_too_long_for_a_vector_is_refused_and_not_cut(serving):
    with OllamaTestServer(models=[OllamaEntry(trained=16)]) as server:
        url = serving(upstream="ollama", ollama_url=server.url)
        with openai_client(url) as client, pytest.raises(openai.BadRequestError) as caught:
            client.embeddings.create(model="llama3.2", input="word " * 40)
        assert "context length" in caught.value.message


def test_the_openai_client_lists_ollamas_models(before_ollama):
    _, url = before_ollama
    with openai_client(url) as client:
        found = list(client.models.list())
        assert [model.id for model in found] == ["llama3.2:latest", "other:1b"]
        assert found[1].created > found[0].created > 0
        assert client.models.retrieve("llama3.2").id == "llama3.2:latest"
        with pytest.raises(openai.NotFoundError):
            client.models.retrieve("nobody")


def test_async_clients_list_too(before_ollama):
    _, url = before_ollama

    async def listed():
        async with async_ollama_client(url) as one, async_openai_client(url) as other:
            tags = await one.list()
            return [m.model for m in tags.models], [m.id async for m in other.models.list()]

    ours, theirs = asyncio.run(listed())
    assert ours == theirs == ["llama3.2:latest", "other:1b"]


# ---- OpenAI behind ----------------------------------------------------------------------------


def test_openais_listings_come_through_with_the_configured_key(before_openai):
    server, url = before_openai
    with openai_client(url) as client:
        assert [m.id for m in client.models.list()] == ["test-model", "org/model-2"]
        assert client.models.retrieve("test-model").owned_by == "test"
        made = client.embeddings.create(model="test-model", input=["a", "b"])
        assert [row.index for row in made.data] == [0, 1]
        assert client.moderations.create(input="hello", model="test-model").results
    keys = {request.headers.get("authorization") for request in server.requests}
    assert keys == {"Bearer upstream-key"}


def test_a_clients_secrets_never_reach_the_upstream(before_openai):
    server, url = before_openai
    secret = {
        "Authorization": "Bearer client-secret",
        "X-Api-Key": "client-secret",
        "Cookie": "session=client-secret",
        "X-Unabridged-User": "client-secret",
        "Origin": str(url),
        "User-Agent": "editor/1",
    }
    with http(url) as client:
        assert client.get("/v1/models", headers=secret).status_code == 200
    last = server.requests[-1]
    assert "client-secret" not in str(last.headers)
    assert last.headers["user-agent"] == "editor/1"
    assert "origin" not in last.headers


def test_the_ollama_client_reads_an_openai_upstream(before_openai):
    _, url = before_openai
    with ollama_client(url) as client:
        found = client.list().models
        assert [m.model for m in found] == ["test-model", "org/model-2"]
        assert all(len(m.digest) == 64 for m in found)
        assert client.ps().models == []
        shown = client.show("org/model-2")
        assert "completion" in shown.capabilities
        assert shown.modelinfo["unknown.context_length"] == 32_768
        both = client.embed("test-model", ["a", "b"]).embeddings
        assert client.embeddings("test-model", "a").embedding == both[0]
        with pytest.raises(ollama.ResponseError, match="has no model") as caught:
            client.show("nobody")
        assert caught.value.status_code == 404
        with pytest.raises(ollama.ResponseError, match="has no /api/pull") as caught:
            client.pull("llama3.2")
        assert caught.value.status_code == 501


# ---- nobody behind ----------------------------------------------------------------------------


def test_without_a_server_behind_quote_is_listed(serving):
    url = serving(upstream="quote")
    with ollama_client(url) as client, openai_client(url) as other, http(url) as bare:
        assert [m.model for m in client.list().models] == ["quote"]
        assert client.show("quote").capabilities == ["completion"]
        assert client.ps().models == []
        assert [m.id for m in other.models.list()] == ["quote"]
        assert other.models.retrieve("quote").owned_by == "unabridged"
        assert bare.get("/api/version").json()["version"]
        with pytest.raises(ollama.ResponseError) as caught:
            client.embed("quote", "a")
        assert caught.value.status_code == 501
        with pytest.raises(openai.APIStatusError) as failed:
            other.embeddings.create(model="quote", input="a")
        assert failed.value.status_code == 501
        refused = bare.post("/v1/moderations", json={"input": "a"})
        assert refused.status_code == 501
        assert refused.json()["error"]["message"]


def test_an_upstream_that_is_away_is_a_bad_gateway_in_each_dialect(serving):
    with OllamaTestServer() as server:
        url = serving(upstream="ollama", ollama_url=server.url, timeout=60.0)
        with http(url) as client:
            assert client.get("/api/tags").status_code == 200
    with http(url) as client:
        ours, theirs = client.get("/api/tags"), client.get("/v1/models")
    assert ours.status_code == theirs.status_code == 502
    assert "does not answer" in ours.json()["error"]
    assert "does not answer" in theirs.json()["error"]["message"]


@pytest.mark.parametrize("path", ["/api/../v1/models", "/api/%2e%2e/secret", "/api/x/..%2f..%2fy"])
def test_no_path_climbs_out_of_the_dialect(before_ollama, path):
    from http.client import HTTPConnection

    server, url = before_ollama
    connection = HTTPConnection("127.0.0.1", url.port, timeout=30)
    connection.request("POST", path, body=b"{}")  # as it is: other clients tidy paths up
    assert connection.getresponse().status == 404
    connection.close()
    assert [request.method for request in server.requests if request.method == "POST"] == []


def test_a_body_that_is_no_json_is_told_in_the_dialect(before_openai):
    _, url = before_openai
    with http(url) as client:
        for body in (b"{", b"[]", b"[" * 100_000, b"\xff"):
            answer = client.post("/api/show", content=body)
            assert answer.status_code == 400
            assert "JSON" in answer.json()["error"]


def test_a_stream_that_breaks_off_breaks_off_for_the_client(before_ollama):
    server, url = before_ollama

    def broken():
        yield b'{"status":"pulling"}\n'
        raise BreakOff

    answer_also(server, {("POST", "/api/pull"): lambda _: Answered(broken())})
    with http(url) as client, client.stream("POST", "/api/pull", json={}) as answer:
        pieces = answer.iter_bytes()
        assert next(pieces) == b'{"status":"pulling"}\n'
        with pytest.raises(Exception, match=r"closed|disconnect|incomplete"):
            list(pieces)


def test_a_client_that_leaves_stops_the_upstream(before_ollama):
    server, url = before_ollama

    def endless():
        import time

        while True:
            yield b'{"status":"pulling"}\n'
            time.sleep(0.01)

    answer_also(server, {("POST", "/api/pull"): lambda _: Answered(endless())})
    with http(url) as client, client.stream("POST", "/api/pull", json={}) as answer:
        next(answer.iter_bytes())
    assert server.wait_for_stop(60)


@pytest.mark.parametrize("path", ["/v1/files", "/v1/responses/resp_x/cancel", "/v1/batches/a/b"])
def test_what_is_not_served_is_told_in_the_dialect(before_openai, path):
    server, url = before_openai
    server.requests.clear()
    with http(url) as client:
        answer = client.post(path, json={})
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"
    assert not [request for request in server.requests if request.path == path]
