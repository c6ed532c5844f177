"""A client's request, fitted again and again while its conversation grows: nothing of it is lost."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.helpers.examples import examples

from unabridged.budget.allocate import least_answer
from unabridged.budget.count import Counter
from unabridged.condense.extractive_condenser import ExtractiveCondenser
from unabridged.context.fit_request import RequestBefore, fit_request
from unabridged.context.history import earlier_tokens
from unabridged.context.recall_block import client_block, fact_block
from unabridged.context.request_edits import request_edits
from unabridged.context.types import ClientRequest, EarlierBlock, PromptPlan
from unabridged.domain.budget import Mode, Verbosity
from unabridged.domain.chat import ToolSpec
from unabridged.domain.client_history import ClientMessage, Fit, SyncedHistory
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.fact import Fact
from unabridged.domain.message import (
    Foreign,
    Image,
    Message,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.errors import PromptTooLargeError
from unabridged.tokens.estimate import EstimateTokenizer
from unabridged.wire import openai
from unabridged.wire.edit_messages import edited_messages

AT = datetime(2026, 11, 1, 8, 0, tzinfo=UTC)
COUNTER = Counter(EstimateTokenizer())
CONDENSER = ExtractiveCondenser(COUNTER.text)
WORDS = "lamp river Oslo seven bread Anna window garden Turin violet paper copper letter".split()


def name_of(n):
    return f"{n:026d}"


LINE = 64
"""Tokens that the line about what was left out takes at most."""


class Conversation:
    """A client's conversation: exchanges of every form, with system messages between them."""

    def __init__(self, rng, exchanges):
        self.rng = rng
        self.count = 0
        self.system = [self.message(Role.SYSTEM, Text(self.words(20)))] * rng.randint(0, 1)
        self.path = [self.exchange(n) for n in range(exchanges)]
        self.between = {n for n in range(exchanges) if rng.random() < 0.1}
        self.within = {n for n in range(1, exchanges) if rng.random() < 0.05}
        self.blocks = {}

    def words(self, most):
        return " ".join(self.rng.choices(WORDS, k=self.rng.randint(1, most))).capitalize() + "."

    def message(self, role, *parts):
        self.count += 1
        return Message(f"m{self.count:06d}", role, parts, AT + timedelta(minutes=self.count))

    def exchange(self, n):
        rng, most = self.rng, self.rng.choice([5, 40, 200])
        user = [Text(self.words(most))]
        if rng.random() < 0.1:
            user.append(
                rng.choice(
                    [Image("data:image/png;base64,AAAA"), Foreign("file", '{"type": "file"}')]
                )
            )
        made = [self.message(Role.USER, *user)]
        for nth in range(rng.choice([0, 0, 0, 1, 3])):
            call = f"c{n}-{nth}"
            made += [
                self.message(
                    Role.ASSISTANT, Reasoning(self.words(20)), ToolCall(call, "look", "{}")
                ),
                self.message(Role.TOOL, ToolResult(call, "look", self.words(most))),
            ]
        made.append(self.message(Role.ASSISTANT, Text(self.words(most))))
        return Exchange(name_of(n), "s", None, ExchangeState.COMPLETE, tuple(made), AT)

    def request(self, k, fit, *, rounds):
        """Return what the client sends when it asks for the answer of its exchange ``k``."""
        sent = [ClientMessage(message, None) for message in self.system]
        for n, one in enumerate(self.path[: k + 1]):
            if n in self.between:
                sent.append(ClientMessage(self.message(Role.SYSTEM, Text("Be brief.")), None))
            if n == k:
                break
            # Where a client left out what is between, an exchange has no beginning.
            sent += [ClientMessage(m, n) for m in one.messages[1 if n in self.within else 0 :]]
        newest = self.path[k]
        sent.append(ClientMessage(newest.user, k))
        if rounds:
            sent += [ClientMessage(m, k) for m in newest.messages[1:-1]]
        synced = SyncedHistory("s", False, tuple(self.path[:k]), newest.user, tuple(sent))
        return ClientRequest(synced, fit)


def plan_of(rng, window):
    tools = tuple(
        ToolSpec(f"tool{n}", "Looks. " * rng.randint(1, 30), {}) for n in range(rng.randint(0, 4))
    )
    return PromptPlan(
        model="m",
        window=window,
        counter=COUNTER,
        mode=Mode.TOOLS if tools else Mode.CHAT,
        verbosity=Verbosity.BALANCED,
        system="",
        tools=tools,
        max_prompt_tokens=rng.choice([None, None, 0, 100, 500, 4_000]),
        condenser=rng.choice([CONDENSER, CONDENSER, None]),
        for_client=True,
    )


