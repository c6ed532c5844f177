"""A person's ways with a real model."""

import json
from datetime import UTC, datetime

import pytest
from tests.journeys.test_companion import bring, told
from tests.journeys.test_workspace import LARGE

from unabridged.net.llama_cpp import start_server


@pytest.mark.long
def test_a_real_model_is_asked_with_what_was_said(house, smollm2, tmp_path):
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(smollm2)
    params.n_ctx = 2048
    params.n_parallel = 1
    params.verbosity = -1
    params.sampling.temp = 0.0
    running = start_server(params)
    one = house("http://localhost:1", "companion")
    rows = [row for row in told(datetime.now(UTC)) if row["session"] in {"ago-41", "ago-36"}]
    bring(one, tmp_path / "dog.jsonl", rows)
    url = f"{running.listening_address}/v1"
    words = (
        "--upstream",
        "openai",
        "--set",
        f"openai_url={url}",
        "--set",
        "window=2048",
        "--set",
        "max_output=24",
    )
    said = one.run(
        "ask", "--new", *words, "--set", "model=auto", "Remember my dog? What is he called?"
    )
    assert "Bruno" in said
    why = one.data("why")
    assert sum(why["parts"].values()) == 2048
    assert why["usage"]["prompt"] > 500
    del running


@pytest.fixture(scope="module")
def llama_cpp(smollm2):
    """llama.cpp's own HTTP server with a small model."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(smollm2)
    params.n_ctx = 2048
    params.n_parallel = 1
    params.verbosity = -1
    running = start_server(params)
    yield f"{running.listening_address}/v1"
    del running


@pytest.mark.long
def test_a_real_model_over_http_has_a_memory_of_its_own(house, llama_cpp, server):
    place = house(server.url, "workspace")
    real = ("--openai", llama_cpp, "--model", "smollm2", "--set", "max_output=24")
    place.run("ask", *real, "My dog is called Waldi and he loves the sea.")
    place.run("ask", "--model", LARGE, "My cat is called Ada.")
    place.run("ask", *real, "--new", "What is my dog called?")
    document = json.loads((place.home / "memory" / "smollm2.json").read_text("utf-8"))
    assert document["metadata"]["model"] == "smollm2"
    assert document["metadata"]["total_exchanges"] == 2
    assert document["metadata"]["context_window"] == 2048  # the server says it
    assert document["current_conversation"][0]["assistant"]["content"].strip()
    told = place.data("why", "--model", "smollm2")
    assert told["usage"]["prompt"] <= 2048 - 24
    prompt = place.run("why", "--model", "smollm2", "--prompt")
    assert "My dog is called Waldi" in prompt
    assert "Ada" not in prompt
