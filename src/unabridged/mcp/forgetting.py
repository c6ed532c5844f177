"""The tool that removes for good: ``forget``. It never does so without a confirmation.

Where the client can ask a person (elicitation), it is asked; where it cannot, a first call gives the
plan and a code, and a second one with that code carries out that plan and no other.
"""

import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from secrets import token_bytes
from typing import Annotated

from mcp.server.mcpserver import (
    AcceptedElicitation,
    Elicit,
    ElicitationResult,
    MCPServer,
    Resolve,
)
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import BaseModel, Field

from unabridged.domain.forgetting import ForgetPlan, Receipt
from unabridged.domain.permissions import Right
from unabridged.domain.scope import Scope
from unabridged.errors import InputError
from unabridged.mcp.request_context import Caller, Ctx, ToolRequests, within
from unabridged.mcp.tool_results import ForgottenOut, Text, result_of
from unabridged.space.recalled_text import fenced, line_of, name_of
from unabridged.space.space import Space

FORGETS = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)
_SHOWN = 20
"""Of each kind, so many are shown to whoever confirms; the rest is counted."""
_WORDS = 100
"""Characters of each that are shown."""
_DIGITS = 10
"""Hex digits of a code."""

Exchanges = Annotated[
    list[str] | None, Field(description="Exchanges, each by its id or the beginning of it.")
]
Whole = Annotated[Text, Field(description="A session that goes with all of its branches.")]
FactName = Annotated[Text, Field(description="A fact that is taken back.")]
Words = Annotated[Text, Field(description="All exchanges that have all these words.")]
Sources = Annotated[bool, Field(description="Also the exchanges that the fact rests on.")]
Repeats = Annotated[bool, Field(description="Also what says the same once more elsewhere.")]
Code = Annotated[Text, Field(description="The code of the plan, as the first call gave it.")]


class Consent(BaseModel):
    """What a person answers."""

    forget: bool = Field(title="Forget it", description="Forget all of this for good.")


@dataclass(frozen=True, slots=True)
class Unasked:
    """The client cannot ask a person, or there is nothing to ask."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, what makes it again, and the code that confirms it."""

    make: Callable[[Space], ForgetPlan]
    plan: ForgetPlan
    code: str


def add_forgetting(server: MCPServer, requests: ToolRequests) -> None:
    """Add the tool that removes for good."""
    secret = token_bytes(32)
    plan_of = _planner(requests, secret)

    async def ask(
        ctx: Ctx, planned: Annotated[Planned, Resolve(plan_of)]
    ) -> Elicit[Consent] | Unasked:
        if planned.plan.is_empty or not _can_ask(ctx):
            return Unasked()
        return Elicit("\n".join(["Forget this for good?", *_lines(planned)]), Consent)

    @server.tool(title="Forget for good", annotations=FORGETS)
    async def forget(  # noqa: PLR0913 - each names another kind of what can be forgotten
        ctx: Ctx,
        planned: Annotated[Planned, Resolve(plan_of)],
        consent: Annotated[ElicitationResult[Consent], Resolve(ask)],
        *,
        exchanges: Exchanges = None,
        session: Whole = "",
        fact: FactName = "",
        search: Words = "",
        with_sources: Sources = False,
        with_repeats: Repeats = False,
        code: Code = "",
    ) -> Annotated[CallToolResult, ForgottenOut]:
        """Forget for good: exchanges, a session, a fact, or all that has some words.

        Nothing can bring it back. Only on the user's clear wish. The person is asked by the
        program where it can; where it cannot, the first call only says what would go and gives a
        code: show the person the plan, and call again with the code if they agree.
        """
        del exchanges, session, fact, search, with_sources, with_repeats  # `plan_of` took them
        if planned.plan.is_empty:
            return result_of("There is nothing to forget.", ForgottenOut(status="nothing"))
        if (instead := _instead(planned, consent, code)) is not None:
            return instead
        await ctx.report_progress(0, 1, "Forgetting")
        done = await _carried_out(requests, ctx, planned, secret)
        await ctx.report_progress(1, 1, "Looked at")
        return _stale(done) if isinstance(done, Planned) else _done(planned, done)


async def _carried_out(
    requests: ToolRequests, ctx: Ctx, planned: Planned, secret: bytes
) -> Receipt | Planned:
    # Where a plan is not what would go any more, what would is given instead.
    caller = requests.caller(ctx.request_context.request)

    def work(space: Space, _: Scope) -> Receipt | Planned:
        now = _planned(space, caller, planned.make, secret)
        return now if now.code != planned.code else space.forgetting.execute(now.plan)

    return await requests.run_for(caller, Right.FORGET, work)


def _instead(
    planned: Planned, consent: ElicitationResult[Consent], code: str
) -> CallToolResult | None:
    accepted: object = consent.data if isinstance(consent, AcceptedElicitation) else None
    if not isinstance(accepted, Unasked):
        if isinstance(accepted, Consent) and accepted.forget:
            return None
        return result_of("The person said no: nothing was forgotten.", _out("declined", planned))
    if not code:
        return result_of(_plan_text(planned), _out("planned", planned))
    if not hmac.compare_digest(code.encode(), planned.code.encode()):
        return _stale(planned)
    return None


