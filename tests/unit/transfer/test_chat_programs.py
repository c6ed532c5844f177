import json

import pytest

from unabridged.domain.exchange import ExchangeState
from unabridged.domain.message import Image, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.transfer.formats.sillytavern import RUN
from unabridged.transfer.times import parse_time


@pytest.fixture
def webui(fixtures):
    return json.loads((fixtures / "openwebui-export.json").read_bytes())


@pytest.fixture
def tavern(fixtures):
    text = (fixtures / "sillytavern-chat.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def studio(fixtures):
    return json.loads((fixtures / "lmstudio.conversation.json").read_bytes())


def head_of(conversation):
    head = conversation.session.head
    return next(e for e in conversation.exchanges if e.messages[-1].id == head)


def test_openwebui_answers_of_two_models_are_branches(read, fixtures):
    got = read(fixtures / "openwebui-export.json")
    (kiln,) = got.conversations
    one, two, thanks = kiln.exchanges
    assert got.format == "openwebui"
    assert (one.model, two.model) == ("llama3:8b", "qwen2.5:7b")
    assert one.parent is two.parent is None
    assert one.user == two.user
    assert thanks.parent == two.id
    assert (kiln.session.title, kiln.session.foreign_id) == ("Kiln", "w-1")
    assert head_of(kiln) == thanks
    assert thanks.state is ExchangeState.INCOMPLETE
    assert got.reasons == []


def test_openwebui_reasoning_tools_and_attachments(read, fixtures):
    two = read(fixtures / "openwebui-export.json").conversations[0].exchanges[1]
    assert two.user.parts == (
        Text("How hot is a kiln?"),
        Image("data:image/png;base64,AA=="),
        Text("[attached: notes.txt]\ncone 6"),
    )
    assert [m.role for m in two.messages[1:]] == [Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert two.messages[1].parts == (
        Reasoning("Cone 6\nis 1,222."), Text("Let me look."),
        ToolCall("call_1", "cones", '{"cone": 6}'))  # fmt: skip
    assert two.messages[2].parts == (ToolResult("call_1", "cones", "1222"),)
    assert two.answer.text == "1,222 degrees."


def test_openwebui_one_chat_alone_and_the_inside_of_one(read, fixtures, webui):
    whole = read(fixtures / "openwebui-export.json")
    assert read(json.dumps(webui[0])).ids == whole.ids
    inside = read(json.dumps(webui[0]["chat"]))
    assert (inside.format, len(inside.ids)) == ("openwebui", 3)


def test_openwebui_old_chats_are_rows(read, webui):
    webui[0]["chat"] = {"title": "Old", "messages": [
        {"id": "1", "role": "user", "content": "hi", "timestamp": 1735689600},
        {"id": "2", "role": "assistant", "content": "ho"}]}  # fmt: skip
    assert read(json.dumps(webui)).texts == [["hi", "ho"]]


def test_openwebui_what_only_the_output_holds_is_read(read, webui):
    webui[0]["chat"]["history"]["messages"]["a1"] |= {"content": "", "output": [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": [{"text": "7"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "Seven."}]}]}  # fmt: skip
    one = read(json.dumps(webui)).conversations[0].exchanges[0]
    assert [p for m in one.messages[1:] for p in m.parts] == [
        Reasoning("Hm."), ToolCall("c", "f", "{}"), ToolResult("c", "f", "7"), Text("Seven.")]  # fmt: skip


def test_openwebui_a_failed_answer_does_not_tear_the_path(read, webui):
    messages = webui[0]["chat"]["history"]["messages"]
    messages["a2"] |= {"content": "", "error": {"content": "no connection"}}
    got = read(json.dumps(webui))
    thanks = next(e for e in got.conversations[0].exchanges if e.user.text == "Thanks.")
    assert thanks.parent is not None
    assert got.reasons == ["failed answer"]
    assert b"no connection" in got.unread[0].raw


def test_openwebui_what_lies_beside_an_answer_is_told_and_kept_aside(read, webui):
    webui[0]["chat"]["history"]["messages"]["a1"]["sources"] = [{"document": ["cone chart"]}]
    got = read(json.dumps(webui))
    assert got.reasons == ["sources block"]
    assert b"cone chart" in got.unread[0].raw


def test_openwebui_circles_missing_parents_and_keys_that_meet(read, webui):
    messages = webui[0]["chat"]["history"]["messages"]
    messages["u1"]["parentId"] = "a3"
    messages["x"] = {"role": "user", "content": "lost", "parentId": "nowhere"}
    messages["a2/1"] = {"role": "user", "content": "meets a piece", "parentId": "a2/1"}
    got = read(json.dumps(webui))
    texts = {text for row in got.texts for text in row}
    assert {"lost", "meets a piece", "Thanks.", "1,222 degrees."} <= texts
    assert "circle of messages, cut open (2×)" in got.reasons


@pytest.mark.parametrize(
    "text",
    [
        '<details type="reasoning"' * 50_000,
        '<details type="reasoning"><summary>' * 50_000,
        '<details type="reasoning"><summary></details>' * 50_000,
        "</details>" + '<details type="tool_calls">' * 50_000,
    ],
)
def test_openwebui_details_without_an_end_cost_no_more_than_their_length(read, webui, text):
    webui[0]["chat"]["history"]["messages"]["a1"]["content"] = text
    assert len(read(json.dumps(webui)).ids) >= 2


def test_sillytavern_swipes_are_branches_and_the_character_begins(read, fixtures):
    got = read(fixtures / "sillytavern-chat.jsonl")
    (mill,) = got.conversations
    hello, welcome, slowly, not_today, hidden = mill.exchanges
    assert got.format == "sillytavern"
    assert hello.user == welcome.user
    assert hello.user.text == "[The conversation begins with the other side.]"
    assert (hello.answer.text, welcome.answer.text) == ("Hello there.", "Welcome to the mill.")
    assert slowly.parent == not_today.parent == welcome.id
    assert slowly.messages[1].parts == (Reasoning("The pond is low."), Text("Slowly."))
    assert (slowly.model, not_today.model) == ("m-1", "m-2")
    assert (hidden.parent, hidden.user.text) == (slowly.id, "(hidden) Good.")
    assert head_of(mill) == hidden
    assert mill.session.title == "Brook"
    assert mill.session.foreign_id == "Brook - 2024-7-12@01h31m37s"
    assert got.reasons == ["author's note", "program notice"]


def test_sillytavern_more_swipes_and_an_edit_add_only_what_is_new(read, tavern):
    before = set(read("\n".join(map(json.dumps, tavern))).ids)
    tavern[3]["swipes"].append("Wait.")
    tavern[3]["swipe_info"].append({"send_date": "July 12, 2024 1:40am", "extra": {}})
    assert len(set(read("\n".join(map(json.dumps, tavern))).ids) - before) == 1
    tavern[3]["swipes"].pop()
    tavern[2]["mes"] = "Is it turning now?"
    assert len(set(read("\n".join(map(json.dumps, tavern))).ids) - before) == 2


def test_sillytavern_the_message_that_was_edited_after_its_swipes_is_shown(read, tavern):
    tavern[3]["mes"] = "Slowly, edited."
    (mill,) = read("\n".join(map(json.dumps, tavern))).conversations
    hidden = head_of(mill)
    parent = next(e for e in mill.exchanges if e.id == hidden.parent)
    assert parent.answer.text == "Slowly, edited."


def test_sillytavern_in_a_group_speakers_are_named(read, fixtures):
    got = read(fixtures / "sillytavern-group.jsonl")
    assert got.texts == [
        ["[The conversation begins with the other side.]", "Brook:\nFirst.", "Cole:\nSecond.", "Third."]]  # fmt: skip


def test_sillytavern_the_same_words_twice_are_two_messages(read, tavern):
    again = {"name": "Ann", "is_user": True, "send_date": "x", "mes": "ok"}
    answer = {"name": "Brook", "is_user": False, "send_date": "x", "mes": "ok"}
    got = read("\n".join(map(json.dumps, [tavern[0], again, answer, again, answer])))
    assert got.texts == [["ok"] * 4]


def test_sillytavern_a_long_run_of_characters_is_divided(read, tavern):
    lines = [tavern[0], {"name": "Ann", "is_user": True, "mes": "Go on."}]
    lines += [{"name": "Brook", "is_user": False, "mes": f"{n}", "swipes": [f"{n}", f"{n}b"],
               "swipe_id": 0} for n in range(RUN * 4)]  # fmt: skip
    (talk,) = read("\n".join(map(json.dumps, lines))).conversations
    said = {m.text for e in talk.exchanges for m in e.messages}
    assert {str(n) for n in range(RUN * 4)} <= said
    assert sum(e.user.text.startswith("[The conversation goes on") for e in talk.exchanges) > 2
    assert max(len(e.messages) for e in talk.exchanges) <= RUN + 1


def test_sillytavern_tools(read, tavern):
    call = {"id": "t", "name": "dice", "parameters": {"sides": 6}, "result": "4"}
    line = {"name": "SillyTavern System", "is_user": False, "is_system": True,
            "mes": "Tool calls: dice", "extra": {"isSmallSys": True, "tool_invocations": [call]}}  # fmt: skip
    (talk,) = read("\n".join(map(json.dumps, [tavern[0], tavern[2], line]))).conversations
    assert [p for m in talk.exchanges[0].messages[1:] for p in m.parts] == [
        ToolCall("t", "dice", '{"sides": 6}'), ToolResult("t", "dice", "4")]  # fmt: skip


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("June 19, 2023 2:20pm", "2023-06-19T14:20:00+00:00"),
        ("Jun 19, 2023 12:05AM", "2023-06-19T00:05:00+00:00"),
        ("2024-07-12@01h31m37s123ms", "2024-07-12T01:31:37.123000+00:00"),
        ("2024-7-12@01h31m37s", "2024-07-12T01:31:37+00:00"),
        ("2024-6-5 @14h 56m 50s 682ms", "2024-06-05T14:56:50.682000+00:00"),
        ("1720748000000", "2024-07-12T01:33:20+00:00"),
        ("2024-07-12T01:33:20.500Z", "2024-07-12T01:33:20.500000+00:00"),
    ],
)
def test_the_times_of_sillytavern(written, read_as):
    assert parse_time(written).isoformat() == read_as


@pytest.mark.parametrize(
    "written", ["Foo 19, 2023 2:20pm", "June 31, 2023 2:20pm", "June 1, 2023 0:20pm",
                "2024-13-12@01h31m37s", "2024-1-12@25h31m37s"])  # fmt: skip
def test_what_looks_like_a_time_and_is_none(written):
    with pytest.raises(ValueError, match=r"."):
        parse_time(written)


def test_lmstudio_versions_tools_and_thoughts(read, fixtures):
    got = read(fixtures / "lmstudio.conversation.json")
    (bees,) = got.conversations
    short, whole, stopped, thanks = bees.exchanges
    assert got.format == "lmstudio"
    assert (short.user.text, short.state) == ("How many bees?", ExchangeState.UNANSWERED)
    assert whole.user == stopped.user
    assert whole.user.text == "How many bees are in a hive?"
    assert [p for m in whole.messages[1:] for p in m.parts] == [
        Reasoning("Thousands."), Text("I count."), ToolCall("42", "count", '{"of": "bees"}'),
        ToolResult("42", "count", '[{"type":"text","text":"50000"}]'), Text("About 50,000.")]  # fmt: skip
    assert (whole.model, stopped.model) == ("gemma-2b-it", "phi")
    assert stopped.state is ExchangeState.INCOMPLETE
    assert thanks.parent == whole.id
    assert whole.messages[1].at.isoformat() == "2025-01-01T00:00:05+00:00"
    assert (bees.session.title, bees.session.foreign_id) == ("Bees", "1735689600000")
    assert head_of(bees) == thanks
    assert got.reasons == ["system message"]


def test_lmstudio_a_renamed_and_longer_conversation_adds_only_what_is_new(read, studio):
    before = read(json.dumps(studio)).ids
    studio["name"] = "Hives"
    studio["messages"].append({"currentlySelected": 0, "versions": [
        {"type": "singleStep", "role": "user", "content": "Bye."}]})  # fmt: skip
    after = read(json.dumps(studio)).ids
    assert set(before) < set(after)
    assert len(after) == len(before) + 1


def test_lmstudio_what_cannot_be_read_is_told(read, studio):
    studio["messages"] += [7, {"versions": [{"role": "system", "content": "x"}, {"role": "ghost"},
        {"role": "user", "content": [{"type": "hologram"}, {"type": "file", "fileIdentifier": "a.png",
                                                            "fileType": "image"}]}]}]  # fmt: skip
    got = read(json.dumps(studio))
    assert set(got.reasons) == {
        "empty message",
        "system message (2×)",
        "a version of an unknown role",
        "content of the type 'hologram'",
    }
    assert got.conversations[0].exchanges[-1].user.parts == (Image("lmstudio:a.png"),)
