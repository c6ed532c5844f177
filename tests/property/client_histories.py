"""Simulated clients that send their whole history, against a model of what each path must hold.

Every client keeps its own list, changes it as people and programs do, and sends it. The model holds
a tree of what was really said; what a store holds is compared with it path by path. Run the long
form with::

    python -m tests.property.client_histories 1000
"""

import random
import sys
import tempfile
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import takewhile
from pathlib import Path

from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.domain.chat import Abilities, ToolSpec
from unabridged.domain.client_history import RequestOptions
from unabridged.domain.exchange import ExchangeState
from unabridged.domain.message import Role, Text, ToolCall, ToolResult
from unabridged.domain.settings import Settings
from unabridged.history_sync.place import AGAIN_WITHIN, MOST_OPENING, SOURCE
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock
from unabridged.wire.incoming_message import IncomingMessage

WINDOW = 65_536
"""Large enough that nothing is condensed: what a client sends must go on whole."""
TOOLS = (ToolSpec("look", "Looks.", {"type": "object", "properties": {}}),)
TELLING = 24
"""Characters that tell where a history stands, as docs/adr/0021 promises."""
CLIENTS = 8
STEPS = 14


@dataclass(eq=False)
class Node:
    """What was really said in one exchange.

    ``rest`` is a list of pieces: ("said", text), ("call", arguments) or ("result", text).
    ``asked`` is whether it was answered through the memory; ``source`` is the node whose words a
    client sends again behind an edit; ``session`` is where it is stored.
    """

    parent: "Node | None"
    user: str
    rest: list[tuple[str, str]] = field(default_factory=list)
    followed: bool = False
    asked: bool = False
    source: "Node | None" = None
    session: str = ""

    def path(self):
        above = self.parent.path() if self.parent else ()
        return (*above, (self.user, tuple(self.rest)))


@dataclass
class Turn:
    """One exchange in a client's list: its node, and what the client has of it."""

    node: Node
    user: str
    rest: list[tuple[str, str]]


@dataclass
class Client:
    """A program with one conversation, and its habits."""

    turns: list[Turn] = field(default_factory=list)
    system: str = ""
    keeps: int | None = None
    keeps_first: bool = False
    halves: bool = False
    drops_tools: bool = False
    noisy: bool = False
    waiting: Turn | None = None
    sent: tuple[list[IncomingMessage], list[dict], str] = ((), (), "")


