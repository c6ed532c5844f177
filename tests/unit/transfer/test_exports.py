import copy
import io
import json
import zipfile

import pytest

from unabridged.domain.exchange import ExchangeState
from unabridged.domain.message import Image, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.errors import TransferError, UnknownFormatError


@pytest.fixture
def chatgpt(fixtures):
    return json.loads((fixtures / "chatgpt-conversations.json").read_bytes())


@pytest.fixture
def claude(fixtures):
    return json.loads((fixtures / "claude-conversations.json").read_bytes())


def zipped(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/") + ".json", data)
    return stream.getvalue()


def test_chatgpt_branches_are_kept_as_branches(read, fixtures):
    got = read(fixtures / "chatgpt-conversations.json")
    boat, alone = got.conversations
    texts = {e.text: e for e in boat.exchanges}
    first, again = (
        texts["Name my boat.\nPerhaps “Sandpiper”."],
        texts["Name my boat.\n“Halcyon”, then."],
    )
    horse = texts["Name my horse."]
    assert got.format == "chatgpt"
    assert first.parent is again.parent is horse.parent is None
    assert first.user == again.user
    assert first.id != again.id
    assert horse.state is ExchangeState.UNANSWERED
    assert (boat.session.title, boat.session.foreign_id) == ("Naming a boat", "c0ffee00-0001")
    assert alone.session.title == "Is anybody there?"


def test_chatgpt_current_path_tools_images_and_reasoning(read, fixtures):
    boat = read(fixtures / "chatgpt-conversations.json").conversations[0]
    last = next(e for e in boat.exchanges if e.messages[-1].id == boat.session.head)
    parent = next(e for e in boat.exchanges if e.id == last.parent)
    assert parent.answer.text == "“Halcyon”, then."
    assert last.messages[0].parent == parent.messages[-1].id
    assert last.messages[0].parts[0] == Image("file-service://file-7")
    assert last.messages[1].parts == (Reasoning("Scale\nThe mast gives the scale."),)
    (call,) = last.messages[2].calls
    assert (call.name, json.loads(call.arguments)["text"]) == ("python", "print(7 * 0.9)")
    assert last.messages[3].parts == (ToolResult(call.id, "python", "6.3"),)
    assert last.messages[4].parts == (Text("About 6.3 m."),)
    assert (last.mode, last.model) == ("tools", "o3")


def test_chatgpt_hidden_and_system_messages_are_counted(read, fixtures):
    got = read(fixtures / "chatgpt-conversations.json")
    assert got.reasons == ["custom instruction message", "hidden system message"]
    assert got.failed == []


def test_chatgpt_what_was_hidden_stays_hidden(read, chatgpt):
    chatgpt[0]["mapping"]["a1"]["message"]["metadata"]["is_visually_hidden_from_conversation"] = (
        True
    )
    got = read(json.dumps(chatgpt[:1]))
    assert "hidden message" in got.reasons
    assert not any("Sandpiper" in text for text in got.texts[0])


def test_chatgpt_a_longer_export_keeps_every_id(read, chatgpt):
    before = read(json.dumps(chatgpt))
    longer = copy.deepcopy(chatgpt)
    longer[0]["mapping"]["u3"] = {"parent": "a2", "children": [], "message": {
        "author": {"role": "user"}, "create_time": 1736200200,
        "content": {"content_type": "text", "parts": ["Thanks!"]}}}  # fmt: skip
    longer[0]["current_node"] = "u3"
    after = read(json.dumps(longer))
    assert set(before.ids) < set(after.ids)
    assert len(after.ids) == len(before.ids) + 1


def test_chatgpt_a_circle_is_cut_open_and_nothing_is_lost(read, chatgpt):
    del chatgpt[1:]
    chatgpt[0]["mapping"]["u1"]["parent"] = "a2"
    got = read(json.dumps(chatgpt))
    assert "circle of messages, cut open" in got.reasons
    assert {"Name my boat.", "About 6.3 m.", "Name my horse."} <= set(got.texts[0])


def test_chatgpt_a_broken_conversation_does_not_stop_the_rest(read, chatgpt):
    bad = [{"mapping": []}, None, 7, {"mapping": {"a": 1, "b": {"message": []}}}]
    got = read(json.dumps([chatgpt[0], *bad, chatgpt[1]]))
    assert len(got.conversations) == 2
    assert got.unread


def test_chatgpt_an_answer_that_was_stopped_is_incomplete(read, chatgpt):
    message = chatgpt[0]["mapping"]["a1"]["message"]
    message["metadata"]["finish_details"] = {"type": "interrupted"}
    got = read(json.dumps(chatgpt[:1]))
    states = {e.text: e.state for e in got.conversations[0].exchanges}
    assert states["Name my boat.\nPerhaps “Sandpiper”."] is ExchangeState.INCOMPLETE


def test_chatgpt_a_very_long_conversation_needs_no_recursion(read):
    mapping = {}
    for number in range(6000):
        role = "assistant" if number % 2 else "user"
        mapping[f"n{number}"] = {"parent": f"n{number - 1}", "message": {
            "author": {"role": role}, "content": {"content_type": "text", "parts": [str(number)]}}}  # fmt: skip
    got = read(json.dumps([{"id": "x", "mapping": dict(reversed(mapping.items()))}]))
    assert got.texts == [[str(number) for number in range(6000)]]


@pytest.mark.parametrize("indent", [None, 2])
def test_one_conversation_alone_is_read(read, chatgpt, claude, indent):
    for export in (chatgpt, claude):
        assert len(read(json.dumps(export[0], indent=indent)).conversations) == 1


def test_claude_tools_attachments_and_reasoning(read, fixtures):
    got = read(fixtures / "claude-conversations.json")
    (ledger,) = got.conversations
    first = ledger.exchanges[0]
    assert got.format == "claude"
    assert got.reasons == ["empty conversation"]
    assert "list.csv]\napples;3\npears;4" in first.user.text
    assert "scan.png" in first.user.text
    assert [m.role for m in first.messages] == [
        Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]  # fmt: skip
    assert first.messages[1].parts == (
        Reasoning("Add them."), Text("Let me add."), ToolCall("toolu_1", "sum", '{"of": [3, 4]}'))  # fmt: skip
    assert first.messages[2].parts == (ToolResult("toolu_1", "sum", "7"),)
    assert first.answer.text == "Seven pieces of fruit."


def test_claude_branches_and_head(read, fixtures):
    (ledger,) = read(fixtures / "claude-conversations.json").conversations
    first, thanks, plums = ledger.exchanges
    assert thanks.parent == plums.parent == first.id
    assert ledger.session.head == plums.messages[-1].id


def test_claude_without_parents_is_a_row(read, claude):
    for message in claude[0]["chat_messages"]:
        del message["parent_message_uuid"]
    (ledger,) = read(json.dumps(claude[:1])).conversations
    first, thanks, plums = ledger.exchanges
    assert (thanks.parent, plums.parent) == (first.id, thanks.id)


@pytest.mark.parametrize("name", ["conversations", "export__conversations"])
def test_the_archive_is_read_as_it_comes(read, chatgpt, claude, name):
    for export in (chatgpt, claude):
        plain = read(json.dumps(export))
        packed = read(zipped(**{name: json.dumps(export), "user": "{}"}))
        assert (packed.format, packed.ids) == (plain.format, plain.ids)


def test_an_archive_in_pieces_is_read_whole(read, chatgpt):
    pieces = {f"conversations-{n:03}": json.dumps([each]) for n, each in enumerate(chatgpt)}
    assert read(zipped(**pieces)).ids == read(json.dumps(chatgpt)).ids


def test_an_archive_without_conversations_says_what_is_in_it(read):
    with pytest.raises(UnknownFormatError, match="holiday"):
        read(zipped(holiday="{}"))


@pytest.mark.parametrize("keep", [30, 200, -30])
def test_a_damaged_archive_is_a_typed_error(read, chatgpt, keep):
    with pytest.raises(TransferError):
        read(zipped(conversations=json.dumps(chatgpt))[:keep])


def test_an_export_that_breaks_off_keeps_what_came(read, chatgpt):
    got = read(json.dumps(chatgpt)[:-150])
    assert len(got.conversations) == 1
    assert got.reasons[-1] == "the file breaks off here"
