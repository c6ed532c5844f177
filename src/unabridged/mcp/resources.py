"""Resources: sessions and exchanges by their addresses; lists that fit the caller."""

from collections.abc import Callable, Mapping
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

from unabridged.domain.permissions import Right
from unabridged.domain.short_repr import counted
from unabridged.errors import NotFoundError
from unabridged.mcp.request_context import REQUEST, Ctx, ToolRequests, errors_as_bad_parameters
from unabridged.operations.call import Call
from unabridged.operations.exchanges import get_exchange
from unabridged.operations.operation import MOST_A_PAGE
from unabridged.operations.sessions import (
    SessionList,
    SessionPage,
    list_session_exchanges,
    list_sessions,
)
from unabridged.space.recalled_text import exchange_of, fenced, line_of

SESSION = "unabridged://session/{id}"
EXCHANGE = "unabridged://exchange/{id}"
MIME = "text/plain"
PAGE = 50
"""Sessions of one page of the list."""
NEWEST = MOST_A_PAGE
"""The newest exchanges of a session, which one resource contains at most."""
COMPLETIONS = 100
"""Completions of one answer; the protocol allows no more."""


def add_resources(
    server: MCPServer, requests: ToolRequests, rights: Mapping[str, frozenset[Right]]
) -> None:
    """Add the resources, their list, and the completion of session ids.

    Args:
        server: The server.
        requests: Runs the calls.
        rights: The rights that each tool needs, by its name. A tool that the key does not allow is
            not listed.
    """

    @server.resource(
        SESSION, name="session", title="A session", mime_type=MIME,
        description=f"What was said in a session, whole: its newest {NEWEST} exchanges.",
    )  # fmt: skip
    async def session(id: str, ctx: Ctx) -> str:  # noqa: A002 - the name in the address
        """Return what was said in a session."""
        return await _read(requests, ctx, lambda call: _session(call, id))

    @server.resource(
        EXCHANGE, name="exchange", title="An exchange", mime_type=MIME,
        description="What the user said, with everything up to the answer, word for word.",
    )  # fmt: skip
    async def exchange(id: str, ctx: Ctx) -> str:  # noqa: A002 - the name in the address
        """Return an exchange."""
        return await _read(requests, ctx, lambda call: _exchange(call, id))

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

    server.middleware.append(_Listing(requests, rights))


class _Listing:
    """Adapts lists to the caller: its sessions, and the tools that its key allows.

    The SDK's own lists are the same for everybody, so they are changed after it made them.
    """

    def __init__(self, requests: ToolRequests, rights: Mapping[str, frozenset[Right]]) -> None:
        self._requests = requests
        self._rights = rights

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        before = REQUEST.set(ctx.request)
        try:
            result = await call_next(ctx)
            if not isinstance(result, dict):
                return result
            if ctx.method == "tools/list":
                held = self._requests.caller(ctx.request).grant.rights
                kept = [
                    t for t in result["tools"] if self._rights.get(t["name"], frozenset()) <= held
                ]
                return {**result, "tools": kept}
            if ctx.method != "resources/list":
                return result
            cursor = (ctx.params or {}).get("cursor")
            return {**result, **await self._page(ctx.request, cursor)}
        finally:
            REQUEST.reset(before)

    async def _page(self, request: Any, cursor: str | None) -> dict[str, Any]:
        with errors_as_bad_parameters():
            page = await self._requests.run(
                request, lambda call: list_sessions(call, SessionList(limit=PAGE, cursor=cursor))
            )
        found = [
            Resource(
                uri=SESSION.replace("{id}", quote(one.id, safe="")),
                name=line_of(one.title) or one.id,
                description=f"{counted(one.exchanges, 'exchange')}, last on {one.updated:%Y-%m-%d}",
                mime_type=MIME,
            ).model_dump(mode="json", by_alias=True, exclude_none=True)
            for one in page.items
        ]
        return {"resources": found} | ({"nextCursor": page.next} if page.next else {})


async def _read(requests: ToolRequests, ctx: Ctx, work: Callable[[Call], str]) -> str:
    try:
        return await requests.run(ctx.request_context.request, work)
    except ToolError as error:
        known = isinstance(error.__cause__, NotFoundError)
        raise (ResourceNotFoundError if known else ResourceError)(str(error)) from error


def _session(call: Call, wanted: str) -> str:
    found = call.session(wanted)
    page = list_session_exchanges(call, SessionPage(session=found.id, limit=NEWEST))
    older = "There are older ones: `search` finds them.\n" if page.next else ""
    blocks = [exchange_of(one, found.id) for one in reversed(page.items)]
    return fenced([f"{line_of(found.title)}\n{older}", *blocks])


def _exchange(call: Call, wanted: str) -> str:
    found = get_exchange(call, get_exchange.params(exchange=wanted))
    return fenced([exchange_of(found, call.scope.session)])


async def _completed(requests: ToolRequests, begun: str) -> Completion:
    words = begun.casefold()

    def matching(call: Call) -> list[str]:
        return [
            one.id
            for one in call.space.sessions.all()
            if call.reaches(one.id)
            and (one.id.startswith(begun) or (words and words in one.title.casefold()))
        ]

    with errors_as_bad_parameters():
        found = await requests.run(REQUEST.get(), matching)
    more = len(found) > COMPLETIONS
    return Completion(values=found[:COMPLETIONS], total=len(found), has_more=more)
