"""Tool loops over several requests: one exchange, one prompt, no call without its result."""

from tests.helpers.talker import Talker
from tests.unit.history_sync.hand import ask, call, contents, result, said, scripted, talk, user

from unabridged.domain.chat import ToolSpec
from unabridged.domain.client_history import RequestOptions
from unabridged.domain.exchange import ExchangeState
from unabridged.domain.message import Role, ToolCall
from unabridged.testing.clock import ManualClock

LOOK = ToolSpec(
    "look", "Looks at the sky.", {"type": "object", "properties": {"q": {"type": "string"}}}
)
WISHES = RequestOptions(tools=(LOOK,))
QUESTION = [user("My cat is Mia, and the sky?")]


def called(memory, drafts=QUESTION, arguments='{"q": "sky"}', call_id="up-1"):
    """Ask, and let the model call the tool."""
    context = memory.prepare_synced(memory.sync(drafts), WISHES)
    memory.begin(context)
    memory.record_tools(
        context, [memory.space.message(Role.ASSISTANT, [ToolCall(call_id, "look", arguments)])]
    )
    return context


def test_a_loop_goes_on_in_its_exchange_with_the_same_bytes(memory, tmp_path):
    ask(memory, [user("I like blue.")], "Noted.")
    drafts = [*talk("I like blue.", "Noted."), *QUESTION]
    context = called(memory, drafts)
    onward = [*drafts, call("look", '{"q":"sky"}', "theirs"), result("blue", "theirs")]
    with Talker.open(tmp_path, upstream=scripted(), clock=ManualClock()) as other:
        heard = other.sync(onward)
        assert heard.open.id == context.id
        again = other.prepare_synced(heard, WISHES)
        assert again.id == context.id
        assert again.messages[: len(context.messages)] == context.messages
        assert again.tools == context.tools
        assert again.manifest == context.manifest
    heard = memory.sync(onward)
    assert [m.role.value for m in heard.rounds] == ["assistant", "tool"]
    assert heard.rounds[1].results[0].call_id == "theirs"  # as the client calls it
    assert [m.results[0].text for m in heard.new_rounds] == ["blue"]
    assert heard.new_rounds[0].results[0].call_id == "up-1"  # as the log calls it
    memory.record_tools(context, heard.new_rounds)
    memory.record(context, "The sky is blue.")
    (_, exchange) = memory.exchanges()
    assert exchange.state is ExchangeState.COMPLETE
    assert [m.role.value for m in exchange.messages] == ["user", "assistant", "tool", "assistant"]


def test_a_request_sent_twice_stores_its_results_once(memory):
    context = called(memory)
    onward = [*QUESTION, call("look", '{"q": "sky"}'), result("blue")]
    memory.record_tools(context, memory.sync(onward).new_rounds)
    again = memory.sync(onward)
    assert again.open.id == context.id
    assert again.new_rounds == ()
    assert len(again.rounds) == 2


def test_several_rounds_and_calls_side_by_side(memory):
    context = memory.prepare_synced(memory.sync(QUESTION), WISHES)
    two = [ToolCall("a", "look", '{"q": "1"}'), ToolCall("b", "look", '{"q": "2"}')]
    memory.record_tools(context, [memory.space.message(Role.ASSISTANT, two)])
    calls = [call("look", '{"q": "1"}', "x"), call("look", '{"q": "2"}', "y")]
    first = [*QUESTION, *calls, result("one", "x"), result("two", "y")]
    heard = memory.sync(first)
    assert [m.results[0].call_id for m in heard.new_rounds] == ["a", "b"]
    memory.record_tools(context, heard.new_rounds)
    memory.record_tools(
        context, [memory.space.message(Role.ASSISTANT, [ToolCall("c", "look", "{}")])]
    )
    heard = memory.sync([*first, call("look", "{}", "z"), result("three", "z")])
    assert [m.results[0].text for m in heard.new_rounds] == ["three"]
    assert len(heard.rounds) == 6  # as the client sent them


def test_calls_that_are_never_answered_are_orphaned_nowhere(memory):
    context = called(memory)
    heard, onward, _ = ask(memory, [*QUESTION, call("look", '{"q": "sky"}'), user("Never mind")])
    assert heard.parent == context.id
    assert memory.get(context.id).state is ExchangeState.INCOMPLETE
    assert onward.messages[1]["tool_calls"]  # the client's list goes on as it is
    other = called(memory, [user("Another question, of the moon")])
    memory.sync([user("Another question, of the sun")])
    assert memory.get(other.id).state is ExchangeState.OPEN  # another conversation
    memory.sync([user("Another question, of the moon")])
    assert memory.get(other.id).state is ExchangeState.INCOMPLETE


def test_a_loop_that_was_left_can_be_gone_on_with(memory):
    context = called(memory)
    memory.sync(QUESTION)  # another client asks the same
    assert memory.get(context.id).state is ExchangeState.INCOMPLETE
    heard = memory.sync([*QUESTION, call("look", '{"q": "sky"}'), result("blue")])
    assert heard.open.id == context.id
    memory.record_tools(context, heard.new_rounds)
    assert memory.get(context.id).state is ExchangeState.OPEN


