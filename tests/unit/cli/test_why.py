"""``unabridged why`` and ``/why``: what a person reads, and what a developer reads."""

import re
from datetime import UTC, datetime

import pytest
from click import unstyle
from tests.docs.test_style import found
from tests.helpers.talker import Talker

from unabridged.cli.terminal_text import cells
from unabridged.cli.views.context_report import account_lines, detail_lines
from unabridged.config import load
from unabridged.domain import reasons as reasons_of_candidates
from unabridged.domain.chat import Usage
from unabridged.domain.context import Decision, ItemKind, Ledger, LedgerRow, Tier
from unabridged.domain.intent import Intent
from unabridged.domain.results import ContextReport

AT = datetime(2024, 5, 3, 12, tzinfo=UTC)
PARTS = {
    "system": 100, "tools": 0, "knowledge": 40, "recent": 60, "immediate": 100, "semantic": 300,
    "message": 20, "answer": 800, "margin": 200, "reserve": 1380, "unused": 1000,
}  # fmt: skip
LONG = "over the limit of this profile, which was set so that a long answer always has enough room"


def row(name, decision=Decision.KEPT, tier=Tier.SEMANTIC, kind=ItemKind.EXCHANGE, **more):
    return LedgerRow(
        tier, kind, name, decision, more.pop("tokens", 100), more.pop("reason", ""), **more
    )


def account(*rows, rest=(1, 20), intent=Intent.VIVID_RECALL, **more):
    ledger = Ledger(
        window=4000, parts=PARTS, rows=rows, rest_count=rest[0], rest_tokens=rest[1],
        intent=intent, signals=("remember",), complexity=0.25, response_percentage=20,
        budget_available=2000, prefix_reuse=0.76, model="m", tokenizer="estimate-2", bound="memory_cap",
    )  # fmt: skip
    texts = {"here": "Remember the Hotel?", "a": "The hotel is called Azul.", "b": "Hm."}
    return ContextReport(
        "here", AT, ledger, None, (), True, (), {**texts, "f": "Hotel: Azul"}, "c0ffee" * 10,
        {"a": ("hotel",), "b": ()}, **more,
    )  # fmt: skip


ROWS = (
    row("f", tier=Tier.KNOWLEDGE, kind=ItemKind.FACT, at=AT, reason="words: hotel; meaning"),
    row("a", at=AT, session="s", score=0.9),
    row("b", at=AT, session="s", score=0.3),
    row("h", tier=Tier.IMMEDIATE, at=AT, reason="newest in this session"),
    row("z", Decision.LEFT_OUT, at=AT, reason=LONG, tokens=2000),
)


def text(lines):
    return " ".join(unstyle(" ".join(lines)).split())


def shown(report, room=78, **more):
    return text(account_lines(report, room, colour=False, titles={"s": "Porto trip"}, **more))


def test_a_person_reads_whole_sentences():
    said = shown(account(*ROWS))
    assert "“Remember the Hotel?”" in said
    assert "620 of 4,000 tokens sent (16%)" in said
    assert (
        "Recalled from 3 May 2024, “Porto trip”: mentions “Hotel”. “The hotel is called Azul.”"
        in said
    )
    assert "Fact “Hotel: Azul” (3 May 2024): mentions “hotel” and is related in meaning." in said
    assert "1 exchange (100 tokens): loosely related in meaning or date. 3 May 2024: “Hm.”" in said
    assert "1 exchange (100 tokens): earlier in this session." in said
    assert (
        "1 other exchange (20 tokens): not relevant enough to this message, or not searched."
        in said
    )
    assert "left over, too small for what was left out" in said
    assert "excluded from memory by the setting memory_cap" in said


@pytest.mark.parametrize("figure", ["0.25", "estimate-2", "c0ffee", "0.90", "vivid_recall"])
def test_figures_and_ids_are_in_the_details_only(figure):
    assert figure not in shown(account(*ROWS))
    assert figure in text(detail_lines(account(*ROWS), 78, colour=False))


def test_every_candidate_is_in_the_details():
    rows = [row(f"x{number}", at=AT, score=0.9) for number in range(40)]
    details = text(detail_lines(account(*rows), 78, colour=False))
    assert all(f" {one.id} " in details for one in rows)
    assert "28 more exchanges recalled." in shown(account(*rows))
    assert "76% cache-reusable" in details


