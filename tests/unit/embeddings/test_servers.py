"""What the two adapters send and how they read what they cannot use."""

import pytest

from unabridged.embeddings.ollama import OllamaEmbedder
from unabridged.embeddings.openai import OpenAIEmbedder
from unabridged.embeddings.prompt_prefixes import prompts_of
from unabridged.errors import (
    ModelNotFoundError,
    UpstreamAwayError,
    UpstreamBrokenError,
    UpstreamRefusedError,
)
from unabridged.testing.http_server import Answered, ProtocolServer
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer

EMBEDS = OllamaEntry("nomic-embed-text:latest", trained=2048, capabilities=("embedding",))


@pytest.fixture
def ollama():
    with OllamaTestServer(models=[EMBEDS, OllamaEntry("plain:1b")]) as server:
        yield server


def test_ollama_is_told_to_refuse_and_to_keep_the_model(ollama):
    embedder = OllamaEmbedder("plain:1b", ollama.url)
    embedder.embed(["a", "b"])
    (sent,) = [r.body for r in ollama.requests if r.path == "/api/embed"]
    assert sent["truncate"] is False
    assert sent["keep_alive"]
    assert (sent["model"], sent["input"]) == ("plain:1b", ["a", "b"])
    embedder.close()


def test_models_get_the_words_that_they_were_trained_with(ollama):
    embedder = OllamaEmbedder("nomic-embed-text", ollama.url)
    embedder.embed(["a cat", ""])
    embedder.embed_query("a cat?")
    sent = [r.body["input"] for r in ollama.requests if r.path == "/api/embed"]
    assert sent == [["search_document: a cat"], ["search_query: a cat?"]]
    assert embedder.identity.endswith("+nomic")
    embedder.close()


def test_an_identity_changes_with_the_weights(ollama):
    embedder = OllamaEmbedder("nomic-embed-text", ollama.url)
    before = embedder.identity
    assert before.startswith("ollama:nomic-embed-text:latest@")
    asked = [r.path for r in ollama.requests].count("/api/tags")
    assert embedder.identity == before
    assert [r.path for r in ollama.requests].count("/api/tags") == asked == 1
    other = OllamaEmbedder("plain:1b", ollama.url)
    assert other.identity.partition("@")[2] not in before
    embedder.close()
    other.close()


def test_ollama_without_the_model_says_how_to_get_it(ollama):
    embedder = OllamaEmbedder("bge-m3", ollama.url)
    for ask in (lambda: embedder.identity, lambda: embedder.embed(["a"])):
        with pytest.raises(ModelNotFoundError) as caught:
            ask()
        assert "ollama pull bge-m3" in caught.value.hint
    embedder.close()


def test_an_identity_is_not_guessed_while_the_server_is_away(ollama):
    embedder = OllamaEmbedder("nomic-embed-text", ollama.url)
    embedder.close()
    with OllamaTestServer(models=[EMBEDS]) as gone:
        away = OllamaEmbedder("nomic-embed-text", gone.url)
    with pytest.raises(UpstreamAwayError):
        _ = away.identity


def test_an_ollama_that_answers_something_else():
    routes = {("POST", "/api/embed"): lambda _: Answered({"embedding": [1.0]})}
    with ProtocolServer(routes) as server:
        embedder = OllamaEmbedder("m", server.url)
        with pytest.raises(UpstreamBrokenError) as caught:
            embedder.embed(["a"])
        assert caught.value.hint
        embedder.close()


def openai_answering(*rows, key="embedding"):
    data = [{"index": place, key: row} for place, row in rows]
    return {("POST", "/v1/embeddings"): lambda _: Answered({"data": data})}


def test_rows_are_put_in_the_order_of_their_indexes():
    with ProtocolServer(openai_answering((1, [0.0, 2.0]), (0, [3.0, 0.0]))) as server:
        embedder = OpenAIEmbedder("m", f"{server.url}/v1")
        assert embedder.embed(["a", "b"]).tolist() == [[1, 0], [0, 1]]
        embedder.close()


@pytest.mark.parametrize("row", ["!!!", "AAA=", None, "AAAAAAA="])
def test_vectors_that_are_none_are_told(row):
    with ProtocolServer(openai_answering((0, row))) as server:
        embedder = OpenAIEmbedder("m", f"{server.url}/v1")
        with pytest.raises(UpstreamBrokenError) as caught:
            embedder.embed(["a"])
        assert caught.value.hint
        embedder.close()


def test_openai_asks_for_base64_until_a_server_refuses_it():
    models = [OpenAIEntry("m")]
    with OpenAITestServer(models=models) as server:
        embedder = OpenAIEmbedder("m", server.base_url)
        embedder.embed(["a"])
        assert server.requests[-1].body["encoding_format"] == "base64"
        embedder.close()
    with OpenAITestServer(models=models, refuses=("encoding_format",)) as server:
        embedder = OpenAIEmbedder("m", server.base_url)
        embedder.embed(["a"])
        embedder.embed(["b"])
        assert ["encoding_format" in r.body for r in server.requests] == [True, False, False]
        embedder.close()


def test_openai_errors_are_typed():
    with OpenAITestServer(models=[OpenAIEntry("m")], key="right") as server:
        wrong = OpenAIEmbedder("m", server.base_url, key="wrong")
        with pytest.raises(UpstreamRefusedError) as refused:
            wrong.embed(["a"])
        assert refused.value.status == 401
        other = OpenAIEmbedder("other", server.base_url, key="right")
        with pytest.raises(ModelNotFoundError) as missing:
            other.embed(["a"])
        assert missing.value.hint
        right = OpenAIEmbedder("m", server.base_url, key="right")
        assert right.identity == "openai:m"
        assert right.embed(["a"]).shape == (1, right.dimension)
        for embedder in (wrong, other, right):
            embedder.close()


@pytest.mark.parametrize(
    ("model", "query"),
    [
        ("intfloat/multilingual-e5-large", "query: "),
        ("intfloat/multilingual-e5-large-instruct", ""),
        ("snowflake-arctic-embed2:latest", "query: "),
        ("nomic-embed-text:v1.5", "search_query: "),
        ("text-embedding-3-small", ""),
        ("bge-m3", ""),
    ],
)
def test_prompts_follow_the_model(model, query):
    assert prompts_of(model).query == query
