"""Tools for what was learned of the user: ``list_facts`` and ``correct_fact``."""

from typing import Annotated, Literal

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from unabridged.domain.fact import Fact, FactState
from unabridged.domain.permissions import Right
from unabridged.errors import InputError
from unabridged.mcp.request_context import Ctx, ToolRequests
from unabridged.mcp.search_tools import READS, Limit
from unabridged.mcp.tool_results import ChangedOut, FactsOut, Text, fact_out, result_of
from unabridged.space.recalled_text import fenced
from unabridged.space.space import Space

CORRECTS = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)
Action = Literal["add", "correct", "remove", "pin", "unpin"]
State = Literal["current", "superseded", "withdrawn", "any"]


def add_facts(server: MCPServer, requests: ToolRequests) -> None:
    """Add the tools for facts."""

    @server.tool(title="List facts", annotations=READS)
    async def list_facts(
        ctx: Ctx,
        about: Annotated[
            Text, Field(description="Only those that bear on this, the best first.")
        ] = "",
        state: State = "current",
        limit: Limit = 50,
    ) -> Annotated[CallToolResult, FactsOut]:
        """List what was learned of the user: statements, each with its source and since when.

        Without `about` the newest of a state, else current ones that bear on those words.
        """
        out = await requests.run(
            ctx, Right.READ, lambda m, _: _listed(m, about, state, limit), whole=True
        )
        if not out.facts:
            return result_of("No such facts are known.", out)
        return result_of(fenced([one.recalled for one in out.facts]), out)

    @server.tool(title="Correct a fact", annotations=CORRECTS)
    async def correct_fact(
        action: Annotated[
            Action,
            Field(description="`pin` lets every prompt carry it; `remove` takes its words back."),
        ],
        ctx: Ctx,
        *,
        fact: Annotated[Text, Field(description="The id of the fact; for all but `add`.")] = "",
        text: Annotated[Text, Field(description="The statement, for `add` and `correct`.")] = "",
        value: Annotated[
            Text, Field(description="For `correct`: the value to put into the statement.")
        ] = "",
    ) -> Annotated[CallToolResult, ChangedOut]:
        """Add, correct, remove, pin or unpin a fact, as the user wishes it.

        A correction takes the old one's place, which stays in the history. What was said stays
        stored: only `forget` removes that.
        """
        changed = await requests.run(
            ctx, Right.WRITE, lambda m, _: _changed(m, action, fact, text, value), whole=True
        )
        out = ChangedOut(action=action, fact=fact_out(changed))
        return result_of(f"{_DONE[action]}\n{fenced([out.fact.recalled])}", out)


_DONE = {
    "add": "Added.",
    "correct": "Corrected.",
    "remove": "Removed; for the last time, it was:",
    "pin": "Every prompt carries it now.",
    "unpin": "Prompts carry it only where it bears on the message.",
}


def _listed(space: Space, about: str, state: State, limit: int) -> FactsOut:
    wanted = None if state == "any" else FactState(state)
    held = space.facts.all(wanted)
    if about:
        shown = [one.fact for one in space.facts.bearing(about, limit)]
        shown = [fact for fact in shown if wanted in {None, fact.state}]
    else:
        shown = held[::-1][:limit]
    return FactsOut(facts=[fact_out(fact) for fact in shown], total=len(held))


def _changed(space: Space, action: Action, fact: str, text: str, value: str) -> Fact:
    facts = space.facts
    if action == "add":
        return facts.add(_needed(action, "text", text))
    wanted = _needed(action, "fact", fact)
    match action:
        case "correct":
            return facts.edit(wanted, text=text or None, value=value or None)
        case "remove":
            return facts.withdraw(wanted)
        case "pin":
            return facts.pin(wanted)
        case "unpin":
            return facts.unpin(wanted)


def _needed(action: Action, name: str, given: str) -> str:
    if not given.strip():
        raise InputError(f"`{action}` needs `{name}`.", hint=f"Give `{name}`.")
    return given
