"""Prompts: ``recall`` what is known of something, and ``catch_up`` with a session."""

from typing import Annotated

from mcp.server.mcpserver import MCPServer, UserMessage
from pydantic import Field

from unabridged.domain.permissions import Right
from unabridged.domain.scope import Scope
from unabridged.mcp.request_context import Ctx, ToolRequests, errors_as_bad_parameters
from unabridged.mcp.search_tools import newest_of
from unabridged.space.recalled_text import exchange_of, fact_of, fenced
from unabridged.space.space import Space

FOUND, KNOWN, LAST = 8, 20, 20
"""Exchanges and facts that `recall` brings, and exchanges that `catch_up` brings, at most."""


def add_prompts(server: MCPServer, requests: ToolRequests) -> None:
    """Add the prompts."""

    @server.prompt(title="What do we know about …?")
    async def recall(
        topic: Annotated[str, Field(description="A person, a thing, a project, a question.")],
        ctx: Ctx,
    ) -> list[UserMessage]:
        """Say what was said and learned about something, with dates."""
        with errors_as_bad_parameters():
            blocks = await requests.run(ctx, Right.READ, lambda m, scope: _about(m, scope, topic))
        told = fenced(blocks) if blocks else "Memory holds nothing that bears on it."
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
                ctx, Right.READ, lambda m, scope: _last(m, scope, session or None)
            )
        told = fenced(blocks) if blocks else "Nothing was said yet."
        return [
            UserMessage(
                f"{told}\n\nWhere were we? Sum up what was decided, what is open, and what comes next."
            )
        ]


def _about(space: Space, scope: Scope, topic: str) -> list[str]:
    near = space.facts.bearing(topic, KNOWN) if scope.session is None else []
    facts = [fact_of(one.fact) for one in near]
    found = [one.exchange for one in space.search(topic, FOUND)]
    return facts + [exchange_of(one) for one in found if scope.session in {None, one.session}]


def _last(space: Space, scope: Scope, wanted: str | None) -> list[str]:
    session, path = newest_of(space, scope, wanted, LAST)
    return [exchange_of(one, session.id if session else None) for one in path]
