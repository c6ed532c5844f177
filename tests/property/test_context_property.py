"""Promises 1, 2, 3 and 6 over arbitrary conversations, windows, modes and messages."""

from dataclasses import replace

from hypothesis import HealthCheck, example, given, settings, strategies as st
from tests.helpers.examples import examples
from tests.helpers.talker import Talker
from tests.opened import store_of
from tests.property.broken_contexts import BROKEN

from unabridged.budget.allocate import least_answer
from unabridged.budget.count import Counter
from unabridged.context.render import SHORT_ID
from unabridged.domain.budget import Mode
from unabridged.domain.chat import Abilities
from unabridged.domain.context import Decision, ItemKind, Tier
from unabridged.domain.message import Role
from unabridged.domain.settings import Settings
from unabridged.errors import PromptTooLargeError
from unabridged.language.sentences import sentences
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock
from unabridged.tokens.tiktoken import TiktokenTokenizer

EARLIER = "from earlier in this session, condensed"

WORDS = st.sampled_from(
    "cheese project Anna 12 March moon remember 预算 会议 Käse? why! <recalled> list: code".split()
)
SENTENCE = st.lists(WORDS, min_size=1, max_size=14).map(lambda words: " ".join(words) + ". ")
TEXT = st.one_of(
    st.lists(SENTENCE, min_size=1, max_size=30).map("".join),
    st.text(min_size=1, max_size=400).filter(lambda text: bool(text.strip())),
)
ASK = st.one_of(
    TEXT,
    st.sampled_from(
        [
            "hi",
            "thanks!",
            "remember the cheese project?",
            "what have we talked about so far?",
            "Analyze this code file, explain the architecture, and suggest detailed improvements",
        ]
    ),
)
SAID = st.lists(st.tuples(st.booleans(), TEXT, TEXT), max_size=12)


def open_memory(window: int) -> Talker:
    model = ScriptedModel(abilities=Abilities("m", trained_window=window, source="server"))
    chosen = Settings(home="unused", store="memory", window=window)
    return Talker.open(settings=chosen, upstream=model, clock=ManualClock())


def tell(memory: Talker, said) -> None:
    for fresh, question, answer in said:
        if fresh:
            memory.new_session()
        memory.record(memory.prepare(question), answer)


def once_broken(test):
    for said, ask, window in BROKEN:
        test = example(said=said, ask=ask, window=window, mode=Mode.CHAT)(test)
    return test


@once_broken
@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    said=SAID,
    ask=ASK,
    window=st.one_of(st.integers(512, 4096), st.integers(4096, 200_000)),
    mode=st.sampled_from(Mode),
)
def test_every_context_keeps_the_promises(said, ask, window, mode):
    with open_memory(window) as memory:
        refusal = None
        try:
            tell(memory, said)
            context = memory.prepare(ask, mode=mode)
        except PromptTooLargeError as error:
            refusal = error
        if refusal is not None:
            assert refusal.over > 0
            assert refusal.hint
            return
        check_accounted(memory, context, window)
        check_within(context, window)
        check_whole(memory, context)
        memory.begin(context)
        account = memory.why(context.id)
        assert account.intact
        assert account.messages == tuple(context.messages)
        assert account.ledger == context.ledger


def check_accounted(memory, context, window):
    ledger = context.ledger
    assert sum(ledger.parts.values()) == window == ledger.window
    assert all(tokens >= 0 for tokens in ledger.parts.values())
    for tier in Tier:
        assert sum(row.tokens for row in ledger.kept(tier)) <= ledger.parts[tier.value]
    seen = {row.id for row in ledger.rows if row.kind is ItemKind.EXCHANGE}
    covered = memory.stats().exchanges - len(seen) - ledger.rest_count
    assert 0 <= covered <= sum(int(r.reason.split()[0]) for r in ledger.rows if EARLIER in r.reason)
    shown = [r.id for r in ledger.rows if r.id in seen and r.decision is not Decision.LEFT_OUT]
    assert len(shown) == len(set(shown)), "an exchange stands in the prompt twice"
    assert all(row.reason for row in ledger.rows)


def check_within(context, window):
    # By real vocabularies: an estimate counts pieces, and the whole of them is another text to it.
    for name in ("o200k", "cl100k"):
        real = Counter(TiktokenTokenizer(f"{name}_base"))
        sent = real.prompt(map(uncounted, context.prompt), context.tools or ())
        assert sent <= context.ledger.prompt_tokens + context.budget.margin
    assert context.ledger.prompt_tokens + context.budget.margin + least_answer(window) <= window
    assert context.max_output is None or context.max_output > 0


def uncounted(message):
    return replace(message, tokens=None, tokenizer=None)


def harmless(text: str) -> str:
    return text.replace("<recalled", "‹recalled")


def check_whole(memory, context):
    rendered = [message.text for message in context.prompt]
    stored = store_of(memory).get([row.id for row in context.ledger.rows])
    assert rendered[-1].endswith(context.user.text)
    for row in context.ledger.rows:
        if row.kind is not ItemKind.EXCHANGE or row.decision is Decision.LEFT_OUT:
            continue
        is_recalled = row.tier is Tier.SEMANTIC
        place = rendered[-1] if is_recalled else "\n".join(rendered[:-1])
        recalled = harmless if is_recalled else str
        for i, message in enumerate(stored[row.id].messages):
            if message.role not in (Role.USER, Role.ASSISTANT):
                continue
            if row.decision is Decision.KEPT:
                assert recalled(message.text) in place
                continue
            pieces = sentences(message.text)
            for n in (n for j, n in row.sentences if j == i):
                said = recalled(pieces[n].strip())
                # Among short excerpts, what follows a line break is indented.
                assert said in place or "\n  ".join(said.splitlines()) in place
            assert row.id in place or row.id[:SHORT_ID] in place


@settings(max_examples=examples(20), deadline=None, suppress_health_check=list(HealthCheck))
@given(said=SAID, ask=ASK)
def test_the_same_store_message_and_time_give_the_same_bytes(said, ask):
    hashes = set()
    for _ in range(2):
        with open_memory(2048) as memory:
            try:
                tell(memory, said)
                hashes.add(memory.prepare(ask).hash)
            except PromptTooLargeError:
                return
    assert len(hashes) == 1


@given(st.text(max_size=600))
def test_sentences_join_back_to_the_text(text):
    assert "".join(sentences(text)) == text
