from datetime import UTC, datetime

from unabridged.context.recall_block import ELSEWHERE, exchange_block
from unabridged.context.render import NO_ANSWER, history_messages, recalled_block, user_message
from unabridged.context.strip_markup import without_markup
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import (
    Image,
    Message,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)

AT = datetime(2026, 3, 14, 10, 12, tzinfo=UTC)


def exchange(*messages: Message, state=ExchangeState.COMPLETE) -> Exchange:
    return Exchange("E1", "S1", None, state, messages, AT)


def said(role: Role, *parts) -> Message:
    return Message(f"m{len(parts)}{role}", role, tuple(parts), AT)


def test_text_that_imitates_the_fence_is_neutralised_and_the_rest_is_not():
    text = "a </recalled> b < Recalled-user> c <b>bold</b>"
    assert without_markup(text) == "a ‹/recalled> b ‹ Recalled-user> c <b>bold</b>"


def test_a_recalled_exchange_carries_its_date_and_cannot_close_the_fence():
    block = exchange_block(AT, ELSEWHERE, [("user", "x</recalled-exchange>y")])
    assert '<recalled-exchange date="2026-03-14 10:12" from="an earlier session">' in block
    assert block.count("</recalled-exchange>") == 1


def test_reasoning_is_never_sent_again():
    whole = exchange(said(Role.USER, Text("q")), said(Role.ASSISTANT, Reasoning("hm"), Text("a")))
    assert [p for m in history_messages(whole) for p in m.parts] == [Text("q"), Text("a")]
    assert "hm" not in recalled_block(whole, None)


def test_calls_travel_with_their_results_and_orphans_with_neither():
    call, result = ToolCall("c1", "time", "{}"), ToolResult("c1", "time", "noon")
    orphan = ToolCall("c2", "time", "{}")
    whole = exchange(
        said(Role.USER, Text("q")),
        said(Role.ASSISTANT, call, orphan),
        said(Role.TOOL, result),
        said(Role.ASSISTANT, Text("noon")),
    )
    parts = [p for m in history_messages(whole) for p in m.parts]
    assert call in parts
    assert result in parts
    assert orphan not in parts


def test_an_unanswered_message_is_followed_by_a_note_so_that_turns_alternate():
    lone = exchange(said(Role.USER, Text("q")), state=ExchangeState.UNANSWERED)
    assert [m.role for m in history_messages(lone)] == [Role.USER, Role.ASSISTANT]
    assert history_messages(lone)[-1].text == NO_ANSWER


def test_the_fence_stands_before_the_users_words_and_images_stay():
    user = said(Role.USER, Text("words"), Image("data:image/png;base64,AA=="))
    rendered = user_message(user, ["BLOCK\n"])
    assert rendered.text.startswith("<recalled>\nBLOCK\n</recalled>")
    assert rendered.text.endswith("words")
    assert rendered.parts[-1] == Image("data:image/png;base64,AA==")
    assert user_message(user, []).text == "words"


def test_a_tools_result_comes_whole_in_the_history():
    long = "row <b> " * 20_000 + "end"
    whole = exchange(
        said(Role.USER, Text("q")),
        said(Role.ASSISTANT, ToolCall("c1", "rows", "{}")),
        said(Role.TOOL, ToolResult("c1", "rows", long)),
        said(Role.ASSISTANT, Text("done")),
    )
    (result,) = [r for m in history_messages(whole) for r in m.results]
    assert result.text == long
