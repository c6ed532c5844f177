"""The tool ``forget``, which removes for good. It never does so without a confirmation.

If the client can ask a person (elicitation), the person is asked. If it cannot, the first call
returns the plan and a code; a second call with that code carries out that plan and no other.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from secrets import token_bytes
from typing import Annotated, Any

from mcp.server.mcpserver import AcceptedElicitation, Elicit, ElicitationResult, Resolve
from mcp.server.mcpserver.tools.base import Tool
from mcp.types import CallToolResult
from msgspec import Meta
from pydantic import BaseModel, Field

from unabridged.domain.forgetting import ForgetPlan, Receipt
from unabridged.domain.short_repr import counted
from unabridged.errors import InputError
from unabridged.mcp.operation_tools import (
    described_tool,
    hints_of,
    read_given,
    result_of,
    schema_of,
    with_session,
)
from unabridged.mcp.request_context import Ctx, ToolRequests
from unabridged.mcp.tool_results import ForgottenOut
from unabridged.operations.call import Call
from unabridged.operations.forgetting import ForgetRequest, PlanName, forget, plan_forgetting
from unabridged.operations.parameters import texts_of
from unabridged.space.recalled_text import fenced, line_of, name_of

NAME = "forget"
_SHOWN = 20
"""Items of each kind that a plan shows; the rest is counted."""
_TEXT_LENGTH = 100
"""Characters of each item that a plan shows."""
_DIGITS = 10
"""Hexadecimal digits of a code."""
_ABOUT = """\
Forget for good: exchanges, a session, a fact, or all that has some words.

Nothing can bring it back: use it only on the user's clear wish. If your program can ask the person,
it does. If not, the first call only returns what would be forgotten, and a code: show the plan to
the person, and call again with the code if they agree."""


class ForgetToolArguments(ForgetRequest):
    """What to forget.

    Attributes:
        code: The code of the plan, as the first call returned it.
    """

    code: Annotated[str, Meta(max_length=40)] = ""


class Consent(BaseModel):
    """The answer of a person."""

    forget: bool = Field(title="Forget it", description="Forget all of this for good.")


@dataclass(frozen=True, slots=True)
class Unasked:
    """The person was not asked: the client cannot, or there is nothing to ask."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, the code that confirms it, and the code that the call gave."""

    plan: ForgetPlan
    code: str
    given_code: str


def forget_tool(requests: ToolRequests) -> Tool:
    """Return the tool that removes for good."""
    secret = token_bytes(32)

    async def plan_of(ctx: Ctx, given: Any) -> Planned:
        return await requests.run(
            ctx.request_context.request,
            lambda call: _planned(call, given, secret),
            check=plan_forgetting.check,
        )

    async def ask(
        ctx: Ctx, planned: Annotated[Planned, Resolve(plan_of)]
    ) -> Elicit[Consent] | Unasked:
        if planned.plan.is_empty or not _can_ask(ctx):
            return Unasked()
        return Elicit("\n".join(["Forget this for good?", *_lines(planned)]), Consent)

    async def answer(
        ctx: Ctx,
        given: Any,
        planned: Annotated[Planned, Resolve(plan_of)],
        consent: Annotated[ElicitationResult[Consent], Resolve(ask)],
    ) -> CallToolResult:
        if planned.plan.is_empty:
            return result_of("There is nothing to forget.", ForgottenOut(status="nothing"))
        if (instead := _instead(planned, consent)) is not None:
            return instead
        await ctx.report_progress(0, 1, "Forgetting")
        done = await requests.run(
            ctx.request_context.request,
            lambda call: _carried_out(call, given, planned, secret),
            check=forget.check,
            creates=True,
        )
        await ctx.report_progress(1, 1, "Checked")
        return _stale(done) if isinstance(done, Planned) else _done(planned, done)

    return described_tool(
        Tool.from_function(answer, name=NAME),
        title="Forget for good",
        description=_ABOUT,
        parameters=schema_of(ForgetToolArguments, texts_of(ForgetToolArguments)[1]),
        annotations=hints_of([forget]),
        out=ForgottenOut,
    )


def _planned(call: Call, given: Mapping[str, Any], secret: bytes) -> Planned:
    values = with_session(call, read_given(NAME, ForgetToolArguments, given))
    code = values.pop("code")
    plan = plan_forgetting(call, ForgetRequest(**values))
    return Planned(plan, _code(secret, call, plan), code)


def _carried_out(
    call: Call, given: Mapping[str, Any], planned: Planned, secret: bytes
) -> Receipt | Planned:
    # If something else would be forgotten by now, return that plan instead.
    now = _planned(call, given, secret)
    return now if now.code != planned.code else forget(call, PlanName(now.plan.id))


def _instead(planned: Planned, consent: ElicitationResult[Consent]) -> CallToolResult | None:
    accepted: object = consent.data if isinstance(consent, AcceptedElicitation) else None
    if not isinstance(accepted, Unasked):
        if isinstance(accepted, Consent) and accepted.forget:
            return None
        return result_of("The person refused: nothing was forgotten.", _out("declined", planned))
    if not planned.given_code:
        return result_of(_plan_text(planned), _out("planned", planned))
    if not hmac.compare_digest(planned.given_code.encode(), planned.code.encode()):
        return _stale(planned)
    return None


def _can_ask(ctx: Ctx) -> bool:
    able = ctx.client_capabilities
    shown = able.elicitation if able is not None else None
    if shown is None or (shown.form is None and shown.url is not None):
        return False
    in_result = (ctx.protocol_version or "") >= "2026-07-28"
    return in_result or ctx.session.can_send_request


def _code(secret: bytes, call: Call, plan: ForgetPlan) -> str:
    told = [
        [call.scope.user, call.scope.agent, call.scope.session, call.grant.name],
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
            "other place that says the same and stays", [_short(one.text) for one in plan.repeats]
        ),
    ]
    outside = sum(map(len, (plan.outside.backups, plan.outside.aside, plan.outside.shared)))
    if outside:
        lines.append(f"Places that may still contain it (backups, files, other spaces): {outside}.")
    return lines


def _short(text: str) -> str:
    line = line_of(text)
    return line if len(line) <= _TEXT_LENGTH else f"{line[: _TEXT_LENGTH - 1]}…"


def _some(kind: str, lines: list[str]) -> list[str]:
    if not lines:
        return []
    more = [f"  and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    return [f"{len(lines)} × {kind}:", *(f"  {line}" for line in lines[:_SHOWN]), *more]


def _plan_text(planned: Planned) -> str:
    return (
        f"Nothing was forgotten yet. This would be forgotten for good:\n"
        f"{fenced([line + chr(10) for line in _lines(planned)])}\n"
        f"Show it to the person. If they agree, call `forget` again with the same arguments and"
        f" code={planned.code!r}."
    )


def _stale(planned: Planned) -> CallToolResult:
    error = InputError(
        "The code does not match what would be forgotten now; nothing was forgotten.",
        hint="Call `forget` without a code, show the result to the person, and use its new code.",
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
        f"Forgotten for good: {counted(receipt.exchanges, 'exchange')},"
        f" {counted(receipt.messages, 'message')}, {counted(receipt.bytes, 'byte')}."
        f" Searched for {counted(receipt.pieces, 'piece')} afterwards,"
        f" {receipt.left} found. Receipt {receipt.id}."
    )
    return result_of(" ".join([text, *map(line_of, receipt.notes)]), out)
