"""Pins of a client whose session memory shows: they are there, however long the session gets."""

import random

import httpx2
import pytest
from tests.helpers.talker import talking

from unabridged.domain.scope import Scope
from unabridged.testing.ollama_server import OllamaTestServer

PIN = "My aunt Ottilie keeps the spare key of the boat house."


def said(rng):
    """A message that recalls nothing, so that the history may take all that memory has."""
    words = ("".join(rng.choices("bcdfgklmnprst", k=5)) for _ in range(rng.randint(3, 9)))
    return " ".join(words)


@pytest.mark.parametrize("bound", [{"memory_cap": 200}, {"max_prompt_tokens": 300}])
def test_a_full_history_leaves_room_for_the_block_with_the_pins(serving, bound):
    rng = random.Random(5)
    with OllamaTestServer() as upstream:
        url = serving(upstream="ollama", ollama_url=upstream.url, window=2_048, **bound)
        with talking(url.service.pool, Scope()) as memory:
            memory.space.pins.add(PIN)
        for _ in range(25):
            messages = [{"role": "user", "content": said(rng)}]
            body = {"model": "llama3.2", "stream": False, "messages": messages}
            headers = {"x-unabridged-session": "desk"}
            answer = httpx2.post(f"{url}/api/chat", json=body, headers=headers, timeout=30)
            assert "Ottilie" in str(upstream.sent("/api/chat")[-1])
            with talking(url.service.pool, Scope()) as memory:
                why = memory.space.contexts.why(answer.headers["x-unabridged-context"])
            assert why.intact
            assert sum(why.ledger.parts.values()) == 2_048
            assert min(why.ledger.parts.values()) >= 0
