import base64
import struct

import pytest
from hypothesis import given, settings, strategies as st
from ollama import EmbedResponse, ListResponse, ShowResponse
from openai.types import CreateEmbeddingResponse, Model

from unabridged.domain.chat import Abilities
from unabridged.errors import InputError, UpstreamBrokenError
from unabridged.wire import listings


def test_models_are_told_in_both_dialects():
    rows = ListResponse.model_validate({"models": [listings.tag("m", 1_700_000_000)]})
    assert rows.models[0].model == "m"
    assert rows.models[0].modified_at.year == 2023
    row = listings.model_row("m", listings.created_of(listings.tag("m", 1_700_000_000)))
    assert Model.model_validate(row).created == 1_700_000_000
    for unsaid in ({}, {"modified_at": "yesterday"}, {"modified_at": "2026-11-22T00:00:00"}):
        assert listings.created_of(unsaid) == 0


def test_a_model_shows_what_it_can_do():
    shown = listings.shown(Abilities("m", trained_window=4096, tools=None, vision=True, family="x"))
    read = ShowResponse.model_validate(shown)
    assert read.capabilities == ["completion", "tools", "vision"]
    assert read.modelinfo["x.context_length"] == 4096
    assert listings.shown(Abilities("m", tools=False))["capabilities"] == ["completion"]


vectors = st.lists(
    st.lists(st.floats(-1, 1, width=32), min_size=2, max_size=2), min_size=1, max_size=4
)


@settings(deadline=None)
@given(vectors, st.sampled_from(["base64", "float", None]))
def test_vectors_survive_the_way_there_and_back(rows, form):
    asked = {"model": "m", "input": ["x"] * len(rows), "encoding_format": form}
    wire = listings.embeddings_of({"embeddings": rows, "prompt_eval_count": 3}, asked)
    packed = form == "base64"
    assert [_read(row["embedding"], packed=packed) for row in wire["data"]] == rows
    assert wire["usage"]["prompt_tokens"] == 3
    if not packed:
        CreateEmbeddingResponse.model_validate(wire)
        shuffled = {**wire, "data": wire["data"][::-1]}
        back = listings.embedded_of(shuffled, {"model": "m", "input": "x"})
        assert EmbedResponse.model_validate(back).embeddings == rows
        assert back["prompt_eval_count"] == 3


def _read(said, *, packed):
    return list(struct.unpack("<2f", base64.b64decode(said))) if packed else said


def test_what_cannot_be_embedded_is_refused():
    for wrong in ({}, {"input": [1, 2]}, {"input": [[1]]}, {"input": 5}):
        with pytest.raises(InputError):
            listings.embed_body(wrong)
        with pytest.raises(InputError):
            listings.embeddings_body(wrong)
    for broken in ({}, {"embeddings": [1]}, {"embeddings": "x"}):
        with pytest.raises(UpstreamBrokenError):
            listings.embeddings_of(broken, {})
    with pytest.raises(UpstreamBrokenError):
        listings.embedded_of({"data": [{"index": 0}]}, {"input": "x"})


def test_requests_for_vectors_go_over():
    assert listings.embed_body({"model": "m", "input": "x", "dimensions": 8}) == {
        "model": "m", "input": ["x"], "truncate": False, "dimensions": 8,
    }  # fmt: skip
    assert listings.embeddings_body({"model": "m", "prompt": "x"}) == {
        "model": "m", "input": ["x"], "encoding_format": "float",
    }  # fmt: skip
    assert listings.embedded_of({"data": []}, {"prompt": ""}) == {"embedding": []}
