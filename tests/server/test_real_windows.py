"""What the server sends to a model without a known tokenizer fits, by real vocabularies."""

import random

import httpx2
import pytest
from tests.helpers import vocabularies
from tests.helpers.odd_texts import odd_text

from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer

WINDOW, MODEL = 8_192, "local-model"
PER_MESSAGE, PER_PROMPT = 5, 3
"""Template tokens that ChatML takes."""


@pytest.mark.parametrize("kind", ["random marks", "nested json", "sql dump", "jsfuck", "mixture"])
def test_a_request_of_odd_texts_arrives_within_the_window_or_is_refused(serving, kind):
    rng = random.Random(kind)
    talk = [
        {"role": role, "content": odd_text(rng, kind, 1_500) + "."}
        for _ in range(14)
        for role in ("user", "assistant")
    ]
    with OpenAITestServer(models=[OpenAIEntry(MODEL)], window=10 * WINDOW) as upstream:
        url = serving(upstream="openai", openai_url=upstream.base_url, window=WINDOW)
        with httpx2.Client(timeout=30) as client:
            for size in (300, 4_000, 12_000):
                message = {"role": "user", "content": odd_text(rng, kind, size) + "\nWhat is it?"}
                body = {"model": MODEL, "messages": [*talk, message]}
                answer = client.post(f"{url}/v1/chat/completions", json=body)
                assert answer.status_code in (200, 400), answer.text[:200]
        arrived = [each.body["messages"] for each in upstream.requests if "chat" in each.path]
    assert arrived
    for messages in arrived:
        texts = [str(message["content"]) for message in messages]
        for name in vocabularies.names():
            real = sum(vocabularies.counter(name)(text) + PER_MESSAGE for text in texts)
            assert real + PER_PROMPT <= WINDOW, name
