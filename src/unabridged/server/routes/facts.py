"""Facts and pins over HTTP: what was learned of the user, and what every prompt carries."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from unabridged.domain.fact import SELF, Fact, FactChange
from unabridged.domain.results import Pin
from unabridged.errors import InputError
from unabridged.server.routes.api_calls import Asked, Cursor, Id, Limit
from unabridged.server.routes.idempotency_key import IdempotentWrite, What, perform
from unabridged.server.routes.json_responses import Page, check_match, given, paged
from unabridged.server.routes.openapi import answers
from unabridged.server.routes.pages import sliced
from unabridged.server.routes.params import Body, Name, Said
from unabridged.server.routes.route import MemoryRoute
from unabridged.space.idempotency import Done
from unabridged.space.space import Space

router = APIRouter(
    prefix="/memory", tags=["facts"], route_class=MemoryRoute, default_response_class=Response
)

States = Literal["current", "superseded", "withdrawn", "all"]


class NewFact(Body):
    """A fact that a person gives."""

    text: Said
    """The statement."""
    pinned: bool = False
    """Whether every prompt carries it."""
    subject: Name = SELF
    """Whom it is about."""
    attribute: str = Field(default="", max_length=200)
    """What of them; then a newer value takes an older one's place."""
    value: str = Field(default="", max_length=10_000)
    """What it is; the text where none is given."""
    aliases: list[Name] = Field(default_factory=list, max_length=64)
    """Other words by which people ask for it."""


class FactChangeBody(Body):
    """What shall be changed of a fact. A correction takes its place; the old one stays known."""

    text: Said | None = None
    """The statement as it shall read."""
    value: Annotated[str, Field(min_length=1, max_length=10_000)] | None = None
    """What it is."""
    pinned: bool | None = None
    """Whether every prompt carries it."""


class NewPin(Body):
    """What shall be pinned: words, or what the user said in an exchange."""

    text: Said | None = None
    exchange: Name | None = None
    """The id of an exchange."""


@router.get("/facts", responses=answers([Fact], "Facts, the oldest first."))
async def list_facts(
    call: Asked,
    state: Annotated[States, Query(description="Only those of this state.")] = "current",
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """List what was learned of the user, the oldest first."""
    call.need_space()

    def work(space: Space) -> Page:
        facts = space.facts.all(None if state == "all" else state)
        return sliced(facts, lambda fact: fact.id, limit, cursor)

    return paged(call.request, await call.run(work))


@router.post("/facts", status_code=201, responses=answers(Fact, "The fact.", status=201))
async def add_fact(call: Asked, body: NewFact) -> Response:
    """Add a fact that a person gives."""
    call.need_space()

    def do(space: Space, _: What) -> What:
        return {"fact": space.facts.add(**body.model_dump()).id}

    def found(space: Space, done: Done) -> What | None:
        words, facts = body.text.strip(), space.facts.all()
        near = [f for f in facts if f.text == words and f.by == "user" and f.since >= done.at]
        return {"fact": near[-1].id} if near else None

    deed = IdempotentWrite(
        do, lambda space, what: space.facts.get(what["fact"]), found=found, status=201
    )
    return await perform(call, deed)


@router.get("/facts/{fact}", responses=answers(Fact, "The fact."))
async def get_fact(call: Asked, fact: Id) -> Response:
    """Give a fact by its id, the beginning of it, or its number in the list."""
    call.need_space()
    return given(await call.run(lambda space: space.facts.get(fact)))


@router.get("/facts/{fact}/history", responses=answers([FactChange], "Changes, the oldest first."))
async def fact_history(call: Asked, fact: Id) -> Response:
    """Say what happened to a fact, and to those in whose place it came."""
    call.need_space()
    return paged(call.request, Page(await call.run(lambda space: space.facts.history(fact))))


@router.patch("/facts/{fact}", responses=answers(Fact, "The fact as it is now."))
async def change_fact(call: Asked, fact: Id, body: FactChangeBody) -> Response:
    """Correct a fact, pin it, or take the pin off."""
    call.need_space()

    def work(space: Space) -> Fact:
        with space.editing:
            held = space.facts.get(fact)
            check_match(call.request, held)
            if body.text is not None or body.value is not None:
                held = space.facts.edit(held.id, text=body.text, value=body.value)
            if body.pinned is not None:
                held = (space.facts.pin if body.pinned else space.facts.unpin)(held.id)
            return held

    return given(await call.run(work))


@router.delete("/facts/{fact}", responses=answers(Fact, "The fact as it was."))
async def withdraw_fact(call: Asked, fact: Id) -> Response:
    """Take a fact back: its words go, and are not drawn again from what was said until now."""
    call.need_space()

    def work(space: Space) -> Fact:
        with space.editing:
            check_match(call.request, space.facts.get(fact))
            return space.facts.withdraw(fact)

    return given(await call.run(work))


@router.get("/pins", responses=answers([Pin], "Pins, the oldest first."))
async def list_pins(call: Asked) -> Response:
    """List what every prompt carries."""
    call.need_space()
    return paged(call.request, Page(await call.run(lambda space: space.pins.all())))


@router.post("/pins", status_code=201, responses=answers(Pin, "The pin.", status=201))
async def add_pin(call: Asked, body: NewPin) -> Response:
    """Pin words, or what the user said in an exchange: every prompt carries it from now on."""
    call.need_space()
    text, exchange = body.text, body.exchange
    if (text is None) == (exchange is None):
        raise InputError("A pin is `text` or `exchange`.", hint="Give one of the two.")

    def do(space: Space, _: What) -> What:
        if text is not None:
            return {"pin": space.pins.add(text).id}
        return {"pin": space.pins.add_exchange(call.exchange(space, exchange or "")).id}

    def show(space: Space, what: What) -> Pin:
        fact = space.facts.get(what["pin"])
        return Pin(fact.id, fact.text, fact.since, fact.exchange)

    def found(space: Space, done: Done) -> What | None:
        near = [p for p in space.pins.all() if p.at >= done.at and text in (None, p.text)]
        return {"pin": near[-1].id} if near else None

    return await perform(call, IdempotentWrite(do, show, found=found, status=201))


@router.delete("/pins/{pin}", responses=answers(Pin, "The pin as it was."))
async def unpin(call: Asked, pin: Id) -> Response:
    """Take a pin off; what it says stays known."""
    call.need_space()
    return given(await call.run(lambda space: space.pins.remove(pin)))
