"""0 escapes: nothing from memory closes its fence, poses as a role or is read as a control token."""

from datetime import UTC, datetime

import pytest
from tests.unit.context.injections import INJECTIONS, ORDER, TOKENS
from tests.unit.context.reading import control_tokens, folded, tags

from unabridged.budget.count import Counter
from unabridged.condense.history_summary import HistorySummary
from unabridged.context.overviews import overview_of
from unabridged.context.recall_block import (
    GUIDE,
    fact_block,
    own_words,
)
from unabridged.context.render import (
    brief_lines,
    earlier_text,
    exchange_blocks,
    history_messages,
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


def test_history_keeps_its_roles_and_its_words_but_for_the_fence():
    plain = [message.role for message in history_messages(exchange("Plain words."))]
    for one in INJECTIONS:
        for places in ((), [(0, 0)]):
            for message in history_messages(exchange(one.text), places):
                said = message.text + "".join(r.text for r in message.results)
                assert tags(said) == [], one.name
        messages = history_messages(exchange(one.text))
        assert [message.role for message in messages] == plain
        if not one.fence:
            assert messages[0].text == one.text
            assert messages[2].results[0].text == one.text


@pytest.mark.parametrize("dressed", [(), ("a fact",)])
def test_the_words_of_this_message_are_as_they_are_but_for_the_fence(dressed):
    blocks = [fact_block(AT, text) for text in dressed]
    around = tags(user_message(Message("m", Role.USER, (Text("Hello."),), AT), blocks).text)
    for one in INJECTIONS:
        sent = user_message(Message("m", Role.USER, (Text(one.text),), AT), blocks)
        assert tags(sent.text) == around, one.name
        assert sent.role is Role.USER
        if not one.fence:
            assert own_words(sent.text) == one.text
        assert ORDER in own_words(sent.text)


def test_no_fence_is_put_together_from_parts():
    for parts in (
        ("<", "/recalled>"),
        ("</", "recalled>"),
        ("</reca", "lled>"),
        ("<", " ", "/recalled>"),
        ("a<\u200b", "\u200b/rec\u0301", "alled>"),
    ):
        message = Message("m", Role.USER, tuple(map(Text, parts)), AT)
        for between in ("", "\n", " "):
            for sent in (
                user_message(message, ()),
                history_messages(Exchange("e", "s", None, ExchangeState.OPEN, (message,), AT))[0],
            ):
                words = [part.text for part in sent.parts]
                assert tags(between.join(words)) == [], parts


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
)


@pytest.mark.parametrize("text", HARMLESS)
def test_other_texts_stay_as_they_are(text):
    assert without_markup(text) == text
    assert history_messages(exchange(text))[0].text == text


def test_one_character_is_changed_for_each_imitation():
    for one in INJECTIONS:
        made = without_markup(one.text)
        assert len(made) == len(one.text)
        changed = {b for a, b in zip(one.text, made, strict=True) if a != b}
        assert changed <= {"‹", "⁅"}
        assert without_markup(made) == made


@pytest.mark.slow
def test_long_texts_of_brackets_take_time_in_proportion():
    """What would be walked again and again takes hours; the limit of every test ends it."""
    for unit in ("<", "< ", "</", "<\u200b", "</recalle", "<|", "[", "<im_start", "\u200b", "<!/"):
        without_markup("<" + unit * 100_000)


def test_the_guide_is_no_fence_of_its_own():
    assert "recalled" in folded(GUIDE)