class World:
    """Clients over one memory, and the model.

    Args:
        seed: Of every choice.
        home: Where the memory lies.
        settings: Fields of ``Settings``.
    """

    def __init__(self, seed: int, home: Path, clients: int = CLIENTS, **settings) -> None:
        self.random = random.Random(seed)
        self.clock = ManualClock()
        self.home = home
        self.settings = settings
        self.nodes: list[Node] = []
        self.made: set[Node] = set()
        self.count = 0
        self.broken: Counter[str] = Counter()
        self.notes: list[str] = []
        self.requests = 0
        self.done: Counter[str] = Counter()
        self.memory = self._opened()
        self.clients = [self._client() for _ in range(clients)]

    def _opened(self) -> Talker:
        able = Abilities("m", trained_window=WINDOW, tools=True, source="server")
        settings = Settings(
            home=str(self.home), window=WINDOW, max_prompt_tokens=WINDOW, **self.settings
        )
        model = ScriptedModel(("ok",), abilities=able)
        return Talker.open(settings=settings, upstream=model, clock=self.clock)

    def _client(self) -> Client:
        dice = self.random
        return Client(
            system=self._text(3) if dice.random() < 0.5 else "",
            keeps=dice.choice([None, None, None, 2, 3, 5]),
            keeps_first=dice.random() < 0.3,
            halves=dice.random() < 0.3,
            drops_tools=dice.random() < 0.3,
            noisy=dice.random() < 0.5,
        )

    # --- texts ---------------------------------------------------------------------------------

    def _text(self, words: int = 6) -> str:
        self.count += 1
        some = (
            "café",
            "naïve",
            "lamp",
            "river",
            "tower",
            "Ångström",
            "seven",
            "blue",
            "海辺",
            "x < y",
        )
        return f"{' '.join(self.random.choices(some, k=words))} no. {self.count}"

    def _question(self) -> str:
        if self.random.random() < 0.15:
            return self.random.choice(["Hi", "continue", "yes please", "thanks"])
        return self._text(self.random.randint(2, 9))

    def _answer(self) -> str:
        if self.random.random() < 0.1:
            return self.random.choice(["Hello!", "You're welcome.", "ok"])
        return self._text(self.random.randint(3, 12))

    # --- what a client sends -------------------------------------------------------------------

    def _drafts(self, client: Client, turns: list[Turn]) -> list[IncomingMessage]:
        """A client's list: the last turn is what it asks."""
        sent = turns[-self._sends(client, turns) :]
        trimmed = len(sent) < len(turns)
        first = turns[0] if trimmed and client.keeps_first and self._tells(turns[:1]) else None
        drafts: list[IncomingMessage] = []
        if client.system:
            drafts.append(IncomingMessage(Role.SYSTEM, (Text(client.system),)))
        if first is not None:
            drafts.append(IncomingMessage(Role.USER, (Text(self._noise(client, first.user)),)))
            drafts += self._rest(client, first.rest, tools=not client.drops_tools)
        for n, turn in enumerate(sent):
            last = n == len(sent) - 1
            if not (n == 0 and trimmed and client.halves and turn.rest and not last):
                drafts.append(IncomingMessage(Role.USER, (Text(self._noise(client, turn.user)),)))
            drafts += self._rest(client, turn.rest, tools=last or not client.drops_tools)
        return drafts

    def _sends(self, client: Client, turns: list[Turn]) -> int:
        """How many of its turns a client sends: what it keeps, and as many more as tell its place.

        What it trims down to can be too little for the midst of a conversation, which it is by
        rule under ``TELLING`` characters, or stand word for word in two conversations
        (one is the copy of the other, edited further above than is sent). Then nothing in the
        request says where it belongs: its words are stored, and any place is a guess. So the model
        can only say where they must stand if the client sends more; how often is counted. What
        becomes of those requests is tested in tests/unit/history_sync/test_trimming.py.
        """
        if client.keeps is None or client.keeps + 1 >= len(turns):
            return len(turns)
        count = client.keeps + 1
        while count < len(turns) and not self._is_told(client, turns, count):
            count += 1
        if count > client.keeps + 1:
            self.done["sent more"] += 1
        return count

    def _is_told(self, client: Client, turns: list[Turn], count: int) -> bool:
        """Whether the newest turns, trimmed, tell in which conversation they stand.

        Turns that this very step made (an edit, and what stands behind it) are not known to
        anybody yet and tell nothing.
        """
        told = list(takewhile(lambda turn: turn.node not in self.made, turns[-count:-1]))
        if not told:
            return False
        half = client.halves and bool(told[0].rest)
        size = -len(plain_text(told[0].user)) if half else 0
        for turn in told:
            kept = [text for kind, text in turn.rest if kind == "said" or not client.drops_tools]
            size += sum(len(plain_text(text)) for text in (turn.user, *kept))
        if size < TELLING:
            return False
        top = turns[0] if client.keeps_first and self._tells(turns[:1]) else None
        here = normal_path(told[-1].node.path())
        return all(
            normal_path(node.path()) == here
            for node in self.nodes
            if node not in self.made and fits(client, node, told, half=half, top=top)
        )

    def _rest(self, client: Client, rest, *, tools: bool) -> list[IncomingMessage]:
        drafts: list[IncomingMessage] = []
        names: list[str] = []
        for n, (kind, text) in enumerate(rest):
            match kind:
                case "said":
                    said = self._noise(client, text)
                    if client.noisy and self.random.random() < 0.3:
                        said = f"<think>\nhm {self.random.random()}\n</think>\n{said}"
                    drafts.append(IncomingMessage(Role.ASSISTANT, (Text(said),)))
                case "call" if tools:
                    names.append(f"c{n}-{self.random.randint(0, 9999)}")
                    given = (
                        f'{{"q":  "{text}", "n":1}}'
                        if client.noisy
                        else f'{{"n": 1, "q": "{text}"}}'
                    )
                    drafts.append(
                        IncomingMessage(Role.ASSISTANT, (ToolCall(names[-1], "look", given),))
                    )
                case "result" if tools:
                    drafts.append(
                        IncomingMessage(Role.TOOL, (ToolResult(names[-1], "look", text),))
                    )
        return drafts

    def _noise(self, client: Client, text: str) -> str:
        if not client.noisy:
            return text
        form = self.random.choice(["NFC", "NFD"])
        return unicodedata.normalize(form, text) + self.random.choice(["", " ", "\r\n", "\n\n"])

    # --- what happens --------------------------------------------------------------------------

    def step(self) -> None:
        """Let one client do one thing."""
        dice = self.random
        self.made.clear()
        self.clock.time += timedelta(minutes=dice.choice([0, 0, 1, 5, 45, 600]))
        if dice.random() < 0.04:
            self._restart()
        client = dice.choice(self.clients)
        if client.waiting is not None:
            self._go_on(client)
            return
        if not client.turns:
            self._begin(client)
            return
        weights = {
            self._say: 10,
            self._regenerate: 3,
            self._more: 1,
            self._edit_user: 2,
            self._edit_answer: 2,
            self._fork: 1,
            self._begin: 1,
            self._change_system: 1,
        }
        dice.choices(list(weights), list(weights.values()))[0](client)

    def _restart(self) -> None:
        """Close the memory and open it again, where it is kept anywhere."""
        if self.memory.space.settings.store == "memory":
            return
        self.memory.close()
        self.memory = self._opened()
        self.done["restart"] += 1

    def _begin(self, client: Client) -> None:
        """A new conversation; sometimes one that has a history the memory has never seen."""
        client.turns, client.waiting = [], None
        if self.random.random() < 0.3:
            parent = None
            for _ in range(self.random.randint(1, 5)):
                user, said = self._text(), self._text()
                parent = self._new(parent, user, [("said", said)])
                client.turns.append(Turn(parent, user, [("said", said)]))
            self.done["unknown history"] += 1
            keeps, client.keeps = client.keeps, None
            self._say(client)
            client.keeps = keeps
            return
        self.done["new"] += 1
        self._say(client)

    def _new(self, parent: Node | None, user: str, rest=(), **more) -> Node:
        node = Node(parent, user, list(rest), **more)
        if parent is not None:
            parent.followed = True
        self.nodes.append(node)
        self.made.add(node)
        return node

    def _say(self, client: Client) -> None:
        self._ask(client, self._question())
        self.done["say"] += 1

    def _regenerate(self, client: Client) -> None:
        last = client.turns.pop()
        self._ask(client, last.user)
        self.done["regenerate"] += 1

    def _more(self, client: Client) -> None:
        """The model goes on with its last answer; the client has it as one, or as two."""
        turn = client.turns[-1]
        if [kind for kind, _ in turn.rest] != ["said"] or turn.rest != turn.node.rest:
            self._say(client)
            return
        client.turns.pop()
        asked = Turn(turn.node, turn.user, turn.rest)
        _, context = self._request(client, asked)
        said, more = turn.rest[0][1], self._text(8)
        self.memory.record(context, f"{said} {more}")
        parent = self._parent(client)
        asked.node = self._new(parent, turn.user, [("said", f"{said} {more}")], asked=True)
        asked.node.session = context.scope.session
        asked.rest = list(asked.node.rest)
        if self.random.random() < 0.5:
            asked.rest = [("said", said), ("said", more)]
        client.turns.append(asked)
        self.done["more"] += 1

    def _edit_user(self, client: Client) -> None:
        at = self.random.randrange(len(client.turns))
        del client.turns[at:]
        self._ask(client, self._text())
        self.done["edit user"] += 1

    def _edit_answer(self, client: Client) -> None:
        """Another answer in the midst; what follows stays in the client's list."""
        first = 0 if client.keeps is None else max(0, len(client.turns) - client.keeps)
        places = [
            n
            for n, turn in enumerate(client.turns)
            if turn.rest and (not first or self._tells(client.turns[first + 1 : n]))
        ]
        if not places:
            return
        at = self.random.choice(places)
        parent = client.turns[at - 1].node if at else None
        turns = client.turns[:at]
        for turn in client.turns[at:]:
            changed = turn is client.turns[at]
            sent = turn.rest
            if client.drops_tools:
                sent = [piece for piece in sent if piece[0] == "said"]
            rest = [("said", self._text())] if changed else sent
            parent = self._new(parent, turn.user, rest, source=None if changed else turn.node)
            turns.append(Turn(parent, turn.user, list(rest)))
        client.turns = turns
        self._say(client)
        self.done["edit answer"] += 1

    @staticmethod
    def _tells(turns: list[Turn]) -> bool:
        """Whether what a trimming client sends before an edit tells whose conversation it is."""
        return sum(len(turn.user) + sum(len(text) for _, text in turn.rest) for turn in turns) > 60

    def _fork(self, client: Client) -> None:
        """Another client goes on with a copy of this one's conversation."""
        other = self.random.choice(self.clients)
        if other is client or other.waiting is not None:
            return
        upto = self.random.randint(1, len(client.turns))
        other.turns = [Turn(t.node, t.user, list(t.rest)) for t in client.turns[:upto]]
        other.drops_tools = client.drops_tools
        self._say(other)
        self.done["fork"] += 1

    def _change_system(self, client: Client) -> None:
        client.system = self._text(4)
        self._say(client)
        self.done["system"] += 1

    # --- a request -----------------------------------------------------------------------------

    def _ask(self, client: Client, user: str) -> None:
        turn = Turn(None, user, [])
        _heard, context = self._request(client, turn)
        turn.node = self._new(self._parent(client), user, asked=True)
        self._answered(client, turn, context)

    def _request(self, client: Client, turn: Turn):
        self.requests += 1
        turns = [*client.turns, turn]
        drafts = self._drafts(client, turns)
        if self._begins_anew(client, turn):
            self._copy_opening(client)
        heard = self.memory.sync(drafts)
        for node in self.made:
            node.session = node.session or heard.session
        tools = TOOLS if self.random.random() < 0.3 else ()
        context = self.memory.prepare_synced(heard, RequestOptions(tools=tools))
        self._look(client, drafts, heard, context)
        if heard.open is not None:
            if context.id != heard.open.id:
                self._break("a loop in another exchange", turn.user)
            self.memory.record_tools(context, heard.new_rounds)
            return heard, context
        self.memory.begin(context)
        if heard.new_rounds:
            self.memory.record_tools(context, heard.new_rounds)
        return heard, context

    @staticmethod
    def _parent(client: Client) -> Node | None:
        return client.turns[-1].node if client.turns else None

    def _begins_anew(self, client: Client, asked: Turn) -> bool:
        """Whether a list shares only an opening with what is stored: exchanges answered elsewhere.

        It goes another way behind them: then it is a new conversation, as every first question is
        whose program sends the same messages before it.
        """
        opening = [turn.node for turn in takewhile(lambda t: t.node not in self.made, client.turns)]
        if not opening or len(opening) > MOST_OPENING or not self._sends_all(client, asked):
            return False
        if any(node.asked for node in opening) or not opening[-1].followed:
            return False
        if self._header(opening[-1].session).source != SOURCE:
            return False
        behind = client.turns[len(opening) :]
        if behind:
            sizes = (
                len(plain_text(t.user)) + sum(len(plain_text(text)) for _, text in t.rest)
                for t in behind
            )
            known = (t.node.source is not None and t.node.source.asked for t in behind)
            return not any(k and size >= TELLING for k, size in zip(known, sizes, strict=True))
        loop = any(kind == "call" for kind, _ in asked.rest) and not asked.node.followed
        return not loop and not self._is_repeated(opening[-1], asked)

    def _is_repeated(self, opening: Node, asked: Turn) -> bool:
        """Whether the newest session with an opening and a question was just talked in."""
        path, question = normal_path(opening.path()), plain_text(asked.user)
        homes = [node.session for node in self.nodes if normal_path(node.path()) == path]
        asked_in = {
            node.session
            for node in self.nodes
            if node not in self.made
            and node.parent is not None
            and plain_text(node.user) == question
            and normal_path(node.parent.path()) == path
        }
        newest = next((home for home in reversed(homes) if home in asked_in), None)
        return newest is not None and self._header(newest).updated >= self.clock.time - AGAIN_WITHIN

    def _sends_all(self, client: Client, asked: Turn) -> bool:
        turns = [*client.turns, asked]
        missing = len(turns) - self._sends(client, turns)
        kept = client.keeps_first and not client.halves and self._tells(turns[:1])
        return missing == 0 or (missing == 1 and kept)

    def _header(self, session: str):
        return self.memory.space.sessions.get(session)

    def _copy_opening(self, client: Client) -> None:
        self.done["new behind an opening"] += 1
        parent = None
        for turn in client.turns:
            if turn.node in self.made:
                turn.node.parent, parent.followed = parent, True
                return
            parent = turn.node = self._new(parent, turn.node.user, turn.node.rest)

    def _look(self, client: Client, drafts, heard, context) -> None:
        """What a client sends goes on as it is; memory adds to users' messages, at their ends."""
        edits = context.edits
        if edits.left_out:
            self._break("left out", f"{sorted(edits.left_out)}")
        trimmed = not heard.path and not heard.new_session and not heard.open
        if edits.inserted and not trimmed:
            self._break("inserted", f"{[m.text for m in edits.inserted]}")
        sent = [m for m in context.prompt if m not in edits.inserted]
        if len(sent) != len(drafts) or len(heard.messages) != len(drafts):
            self._break("length", f"{len(drafts)} {len(sent)}")
            return
        for place, (draft, message) in enumerate(zip(drafts, sent, strict=True)):
            parts = message.parts
            if (added := edits.after.get(place)) is not None:
                if draft.role is not Role.USER or parts[-1] != Text(added):
                    self._break("a block in its place", f"{place} {draft.role}")
                parts = parts[:-1]
            if place in edits.before:
                parts = parts[1:]
            if (message.role, parts) != (draft.role, draft.parts):
                self._break("prompt", f"{draft.parts} {parts}")
        if heard.newest != max(n for n, d in enumerate(drafts) if d.role is Role.USER):
            self._break("newest", f"{heard.newest}")
        self._keeps(client, drafts, heard, context)

    def _keeps(self, client: Client, drafts, heard, context) -> None:
        """While a list grows at its end, the upstream gets what was sent before as its beginning.

        Where a message is asked again, or its answer edited, its block is made again.
        """
        before, was, name = client.sent
        held = {each.id for each in heard.path} | ({heard.open.id} if heard.open else set())
        if name in held and drafts[: len(before)] == before:
            self.done["grown"] += 1
            if context.messages[: len(was)] != was:
                self._break("the beginning of a prompt", f"{was} {context.messages[: len(was)]}")
        client.sent = (list(drafts), list(context.messages), context.id)

    def _answered(self, client: Client, turn: Turn, context) -> None:
        dice = self.random
        roll = dice.random()
        node = turn.node
        node.session = context.scope.session
        if roll < 0.72:
            text = self._answer()
            self.memory.record(context, text)
            node.rest.append(("said", text))
            turn.rest = list(node.rest)
            client.turns.append(turn)
        elif roll < 0.80:
            self.memory.record(context, None, state=ExchangeState.UNANSWERED)
            self.done["unanswered"] += 1
            if dice.random() < 0.7:  # the client keeps the question and asks something else
                self._keep_question(client, turn)
        elif roll < 0.83:  # the program is killed
            self._restart()
            self.done["killed"] += 1
            self._keep_question(client, turn)
        elif roll < 0.89:
            text = self._text(12)
            self.memory.record(context, text, state=ExchangeState.INCOMPLETE)
            node.rest.append(("said", text))
            seen = text[: dice.randint(1, len(text))].rstrip()
            turn.rest = [*node.rest[:-1], ("said", seen)]
            client.turns.append(turn)
            self.done["partial"] += 1
        else:
            query = self._text(2)
            call = ToolCall(f"call-{self.count}", "look", f'{{"q": "{query}", "n": 1}}')
            message = self.memory.space.message(Role.ASSISTANT, [call])
            self.memory.record_tools(context, [message])
            node.rest.append(("call", query))
            turn.rest = list(node.rest)
            client.waiting = turn
            self.done["call"] += 1

    @staticmethod
    def _keep_question(client: Client, turn: Turn) -> None:
        """Keep it, unless rounds are left away: it would look like the same question never asked."""
        if not (client.drops_tools and turn.rest):
            client.turns.append(turn)

    def _go_on(self, client: Client) -> None:
        """The client answers the calls, or never does."""
        turn, client.waiting = client.waiting, None
        dice = self.random
        if dice.random() < 0.2:  # it never answers them
            self.done["call unanswered"] += 1
            if dice.random() < 0.5 and not client.drops_tools:
                client.turns.append(turn)
            self._say(client)
            return
        result = self._text(5)
        rest = [*turn.rest, ("result", result)]
        sent = Turn(turn.node, turn.user, rest)
        heard, context = self._request(client, sent)
        if turn.node.followed:  # others went on behind it: a branch that shares its question
            sent.node = self._new(self._parent(client), turn.user, turn.rest, asked=True)
        elif heard.open is None:
            self._break("a round that was not gone on with", turn.user)
            sent.node = self._new(self._parent(client), turn.user, turn.rest, asked=True)
        sent.node.rest = list(rest)
        self.done["result"] += 1
        self._answered(client, sent, context)

    # --- counting ------------------------------------------------------------------------------

    def _break(self, what: str, note: str) -> None:
        self.broken[what] += 1
        self.notes.append(f"{what}: {note}"[:2000])

    def check(self) -> None:
        """Count what is lost, duplicated or in another conversation, by path."""
        want = Counter(normal_path(node.path()) for node in self.nodes)
        stored = {}
        after = None
        store = store_of(self.memory)
        while page := store.scan(after):
            stored |= {e.id: e for e in page}
            after = page[-1].id

        def path(exchange):
            above = path(stored[exchange.parent]) if exchange.parent else ()
            if exchange.parent and stored[exchange.parent].session != exchange.session:
                self._break("a parent in another session", exchange.id)
            return (*above, (exchange.user.text, tuple(pieces(exchange))))

        got = Counter(normal_path(path(exchange)) for exchange in stored.values())
        for lost in (want - got).elements():
            self._break("lost", repr(lost[-2:]))
        for more in (got - want).elements():
            self._break("duplicated or elsewhere", repr(more[-2:]))
        self._check_users(stored)

    def _check_users(self, stored) -> None:
        users: dict[tuple, set[str]] = {}
        for exchange in stored.values():
            key = (exchange.session, exchange.parent, plain_text(exchange.user.text))
            users.setdefault(key, set()).add(exchange.user.id)
            last = stored[exchange.parent].messages[-1].id if exchange.parent else None
            if exchange.user.parent != last:
                self._break("a message that follows another one", exchange.id)
        for key, ids in users.items():
            if len(ids) > 1:
                self._break("a question stored twice", repr(key))


