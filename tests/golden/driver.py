"""How the scenarios speak to the package: everything that depends on its interface stands here.

A drive is one home, or one store in memory. It has a clock that moves only between two deeds, so
that times and ids do not depend on how often the package looks at it. Every context that is prepared
becomes a line.
"""

import hashlib
import io
import json
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from unabridged import config
from unabridged.domain.chat import Abilities, StreamChunk, ToolSpec, Usage
from unabridged.domain.client_history import RequestOptions
from unabridged.domain.fact import Requirement
from unabridged.domain.message import Role, ToolCall, ToolResult
from unabridged.domain.record import Record
from unabridged.domain.results import Transcript
from unabridged.domain.scope import Scope
from unabridged.errors import (
    ContextRefusedError,
    NotFoundError,
    PromptTooLargeError,
    UnabridgedError,
)
from unabridged.factory.open_memory import _dependencies, open_space
from unabridged.home.open_spaces import space_from
from unabridged.models.scripted import ScriptedModel
from unabridged.space.space import Space
from unabridged.stores.in_memory import InMemoryStore
from unabridged.transfer.detect_format import open_file
from unabridged.turn.conversation import Conversation, sync
from unabridged.turn.prepare import PromptOptions
from unabridged.turn.turn import Turn
from unabridged.wire import openai

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PAUSE = timedelta(minutes=3)
SHARED = ("user", "agent")
STORES = {
    "sqlite": {"store": "sqlite", "isolation": SHARED},
    "memory": {"store": "memory", "isolation": SHARED},
    "files-model": {"json_files": "model", "isolation": (*SHARED, "model")},
    "files-agent": {"json_files": "agent", "isolation": SHARED},
    "files-user": {"json_files": "user", "isolation": ("user",)},
}
MODEL = "golden"
WINDOW = 8192
DIGITS = 20
"""Hexadecimal digits of a digest that a line keeps."""
OURS = re.compile(r"\b\d{26}\b")


class Lasting(InMemoryStore):
    """A store in memory that is there when the next one opens it."""

    def close(self):
        pass


class Clock:
    """Time stands still until a drive moves it; ids begin again with each move.

    Condensations and facts are named after ids, and such names stand in about one prompt of nine.
    Today a preparation draws an id for the user's message, one for a session that begins and one
    for the context, a record one for the answer. Where that changes, ``skip`` sets it right, so that
    the prompts stay comparable.
    """

    def __init__(self):
        self.time = START
        self._count = 0

    def move(self, by=PAUSE):
        self.time += by
        self._count = 0

    def skip(self, count):
        """Pass over ids (or go back, below zero), where a deed draws fewer or more than it did."""
        self._count += count

    def now(self):
        return self.time

    def new_id(self):
        self._count += 1
        return f"{int(self.time.timestamp() * 1000):014d}{self._count:012d}"


@dataclass(frozen=True)
class Line:
    """One prepared context, or one request that was sent for it.

    Attributes:
        name: The scenario and a number.
        hash: ``Context.hash``; empty for a request that only goes on with a context.
        tokens: Planned tokens of the prompt.
        messages: What was sent, as plain data.
        tools: The tools that were offered.
        account: The ledger as plain data; ids are replaced by what they name.
    """

    name: str
    hash: str
    tokens: int
    messages: list
    tools: list
    account: dict = field(default_factory=dict)

    @property
    def digests(self):
        """What is compared: the hash, the prompt, the account and the tokens."""
        prompt = digest([self.messages, self.tools])
        return [self.hash[:DIGITS], prompt, digest(self.account), self.tokens]


