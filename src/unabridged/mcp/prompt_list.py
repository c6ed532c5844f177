"""Prompts: ``recall`` something, and ``catch_up`` with a session."""

from typing import Annotated

from mcp.server.mcpserver import MCPServer, UserMessage
from pydantic import Field

from unabridged.mcp.operation_tools import with_session
from unabridged.mcp.request_context import Ctx, ToolRequests, errors_as_bad_parameters
from unabridged.operations.call import Call
from unabridged.operations.search import SearchBody, search
from unabridged.operations.sessions import LAST, SessionPage, list_session_exchanges
from unabridged.space.recalled_text import exchange_of, fact_of, fenced

FOUND, KNOWN, NEWEST = 8, 20, 20
"""Exchanges and facts in `recall`, and exchanges in `catch_up`, at most."""


def add_prompts(server: MCPServer, requests: ToolRequests) -> None:
    """Add the prompts."""

    @server.prompt(title="What do we know about …?")
    async def recall(
        topic: Annotated[str, Field(description="A person, a thing, a project, a question.")],
        ctx: Ctx,
    ) -> list[UserMessage]:
        """Say what was said and learned about something, with dates."""
        with errors_as_bad_parameters():
            blocks = await requests.run(
                ctx.request_context.request, lambda call: _about(call, topic)
            )
        told = fenced(blocks) if blocks else "Memory has nothing about it."
        return [
            UserMessage(
                f"{told}\n\nWhat do we know about {topic}? Answer from what was recalled, with its"
                " dates, and say what is missing or contradicts itself."
            )
        ]

    @server.prompt(title="Where were we?")
    async def catch_up(
        ctx: Ctx,
        session: Annotated[
            str, Field(description="A session: its id or title; the newest by default.")
        ] = "",
    ) -> list[UserMessage]:
        """Sum up where a conversation stopped: what was decided, and what is open."""
        with errors_as_bad_parameters():
            blocks = await requests.run(
                ctx.request_context.request, lambda call: _newest(call, session)
            )
        told = fenced(blocks) if blocks else "Nothing was said yet."
        return [
            UserMessage(
                f"{told}\n\nWhere were we? Sum up what was decided, what is open, and what comes next."
            )
        ]


def _about(call: Call, topic: str) -> list[str]:
    # A request for one session does not see facts, since these need the whole memory.
    near = call.space.facts.bearing(topic, KNOWN) if call.scope.session is None else []
    found = search(call, SearchBody(query=topic, limit=FOUND)).items
    return [*(fact_of(one.fact) for one in near), *(exchange_of(one.exchange) for one in found)]


def _newest(call: Call, session: str) -> list[str]:
    named = with_session(call, {"session": session.strip() or LAST})
    page = list_session_exchanges(call, SessionPage(limit=NEWEST, **named))
    return [exchange_of(one, one.session) for one in reversed(page.items)]
