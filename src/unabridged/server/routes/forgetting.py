"""Forgetting over HTTP: planned and looked at first, then carried out by the plan's id."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from unabridged.domain.forgetting import ForgetPlan, Receipt
from unabridged.errors import NotFoundError
from unabridged.server.routes.api_calls import Asked, Cursor, Id, Limit
from unabridged.server.routes.idempotency_key import IdempotentWrite, What, perform
from unabridged.server.routes.json_responses import Page, given, paged
from unabridged.server.routes.openapi import answers
from unabridged.server.routes.pages import sliced
from unabridged.server.routes.params import Body, Name
from unabridged.server.routes.pending_values import holding_of
from unabridged.server.routes.route import MemoryRoute
from unabridged.space.idempotency import Done
from unabridged.space.space import Space

router = APIRouter(
    prefix="/memory", tags=["forget"], route_class=MemoryRoute, default_response_class=Response
)


class ForgetRequest(Body):
    """What shall be forgotten. What is named adds up."""

    exchanges: list[Name] = Field(default_factory=list, max_length=10_000)
    """Ids of exchanges."""
    session: Name | None = None
    """The id of a session whose every branch goes."""
    fact: Name | None = None
    """The id of a fact that is taken back."""
    search: Annotated[str, Field(min_length=1, max_length=10_000)] | None = None
    """Everything that has all these words goes."""
    with_sources: bool = False
    """Whether the exchanges that the fact rests on go too."""
    with_repeats: bool = False
    """Whether what says it once more elsewhere goes too."""


@router.post("/forget", responses=answers(ForgetPlan, "What would go, and what would stay."))
async def plan_forgetting(call: Asked, body: ForgetRequest) -> Response:
    """Say what a forgetting would do; nothing is changed.

    The plan is held for half an hour; `POST /memory/forget/{id}` with its id carries it out.
    """
    call.need_space()  # a plan tells what says it once more elsewhere

    def work(space: Space) -> ForgetPlan:
        if body.session is not None:
            call.session(space, body.session)
        plan = space.forgetting.plan(
            body.exchanges,
            session=body.session,
            fact=body.fact,
            search=body.search,
            with_sources=body.with_sources,
            with_repeats=body.with_repeats,
        )
        for exchange in plan.exchanges:
            call.exchange(space, exchange.id)
        holding_of(call.request).plans.put(call.owner, plan.id, plan)
        return plan

    return given(await call.run(work))


@router.post("/forget/{plan}", responses=answers(Receipt, "What went, in figures."))
async def forget(call: Asked, plan: Id) -> Response:
    """Carry out a plan, for good: what it names goes from messages, index, facts and files."""
    call.need_space()
    plans = holding_of(call.request).plans

    def do(space: Space, _: What) -> What:
        held = plans.get(call.owner, plan)
        if held is None:
            return {"receipt": _receipt(space, plan).id}
        for exchange in held.exchanges:
            if space.log.has(exchange.id):
                call.exchange(space, exchange.id)
        done = space.forgetting.execute(held)
        plans.drop(call.owner, plan)
        return {"receipt": done.id}

    def found(space: Space, _: Done) -> What | None:
        known = any(receipt.id == plan for receipt in space.forgetting.receipts())
        return {"receipt": plan} if known else None

    deed = IdempotentWrite(do, lambda space, what: _receipt(space, what["receipt"]), found=found)
    return await perform(call, deed)


@router.get("/receipts", responses=answers([Receipt], "Receipts, the oldest first."))
async def list_receipts(call: Asked, limit: Limit = 50, cursor: Cursor = None) -> Response:
    """List the receipts for what was forgotten, the oldest first."""
    call.need_space()

    def work(space: Space) -> Page:
        return sliced(space.forgetting.receipts(), lambda r: r.id, limit, cursor)

    return paged(call.request, await call.run(work))


@router.get("/receipts/{receipt}", responses=answers(Receipt, "The receipt."))
async def get_receipt(call: Asked, receipt: Id) -> Response:
    """Give a receipt."""
    call.need_space()
    return given(await call.run(lambda space: _receipt(space, receipt)))


def _receipt(space: Space, name: str) -> Receipt:
    for receipt in space.forgetting.receipts():
        if receipt.id == name:
            return receipt
    raise NotFoundError(
        f"There is no plan or receipt {name!r}.",
        hint="A plan is held for half an hour: make it again with POST /memory/forget.",
    )