def canonical(data):
    return json.dumps(data, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def digest(data):
    return hashlib.sha256(canonical(data).encode("ascii")).hexdigest()[:DIGITS]


def model_of(script=("Yes.",), window=WINDOW, refuses=None):
    """Give a model with a window that answers by a script."""
    able = Abilities(MODEL, loaded_window=window, tools=True, vision=True, source="server")
    return ScriptedModel(script, abilities=able, model=MODEL)


class Drive:
    """One run of a scenario over one kind of store.

    Args:
        scenario: Its name.
        store: One of ``STORES``.
        folder: An empty folder.
        **settings: Those of the scenario.
    """

    def __init__(self, scenario, store, folder, **settings):
        self.scenario = scenario
        self.lines = []
        self.clock = Clock()
        self._kind = STORES[store]
        self._folder = folder
        self._settings = {"tokenizer": "estimate", "model": MODEL, **settings}
        self._user = "ada"
        self._changes = {}
        self._conversations = {}
        self._persona = None
        self._reach = None
        self._notes = 0
        self._kept = {}  # what stores in memory hold, by space
        self._names = {}
        self._models = {}
        self._window = WINDOW

    # Opening.

    @property
    def talk(self):
        """The conversation of the user."""
        if self._user not in self._conversations:
            space = self._opened()
            newest = space.sessions.newest()
            self._conversations[self._user] = Conversation(space, newest.id if newest else None)
        return self._conversations[self._user]

    @property
    def space(self):
        return self.talk.space

    def _opened(self):
        given = {**self._settings, **self._changes, **self._kind, "user": self._user}
        chosen = config.load(home=self._folder, environ={}, **given)
        model = self._model(self._window)
        if self._kind.get("store") != "memory":
            return open_space(chosen, self.clock, model=model)
        scope = Scope(chosen.user, chosen.agent, chosen.model)
        name = space_from(scope, chosen)
        store = self._kept.setdefault(name, Lasting(name))
        return Space(_dependencies(chosen, self.clock, store, model), scope)

    def _model(self, window):
        return self._models.setdefault(window, model_of(window=window))

    @property
    def _asked(self):
        return self._model(self._window)

    def reopen(self, **changes):
        """Close everything and open it with other settings; the session stays the newest one."""
        self.close()
        self._changes = changes
        self._persona = None

    def close(self):
        for conversation in self._conversations.values():
            conversation.space.close()
        self._conversations.clear()

    @contextmanager
    def user(self, name):
        """Be another user, who has a space of their own."""
        before, self._user = self._user, name
        try:
            yield
        finally:
            self._user = before

    def wait(self, **time):
        self.clock.move(timedelta(**time))

    def window(self, tokens):
        """Ask a model with another window from now on."""
        self._window = tokens

    def persona(self, name):
        self._persona = name

    # Talking.

    def prepare(self, text, *, images=(), mode=None, tools=None, retry_of=None):
        """Prepare a context; it becomes a line."""
        self.clock.move()
        offered = None if tools is None else [spec_of(tool) for tool in tools]
        given = {"mode": mode, "tools": offered, "retry_of": retry_of, "images": images}
        context = self.talk.prepare(text, **given, **self._options())
        self._add(context)
        return context

    def _options(self):
        return {"model": self._asked, "persona": self._persona, "reach": self._reach}

    def refused(self, text, **given):
        """Prepare what cannot be sent; the kind of refusal becomes a line."""
        self.clock.move()
        try:
            self.talk.prepare(text, **given, **self._options())
        except UnabridgedError as error:
            told = [getattr(error, "needed", None), getattr(error, "window", None)]
            self._tell({"refused": told})
        else:
            raise AssertionError(f"not refused: {text[:60]}")

    def record(self, context, answer, *, state="complete", prompt_tokens=None):
        """Record the answer to a context; gives the exchange's id."""
        self.clock.move()
        usage = Usage(prompt_tokens, 20) if prompt_tokens else None
        return self._noted(
            self.talk.record(context, answer, state=state, usage=usage, model=self._asked)
        )

    def _noted(self, exchange):
        self._notes += len(exchange.notes)
        return exchange.id

    def say(self, text, answer="I see.", **given):
        """Prepare a message and record its answer; gives the exchange's id."""
        return self.record(self.prepare(text, **given), answer)

    def begin(self, context):
        self.clock.move()
        return self._noted(self.talk.begin(context))

    def rounds(self, context, *rounds):
        """Record tool rounds of a context: each is a name, arguments and the result."""
        for n, (name, arguments, result) in enumerate(rounds):
            self.clock.move()
            call = ToolCall(f"call-{n}", name, json.dumps(arguments))
            asked = self.space.message(Role.ASSISTANT, [call])
            told = self.space.message(Role.TOOL, [ToolResult(call.id, name, result)])
            self._noted(self.talk.record_tools(context, [asked, told]))

    def turn(self, text, script, tools=None, *, mode=None, window=None, **given):
        """Have a whole turn with a model that answers by a script.

        A step of the script is words, ``(tool, arguments)``, a refusal with its figures, or a list
        of them. Every request that is sent becomes a line.
        """
        self.clock.move()
        steps = [_scripted(step, n) for n, step in enumerate(script)]
        model = model_of(steps, window or self._window)
        reply = self.talk.chat(
            text, mode=mode, tools=tools, model=model, persona=self._persona, **given
        )
        self._add(reply.context)
        broke = self._finished(reply)
        for request in model.requests:
            self._add_request(request)
        self._tell({"broke": broke, "notes": len(reply.notes)})
        return reply.exchange.id

    def _finished(self, reply):
        """Run a reply to its end; gives whether it broke off."""
        try:
            for event in reply.events():
                if type(event).__name__ == "Returned":
                    self.clock.move()
        except UnabridgedError:
            return True
        return False

    def sync(self, messages, *, session=None, tools=(), window=None, most=None, record=True):
        """Send a client's whole list of messages; gives what ``answer`` takes, None if refused."""
        self.clock.move()
        drafts = openai.drafts(messages)
        synced = sync(self.space, drafts, session, store=record)
        self.clock.move()
        specs = tuple(spec_of(tool) for tool in tools)
        options = PromptOptions(self._asked, reach=self._reach)
        request_options = RequestOptions(specs, window, most)
        turn = Turn(self.space, options, synced=synced, request_options=request_options)
        try:
            sent = turn.start()
        except PromptTooLargeError as error:
            return self._tell({"refused": [error.needed, error.window]})
        self._add(turn.context, sent.messages)
        if turn.is_recorded:
            self._go_on(turn.context)
        return turn

    def _go_on(self, context):
        """Talk in the session of a context from now on."""
        self._talk_in(context.scope.session)

    def _talk_in(self, session, title=""):
        self._conversations[self._user] = Conversation(self.space, session, title=title)

    def answer(self, sent, text="", calls=()):
        """Record what the model answered to what a client sent."""
        self.clock.move()
        if sent is None or not sent.is_recorded:
            return None
        made = [ToolCall(name, tool, json.dumps(arguments)) for name, tool, arguments in calls]
        sent.receive(StreamChunk(text=text, calls=tuple(made)))
        sent.receive(StreamChunk(done=True))
        exchange = sent.finish()
        self._notes += len(sent.notes)
        self._go_on(sent.context)
        return exchange.id

    # Sessions and branches.

    def new_session(self, title=""):
        self.clock.move()
        self._talk_in(None, title)

    def take_up(self, session):
        self.clock.move()
        self._talk_in(session)

    def switch(self, wanted):
        self.clock.move()
        found = self.space.sessions.find(wanted).id
        self._talk_in(found)
        return found

    def session(self):
        return self.talk.session

    def retitle(self, title):
        self.clock.move()
        self.talk.rename(title)

    def undo(self):
        self.clock.move()
        self.talk.undo()

    def checkout(self, exchange):
        self.clock.move()
        self.talk.checkout(exchange)

    def branches(self):
        return [exchange.id for exchange in self.talk.branches()]

    @contextmanager
    def narrowed(self, session):
        """Recall from one session alone."""
        before, self._reach = self._reach, session
        try:
            yield
        finally:
            self._reach = before

    # What is known.

    def pin(self, text=None, *, exchange=None):
        self.clock.move()
        pins = self.space.pins
        if text:
            return pins.add(text).id
        return pins.add_exchange(self.space.log.get(exchange)).id

    def unpin(self, wanted):
        self.clock.move()
        self.space.pins.remove(wanted)

    def fact(self, text, **given):
        self.clock.move()
        return self.space.facts.add(text, **given).id

    def correct(self, about, **given):
        """Correct the first fact with these words in it."""
        self.clock.move()
        return self.space.facts.edit(self._fact(about), **given).id

    def withdraw(self, about):
        self.clock.move()
        self.space.facts.withdraw(self._fact(about))

    def _fact(self, about):
        return next(fact.id for fact in self.space.facts.all() if about in fact.text)

    def requirement(self, text, *, pinned=False):
        self.clock.move()
        made = self.space.requirements.add(text)
        return self.space.requirements.pin(made.id).id if pinned else made.id

    def known(self):
        """How many facts, requirements and condensations there are."""
        memory = self.space
        condensed = memory.condensations.condensations()
        return [len(memory.facts.all()), len(memory.requirements.all()), len(condensed)]

    def maintain(self):
        """Do what is done after recording; how much is known then becomes a line."""
        self.clock.move()
        space = self.space
        threshold = space.contexts.last_memory()
        current = self.talk.session if self.talk.header else None
        list(space.maintenance.run(current, threshold=threshold, model=self._asked))
        self._tell({"known": self.known()})

    def condense(self, **given):
        """Condense the session at once."""
        self.clock.move()
        self.space.condensations.condense(self.session(), **given)

    # Between spaces, in and out.

    def share(self, other, *, kind="share", **what):
        """Give sessions or facts to another user; gives what ``revoke`` takes."""
        self.clock.move()
        giver = self.space
        with self.user(other):
            taker = self.space
        draft = giver.sharing.draft(taker.id, kind=kind, **what)
        self.clock.move()
        return giver.sharing.give(draft, taker.sharing).share

    def revoke(self, share):
        self.clock.move()
        self.space.sharing.revoke(share)

    def take_in(self, data, *, form=None):
        """Import a file; how many exchanges were new becomes a line."""
        self.clock.move()
        added, requirements, records, memory = 0, [], [], self.space
        with open_file(io.BytesIO(data), format=form, model=MODEL) as reader:
            for item in reader:
                if isinstance(item, Transcript):
                    imported = memory.log.import_transcript(item)
                    added += imported.added
                    self._notes += len(imported.notes)
                elif isinstance(item, Requirement):
                    requirements.append(item)
                elif isinstance(item, Record):
                    records.append(item)
        taken = memory.requirements.admit(requirements), memory.log.import_records(records)
        self._tell({"imported": [added, *taken]})

    def forget(self, *exchanges, **what):
        """Forget; what the plan reached becomes a line."""
        self.clock.move()
        plan = self.space.forgetting.plan(exchanges, **what)
        self.space.forgetting.execute(plan)
        self._notes = 0
        self._names.clear()

    def remarks(self):
        """How much there is to say of what was not stored becomes a line."""
        told = {"remarks": min(1, self._notes)}
        self._notes = 0
        self._tell(told)

    # Looking.

    def why(self):
        """Render the last context again; whether it is what was sent becomes a line."""
        account = self.space.contexts.why()
        told = {"intact": account.intact, "missing": len(account.missing)}
        messages = [self._named(dict(message)) for message in account.messages or ()]
        self.lines.append(Line(self._next(), "", 0, messages, [], told))

    def found(self, query, limit=10):
        """Search; what was found becomes a line."""
        self.clock.move()
        found = [
            self._exchange(one.exchange.id)
            for one in self.space.search(query, limit, reach=self._reach)
        ]
        self._tell({"query": query, "found": found})

    def ranked(self, query, limit=10):
        """What a search finds, best first: the session's title and the user's words."""
        self.clock.move()
        asked = query.replace('"', " ")  # a title that a question quotes is no phrase to insist on
        found = self.space.search(asked, limit)
        return [(one.session_title, one.exchange.user.text) for one in found]

    def whole(self, context):
        """What stands whole in a prompt, named likewise."""
        kept = (row for row in context.ledger.rows if row.kind.value == "exchange")
        names = [row.id for row in kept if row.decision.value == "kept"]
        found = [self.space.log.get(name) for name in names]
        return {(self.space.sessions.get(one.session).title, one.user.text) for one in found}

    def coherence(self):
        """What the check of the last condensation found, and what all of them did."""
        told = self.space.condensations.stats()
        held = told.coherence
        return {
            "runs": told.runs,
            "condensed": told.messages_condensed,
            "saved": told.tokens_saved,
            "critical kept": held.critical_kept,
            "shares kept": held.shares_kept,
            "lost names": len(held.lost_names),
            "lost critical": len(held.lost_critical),
            "in order": held.in_order,
            "reduction": held.token_reduction,
        }

    # Lines.

    def _next(self):
        return f"{self.scenario}/{len(self.lines) + 1:03}"

    def _add(self, context, sent=None):
        messages = context.messages if sent is None else openai.messages(sent)
        tools = [[t.name, t.description, dict(t.parameters)] for t in context.tools or ()]
        line = Line(
            name=self._next(),
            hash=context.hash,
            tokens=context.ledger.prompt_tokens,
            messages=[self._named(dict(message)) for message in messages],
            tools=tools,
            account=self._account(context),
        )
        self.lines.append(line)

    def _add_request(self, request):
        told = [self._named(dict(message)) for message in openai.messages(request.messages)]
        offered = [[t.name, t.description, dict(t.parameters)] for t in request.tools]
        limits = {"window": request.window, "limit": request.max_output}
        self.lines.append(Line(self._next(), "", 0, told, offered, limits))

    def _tell(self, told):
        """Add a line without a prompt: what came of a deed."""
        self.lines.append(Line(self._next(), "", 0, [], [], told))

    def _named(self, data):
        """Plain data with the ids of exchanges replaced by what they name."""
        text = json.dumps(data, ensure_ascii=False)
        return json.loads(OURS.sub(lambda found: self._exchange(found[0]), text))

    def _account(self, context):
        ledger = context.ledger
        return {
            "window": ledger.window,
            "parts": dict(ledger.parts),
            "rows": [self._row(context, row) for row in ledger.rows],
            "rest": [ledger.rest_count, ledger.rest_tokens],
            "intent": ledger.intent.value,
            "signals": list(ledger.signals),
            "complexity": round(ledger.complexity, 6),
            "answer": round(ledger.response_percentage, 6),
            "available": ledger.budget_available,
            "bound": ledger.bound,
            "reuse": None if ledger.prefix_reuse is None else round(ledger.prefix_reuse, 6),
            "notes": list(ledger.notes),
            "limit": context.max_output,
        }

    def _row(self, context, row):
        name = {
            "exchange": self._exchange,
            "fact": self._told,
            "tool": str,
            "condensation": lambda _: "condensation",
        }[row.kind.value](row.id)
        here = None if row.session is None else row.session == context.scope.session
        return [
            row.tier.value if row.tier else "",
            row.kind.value,
            name,
            row.decision.value,
            row.tokens,
            row.reason,
            row.at.isoformat() if row.at else "",
            here,
            [list(place) for place in row.sentences],
        ]

    def _exchange(self, name):
        """A name of an exchange that does not depend on its id: its time and its first words."""
        if name not in self._names:
            try:
                exchange = self.space.log.get(name)
            except NotFoundError:
                return "(no exchange)"
            words = " ".join(exchange.user.text.split())[:24].replace('"', "'").replace("\\", "/")
            self._names[name] = f"{exchange.at:%m-%d %H:%M} {words}"
        return self._names[name]

    def _told(self, name):
        """The words of a fact or a requirement."""
        if name not in self._names:
            books = (self.space.facts, self.space.requirements)
            for book in books:
                try:
                    self._names[name] = book.get(name).text
                    break
                except NotFoundError:
                    continue
            else:
                return "(no fact)"
        return self._names[name]


def spec_of(tool):
    """A tool as plain data becomes what the package takes: a name, words and parameters."""
    name, words, *parameters = tool
    properties = {each: {"type": "string"} for each in parameters}
    schema = {"type": "object", "properties": properties, "required": list(parameters)}
    return ToolSpec(name, words, schema)


def _scripted(step, place):
    """One step of a script as the model takes it."""
    if isinstance(step, tuple):
        name, arguments = step
        return ToolCall(f"call-{place}", name, json.dumps(arguments))
    if isinstance(step, list):
        return [_scripted(each, f"{place}-{n}") for n, each in enumerate(step)]
    if isinstance(step, dict):
        return ContextRefusedError(
            "Too long.", prompt_tokens=step["refused"], window=step["window"]
        )
    return step
