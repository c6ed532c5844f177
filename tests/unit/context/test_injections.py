"""0 escapes: nothing from memory closes its fence, poses as a role or is read as a control token."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.unit.context.disguises import ALL, LEFT
from tests.unit.context.injections import INJECTIONS, ORDER, TOKENS
from tests.unit.context.reading import control_tokens, folded, tags

from unabridged.budget.count import Counter
from unabridged.condense.history_summary import HistorySummary
from unabridged.context.overviews import overview_of
from unabridged.context.recall_block import (
    GUIDE,
    as_line,
    fact_block,
    own_words,
)
from unabridged.context.render import (
    brief_lines,
    earlier_text,
    exchange_blocks,
    history_messages,
    in_fence,
    in_history,
    pinned_text,
    recalled_block,
    user_message,
)
from unabridged.context.strip_markup import without_markup
from unabridged.domain.condensation import Condensation, Level, Line
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text, ToolCall, ToolResult
from unabridged.space import recalled_text as shown
from unabridged.tokens.estimate import EstimateTokenizer

AT = datetime(2026, 11, 22, tzinfo=UTC)
COUNTER = Counter(EstimateTokenizer())


def exchange(text, name="e1"):
    """An exchange in which it was said, called, returned and answered."""
    messages = (
        Message("m1", Role.USER, (Text(text),), AT),
        Message("m2", Role.ASSISTANT, (ToolCall("c1", "look", "{}"),), AT),
        Message("m3", Role.TOOL, (ToolResult("c1", "look", text),), AT),
        Message("m4", Role.ASSISTANT, (Text(text),), AT),
    )
    return Exchange(name, "s1", None, ExchangeState.COMPLETE, messages, AT)


def _line(text):
    return Line(text, "e1", 0, Role.USER, (0,))


def _condensed(text):
    lines = (_line(text), Line(text, "e1", 0, None, (0,)))
    return Condensation("c-1", Level.CONVERSATION, "s", ("e1",), AT, AT, lines, 9, 99, "x")


BLOCKS = {
    "exchange": lambda text: recalled_block(exchange(text), "s2"),
    "excerpt": lambda text: recalled_block(exchange(text), "s1", [(0, 0), (3, 0)]),
    "excerpt of a foreign id": lambda text: recalled_block(exchange("x", text), "s1", [(0, 0)]),
    "brief": lambda text: "".join(exchange_blocks([(exchange(text), [(0, 0)], True)], None)),
    "brief of a foreign id": lambda text: brief_lines(exchange("x", text), [(0, 0)]),
    "fact": lambda text: fact_block(AT, text),
    "note of a fact": lambda text: fact_block(AT, "x", text),
    "pin": lambda text: pinned_text([text]),
    "earlier": lambda text: earlier_text(
        HistorySummary((_line(text),), (AT,), 1, 9, (), "e2", "extract-1")
    ),
    "overview": lambda text: overview_of(_condensed(text), COUNTER).text,
    "shown exchange": lambda text: shown.exchange_of(exchange(text), "s1"),
    "shown exchange of a foreign id": lambda text: shown.exchange_of(exchange("x", text)),
    "shown condensation": lambda text: shown.condensation_of(_condensed(text)),
    "shown title": shown.line_of,
    "shown text": shown.text_of,
}
"""Every form in which a text from memory stands in a prompt or in an answer to a model."""


@pytest.mark.parametrize("form", BLOCKS)
def test_no_text_is_read_as_markup_in_any_form(form):
    plain = tags(BLOCKS[form]("Plain words."))
    escapes = []
    for one in INJECTIONS:
        block = BLOCKS[form](one.text)
        if tags(block) != plain or control_tokens(block):
            escapes.append((one.name, tags(block), control_tokens(block), block))
    assert escapes == []


def test_the_table_is_large_and_would_escape_if_nothing_were_done():
    texts = [one.text for one in INJECTIONS]
    assert len(set(texts)) == len(texts) >= 300
    assert [one.name for one in INJECTIONS if one.fence and not tags(one.text)] == []
    seen = {token for text in texts for token in control_tokens(text)}
    assert seen >= set(TOKENS)


def test_history_keeps_its_roles_and_its_words_and_no_result_poses_as_memory():
    plain = [message.role for message in history_messages(exchange("Plain words."))]
    for one in INJECTIONS:
        messages = history_messages(exchange(one.text))
        assert [message.role for message in messages] == plain
        assert messages[0].text == messages[-1].text == one.text
        (result,) = messages[2].results
        assert tags(result.text) == [], one.name
        if not one.fence:
            assert result.text == one.text


def test_what_is_counted_is_what_is_sent():
    for one in INJECTIONS:
        whole = exchange(one.text)
        counted = replace(whole, messages=tuple(map(_counted, whole.messages)))
        sent = history_messages(counted)
        afresh = [replace(m, tokens=None, tokenizer=None) for m in sent]
        assert in_history(counted, COUNTER) == sum(map(COUNTER.message, afresh)), one.name
        sides = [without_markup(m.text) for _, m in whole.spoken]
        empty = in_fence(replace(whole, messages=whole.messages[1:3]), COUNTER)
        block = in_fence(counted, COUNTER)
        assert block - empty >= sum(map(COUNTER.text, sides)), one.name


def _counted(message):
    return replace(message, tokens=COUNTER.plain(message), tokenizer=COUNTER.identity)


@pytest.mark.parametrize("dressed", [(), ("a fact",)])
def test_the_words_of_this_message_are_as_they_are(dressed):
    blocks = [fact_block(AT, text) for text in dressed]
    around = user_message(Message("m", Role.USER, (Text(""),), AT), blocks).text
    for one in [*(one.text for one in INJECTIONS), *ALL, "</recalled>", "<recalled-user>"]:
        sent = user_message(Message("m", Role.USER, (Text(one),), AT), blocks)
        assert sent.text == around + one
        assert sent.role is Role.USER
        if blocks:
            assert own_words(sent.text) == one


HARMLESS = (
    "if a < b and c > d: print('<html>')",
    "x <- c(1, 2); y <<- 3",
    "List<String> names = [a, b]; a[i] = b[inst];",
    "«Bonjour», dit-il. 《红楼梦》 〈注〉",
    "<p>One <b>bold</b> <script>alert(1)</script></p>",
    "template<typename T> using V = std::vector<T>;",
    "a <|> b <$> c; xs |> f",
    "I recalled it: < 5 minutes. [1] [x] [SIC] [TODO]",
    "Ⅷ ﬁne ½ — „so“ ‹so› 👩‍👩‍👧 e\u0301 กำ हिन्दी",
    "<rec> <recall> <reca11> <recal led x",
    "a < |x| and |y| < b; type A = Map<K|V>; f <| x; [a | b]; xs |> map",
    "Note: the system: works. Human rights: all. A user: Ann\nTime: 10:30\nUsers: 3",
    "## Response\n### Notes\nwhat the AI: said; the user : x",
    "a[i]~b[j] ~ c; [e] [x~y]; ~[z]; <user input> <model here>; 《红楼梦》 |x| ≪ |y|",
    "<img src='a.png'> <input> <ref> <section role='x'> <n> vector<T> <response_time>",
    "the r e c a l l e d words; recalled> <r, e, c",
)


@pytest.mark.parametrize("text", HARMLESS)
def test_other_texts_stay_as_they_are(text):
    assert without_markup(text) == text
    assert history_messages(exchange(text))[0].text == text


@pytest.mark.parametrize("disguise", ALL)
def test_every_turn_marker_and_disguise_is_neutralised(disguise):
    """The list was written from the templates before the rules were."""
    for text in (disguise, f"Said: {disguise}{ORDER}", f"{ORDER}\n{disguise}\n"):
        made = without_markup(text)
        assert made != text
        assert len(made) == len(text)
        assert without_markup(made) == made


def test_a_role_is_one_at_the_beginning_of_a_line_only():
    assert as_line("user: It must not be empty.") == "user: It must not be empty."
    assert as_line("a\nuser: b") == "a\n  user∶ b"
    assert fact_block(AT, "User: b").count("User∶") == 1


@pytest.mark.parametrize("text", LEFT)
def test_what_is_left_on_purpose_stays(text):
    assert without_markup(text) == text


def test_one_character_is_changed_for_each_imitation():
    for one in INJECTIONS:
        made = without_markup(one.text)
        assert len(made) == len(one.text)
        changed = {b for a, b in zip(one.text, made, strict=True) if a != b}
        assert changed <= {"‹", "⁅", "⁆", "∶"}
        assert without_markup(made) == made


@pytest.mark.slow
def test_long_texts_of_brackets_take_time_in_proportion():
    """What would be walked again and again takes hours; the limit of every test ends it."""
    for unit in ("<", "< ", "</", "<\u200b", "</recalle", "<|", "[", "<im_start", "\u200b", "<!/"):
        without_markup("<" + unit * 100_000)


def test_the_guide_is_no_fence_of_its_own():
    assert "recalled" in folded(GUIDE)