def _can_ask(ctx: Ctx) -> bool:
    able = ctx.client_capabilities
    shown = able.elicitation if able is not None else None
    if shown is None or (shown.form is None and shown.url is not None):
        return False
    in_result = (ctx.protocol_version or "") >= "2026-07-28"
    return in_result or ctx.session.can_send_request


def _planner(requests: ToolRequests, secret: bytes) -> Callable[..., Awaitable[Planned]]:
    async def plan_of(
        ctx: Ctx,
        exchanges: list[str] | None,
        session: str,
        fact: str,
        search: str,
        *,
        with_sources: bool,
        with_repeats: bool,
    ) -> Planned:
        def make(space: Space) -> ForgetPlan:
            return space.forgetting.plan(
                tuple(exchanges or ()),
                session=session or None,
                fact=fact or None,
                search=search or None,
                with_sources=with_sources,
                with_repeats=with_repeats,
            )

        caller = requests.caller(ctx.request_context.request)
        return await requests.run_for(
            caller,
            Right.FORGET,
            lambda space, _: _planned(space, caller, make, secret),
            whole=bool(fact or search),
        )

    return plan_of


def _planned(
    space: Space, caller: Caller, make: Callable[[Space], ForgetPlan], secret: bytes
) -> Planned:
    plan = make(space)
    for exchange in plan.exchanges:
        within(caller.scope, exchange)
    return Planned(make, plan, _code(secret, caller, plan))


def _code(secret: bytes, caller: Caller, plan: ForgetPlan) -> str:
    told = [
        [caller.scope.user, caller.scope.agent, caller.scope.session, caller.grant.name],
        [[one.id, [message.id for message in one.messages]] for one in plan.exchanges],
        sorted(fact.id for fact in plan.facts),
        sorted(f"{one.kind} {one.id}" for one in plan.given),
        sorted(one.id for one in (*plan.sessions, *plan.titles)),
    ]
    digest = hmac.new(secret, json.dumps(told).encode(), hashlib.sha256)
    return digest.hexdigest()[:_DIGITS]


def _lines(planned: Planned) -> list[str]:
    plan = planned.plan
    said = [f"{one.at:%Y-%m-%d}  {_short(one.user.text)}" for one in plan.exchanges]
    facts = [_short(fact.text) for fact in plan.facts] + [_short(one.text) for one in plan.given]
    lines = [
        *_some("exchange", said),
        *_some("fact or requirement", facts),
        *_some("whole session", [_short(one.title) or "(untitled)" for one in plan.sessions]),
        *_some(
            "thing that says it once more and stays", [_short(one.text) for one in plan.repeats]
        ),
    ]
    outside = sum(map(len, (plan.outside.backups, plan.outside.aside, plan.outside.shared)))
    if outside:
        lines.append(f"{outside} backups, other files or spaces may still hold it.")
    return lines


def _short(text: str) -> str:
    line = line_of(text)
    return line if len(line) <= _WORDS else f"{line[: _WORDS - 1]}…"


def _some(kind: str, lines: list[str]) -> list[str]:
    if not lines:
        return []
    more = [f"  and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    return [f"{len(lines)} × {kind}:", *(f"  {line}" for line in lines[:_SHOWN]), *more]


def _plan_text(planned: Planned) -> str:
    return (
        f"Nothing was forgotten yet. This would go for good:\n"
        f"{fenced([line + chr(10) for line in _lines(planned)])}\n"
        f"Show it to the person. If they agree, call `forget` again with the same arguments and"
        f" code={planned.code!r}."
    )


def _stale(planned: Planned) -> CallToolResult:
    error = InputError(
        "This code is not that of what would go now; nothing was forgotten.",
        hint="Call `forget` without a code, show the person what it gives, and use that code.",
    )
    result = result_of(f"{error} {error.hint}", _out("planned", planned, code=None))
    result.is_error = True
    return result


def _out(status: str, planned: Planned, code: str | None = "") -> ForgottenOut:
    plan = planned.plan
    return ForgottenOut.model_validate(
        {
            "status": status,
            "code": (planned.code if code == "" else code) if status == "planned" else None,
            "exchanges": [name_of(one.id) for one in plan.exchanges],
            "facts": [one.id for one in plan.facts],
            "sessions": [name_of(one.id) for one in plan.sessions],
            "repeats": [name_of(one.id) for one in plan.repeats],
            "backups": [*plan.outside.backups, *plan.outside.aside, *plan.outside.shared],
        }
    )


def _done(planned: Planned, receipt: Receipt) -> CallToolResult:
    out = _out("forgotten", planned)
    out.receipt, out.left = receipt.id, receipt.left
    text = (
        f"Forgotten for good: {receipt.exchanges} exchanges, {receipt.messages} messages,"
        f" {receipt.bytes} bytes. Looked for afterwards: {receipt.pieces} pieces,"
        f" {receipt.left} found. Receipt {receipt.id}."
    )
    return result_of(" ".join([text, *map(line_of, receipt.notes)]), out)
