"""The tool that stores: ``record``."""

from dataclasses import replace
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.permissions import Right
from unabridged.domain.results import Transcript
from unabridged.domain.scope import Scope
from unabridged.domain.session import Session, title_from
from unabridged.errors import EmptyMessageError
from unabridged.mcp.request_context import Ctx, ToolRequests, session_of
from unabridged.mcp.tool_results import RecordedOut, Text as Words, result_of
from unabridged.ports import Clock
from unabridged.space.space import Space

BRANCHED = "Another program spoke in this session at the same moment: it is stored as a branch."
"""What is told of an exchange that is not on its session's path."""
WRITES = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)


def add_recording(server: MCPServer, requests: ToolRequests) -> None:
    """Add the tool that stores."""

    @server.tool(title="Record an exchange", annotations=WRITES)
    async def record(
        user: Annotated[str, Field(description="What the user said, word for word.")],
        assistant: Annotated[
            Words, Field(description="The answer, word for word; empty where none came.")
        ],
        ctx: Ctx,
        *,
        session: Annotated[
            Words,
            Field(
                description="The session that it belongs to, as `record` gave it; without it, one begins."
            ),
        ] = "",
        title: Annotated[Words, Field(max_length=200, description="Title of a new session.")] = "",
        model: Annotated[Words, Field(description="The model that answered.")] = "",
    ) -> Annotated[CallToolResult, RecordedOut]:
        """Store an exchange for good: what the user said and what was answered, word for word.

        The result names the session: give it with the next exchange of the same conversation.
        Nothing is shortened, and when this returns it survives a power cut.
        """
        said = _Said(user, assistant, model, title)
        clock = requests.pool.clock
        out = await requests.run(
            ctx, Right.WRITE, lambda m, scope: _record(m, scope, session or None, said, clock)
        )
        if out.stored:
            requests.note_recorded(ctx)
            text = f"Stored as {out.exchange} in the session {out.session}."
        else:
            text = "Not stored."
        return result_of(" ".join([text, *out.remarks]), out)


class _Said:
    """What is to be stored."""

    def __init__(self, user: str, assistant: str, model: str, title: str) -> None:
        self.user = user
        self.assistant = assistant if assistant.strip() else None
        self.model = model or None
        self.title = title_from(title)


def _record(
    space: Space, scope: Scope, wanted: str | None, said: _Said, clock: Clock
) -> RecordedOut:
    if not said.user.strip():
        raise EmptyMessageError("The user's words are missing.", hint="Give them as `user`.")
    known = session_of(space, scope, wanted)
    session, exchange = _conversation(space, scope, known, said, clock)
    imported = space.log.import_transcript(Transcript(session, (exchange,)))
    stored, remarks = bool(imported.added), [*imported.notes]
    now = space.sessions.get(session.id)
    if stored and now is not None and now.head != session.head:
        remarks.append(BRANCHED)
    return RecordedOut(
        exchange=exchange.id,
        session=session.id,
        new_session=known is None,
        stored=stored,
        remarks=remarks,
    )


def _conversation(
    space: Space, scope: Scope, known: Session | None, said: _Said, clock: Clock
) -> tuple[Session, Exchange]:
    at = clock.now()
    before = space.log.history(known.id, 1) if known else []
    user = Message(
        clock.new_id(), Role.USER, (Text(said.user),), at, parent=known.head if known else None
    )
    messages = [user]
    if said.assistant is not None:
        answer = Message(
            clock.new_id(), Role.ASSISTANT, (Text(said.assistant),), at, parent=user.id
        )
        messages.append(answer)
    session = known or Session(
        scope.session or clock.new_id(), said.title or title_from(said.user), at, at
    )
    exchange = Exchange(
        id=clock.new_id(),
        session=session.id,
        parent=before[0].id if before else None,
        state=ExchangeState.UNANSWERED if said.assistant is None else ExchangeState.COMPLETE,
        messages=tuple(messages),
        at=at,
        model=said.model or scope.model,
    )
    return replace(session, head=messages[-1].id, updated=at), exchange
