"""Forgetting: planned and looked at first, then carried out by the plan's id."""

from typing import Annotated

from msgspec import Meta

from unabridged.domain.forgetting import ForgetPlan, Receipt
from unabridged.domain.permissions import Right
from unabridged.errors import NotFoundError
from unabridged.operations.call import Call, What
from unabridged.operations.operation import Effect, Name, Once, Page, Paged, Params, operation
from unabridged.operations.pages import page_of
from unabridged.space.idempotency import Done
from unabridged.space.space import Space


class ForgetRequest(Params):
    """What shall be forgotten. What is named adds up.

    Attributes:
        exchanges: Ids of exchanges.
        session: The id of a session whose every branch goes.
        fact: The id of a fact that is taken back.
        search: Everything that has all these words goes.
        with_sources: Whether the exchanges that the fact rests on go too.
        with_repeats: Whether what says it once more elsewhere goes too.
    """

    exchanges: Annotated[tuple[Name, ...], Meta(max_length=10_000)] = ()
    session: Name | None = None
    fact: Name | None = None
    search: Annotated[str, Meta(min_length=1, max_length=10_000)] | None = None
    with_sources: bool = False
    with_repeats: bool = False


# A plan tells what says the same elsewhere: it concerns the whole space.
@operation(
    "forget.plan",
    "POST /forget",
    "What would go, and what would stay.",
    Right.FORGET,
    effect=Effect.READS,
    whole=True,
)
def plan_forgetting(call: Call, params: ForgetRequest) -> ForgetPlan:
    """Say what a forgetting would do; nothing is changed.

    The plan is held for half an hour; `POST /memory/forget/{id}` with its id carries it out.
    """
    if params.session is not None:
        call.session(params.session)
    plan = call.space.forgetting.plan(
        params.exchanges,
        session=params.session,
        fact=params.fact,
        search=params.search,
        with_sources=params.with_sources,
        with_repeats=params.with_repeats,
    )
    for exchange in plan.exchanges:
        call.exchange(exchange.id)
    call.pending.plans.put(call.owner, plan.id, plan)
    return plan


class PlanName(Params):
    """A plan."""

    plan: Name


def _done(call: Call, params: PlanName, _: Done) -> What | None:
    known = any(receipt.id == params.plan for receipt in call.space.forgetting.receipts())
    return {"receipt": params.plan} if known else None


_ONCE: Once[PlanName, Receipt] = Once(
    note=lambda _, __, receipt: {"receipt": receipt.id},
    show=lambda call, _, what: _receipt(call.space, what["receipt"]),
    found=_done,
)


@operation(
    "forget.run",
    "POST /forget/{plan}",
    "What went, in figures.",
    Right.FORGET,
    effect=Effect.DESTROYS,
    whole=True,
    once=_ONCE,
)
def forget(call: Call, params: PlanName) -> Receipt:
    """Carry out a plan, for good: what it names goes from messages, index, facts and files."""
    space, plans = call.space, call.pending.plans
    held = plans.get(call.owner, params.plan)
    if held is None:
        return _receipt(space, params.plan)
    for exchange in held.exchanges:
        if space.log.has(exchange.id):
            call.exchange(exchange.id)
    done = space.forgetting.execute(held)
    plans.drop(call.owner, params.plan)
    return _receipt(space, done.id)


@operation(
    "receipts.list", "GET /receipts", "Receipts, the oldest first.", tag="forget", whole=True
)
def list_receipts(call: Call, params: Paged) -> Page[Receipt]:
    """List the receipts for what was forgotten, the oldest first."""
    return page_of(call.space.forgetting.receipts(), lambda r: r.id, params.limit, params.cursor)


@operation("receipts.get", "GET /receipts/{receipt}", "The receipt.", tag="forget", whole=True)
def get_receipt(call: Call, receipt: Name) -> Receipt:
    """Give a receipt."""
    return _receipt(call.space, receipt)


def _receipt(space: Space, name: str) -> Receipt:
    for receipt in space.forgetting.receipts():
        if receipt.id == name:
            return receipt
    raise NotFoundError(
        f"There is no plan or receipt {name!r}.",
        hint="A plan is held for half an hour: make it again with POST /memory/forget.",
    )
