"""Shares over HTTP: what a space gave to others and was given, and taking it back."""

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from unabridged.domain.permissions import Right
from unabridged.domain.scope import SpaceId
from unabridged.domain.share import Share, ShareKind
from unabridged.errors import InputError, PermissionRefusedError
from unabridged.server.routes.api_calls import ApiCall, Asked, Cursor, Id, Limit
from unabridged.server.routes.idempotency_key import IdempotentWrite, What, perform
from unabridged.server.routes.json_responses import Page, paged
from unabridged.server.routes.openapi import answers
from unabridged.server.routes.pages import sliced
from unabridged.server.routes.params import Body, Name
from unabridged.server.routes.route import MemoryRoute
from unabridged.server.routes.route_results import ShareView
from unabridged.space.idempotency import Done
from unabridged.space.space import Space

router = APIRouter(
    prefix="/memory/shares",
    tags=["shares"],
    route_class=MemoryRoute,
    default_response_class=Response,
)


class OtherSpace(Body):
    """The space that is given to."""

    user: Name
    agent: Name
    model: Name | None = None
    """Where models have memories of their own there."""


class NewShare(Body):
    """What shall be carried, and where to."""

    to: OtherSpace
    """The key must reach both spaces."""
    sessions: list[Name] = Field(default_factory=list, max_length=1000)
    """Ids of sessions: each with every branch and what hangs on it."""
    facts: list[Name] = Field(default_factory=list, max_length=1000)
    """Ids of facts."""
    all_facts: bool = False
    """Whether every fact that holds now goes."""
    handoff: bool = False
    """Whether the other space goes on with the session: then name one, and no facts."""


@router.get("", responses=answers([ShareView], "Shares of both directions, the oldest first."))
async def list_shares(call: Asked, limit: Limit = 50, cursor: Cursor = None) -> Response:
    """List what was shared in both directions, the oldest first."""
    call.need_space()

    def work(space: Space) -> Page:
        views = [ShareView.of(share) for share in space.sharing.listing()]
        return sliced(views, lambda view: view.share.id, limit, cursor)

    return paged(call.request, await call.run(work))


@router.post("", status_code=201, responses=answers(ShareView, "The share.", status=201))
async def share(call: Asked, body: NewShare) -> Response:
    """Carry sessions and facts into another space; sharing the same again carries what is new."""
    call.need_space()
    to = _wanted(body)
    _check_reach(call, to)
    if body.handoff and (len(body.sessions) != 1 or body.facts or body.all_facts):
        raise InputError("One session is handed off, and nothing else.", hint="Name one session.")

    def do(space: Space, _: What) -> What:
        shares = call.service.pool.shares(space, call.scope.profile)
        there = shares.named(to)
        _check_reach(call, there)
        if body.handoff:
            done = shares.handoff(there, session=body.sessions[0])
        else:
            done = shares.share(
                there, sessions=body.sessions, facts=body.facts, all_facts=body.all_facts
            )
        return {"share": done.share.id}

    deed = IdempotentWrite(
        do, _shown, found=lambda space, done: _found(call, space, done, body), status=201
    )
    return await perform(call, deed)


@router.post("/{share}/revoke", responses=answers(ShareView, "The share, as it is now."))
async def revoke(call: Asked, share: Id) -> Response:
    """Take a share back, from either side: what it carried goes where it was given to.

    It needs the rights to write and to forget, and a key that reaches both spaces.
    """
    call.need_space()
    call.need(Right.FORGET)

    def do(space: Space, _: What) -> What:
        found = space.sharing.find(share)
        _check_reach(call, found.other)
        shares = call.service.pool.shares(space, call.scope.profile)
        return {"share": shares.revoke(found.id).share.id}

    return await perform(call, IdempotentWrite(do, _shown))


def _wanted(body: NewShare) -> SpaceId:
    return SpaceId(body.to.user, body.to.agent, body.to.model or "")


def _shown(space: Space, what: What) -> ShareView:
    return ShareView.of(space.sharing.find(what["share"]))


def _found(call: ApiCall, space: Space, done: Done, body: NewShare) -> What | None:
    kind = ShareKind.HANDOFF if body.handoff else ShareKind.SHARE
    to = call.service.pool.shares(space, call.scope.profile).named(_wanted(body))
    near = [s for s in space.sharing.listing() if s.other == to and s.kind is kind]
    same = [s for s in near if _asked(s) == (set(body.sessions), set(body.facts), body.all_facts)]
    made = [s for s in same if s.revoked is None and s.carries and s.carries[-1].done]
    return {"share": made[-1].id} if made and made[-1].carried >= done.at else None


def _asked(share: Share) -> tuple[set[str], set[str], bool]:
    return set(share.sessions), set(share.facts), share.all_facts


def _check_reach(call: ApiCall, space: SpaceId) -> None:
    grant = call.grant
    if grant.user not in (None, space.user) or grant.agent not in (None, space.agent):
        raise PermissionRefusedError(
            f"This key does not reach the space {space.name!r}.",
            hint="Use a key that reaches both spaces.",
        )
