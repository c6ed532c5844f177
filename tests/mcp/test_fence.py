"""0 escapes over MCP: what is stored can neither close its fence nor be read as a control token."""

import anyio
import pytest
from tests.mcp.talking import called, text_of
from tests.unit.context.injections import INJECTIONS
from tests.unit.context.reading import control_tokens, tags

from mcp import Client
from unabridged import config
from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.factory.space_pool import SpacePool
from unabridged.mcp.request_context import Caller, ToolRequests
from unabridged.mcp.server import server_of

SOME = 40
PARTS = [INJECTIONS[start : start + SOME] for start in range(0, len(INJECTIONS), SOME)]


async def _shown(client, texts):
    """Store texts in every place that a tool has for words, and give all that comes back."""
    session = None
    for text in texts:
        kept = await called(
            client,
            "record",
            user=f"Ada says {text}",
            assistant=text,
            title=text[:200],
            session=session,
        )
        session = kept["session"]
        await called(client, "correct_fact", action="add", text=f"Ada is {text}")
    answers = [
        await client.call_tool("search", {"query": "What does Ada say?", "limit": 100}),
        await client.call_tool("recent", {"session": session, "limit": 100}),
        await client.call_tool("sessions", {}),
        await client.call_tool("list_facts", {"limit": 100}),
        await client.call_tool("prepare", {"message": "Remember what Ada said?"}),
        await client.call_tool("forget", {"session": session}),
    ]
    assert not any(one.is_error for one in answers)
    read = await client.read_resource(f"unabridged://session/{session}")
    prompts = [
        await client.get_prompt("recall", {"topic": "Ada"}),
        await client.get_prompt("catch_up", {"session": session}),
    ]
    listed = [one.name for one in (await client.list_resources()).resources]
    refusal = await client.call_tool("recent", {"session": f"nowhere {texts[0]}"})
    fenced = [text_of(one) for one in answers] + [read.contents[0].text]
    fenced += [one.messages[0].content.text for one in prompts]
    blocks = [
        one["recalled"]
        for answer in (answers[0], answers[1])
        for one in answer.structured_content["exchanges"]
    ]
    return fenced, blocks, [*listed, text_of(refusal)]


@pytest.mark.parametrize("part", range(len(PARTS)))
def test_nothing_escapes(home, part):
    pool = SpacePool(config.load(home=home, environ={}, upstream="quote"))
    caller = Caller(Scope(), Grant("test"))
    texts = [one.text for one in PARTS[part]]

    async def talk():
        async with Client(server_of(ToolRequests(pool, lambda _: caller)), cache=None) as client:
            return await _shown(client, texts)

    try:
        fenced, blocks, lines = anyio.run(talk)
    finally:
        pool.close()
    assert blocks
    for said in fenced:
        read = tags(said)
        assert read[:2] == ["recalled", "recalled"], said  # the sentence that tells it, the fence
        assert read.count("recalled") == 2, said
        assert read.count("/recalled") == 1, said
        assert control_tokens(said) == [], said
    for said in blocks:
        assert tags(said).count("recalled-exchange") == 1, said
        assert control_tokens(said) == [], said
    for said in lines:
        assert tags(said) == [], said
        assert control_tokens(said) == [], said
