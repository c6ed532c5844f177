"""Forget: plan it first, then carry out the plan by its id; list the receipts."""

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from unabridged.domain.forgetting import ForgetPlan, Receipt
from unabridged.domain.permissions import Right
from unabridged.errors import NotFoundError
from unabridged.operations.call import Call, What
from unabridged.operations.operation import Effect, Name, Once, Page, Paged, Params, operation
from unabridged.operations.operation_results import ReceiptResult, extended
from unabridged.operations.pages import page_of
from unabridged.space.idempotency import Done

if TYPE_CHECKING:
    from unabridged.space.space import Space

ReceiptName = Annotated[Name, Meta(description="The id of the receipt.")]


class ForgetRequest(Params):
    """What to forget: one kind of thing; only a search may be limited to a session.

    Attributes:
        exchanges: Ids of exchanges, each whole or its beginning.
        session: The id of a session: all its branches; with `search`, the only one searched.
        fact: The id of a fact.
        search: Forget everything that contains all these words: messages, tools, reasoning, titles, facts.
        with_sources: Also forget the exchanges that the fact comes from.
        with_repeats: Also forget other exchanges that repeat it.
    """

    exchanges: Annotated[tuple[Name, ...], Meta(max_length=10_000)] = ()
    session: Name | None = None
    fact: Name | None = None
    search: Annotated[str, Meta(min_length=1, max_length=10_000)] | None = None
    with_sources: bool = False
    with_repeats: bool = False


# A plan shows what other sessions say, too: it needs the whole space.
@operation(
    "forget.plan",
    "POST /forget",
    "What would be forgotten, and what would stay.",
    Right.FORGET,
    effect=Effect.READS,
    whole=True,
)
def plan_forgetting(call: Call, params: ForgetRequest) -> ForgetPlan:
    """Plan to forget exchanges, a session, a fact, or all that has some words. Changes nothing.

    The server keeps the plan for half an hour; `POST /memory/forget/{id}` carries it out.
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
    """A plan.

    Attributes:
        plan: The id of the plan.
    """

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
    "The receipt.",
    Right.FORGET,
    effect=Effect.DESTROYS,
    whole=True,
    once=_ONCE,
)
def forget(call: Call, params: PlanName) -> Receipt:
    """Carry out a plan. This is final: messages, index, facts and files lose all it names."""
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
    "receipts.list",
    "GET /receipts",
    "Receipts, the oldest first.",
    tag="forget",
    whole=True,
    tool="receipts",
)
def list_receipts(call: Call, params: Paged) -> Page[ReceiptResult]:
    """List the receipts of what was forgotten, the oldest first; also of whole spaces."""
    return page_of(_receipts(call), lambda r: r.id, params.limit, params.cursor)


@operation("receipts.get", "GET /receipts/{receipt}", "The receipt.", tag="forget", whole=True)
def get_receipt(call: Call, receipt: ReceiptName) -> ReceiptResult:
    """Return a receipt by its id, or the beginning or end of it."""
    found = [r for r in _receipts(call) if r.id.startswith(receipt) or r.id.endswith(receipt)]
    if len(found) == 1:
        return found[0]
    raise NotFoundError(f"There is no receipt {receipt!r}.", hint="List the receipts.")


def _receipts(call: Call) -> list[ReceiptResult]:
    from unabridged.factory.home import Home  # noqa: PLC0415 - slow, and help needs none of it

    forgetting, grant = call.space.forgetting, call.grant
    found = forgetting.receipts()
    if (grant.user, grant.agent) == (None, None):
        found += Home(call.pool.settings).receipts()
        found.sort(key=lambda receipt: (receipt.at, receipt.id))
    return [extended(ReceiptResult, r, genuine=forgetting.is_genuine(r)) for r in found]


def _receipt(space: "Space", name: str) -> Receipt:
    for receipt in space.forgetting.receipts():
        if receipt.id == name:
            return receipt
    raise NotFoundError(
        f"There is no plan or receipt {name!r}.",
        hint="A plan is kept for half an hour: plan again.",
    )