def pieces(exchange):
    for message in exchange.messages[1:]:
        for part in message.parts:
            match part:
                case Text(text):
                    yield ("said", text)
                case ToolCall(arguments=arguments):
                    yield (
                        "call",
                        arguments.partition('"q":')[2].strip().partition('"')[2].partition('"')[0],
                    )
                case ToolResult(text=text):
                    yield ("result", text)


def plain_text(text: str) -> str:
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n"))
    if text.startswith("<think>"):
        text = text.partition("</think>")[2]
    return text.strip()


def plain(draft: IncomingMessage) -> str:
    return plain_text(draft.text)


def shown(client: Client, rest) -> list[str]:
    """What a client shows of what follows a question, in the form in which it is compared."""
    said: list[str] = []
    before = ""
    for kind, text in rest:
        if kind != "said" and client.drops_tools:
            continue
        if kind == before == "said":
            said[-1] += "".join(plain_text(text).split())
        else:
            said.append("".join(plain_text(text).split()))
        before = kind
    return said


def fits(client: Client, end: Node, turns: list[Turn], *, half: bool, top: Turn | None) -> bool:
    """Whether a path ends with what a client shows, so that it may be meant.

    Args:
        client: Who shows it.
        end: The path's end.
        turns: What it shows.
        half: Whether it shows the first of them without its question.
        top: What it shows of the path's beginning, or None.
    """

    def same(node: Node, turn: Turn) -> bool:
        theirs = shown(client, node.rest)
        return theirs in (shown(client, turn.rest), shown(client, turn.node.rest))

    node: Node | None = end
    for n, turn in reversed(list(enumerate(turns))):
        if node is None or not same(node, turn):
            return False
        if not (half and n == 0) and plain_text(node.user) != plain_text(turn.user):
            return False
        node = node.parent
    if top is None:
        return True
    while node is not None and node.parent is not None:
        node = node.parent
    return node is not None and same(node, top) and plain_text(node.user) == plain_text(top.user)


