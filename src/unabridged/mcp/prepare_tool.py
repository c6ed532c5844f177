"""The tool that prepares: ``prepare``, the read path of the house for an agent's own model."""

import json
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from unabridged.domain.budget import Mode
from unabridged.domain.context import Context, Decision
from unabridged.domain.permissions import Right
from unabridged.domain.scope import Scope
from unabridged.mcp.request_context import Ctx, ToolRequests, session_of
from unabridged.mcp.search_tools import READS, Session
from unabridged.mcp.tool_results import ContextOut, PartOut, harmless, result_of
from unabridged.space.recalled_text import fenced, line_of, name_of
from unabridged.space.space import Space
from unabridged.turn.conversation import Conversation

_SHOWN = 20
"""Candidates that the text names; the structured content has all."""


def add_preparing(server: MCPServer, requests: ToolRequests) -> None:
    """Add the tool that prepares."""

    @server.tool(title="Prepare a context", annotations=READS)
    async def prepare(
        message: Annotated[str, Field(min_length=1, description="The user's words, whole.")],
        ctx: Ctx,
        session: Session = "",
    ) -> Annotated[CallToolResult, ContextOut]:
        """Give what memory brings to a message: messages to send to a model, and a short ledger.

        It holds what was said in the session, facts about the user, and what was recalled from
        other sessions, within the window. Only reads: nothing is stored. No message is ever cut.
        """
        out = await requests.run(
            ctx, Right.READ, lambda m, scope: _prepared(m, scope, message, session or None)
        )
        return result_of(_text(out), out)


def _prepared(space: Space, scope: Scope, message: str, wanted: str | None) -> ContextOut:
    session = session_of(space, scope, wanted)
    taken = session.id if session else None
    context = Conversation(space, taken).prepare(
        message, mode=Mode.CHAT, tools=(), reach=scope.session and (taken or scope.session)
    )
    return _out(context, taken)


def _out(context: Context, session: str | None) -> ContextOut:
    ledger = context.ledger
    rows = [
        PartOut(
            tier=row.tier.value if row.tier else None,
            kind=row.kind.value,
            id=name_of(row.id),
            decision=row.decision.value,
            tokens=row.tokens,
            reason=line_of(row.reason),
        )
        for row in ledger.rows
    ]
    return ContextOut(
        messages=[dict(message) for message in context.messages],
        session=session,
        intent=ledger.intent.value,
        window=ledger.window,
        prompt_tokens=ledger.prompt_tokens,
        parts=dict(ledger.parts),
        considered=rows,
        rest=ledger.rest_count,
    )


def _text(out: ContextOut) -> str:
    kept = [row for row in out.considered if row.decision != Decision.LEFT_OUT.value]
    lines = [
        f"{out.prompt_tokens:,} of {out.window:,} tokens; the message asks for {out.intent}.",
        f"{len(kept)} of {len(out.considered)} candidates are in it; {out.rest:,} more were not looked at.",
        *(
            f"- {row.kind} {row.id}: {row.decision}, {row.tokens} tokens ({row.reason})"
            for row in kept[:_SHOWN]
        ),
    ]
    said = [f"{json.dumps(harmless(one), ensure_ascii=False)}\n" for one in out.messages]
    return "\n".join([*lines, fenced(said)])
