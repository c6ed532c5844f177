"""The whole ledger of a context, part by part and row by row, and as plain data."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from unabridged.budget.count import Counter
from unabridged.condense.history_summary import HistorySummary
from unabridged.context.facts import FactLine, SelectedFacts
from unabridged.context.history import ShownHistory
from unabridged.context.ledger import ledger_from_dict, ledger_of, ledger_to_dict, rows_to_data
from unabridged.context.overviews import Overview
from unabridged.context.recall_block import pin_block
from unabridged.context.render import earlier_text
from unabridged.context.tiers import Tiers
from unabridged.context.types import (
    Candidates,
    ClientRequest,
    Dropped,
    FittedRequest,
    Item,
    MemoryRequest,
    PromptPlan,
    PromptRequest,
    Selected,
)  # fmt: skip
from unabridged.domain.budget import Budget, Mode, Verbosity
from unabridged.domain.chat import ToolSpec
from unabridged.domain.client_history import Fit, SyncedHistory
from unabridged.domain.condensation import Line
from unabridged.domain.context import Decision, ItemKind, Ledger, LedgerRow, Tier
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.fact import Fact
from unabridged.domain.intent import Intent, IntentReading
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.scope import Scope
from unabridged.tokens.estimate import EstimateTokenizer

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
COUNTER = Counter(EstimateTokenizer())
KEPT, LEFT, SHORT = Decision.KEPT, Decision.LEFT_OUT, Decision.CONDENSED
TOOLS = (ToolSpec("now", "The time.", {}), ToolSpec("weather", "The sky.", {}))
PIN = Fact("p1", "Call me Ann.", AT)
BUDGET = Budget(
    window=10_000, system=10, tools=20, message=30, answer=1_000, memory=7_000, margin=400,
    reserve=1_000, unused=540, complexity=0.25, bound="memory_cap",
)  # fmt: skip


def exchange(name, day=0, session="s1", tokens=(7, None, 5)):
    at = AT + timedelta(days=day)
    messages = tuple(
        Message(f"{name}-{i}", Role.USER, (Text("x"),), at, tokens=n) for i, n in enumerate(tokens)
    )
    return Exchange(name, session, None, ExchangeState.COMPLETE, messages, at)


def earlier(count):
    line = Line("Nice.", "e0", 0, Role.USER, (0,))
    return HistorySummary((line,), (AT,), count, 90, (), "e1", "extract-1")


def line_of(name, tokens, score, reason):
    return FactLine(Fact(name, "Likes tea.", AT + timedelta(hours=1)), "", tokens, score, reason)


def plan_of(**changed):
    given = {
        "model": "m", "window": 10_000, "counter": COUNTER, "mode": Mode.TOOLS,
        "verbosity": Verbosity.BALANCED, "system": "", "tools": TOOLS, "notes": ("A note.",),
    }  # fmt: skip
    return PromptPlan(**{**given, **changed})


def ask_of(budget=BUDGET, pins=(PIN,)):
    reading = IntentReading(Intent.SUMMARY, ("overview", "so far"))
    return MemoryRequest(reading, (), budget, TOOLS[:1], pins, 11, 0, 6_000, 6_000)


def tiers_of(**changed):
    given = {
        "immediate": Selected((Item(exchange("i1", 5), 100, "newest"),)),
        "recent": Selected(
            (Item(exchange("r1", 4), 50, "too long", ((0, 1), (2, 3))),),
            (Dropped(exchange("r0", 3), 60, "older"),),
        ),
        "semantic": Selected(
            (Item(exchange("a1", 1, "s2"), 70, "relevant", score=0.75),),
            (Dropped(exchange("a2", 2, "s2"), 80, "no room", 0.5),),
        ),
        "frame": 9,
        "shown": ShownHistory((), earlier=None, tokens=0),
        "facts": SelectedFacts(
            (line_of("f1", 12, 0.5, "relevant"),), (line_of("f2", 13, 0.25, "no room"),)
        ),
        "overviews": (
            Overview("c1", "", (), 40, "s3", "overview of it", AT),
            Overview("c2", "", (), 41, "", "overview of all", AT),
        ),
    }  # fmt: skip
    return Tiers(**{**given, **changed})


def request_of(client=None):
    user = Message("u", Role.USER, (Text("?"),), AT)
    return PromptRequest("q", Scope(session="s1"), user, AT, None, None, False, client=client)


MATERIAL = Candidates((), total_exchanges=20, total_tokens=900)


def made(material=MATERIAL, plan=None, *, tiers=None, client=None, ask=None):
    return ledger_of(
        plan or plan_of(), material, request_of(client), ask or ask_of(), tiers or tiers_of(),
        prefix_reuse=0.5,
    )  # fmt: skip


FACT, WHOLE, TOOL, CONDENSED = (
    ItemKind.FACT, ItemKind.EXCHANGE, ItemKind.TOOL, ItemKind.CONDENSATION
)  # fmt: skip
HOUR = AT + timedelta(hours=1)


def day(number):
    return AT + timedelta(days=number)


ROWS = (
    LedgerRow(Tier.KNOWLEDGE, FACT, "p1", KEPT, COUNTER.text("- Call me Ann."), "pinned"),
    LedgerRow(Tier.KNOWLEDGE, FACT, "f1", KEPT, 12, "relevant", 0.5, HOUR),
    LedgerRow(Tier.KNOWLEDGE, FACT, "f2", LEFT, 13, "no room", 0.25, HOUR),
    LedgerRow(Tier.SEMANTIC, CONDENSED, "c1", SHORT, 40, "overview of it", None, AT, "s3"),
    LedgerRow(Tier.SEMANTIC, CONDENSED, "c2", SHORT, 41, "overview of all", None, AT, None),
    LedgerRow(Tier.IMMEDIATE, WHOLE, "i1", KEPT, 100, "newest", None, day(5), "s1"),
    LedgerRow(
        Tier.RECENT, WHOLE, "r1", SHORT, 50, "too long", None, day(4), "s1", ((0, 1), (2, 3))
    ),
    LedgerRow(Tier.RECENT, WHOLE, "r0", LEFT, 60, "older", None, day(3), "s1"),
    LedgerRow(Tier.SEMANTIC, WHOLE, "a1", KEPT, 70, "relevant", 0.75, day(1), "s2"),
    LedgerRow(Tier.SEMANTIC, WHOLE, "a2", LEFT, 80, "no room", 0.5, day(2), "s2"),
)  # fmt: skip
TOOL_ROWS = (
    LedgerRow(None, TOOL, "now", KEPT, COUNTER.tool(TOOLS[0]), "offered"),
    LedgerRow(
        None, TOOL, "weather", LEFT, COUNTER.tool(TOOLS[1]),
        "no room left for tools; others are more relevant",
    ),
)  # fmt: skip
PARTS = {
    "system": 10, "tools": 20, "immediate": 100, "recent": 50, "semantic": 70 + 40 + 41 + 9,
    "knowledge": 11 + 12, "message": 30, "answer": 1_000, "margin": 400,
    "reserve": 1_000 + 7_000 - 100 - 50 - 160 - 23, "unused": 540,
}  # fmt: skip
WHOLE_LEDGER = Ledger(
    window=10_000, parts=PARTS, rows=ROWS + TOOL_ROWS, rest_count=15, rest_tokens=900 - 5 * 12,
    intent=Intent.SUMMARY, signals=("overview", "so far"), complexity=0.25,
    response_percentage=10.0, budget_available=7_000, prefix_reuse=0.5, model="m",
    tokenizer="estimate-2", notes=("A note.",), bound="memory_cap",
)  # fmt: skip


def test_every_token_and_every_candidate_is_in_it():
    ledger = made()
    assert ledger == WHOLE_LEDGER
    assert list(ledger.parts) == list(PARTS)
    assert sum(ledger.parts.values()) == 10_000
    assert type(ledger.rows) is tuple


@pytest.mark.parametrize(("count", "said"), [(1, "1 exchange"), (2, "2 exchanges")])
def test_what_replaces_the_earlier_history_is_a_row_of_the_recent_tier(count, said):
    summary = earlier(count)
    ledger = made(tiers=tiers_of(shown=ShownHistory((), earlier=summary, tokens=33)),
                  material=replace(MATERIAL, path=(exchange("i1", 5),)))  # fmt: skip
    reason = f"{said} from earlier in this session, condensed"
    row = LedgerRow(Tier.RECENT, CONDENSED, summary.id, SHORT, 33, reason)
    assert ledger.rows == (*ROWS[:3], row, *ROWS[3:], *TOOL_ROWS)
    assert ledger.parts == {**PARTS, "recent": 83, "reserve": PARTS["reserve"] - 33}


def synced(path, unstored=frozenset()):
    user = Message("u", Role.USER, (Text("?"),), AT)
    given = dict.fromkeys(SyncedHistory.__dataclass_fields__)
    given |= {"session": "s1", "new_session": False, "path": path, "user": user}
    return ClientRequest(SyncedHistory(**{**given, "unstored": unstored}), next(iter(Fit)))


@pytest.mark.parametrize(
    ("tools", "summary", "said", "named"),
    [
        (TOOLS, earlier(1), "1 exchange", "2 tools"),
        (TOOLS[:1], earlier(3), "3 exchanges", "1 tool"),
        ((), None, "", ""),
    ],
)
def test_a_clients_request_has_its_own_rows(tools, summary, said, named):
    fitted = FittedRequest({}, "", 0, summary, 10, 77, 200, 30, 0, frozenset(), frozenset())
    client = synced(
        (exchange("x1"), exchange("x2"), exchange("x3"), exchange("i1", 5)), frozenset({"x2"})
    )
    budget = replace(BUDGET, history=200, memory=6_800)
    plan = plan_of(tools=tools, for_client=True)
    ledger = made(replace(MATERIAL, request=fitted), plan, client=client, ask=ask_of(budget))
    pin = replace(ROWS[0], tokens=COUNTER.text(pin_block(PIN)))
    rows = [pin, *ROWS[1:]]
    if summary:
        reason = f"the program's oldest {said}, condensed to fit the window"
        tokens = COUNTER.text(earlier_text(summary))
        rows.append(LedgerRow(None, CONDENSED, summary.id, SHORT, tokens, reason))
        rows.append(LedgerRow(None, TOOL, named, KEPT, 77, "sent by the program"))
    assert ledger.rows == tuple(rows)
    assert ledger.parts == {**PARTS, "history": 200, "reserve": PARTS["reserve"] - 200}
    assert list(ledger.parts)[:3] == ["system", "tools", "history"]
    assert (ledger.rest_count, ledger.rest_tokens) == (20 - 7, 900 - 7 * 12)


def test_what_is_considered_twice_counts_once_and_less_than_nothing_is_left_never():
    both = tiers_of(semantic=Selected((Item(exchange("i1", 5), 9, "x"),)))
    ledger = made(tiers=both)
    assert (ledger.rest_count, ledger.rest_tokens) == (20 - 3, 900 - 3 * 12)
    few = made(replace(MATERIAL, total_exchanges=2, total_tokens=3))
    assert (few.rest_count, few.rest_tokens) == (0, 0)
    none = made(replace(MATERIAL, total_exchanges=6, total_tokens=61))
    assert (none.rest_count, none.rest_tokens) == (1, 1)


def test_the_session_behind_what_replaces_it_counts_by_its_summary():
    shown = Item(exchange("i1", 5), 100, "newest")
    tiers = tiers_of(
        immediate=Selected((shown,)),
        recent=Selected(),
        semantic=Selected(
            (
                Item(exchange("old", 1), 9, "relevant"),  # before the path: in the summary
                Item(exchange("between", 6), 9, "relevant"),  # in the order: in the summary
                Item(exchange("later", 7), 9, "an edit"),  # of the session, but beside its path
                Item(exchange("same", 5), 9, "as old as the path's first"),
            ),
            (Dropped(exchange("other", 1, "s2"), 9, "no room"),),
        ),
        shown=ShownHistory((shown,), earlier=earlier(4), tokens=33),
    )
    material = replace(
        MATERIAL, path=(exchange("i1", 5), exchange("i2", 9)), order=("between", "i1", "i2")
    )
    ledger = made(material, tiers=tiers)
    assert (ledger.rest_count, ledger.rest_tokens) == (20 - 4 - 4, 900 - 90 - 4 * 12)


DATA = {
    "window": 10_000, "parts": PARTS, "rest": [15, 840], "intent": "summary",
    "signals": ["overview", "so far"], "complexity": 0.25, "response_percentage": 10.0,
    "budget_available": 7_000, "prefix_reuse": 0.5, "model": "m", "tokenizer": "estimate-2",
    "notes": ["A note."], "bound": "memory_cap",
}  # fmt: skip


def test_a_ledger_as_plain_data_and_back():
    data = ledger_to_dict(WHOLE_LEDGER)
    assert data == {**DATA, "rows": rows_to_data(WHOLE_LEDGER.rows)}
    assert type(ledger_to_dict(replace(WHOLE_LEDGER, parts=PARTS))["parts"]) is dict
    assert data["parts"] is not WHOLE_LEDGER.parts
    read = ledger_from_dict(json.loads(json.dumps(data)))
    rows = tuple(replace(row, session=None) for row in WHOLE_LEDGER.rows)
    assert read == replace(WHOLE_LEDGER, rows=rows)
    assert [type(read.rows), type(read.signals), type(read.notes)] == [tuple] * 3
    assert type(read.intent) is Intent
    assert {type(row.decision) for row in read.rows} == {Decision}


def test_a_row_as_plain_data_names_each_word_once_and_ends_with_what_it_has():
    row = LedgerRow(Tier.RECENT, WHOLE, "e1", KEPT, 5, "why", 0.5, AT, "s1", ((0, 1),))
    kolkata = AT.astimezone(timezone(timedelta(hours=5, minutes=30)))
    bare = LedgerRow(None, WHOLE, "e2", KEPT, 6, "")
    dated = replace(bare, at=kolkata + timedelta(microseconds=1))
    micros = int(AT.timestamp()) * 1_000_000
    assert rows_to_data([row, bare, dated]) == {
        "words": [None, "recent", "exchange", "kept", "why", ""],
        "rows": [
            ["e1", 5, 1, 2, 3, 4, micros, 0.5, [[0, 1]]],
            ["e2", 6, 0, 2, 3, 5],
            ["e2", 6, 0, 2, 3, 5, micros + 1],
        ],
    }
