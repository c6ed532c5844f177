"""Shares: list what spaces shared with each other, share more, revoke."""

from typing import Annotated

from msgspec import Meta

from unabridged.domain.audit import Audit
from unabridged.domain.permissions import Right
from unabridged.domain.scope import SpaceId
from unabridged.domain.share import Share, ShareKind
from unabridged.errors import InputError, PermissionRefusedError
from unabridged.operations.call import Call, What, need
from unabridged.operations.operation import Effect, Name, Once, Page, Paged, Params, operation
from unabridged.operations.operation_results import RevokedShare, ShareView, extended
from unabridged.operations.pages import page_of
from unabridged.space.idempotency import Done


@operation("shares.list", "GET /shares", "Shares of both directions, the oldest first.", whole=True)
def list_shares(call: Call, params: Paged) -> Page[ShareView]:
    """List the shares that this space gave and received, the oldest first."""
    views = [ShareView.of(share) for share in call.space.sharing.listing()]
    return page_of(views, lambda view: view.share.id, params.limit, params.cursor)


class OtherSpace(Params):
    """The space that receives a share.

    Attributes:
        user: Its user.
        agent: Its agent.
        model: Its model, if the settings separate models.
    """

    user: Name
    agent: Name
    model: Name | None = None


class NewShare(Params):
    """What to share, and with whom.

    Attributes:
        to: The receiving space. The key must reach both spaces.
        sessions: Ids of sessions; each with all its branches and records.
        facts: Ids of facts.
        all_facts: Whether to share every current fact.
        handoff: Whether the other space continues the session; then name one session and no facts.
    """

    to: OtherSpace
    sessions: Annotated[tuple[Name, ...], Meta(max_length=1000)] = ()
    facts: Annotated[tuple[Name, ...], Meta(max_length=1000)] = ()
    all_facts: bool = False
    handoff: bool = False


def _shown(call: Call, _: Params, what: What) -> ShareView:
    return ShareView.of(call.space.sharing.find(what["share"]))


def _noted(_: Call, __: Params, view: ShareView) -> What:
    return {"share": view.share.id}


def _made(call: Call, params: NewShare, done: Done) -> What | None:
    kind = ShareKind.HANDOFF if params.handoff else ShareKind.SHARE
    to = call.pool.shares(call.space, call.scope.profile).named(_wanted(params))
    near = [s for s in call.space.sharing.listing() if s.other == to and s.kind is kind]
    wanted = set(params.sessions), set(params.facts), params.all_facts
    same = [s for s in near if _asked(s) == wanted]
    made = [s for s in same if s.revoked is None and s.carries and s.carries[-1].done]
    return {"share": made[-1].id} if made and made[-1].carried >= done.at else None


@operation(
    "shares.add",
    "POST /shares",
    "The share.",
    Right.WRITE,
    status=201,
    whole=True,
    audit=Audit.ACTS,
    once=Once(note=_noted, show=_shown, found=_made),
)
def share(call: Call, params: NewShare) -> ShareView:
    """Share sessions and facts with another space. Sharing again adds what is new."""
    to = _wanted(params)
    _check_reach(call, to)
    if params.handoff and (len(params.sessions) != 1 or params.facts or params.all_facts):
        raise InputError(
            "A hand-off takes exactly one session and no facts.", hint="Name one session only."
        )
    shares = call.pool.shares(call.space, call.scope.profile)
    there = shares.named(to)
    _check_reach(call, there)
    if params.handoff:
        done = shares.handoff(there, session=params.sessions[0])
    else:
        done = shares.share(
            there, sessions=params.sessions, facts=params.facts, all_facts=params.all_facts
        )
    return _shown(call, params, {"share": done.share.id})


class ShareName(Params):
    """A share.

    Attributes:
        share: The id of the share.
    """

    share: Name


@operation(
    "shares.revoke",
    "POST /shares/{share}/revoke",
    "The share as it is now.",
    Right.WRITE,
    effect=Effect.DESTROYS,
    whole=True,
    once=Once(
        note=_noted,
        show=lambda call, params, what: extended(RevokedShare, _shown(call, params, what)),
    ),
)
def revoke(call: Call, params: ShareName) -> RevokedShare:
    """Revoke a share, from either side: its copies are forgotten in the receiving space.

    This needs the rights `write` and `forget`, and a key that reaches both spaces.
    """
    need(call.grant, Right.FORGET)
    found = call.space.sharing.find(params.share)
    _check_reach(call, found.other)
    done = call.pool.shares(call.space, call.scope.profile).revoke(found.id)
    view = _shown(call, params, {"share": done.share.id})
    return extended(RevokedShare, view, receipt=done.receipt, reached=done.reached)


def _wanted(params: NewShare) -> SpaceId:
    return SpaceId(params.to.user, params.to.agent, params.to.model or "")


def _asked(share: Share) -> tuple[set[str], set[str], bool]:
    return set(share.sessions), set(share.facts), share.all_facts


def _check_reach(call: Call, space: SpaceId) -> None:
    if not call.reaches_space(space):
        raise PermissionRefusedError(
            f"This key does not reach the space {space.name!r}.",
            hint="Use a key that reaches both spaces.",
        )