@pytest.mark.parametrize("room", [38, 58, 78, 98])
def test_no_reason_is_cut_at_any_width(room):
    for lines in (
        account_lines(account(*ROWS), room, colour=False),
        detail_lines(account(*ROWS), room, colour=False),
    ):
        assert max(cells(unstyle(line)) for line in lines) <= room
        assert LONG in text(lines)


def test_the_bar_is_to_scale_and_without_colour_in_letters():
    plain = account_lines(account(*ROWS), 80, colour=False)
    bar = next(line for line in plain if line.startswith("IIF"))
    assert len(bar) == 80
    assert bar.count("a") == 16
    assert bar.count("H") == 3
    coloured = account_lines(account(*ROWS), 80, colour=True)
    assert next(line for line in coloured if "█" in line).count("\x1b[") >= 8
    assert len(unstyle(next(line for line in coloured if "█" in line))) == 80


def test_the_letters_of_the_bar_begin_the_names_below_it():
    for lines in (
        account_lines(account(*ROWS), 80, colour=False),
        detail_lines(account(*ROWS), 80, colour=False),
    ):
        legend = [line for line in lines if re.match(r"[A-Za-z] \w.*%", line)]
        assert len(legend) >= 6
        assert all(line[0].upper() == line[2].upper() for line in legend)
        letters = [line[0] for line in legend]
        assert len(set(letters)) == len(letters)


@pytest.mark.parametrize("intent", [Intent.VIVID_RECALL, Intent.SUMMARY])
def test_what_a_message_asked_for_is_said_to_have_come_only_if_it_did(intent):
    decision = {Intent.VIVID_RECALL: Decision.KEPT, Intent.SUMMARY: Decision.CONDENSED}[intent]
    assert "came first" in shown(account(row("a", decision, score=0.9), intent=intent))
    for others in ([], [row("h", tier=Tier.IMMEDIATE)], [row("z", Decision.LEFT_OUT)]):
        assert "came first" not in shown(account(*others, intent=intent))


def test_small_talk_has_no_search_that_could_have_found_the_rest():
    said = shown(account(intent=Intent.CASUAL))
    assert "1 other exchange (20 tokens): small talk needs no search." in said


def test_every_reason_is_plain_english():
    reasons = [text for name, text in vars(reasons_of_candidates).items() if name.isupper()]
    assert len(reasons) > 10
    for reason in reasons:
        assert found(reason) == []
        assert not re.search(r"\b(whole|told|said around|telling)\b", reason)


def test_what_the_server_counted_and_what_is_gone_is_said():
    report = account(*ROWS)
    told = ContextReport(
        "here", AT, report.ledger, Usage(prompt=630, answer=1), None, False, ("a",), {}
    )
    said = shown(told)
    assert "The server counted 630 tokens in the prompt and 1 in the answer." in said
    assert "This prompt cannot be shown again: 1 part of it was forgotten." in said


def test_a_memory_without_a_prompt_says_what_to_do(run):
    run("sessions")
    ran = run("why")
    assert ran.code == 3


def test_verbose_on_the_command_line_and_in_the_chat(run):
    run("ask", "The hotel is called Azul.")
    assert re.search(r"complexity \d", run("why", "--verbose").out)
    assert "complexity" not in run("why").out
    assert "unabridged why -v" in run("why").out
    ran = run("chat", text="/why\n/why verbose\n/why -v\n")
    assert ran.out.count("complexity") == 2
    assert "/why verbose" in ran.err


def test_the_chat_names_the_session_that_was_recalled(tmp_path):
    with Talker.open(settings=load(home=tmp_path, environ={}, upstream="quote")) as memory:
        memory.new_session("Porto trip")
        memory.record(memory.prepare("The hotel is called Azul."), "Nice.")
        memory.new_session("Later")
        memory.record(memory.prepare("Remember the hotel?"), "Azul.")
        space = memory.space
        from unabridged.cli.views.context_report import titles_of

        assert "Porto trip" in titles_of(space, space.contexts.why()).values()
