"""llama.cpp's own HTTP server as a real OpenAI-compatible server of embeddings."""

import secrets

import numpy as np
import pytest

from unabridged import errors
from unabridged.embeddings import server_embedder
from unabridged.embeddings.openai import OpenAIEmbedder
from unabridged.embeddings.server_embedder import halve
from unabridged.net.llama_cpp import start_server
from unabridged.testing.embedders import NEAR, TEXTS


@pytest.fixture(scope="module")
def llama_cpp(smollm2):
    """Its server with a chat model as embedder, which takes 64 tokens at once: address and key."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(smollm2)
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    params.n_ctx = 512
    params.n_batch = params.n_ubatch = 64
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.n_parallel = 1
    params.verbosity = -1
    key = secrets.token_hex(8)
    params.api_keys = [key]
    server = start_server(params)
    yield f"{server.listening_address}/v1", key
    del server


def test_llama_cpp_embeds(llama_cpp):
    url, key = llama_cpp
    embedder = OpenAIEmbedder("any", url, key=key)
    made = embedder.embed([*TEXTS, ""])
    assert made.shape == (len(TEXTS) + 1, embedder.dimension)
    assert embedder.dimension == 576
    assert np.linalg.norm(made[:-1], axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-4)
    assert embedder.embed(TEXTS[:1])[0] == pytest.approx(made[0], abs=0.01)
    assert np.isfinite(embedder.embed_query(NEAR)).all()
    embedder.close()


def test_llama_cpps_refusal_for_length_leads_to_halves(llama_cpp, monkeypatch):
    """It refuses what exceeds its batch with status 500 and words of its own."""
    url, key = llama_cpp
    halved = []
    monkeypatch.setattr(server_embedder, "halve", lambda text: halved.append(text) or halve(text))
    embedder = OpenAIEmbedder("any", url, key=key)
    made = embedder.embed(["The sea and the sky. " * 20, TEXTS[0]])
    assert np.linalg.norm(made, axis=1) == pytest.approx(np.ones(2), abs=1e-4)
    assert halved
    embedder.close()


def test_llama_cpp_with_a_wrong_key(llama_cpp):
    embedder = OpenAIEmbedder("any", llama_cpp[0], key="wrong")
    with pytest.raises(errors.UpstreamRefusedError) as caught:
        embedder.embed(["a"])
    assert caught.value.status == 401
    embedder.close()
