"""Resources: each session and exchange under an address of its own, listed page by page."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    Resource,
    ResourceTemplateReference,
)

from unabridged.domain.exchange import Exchange
from unabridged.domain.permissions import Right
from unabridged.domain.scope import Scope
from unabridged.errors import NotFoundError
from unabridged.mcp.request_context import (
    ASKING,
    Ctx,
    ToolRequests,
    errors_as_bad_parameters,
    session_of,
    within,
)
from unabridged.mcp.search_tools import listed, reached
from unabridged.mcp.tool_results import SessionsOut
from unabridged.space.recalled_text import exchange_of, fenced, line_of
from unabridged.space.space import Space

SESSION = "unabridged://session/{id}"
EXCHANGE = "unabridged://exchange/{id}"
MIME = "text/plain"
PAGE = 50
"""Sessions of one page of the list."""
NEWEST = 200
"""Exchanges of a session that are read at once, the newest; older ones are counted."""
COMPLETIONS = 100
"""The most that the protocol allows."""


def add_resources(server: MCPServer, requests: ToolRequests) -> None:
    """Add the resources, their list, and the completion of session ids."""

    @server.resource(
        SESSION, name="session", title="A session", mime_type=MIME,
        description=f"What was said in a session, whole: its newest {NEWEST} exchanges.",
    )  # fmt: skip
    async def session(id: str, ctx: Ctx) -> str:  # noqa: A002 - the name in the address
        """Give what was said in a session."""
        return await _read(requests, ctx, lambda m, scope: _session(m, scope, id))

    @server.resource(
        EXCHANGE, name="exchange", title="An exchange", mime_type=MIME,
        description="What the user said, with everything up to the answer, word for word.",
    )  # fmt: skip
    async def exchange(id: str, ctx: Ctx) -> str:  # noqa: A002 - the name in the address
        """Give an exchange."""
        return await _read(requests, ctx, lambda m, scope: _exchange(m, scope, id))

    @server.completion()  # type: ignore[no-untyped-call,untyped-decorator]  # the SDK leaves it untyped
    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion | None:
        """Complete the id of a session by its beginning, or by words of its title."""
        del context
        of_resource = isinstance(ref, ResourceTemplateReference) and ref.uri == SESSION
        of_prompt = isinstance(ref, PromptReference) and argument.name == "session"
        if not (of_resource or of_prompt):
            return None
        return await _completed(requests, argument.value)

    server.middleware.append(_Listing(requests))


NEEDED = {"record": Right.WRITE, "correct_fact": Right.WRITE, "forget": Right.FORGET}
"""What a tool needs beside `READ`, so that it is listed; each looks for itself when it is called."""


class _Listing:
    """Makes the lists those of whoever asks: their sessions, and the tools that their key allows.

    The SDK's own lists are the same for everybody; so they are changed behind it.
    """

    def __init__(self, requests: ToolRequests) -> None:
        self._requests = requests

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        before = ASKING.set(ctx.request)
        try:
            result = await call_next(ctx)
            if not isinstance(result, dict):
                return result
            if ctx.method == "tools/list":
                rights = self._requests.caller(ctx.request).grant.rights
                kept = [t for t in result["tools"] if NEEDED.get(t["name"], Right.READ) in rights]
                return {**result, "tools": kept}
            if ctx.method != "resources/list":
                return result
            cursor = (ctx.params or {}).get("cursor")
            return {**result, **await self._page(ctx.request, cursor)}
        finally:
            ASKING.reset(before)

    async def _page(self, request: Any, cursor: str | None) -> dict[str, Any]:
        with errors_as_bad_parameters():
            page: SessionsOut = await self._requests.run_for(
                self._requests.caller(request),
                Right.READ,
                lambda space, scope: listed(space, scope, PAGE, cursor),
            )
        found = [
            Resource(
                uri=SESSION.replace("{id}", quote(one.id, safe="")),
                name=one.title or one.id,
                description=f"{one.exchanges} exchanges, last on {one.updated:%Y-%m-%d}",
                mime_type=MIME,
            ).model_dump(mode="json", by_alias=True, exclude_none=True)
            for one in page.sessions
        ]
        return {"resources": found} | ({"nextCursor": page.next} if page.next else {})


async def _read(requests: ToolRequests, ctx: Ctx, work: Callable[[Space, Scope], str]) -> str:
    try:
        return await requests.run(ctx, Right.READ, work)
    except ToolError as error:
        known = isinstance(error.__cause__, NotFoundError)
        raise (ResourceNotFoundError if known else ResourceError)(str(error)) from error


def _session(space: Space, scope: Scope, wanted: str) -> str:
    found = session_of(space, scope, wanted)
    if found is None or found.id != wanted:
        raise NotFoundError(f"There is no session {wanted!r}.", hint="List the resources.")
    path = space.log.history(found.id, NEWEST + 1)
    older = "There are older ones: `search` finds them.\n" if len(path) > NEWEST else ""
    title = line_of(found.title)
    blocks = [exchange_of(one, found.id) for one in path[-NEWEST:]]
    return fenced([f"{title}\n{older}", *blocks])


def _exchange(space: Space, scope: Scope, wanted: str) -> str:
    found: Exchange = within(scope, space.log.get(wanted))
    return fenced([exchange_of(found, scope.session)])


async def _completed(requests: ToolRequests, begun: str) -> Completion:
    def matching(space: Space, scope: Scope) -> list[str]:
        words = begun.casefold()
        return [
            one.session.id
            for one in reached(space, scope)
            if one.session.id.startswith(begun) or (words and words in one.session.title.casefold())
        ]

    with errors_as_bad_parameters():
        found = await requests.run_for(requests.caller(ASKING.get()), Right.READ, matching)
    more = len(found) > COMPLETIONS
    return Completion(values=found[:COMPLETIONS], total=len(found), has_more=more)