def normal_path(path):
    return tuple(
        (plain_text(user), tuple((kind, plain_text(text)) for kind, text in rest))
        for user, rest in path
    )


def run(seed: int, home: Path, steps: int, clients: int = CLIENTS, **settings) -> World:
    """Run one world to its end and count."""
    world = World(seed, home, clients, **settings)
    try:
        for _ in range(steps):
            world.step()
        world.check()
    finally:
        world.memory.close()
    return world


def main(histories: int, first: int = 0) -> int:
    """Run so many client histories; say what was found."""
    broken: Counter[str] = Counter()
    done: Counter[str] = Counter()
    requests = messages = 0
    for seed in range(first, first + -(-histories // CLIENTS)):
        with tempfile.TemporaryDirectory() as home:
            world = run(seed, Path(home), STEPS * CLIENTS)
        requests += world.requests
        messages += len(world.nodes)
        done += world.done
        broken += world.broken
        if world.broken:
            sys.stdout.write(f"seed {seed}: {dict(world.broken)}\n")
            sys.stdout.writelines(f"  {note}\n" for note in world.notes[:4])
    sys.stdout.write(f"{histories} histories, {requests} requests, {messages} exchanges\n")
    sys.stdout.write(f"{dict(done.most_common())}\nbroken: {dict(broken) or 0}\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