def test_what_others_stand_behind_does_not_grow(memory):
    context = called(memory)
    ask(memory, [*QUESTION, call("look", '{"q": "sky"}'), user("Never mind")])
    onward = [*QUESTION, call("look", '{"q": "sky"}'), result("blue")]
    sent = memory.started(memory.sync(onward), WISHES)
    assert sent.context.id != context.id
    memory.record(sent.context, "It is blue.")
    branch = memory.get(sent.context.id)
    assert branch.user == memory.get(context.id).user
    assert [m.role.value for m in branch.messages] == ["user", "assistant", "tool", "assistant"]
    assert len(memory.get(context.id).messages) == 2


def test_a_loop_of_an_unknown_history_is_stored_whole(memory):
    drafts = [*talk("Hello there, machine.", "Hello."), *QUESTION, call("look"), result("blue")]
    heard = memory.sync(drafts)
    assert heard.open is None
    assert len(heard.new_rounds) == 2
    sent = memory.started(heard, WISHES)
    memory.record(sent.context, "Blue.")
    exchange = memory.exchanges()[-1]
    assert [m.role.value for m in exchange.messages] == ["user", "assistant", "tool", "assistant"]
    assert memory.sync([*drafts, said("Blue."), user("ok")]).taken == 0


def test_an_answer_after_tools_is_made_again(memory):
    context = called(memory)
    onward = [*QUESTION, call("look", '{"q": "sky"}'), result("blue")]
    memory.record_tools(context, memory.sync(onward).new_rounds)
    memory.record(context, "Blue.")
    heard = memory.sync(onward)
    assert (heard.open, heard.retry_of) == (None, context.id)
    sent = memory.started(heard, WISHES)
    memory.record(sent.context, "Rather grey.")
    assert memory.get(sent.context.id).user == memory.get(context.id).user
    assert memory.sync([*onward, said("Rather grey."), user("ok")]).parent == sent.context.id
    assert memory.sync([*onward, said("Blue."), user("ok")]).parent == context.id


def test_a_client_that_keeps_no_tool_rounds_goes_on(memory):
    context = called(memory)
    memory.record_tools(
        context, memory.sync([*QUESTION, call("look", '{"q": "sky"}'), result("b")]).new_rounds
    )
    memory.record(context, "The sky is blue.")
    heard, onward, _ = ask(memory, [*QUESTION, said("The sky is blue."), user("Thanks")])
    assert heard.parent == context.id
    assert heard.taken == 0
    assert contents(onward)[-2:] == ["The sky is blue.", "Thanks"]


def test_results_without_calls_go_on_and_are_stored(memory):
    heard = memory.sync([*QUESTION, result("blue", "nowhere")])
    assert [m.results[0].call_id for m in heard.rounds] == ["nowhere"]
    assert len(heard.new_rounds) == 1
    sent = memory.prepare_synced(heard, WISHES).messages
    assert [m["role"] for m in sent] == ["user", "tool"]


def test_an_imported_exchange_without_a_context_is_not_gone_on_with(memory):
    history = [*QUESTION, call("look", '{"q": "sky"}'), user("x")]
    memory.sync(history)  # taken over with a call that nobody answered
    heard = memory.sync([*QUESTION, call("look", '{"q": "sky"}'), result("blue")])
    assert heard.open is None
    assert len(heard.new_rounds) == 2


def test_readonly_requests_of_a_loop_write_nothing(memory):
    called(memory)
    before = memory.stats()
    heard = memory.sync([*QUESTION, call("look", '{"q": "sky"}'), result("blue")], store=False)
    sent = memory.started(heard, WISHES)
    assert not sent.is_recorded
    assert [m.role.value for m in sent.request().messages[-2:]] == ["assistant", "tool"]
    assert memory.stats() == before


def test_two_answers_to_the_same_loop_are_both_kept(memory):
    context = called(memory)
    onward = [*QUESTION, call("look", '{"q": "sky"}'), result("blue")]
    first = memory.started(memory.sync(onward), WISHES)
    second = memory.started(memory.sync(onward), WISHES)  # the client lost patience
    memory.record(first.context, "Blue.")
    other = memory.record(second.context, "Azure.")
    assert other.id != context.id
    assert [m.text for m in other.messages] == [QUESTION[0].text, "", "", "Azure."]
    assert other.user == memory.get(context.id).user
    for answer, parent in (("Blue.", context.id), ("Azure.", other.id)):
        heard = memory.sync([*onward, said(answer), user("ok")])
        assert (heard.parent, heard.taken) == (parent, 0)


def test_another_program_works_on_the_same_conversation(memory, tmp_path):
    context = called(memory)
    onward = [*QUESTION, call("look", '{"q": "sky"}'), result("blue")]
    with Talker.open(tmp_path, upstream=scripted()) as other:
        sent = other.started(other.sync(onward), WISHES)
        assert sent.context.messages[: len(context.messages)] == context.messages
        other.record(sent.context, "Blue.")
    assert memory.sync([*onward, said("Blue."), user("ok")]).parent == context.id
