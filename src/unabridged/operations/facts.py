"""Facts about the user, and pins: what every prompt carries."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from unabridged.domain.fact import SELF, Fact, FactChange
from unabridged.domain.permissions import Right
from unabridged.domain.results import Pin
from unabridged.errors import InputError
from unabridged.operations.call import Call, What
from unabridged.operations.operation import (
    AnyText,
    Effect,
    Name,
    Once,
    Page,
    Paged,
    Params,
    operation,
)
from unabridged.operations.pages import page_of
from unabridged.space.idempotency import Done

FactName = Annotated[Name, Meta(description="The id of the fact.")]
PinName = Annotated[Name, Meta(description="The id of the pin.")]


class FactList(Paged):
    """Which facts to list.

    Attributes:
        about: Only current facts that are relevant to these words, best first; one page.
        state: The state of the facts to list.
        newest: Whether to list the newest first.
    """

    about: Annotated[str, Meta(max_length=1000)] = ""
    state: Literal["current", "superseded", "withdrawn", "all"] = "current"
    newest: bool = False


@operation("facts.list", "GET /facts", "The facts.", whole=True, tool="list_facts")
def list_facts(call: Call, params: FactList) -> Page[Fact]:
    """List what is known about the user: statements, each with its source and date."""
    if params.about.strip():
        near = [one.fact for one in call.space.facts.bearing(params.about, params.limit)]
        return Page([fact for fact in near if params.state in {"all", fact.state.value}])
    facts = call.space.facts.all(None if params.state == "all" else params.state)
    return page_of(
        facts, lambda fact: fact.id, params.limit, params.cursor, is_reversed=params.newest
    )


class NewFact(Params):
    """A fact that a person gives.

    Attributes:
        text: The statement.
        pinned: Put it into every prompt.
        subject: Whom it is about.
        attribute: What it says of them, such as `lives in`; a newer value then replaces it.
        value: The value of the attribute; the whole text if it is omitted.
        aliases: Other words that people use to ask for it.
    """

    text: AnyText
    pinned: bool = False
    subject: Name = SELF
    attribute: Annotated[str, Meta(max_length=200)] = ""
    value: Annotated[str, Meta(max_length=10_000)] = ""
    aliases: Annotated[tuple[Name, ...], Meta(max_length=64)] = ()


def _added_fact(call: Call, params: NewFact, done: Done) -> What | None:
    words, facts = params.text.strip(), call.space.facts.all()
    near = [f for f in facts if f.text == words and f.by == "user" and f.since >= done.at]
    return {"fact": near[-1].id} if near else None


_FACT_ONCE: Once[NewFact, Fact] = Once(
    note=lambda _, __, fact: {"fact": fact.id},
    show=lambda call, _, what: call.space.facts.get(what["fact"]),
    found=_added_fact,
)


@operation(
    "facts.add", "POST /facts", "The fact.", Right.WRITE, status=201, whole=True, once=_FACT_ONCE
)
def add_fact(call: Call, params: NewFact) -> Fact:
    """Add a fact that a person gives."""
    return call.space.facts.add(**msgspec.structs.asdict(params))


@operation("facts.get", "GET /facts/{fact}", "The fact.", whole=True)
def get_fact(call: Call, fact: FactName) -> Fact:
    """Return a fact by its id, the beginning of it, or its number in the list."""
    return call.space.facts.get(fact)


@operation("facts.history", "GET /facts/{fact}/history", "Changes, the oldest first.", whole=True)
def fact_history(call: Call, fact: FactName) -> Page[FactChange]:
    """List the changes of a fact, and of the facts that it replaced."""
    return Page(call.space.facts.history(fact))


class FactChangeBody(Params):
    """A change of a fact. A correction replaces it; the history keeps the old one.

    Attributes:
        fact: The id of the fact.
        text: The new statement.
        value: The new value; the text stays otherwise as it is.
        pinned: Put it into every prompt, or no longer.
    """

    fact: Name
    text: AnyText | None = None
    value: Annotated[str, Meta(min_length=1, max_length=10_000)] | None = None
    pinned: bool | None = None


@operation("facts.edit", "PATCH /facts/{fact}", "The fact as it is now.", Right.WRITE, whole=True)
def change_fact(call: Call, params: FactChangeBody) -> Fact:
    """Correct a fact, pin it, or unpin it. The old one stays in the history."""
    facts = call.space.facts
    with call.space.editing:
        held = facts.get(params.fact)
        call.check_unchanged(held)
        if params.text is not None or params.value is not None:
            held = facts.edit(held.id, text=params.text, value=params.value)
        if params.pinned is not None:
            held = (facts.pin if params.pinned else facts.unpin)(held.id)
        return held


@operation("facts.withdraw", "DELETE /facts/{fact}", "The fact as it was.", Right.WRITE, whole=True)
def withdraw_fact(call: Call, fact: FactName) -> Fact:
    """Remove a fact and its words. It is not learned again from earlier messages."""
    with call.space.editing:
        call.check_unchanged(call.space.facts.get(fact))
        return call.space.facts.withdraw(fact)


@operation("pins.list", "GET /pins", "Pins, the oldest first.", tag="facts", whole=True)
def list_pins(call: Call) -> Page[Pin]:
    """List the pins."""
    return Page(call.space.pins.all())


class NewPin(Params):
    """What to pin: a text, or what the user said in an exchange.

    Attributes:
        text: The text.
        exchange: The id of the exchange.
    """

    text: AnyText | None = None
    exchange: Name | None = None


def _shown_pin(call: Call, _: NewPin, what: What) -> Pin:
    fact = call.space.facts.get(what["pin"])
    return Pin(fact.id, fact.text, fact.since, fact.exchange)


def _added_pin(call: Call, params: NewPin, done: Done) -> What | None:
    pins = [pin for pin in call.space.pins.all() if pin.at >= done.at]
    near = [pin for pin in pins if params.text in (None, pin.text)]
    return {"pin": near[-1].id} if near else None


_PIN_ONCE = Once(note=lambda _, __, pin: {"pin": pin.id}, show=_shown_pin, found=_added_pin)


@operation(
    "pins.add",
    "POST /pins",
    "The pin.",
    Right.WRITE,
    tag="facts",
    status=201,
    whole=True,
    once=_PIN_ONCE,
)
def add_pin(call: Call, params: NewPin) -> Pin:
    """Pin a text, or what the user said in an exchange: every prompt carries it."""
    if (params.text is None) == (params.exchange is None):
        raise InputError("A pin needs either `text` or `exchange`.", hint="Give one of the two.")
    if params.text is not None:
        added = call.space.pins.add(params.text)
    else:
        added = call.space.pins.add_exchange(call.exchange(params.exchange or ""))
    return _shown_pin(call, params, {"pin": added.id})


@operation(
    "pins.remove",
    "DELETE /pins/{pin}",
    "The pin as it was.",
    Right.WRITE,
    effect=Effect.WRITES,
    tag="facts",
    whole=True,
)
def unpin(call: Call, pin: PinName) -> Pin:
    """Remove a pin; the fact stays known."""
    return call.space.pins.remove(pin)
