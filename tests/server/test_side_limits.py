"""What a program asks for itself, to summarize a conversation that fills the window, still fits it."""

import pytest
from tests.helpers.agent_talks import assistant, filler, user
from tests.helpers.client_talks import ANTHROPIC, OPENAI
from tests.helpers.front_door import opened
from tests.helpers.strict_server import StrictModel

SUMMARIZE = "Your task is to create a detailed summary of the conversation so far. <analysis>"


@pytest.mark.parametrize(("limit", "arrives"), [(32_000, None), (20, 20)])
def test_a_limit_that_the_dialect_requires_is_no_wish(serving, limit, arrives):
    talk = [user(filler(10_000)), assistant("Done."), user(filler(10_000)), assistant("Done.")]
    with opened(serving, OPENAI, models=[StrictModel(window=32_768)]) as door:
        body = {"model": "m", "max_tokens": limit, "messages": [*talk, user(SUMMARIZE)]}
        arrived = door.ask(ANTHROPIC, body)
        assert arrived.get("max_tokens") == arrives
        assert door.post(ANTHROPIC, body).headers["x-unabridged-way"] == "claude-code compaction"