def sizes_of(plan, client):
    sent = [(one, COUNTER.sent(one.message)) for one in client.synced.messages]
    last = len(client.synced.path)
    fixed = sum(size for one, size in sent if one.exchange in {None, last})
    fixed += COUNTER.opening() + sum(map(COUNTER.tool, plan.tools))
    return fixed, sum(size for one, size in sent if one.exchange not in {None, last})


def block_of(n, rng):
    fact = Fact(f"f{n}", " ".join(rng.choices(WORDS, k=rng.randint(3, 60))), AT)
    text = client_block([fact_block(AT, fact.text)])
    return EarlierBlock(text, frozenset({f"r{n}"}), frozenset({fact.id}))


class Steps:
    """The requests of one conversation, one after the other, and what was sent for each."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.talk = Conversation(self.rng, self.rng.randint(2, 25))
        self.window = self.rng.choice([512, 1024, 2048, 4096, 16_384])
        self.plan = plan_of(self.rng, self.window)
        self.fit = self.rng.choice(list(Fit))
        self.before = RequestBefore()
        self.sent = None
        self.moves = 0

    def run(self):
        for k in range(len(self.talk.path)):
            for rounds in (False, True)[: self.rng.choice([1, 1, 2])]:
                client = self.talk.request(k, self.fit, rounds=rounds)
                blocks = self.talk.blocks
                try:
                    fitted = fit_request(self.plan, client, blocks, self.before, name_of(k))
                except PromptTooLargeError as refusal:
                    self.refused(client, refusal)
                    return
                self.fitted(client, fitted, k, rounds=rounds)

    def refused(self, client, refusal):
        fixed, history = sizes_of(self.plan, client)
        assert refusal.window == self.window
        assert refusal.needed > self.window
        assert fixed + history + least_answer(self.window) > self.window
        condenses = self.fit is Fit.CONDENSE or (self.fit is Fit.AUTO and not client.synced.rounds)
        if condenses:  # nothing but what may never be left out was too large
            # The line that says how many were left out takes room, too.
            assert 0 <= refusal.needed - fixed - least_answer(self.window) <= LINE
        else:
            assert refusal.needed == fixed + history + least_answer(self.window)

    def fitted(self, client, fitted, k, *, rounds):
        block, room = block_of(k, self.rng), self.room(fitted)
        if rounds or self.rng.random() < 0.4 or COUNTER.text(block.text) > room:
            block = EarlierBlock("")
        edits = request_edits(client.synced, fitted, block.text, (), None)
        sent = edited_messages([one.message for one in client.synced.messages], edits)
        self.nothing_is_lost(client, fitted, edits, sent)
        self.all_is_counted(client, fitted, block, sent)
        self.it_moves_only_if_it_must(client, fitted, k)
        self.the_beginning_stays(fitted, sent)
        earlier = fitted.earlier
        kept = name_of(fitted.left_out) if fitted.left_out else ""
        self.before = RequestBefore(fitted.since, kept, earlier)
        if block.text:
            self.talk.blocks[k] = block

    def room(self, fitted):
        used = fitted.system + fitted.tools + fitted.history + fitted.newest
        room = self.window - least_answer(self.window) - used
        most = self.plan.max_prompt_tokens
        if most is not None:
            room = min(room, most - sum(COUNTER.text(b.text) for b in fitted.blocks.values()))
        return room

    def nothing_is_lost(self, client, fitted, edits, sent):
        """Every message goes on whole and in its order, but those that are counted as left out."""
        asked = client.synced.messages
        stay = [one for place, one in enumerate(asked) if place not in edits.left_out]
        assert len(sent) == len(stay)
        for one, message in zip(stay, sent, strict=True):
            first = message.parts.index(one.message.parts[0])
            assert message.parts[first : first + len(one.message.parts)] == one.message.parts
            assert message.role is one.message.role
            added = len(message.parts) - len(one.message.parts)
            assert not added or message.role is Role.USER
        gone = [one for place, one in enumerate(asked) if place in edits.left_out]
        assert edits.left_out_tokens == sum(COUNTER.sent(one.message) for one in gone)
        assert all(one.exchange is not None and one.exchange < fitted.left_out for one in gone)
        oldest = [one for one in asked if one.exchange is not None][: len(gone)]
        assert gone == oldest
        if gone:
            assert fitted.left_out <= len(client.synced.path)  # never the newest, nor its rounds
            next_one = next(one for one in stay if one.exchange is not None)
            assert next_one.message.role is Role.USER
        if fitted.earlier is not None:
            told = [m for m in sent if len(m.parts) > 1 and "condensed" in str(m.parts[0])]
            assert len(told) == 1

    def all_is_counted(self, client, fitted, block, sent):
        fixed, history = sizes_of(self.plan, client)
        blocks = sum(COUNTER.text(one.text) for one in fitted.blocks.values())
        used = fitted.system + fitted.tools + fitted.history + fitted.newest
        told = earlier_tokens(self.plan, fitted.earlier)
        assert used == fixed + history - fitted.left_out_tokens + blocks + told
        assert used + least_answer(self.window) <= self.window
        most = self.plan.max_prompt_tokens
        own = COUNTER.text(block.text)
        if most is not None:
            assert blocks + own <= most
        real = sum(map(COUNTER.sent, sent)) + COUNTER.opening()
        real += sum(map(COUNTER.tool, self.plan.tools))
        assert real <= used + own
        breaks = 4 if fitted.earlier else 0  # the condensation goes without its line breaks
        assert used + own - real <= breaks

    def it_moves_only_if_it_must(self, client, fitted, k):
        """Blocks go before words of the client do, and both only where there is no room."""
        limit = self.window - least_answer(self.window)
        fixed, history = sizes_of(self.plan, client)
        if fixed + history <= limit:
            assert fitted.left_out == 0
        before = int(self.before.kept or 0)
        if before and fitted.left_out not in {0, before} and before not in self.talk.within:
            left = sum(
                COUNTER.sent(one.message)
                for one in client.synced.messages
                if one.exchange is not None and before <= one.exchange < k
            )
            assert fixed + left + earlier_tokens(self.plan, self.before.earlier) > limit
        if fitted.since != self.before.since:
            shown = [
                COUNTER.text(block.text)
                for n, block in self.talk.blocks.items()
                if n >= max(fitted.left_out, int(self.before.since or 0))
            ]
            used = fixed + history - fitted.left_out_tokens
            used += earlier_tokens(self.plan, fitted.earlier)
            most = self.plan.max_prompt_tokens
            assert used + sum(shown) > limit or (most is not None and sum(shown) > most)

    def the_beginning_stays(self, fitted, sent):
        """While nothing moves, what was sent before is the beginning of what is sent now."""
        items = openai.messages(sent)
        kept = name_of(fitted.left_out) if fitted.left_out else ""
        same = (fitted.since, kept, fitted.earlier) == (
            self.before.since,
            self.before.kept,
            self.before.earlier,
        )
        if self.sent is not None and same and not self.talk.within:
            assert items[: len(self.sent)] == self.sent
        elif self.sent is not None:
            self.moves += 1
        ends = [n for n, item in enumerate(items) if item["role"] == "user"][-1]
        self.sent = items[: ends + 1]  # rounds come again as the client sends them


@pytest.mark.parametrize("part", range(4))
def test_a_growing_conversation_keeps_every_promise(part):
    moves = 0
    for seed in range(examples(100)):
        steps = Steps(f"{part}-{seed}")
        steps.run()
        moves += steps.moves
    assert moves  # else nothing above was tried


def test_a_conversation_that_fits_never_changes_what_was_sent():
    steps = Steps("wide")
    steps.window = 200_000
    steps.plan = replace(steps.plan, window=200_000, max_prompt_tokens=None)
    steps.run()
    assert steps.moves == 0
    assert steps.talk.blocks


class Sources:
    """A condenser that keeps nothing and remembers what it was given."""

    identity = "sources"

    def __init__(self):
        self.given = []

    def condense(self, sources, limit, about=()):
        self.given += [source.exchange for source in sources]


@pytest.mark.parametrize("stored", [True, False])
def test_what_was_forgotten_is_not_condensed_into_what_is_stored(stored):
    talk = Conversation(random.Random("forgotten"), 20)
    client = talk.request(19, Fit.CONDENSE, rounds=False)
    forgotten = {talk.path[0].id, talk.path[2].id}
    synced = replace(client.synced, unstored=frozenset(forgotten), stored=stored)
    seen = Sources()
    plan = replace(plan_of(random.Random(1), 1024), tools=(), condenser=seen)
    fitted = fit_request(plan, replace(client, synced=synced), {}, RequestBefore(), name_of(19))
    assert fitted.left_out > 3
    gone = list(enumerate(one.id for one in talk.path[: fitted.left_out]))
    # What is not stored is named by its place, so that it is condensed alike each time.
    names = {str(n) if name in forgotten and not stored else name for n, name in gone}
    assert set(seen.given) == (names - forgotten if stored else names)
