"""A server in which two people said things that nobody else may see, and every way to ask for them.

Routes come from the application itself, so what is added later is asked too.
"""

import re
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta

from tests.helpers.talker import Talker
from tests.server.asking import ELSEWHERE, HERE, ask

from unabridged import config
from unabridged.domain.permissions import Grant, Right
from unabridged.factory.space_pool import SpacePool
from unabridged.home.api_keys import ApiKeys
from unabridged.mcp.http_transport import mcp_mount
from unabridged.server.app import create_app
from unabridged.server.resolve_scope import scope_of
from unabridged.server.state import Service
from unabridged.testing.clock import ManualClock

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
ANN, BOB = "ann", "bob"
SECRETS = {
    ANN: {
        "one": "zanzibarquokka",
        "two": "periwinkleotter",
        "answer": "marigoldbadger",
        "pin": "tangerinelynx",
        "fact": "ochreheron",
        "requirement": "indigomarmot",
        "title": "cobaltwalrus",
        "elsewhere": "saffronpuffin",
    },
    BOB: {"one": "turquoisegecko"},
}
"""Words that stand nowhere else; ``elsewhere`` is Ann's with another agent."""


def words_of(user, *but):
    return [word for name, word in SECRETS[user].items() if name not in but]


def plant(settings, clock):
    """Let the two talk, and give the ids of what Ann said."""
    ids = {}
    said = SECRETS[ANN]
    with Talker.open(settings=replace(settings, user=ANN), clock=clock) as memory:
        memory.new_session(f"The {said['title']}")
        first = memory.prepare(f"My secret word is {said['one']}, remember it.")
        ids["context"] = first.id
        memory.record(first, f"I shall remember it, and {said['answer']} too.")
        ids["session"] = memory.header.id
        ids["exchange"] = memory.exchanges()[0].id
        ids["response"] = f"resp_{ids['exchange']}"
        ids["pin"] = memory.space.pins.add(f"The secret pin is {said['pin']}.").id
        ids["fact"] = memory.facts.add(f"The secret bird is {said['fact']}.").id
        ids["requirement"] = memory.requirements.add(f"It must {said['requirement']}.").id
        for number in range(12):
            memory.record(memory.prepare(f"Chapter {number} of {said['one']}."), "Go on. " * 40)
        memory.space.condensations.condense(ids["session"], force=True)
        ids["condensation"] = memory.space.condensations.condensations()[0].id
        memory.new_session("Another")
        memory.record(memory.prepare(f"My second secret is {said['two']}."), "Noted.")
        ids["second"] = memory.header.id
    with Talker.open(settings=replace(settings, user=ANN, agent="cook"), clock=clock) as memory:
        memory.record(memory.prepare(f"My secret dish is {said['elsewhere']}."), "Tasty.")
    with Talker.open(settings=replace(settings, user=BOB), clock=clock) as memory:
        memory.record(memory.prepare(f"My secret is {SECRETS[BOB]['one']}."), "Noted.")
    return ids


@dataclass
class Planted:
    """The server, and what it holds."""

    app: object
    access: ApiKeys
    clock: ManualClock
    settings: object
    ids: dict

    def routes(self):
        """Every route: its template with the methods that it answers."""
        found = {}
        for route in self.app.routes:
            methods = getattr(route, "methods", None) or METHODS
            found.setdefault(route.path, set()).update(methods)
        return found

    def path(self, template):
        """A path for a template, with Ann's ids in it."""

        def filled(match):
            name = match[1].partition(":")[0]
            return self.ids.get(name, "x")

        return re.sub(r"\{([^}]*)\}", filled, template)

    async def ask(self, method, path, headers=(), **how):
        return await ask(self.app, method, path, headers, **how)

    def key(self, name, **grant):
        return self.access.create(Grant(name, **grant), self.clock.now())[1]


@asynccontextmanager
async def planted(home, **settings):
    """Plant, and start the application."""
    clock = ManualClock(step=timedelta(milliseconds=1))
    found = config.load(home=home, environ={}, upstream="quote", **settings)
    ids = plant(found, clock)
    service = Service(found, SpacePool(found, clock))
    app = create_app(service, [mcp_mount(service.pool, scope_of)])
    async with app.router.lifespan_context(app):
        yield Planted(app, ApiKeys(home), clock, found, ids)


def identities(house):
    """Every kind of identity while keys exist: name, headers, where from, what it must not see."""
    end = house.clock.now() + timedelta(minutes=1)
    expired = house.key("expired", expires=end)
    revoked = house.key("revoked", user=ANN)
    house.access.revoke("revoked", house.clock.now())
    house.clock.time = end
    all_of_ann, all_words = words_of(ANN), words_of(ANN) + words_of(BOB)
    every = frozenset(Right)
    bob = house.key("bob", user=BOB, rights=every)
    free = house.key("free", rights=every)
    cook = house.key("cook", user=ANN, agent="cook", rights=every)
    return [
        ("none", {}, HERE, all_words),
        ("dummy", bearer("ollama"), HERE, all_words),
        ("wrong", bearer("unb_0123456789_" + "A" * 43), HERE, all_words),
        ("expired", bearer(expired), HERE, all_words),
        ("revoked", bearer(revoked), HERE, all_words),
        ("token elsewhere", bearer(house.access.token()), ELSEWHERE, all_words),
        ("bob", bearer(bob), ELSEWHERE, all_of_ann),
        ("bob as ann", {**bearer(bob), "x-unabridged-user": ANN}, HERE, all_words),
        ("bob by x-api-key", {"x-api-key": bob}, HERE, all_of_ann),
        ("free as bob", {**bearer(free), "x-unabridged-user": BOB}, HERE, all_of_ann),
        ("free", bearer(free), HERE, all_words),
        ("ann's cook", bearer(cook), HERE, [*words_of(ANN, "elsewhere"), *words_of(BOB)]),
        (
            "ann's cook as default",
            {**bearer(cook), "x-unabridged-agent": "default"},
            HERE,
            all_words,
        ),
    ]


def bearer(secret):
    return {"authorization": f"Bearer {secret}"}
