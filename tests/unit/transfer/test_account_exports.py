"""Shapes of real account exports, 2023 to 2026: what is normal is no failure, and no word is lost."""

import io
import json
import zipfile

import pytest

from unabridged.domain.message import Image, Reasoning, Text, ToolCall, ToolResult


def chat(*messages, current=None, **more):
    """A ChatGPT conversation in a row: dicts, each a message."""
    mapping = {"root": {"id": "root", "message": None, "parent": None, "children": ["m0"]}}
    for number, message in enumerate(messages):
        parent = f"m{number - 1}" if number else "root"
        mapping[f"m{number}"] = {"id": f"m{number}", "parent": parent, "children": [], "message": message}  # fmt: skip
    last = current or f"m{len(messages) - 1}"
    return {"title": "T", "conversation_id": "c", "create_time": 1.7e9, "mapping": mapping, "current_node": last, **more}  # fmt: skip


def said(role, content, *, name=None, recipient="all", **metadata):
    if isinstance(content, str):
        content = {"content_type": "text", "parts": [content]}
    return {
        "author": {"role": role, "name": name, "metadata": {}}, "create_time": 1.7e9, "status": "finished_successfully",
        "content": content, "recipient": recipient, "weight": 1.0, "metadata": metadata,
    }  # fmt: skip


HIDDEN = {"is_visually_hidden_from_conversation": True}


def parts(got):
    return [
        part
        for conversation in got.conversations
        for exchange in conversation.exchanges
        for message in exchange.messages
        for part in message.parts
    ]


def texts(got):
    return [part.text for part in parts(got) if isinstance(part, Text | Reasoning | ToolResult)]


def test_what_every_chatgpt_conversation_has_besides_is_counted_by_kind(read):
    got = read(json.dumps([chat(
        said("system", "", **HIDDEN),
        said("user", {"content_type": "user_editable_context", "user_profile": "I sail"}, **HIDDEN),
        said("assistant", {"content_type": "model_editable_context", "model_set_context": "1. sails"}),
        said("system", "Custom instructions are no longer here."),
        said("user", "Which knot?"),
        said("tool", "browsed", name="web", **HIDDEN),
        said("assistant", None),
        said("assistant", "A bowline."),
    )]))  # fmt: skip
    assert got.failed == []
    assert got.reasons == [
        "custom instruction message", "hidden message", "hidden system message", "saved memory message",
        "system message",
    ]  # fmt: skip
    assert texts(got) == ["Which knot?", "A bowline."]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"content_type": "tether_browsing_display", "result": "L1: knots", "summary": "s"}, "L1: knots\ns"),
        ({"content_type": "tether_quote", "url": "u", "domain": "d", "text": "a bend", "title": "t"}, "a bend\nt\nu"),
        ({"content_type": "sonic_webpage", "url": "u", "text": "page", "snippet": "p"}, "page\nu"),
        ({"content_type": "execution_output", "text": "42"}, "42"),
        ({"content_type": "system_error", "name": "E", "text": "denied"}, "denied"),
        ({"content_type": "citable_code_output", "output_str": "7 knots"}, "7 knots"),
        ({"content_type": "something_of_2027", "data": {"items": ["new words"]}}, "new words"),
    ],
)  # fmt: skip
def test_what_a_tool_showed_in_chatgpt_is_kept(read, content, expected):
    got = read(json.dumps([chat(
        said("user", "Look it up."), said("assistant", '{"q": 1}', recipient="web.run"),
        said("tool", content, name="web.run"), said("assistant", "Found."),
    )]))  # fmt: skip
    assert got.unread == []
    assert expected in texts(got)
    assert any(isinstance(part, ToolCall) and part.name == "web.run" for part in parts(got))


def test_voice_pictures_and_files_in_chatgpt(read):
    voice = {"content_type": "multimodal_text", "parts": [
        {"content_type": "audio_transcription", "text": "Where do I moor?", "direction": "in"},
        {"content_type": "real_time_user_audio_video_asset_pointer", "frames_asset_pointers": [],
         "audio_asset_pointer": {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://a"}},
    ]}  # fmt: skip
    lost = {"content_type": "multimodal_text", "parts": [
        {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://b"}]}  # fmt: skip
    picture = {"content_type": "multimodal_text", "parts": [
        {"content_type": "image_asset_pointer", "asset_pointer": "sediment://c", "width": 1}, "And this?"]}  # fmt: skip
    screen = {"content_type": "computer_output", "screenshot": {
        "content_type": "image_asset_pointer", "asset_pointer": "sediment://d"}}  # fmt: skip
    got = read(json.dumps([chat(
        said("user", voice), said("assistant", "At the quay."), said("user", lost), said("assistant", "Yes."),
        said("user", picture, attachments=[
            {"name": "deck.png", "mime_type": "image/png"}, {"name": "plan.pdf", "mime_type": "application/pdf"}]),
        said("tool", screen, name="computer"), said("assistant", "A cleat."),
    )]))  # fmt: skip
    assert got.reasons == ["audio recording (2×)"]
    assert got.failed == []
    held = texts(got)
    assert "Where do I moor?" in held
    assert "[audio without a transcript]" in held
    assert "[attached: plan.pdf]" in held
    assert not any("deck.png" in text for text in held)
    assert {part.uri for part in parts(got) if isinstance(part, Image)} == {
        "sediment://c",
        "sediment://d",
    }
    assert len(got.ids) == 3


def test_canvas_reasoning_and_deep_research_in_chatgpt(read):
    canvas = json.dumps({"name": "log", "type": "document", "content": "# Log of the voyage"})
    got = read(json.dumps([chat(
        said("user", "Write a log."),
        said("assistant", {"content_type": "thoughts", "thoughts": [{"summary": "Plan", "content": "three parts"}]}),
        said("assistant", {"content_type": "reasoning_recap", "content": "Thought for 5 seconds"}),
        said("assistant", {"content_type": "code", "language": "json", "text": canvas}, recipient="canmore.create_textdoc"),
        said("tool", "Successfully created text document", name="canmore.create_textdoc"),
        said("tool", {"content_type": "text", "parts": ["Research begun"]}, name="research_kickoff_tool.start_research_task"),
        said("assistant", "The report.", is_async_task_result_message=True),
    )]))  # fmt: skip
    assert got.unread == []
    assert {"Plan\nthree parts", "Thought for 5 seconds", "The report."} <= set(texts(got))
    (call,) = [part for part in parts(got) if isinstance(part, ToolCall)]
    assert "Log of the voyage" in call.arguments


def test_a_chatgpt_conversation_that_the_assistant_begins_is_whole(read):
    got = read(
        json.dumps([chat(said("assistant", "Your weekly summary."), said("user", "Thanks."))])
    )
    assert got.unread == []
    assert "Your weekly summary." in texts(got)
    assert "Thanks." in texts(got)


def test_a_chatgpt_conversation_without_a_word_is_counted_as_empty(read):
    got = read(json.dumps([chat(said("system", "", **HIDDEN)), chat(said("user", "Hello"))]))
    assert got.failed == []
    assert "empty conversation" in got.reasons
    assert len(got.conversations) == 1


@pytest.mark.parametrize("wrap", [lambda chats: chats, lambda chats: {"conversations": chats}])
def test_a_list_of_conversations_may_be_in_an_object(read, wrap):
    one, two = chat(said("user", "One")), chat(said("user", "Two"), conversation_id="d")
    assert texts(read(json.dumps(wrap([one, two])))) == ["One", "Two"]


def test_an_archive_in_parts_with_assets_and_an_empty_part(read):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("chat.html", "<html>")
        archive.writestr("user.json", "{}")
        archive.writestr("conversations-000.json", "[]")
        for number in (1, 2):
            one = chat(said("user", f"Part {number}"), conversation_id=f"c{number}")
            archive.writestr(f"conversations-00{number}.json", json.dumps([one]))
        archive.writestr("dalle-generations/file-1.webp", b"RIFF")
        archive.writestr("shared_conversations.json", '[{"id": "x", "title": "T"}]')
    got = read(held.getvalue())
    assert texts(got) == ["Part 1", "Part 2"]
    assert got.unread == []


def claude(*messages, **more):
    return {"uuid": "u", "name": "Sails", "created_at": "2026-01-01T00:00:00Z", "chat_messages": list(messages), **more}  # fmt: skip


def turn(sender, *blocks, number=[0], **more):  # noqa: B006 - a count
    number[0] += 1
    text = "".join(block.get("text", "") for block in blocks)
    return {"uuid": f"m{number[0]}", "sender": sender, "text": text, "content": list(blocks),
            "created_at": "2026-01-01T00:00:00Z", "attachments": [], "files": [], **more}  # fmt: skip


def words(text, **more):
    return {
        "type": "text",
        "text": text,
        "citations": [],
        "start_timestamp": None,
        "flags": None,
        **more,
    }


def test_blocks_attachments_and_files_of_claude(read):
    got = read(json.dumps([claude(
        turn("human", words("Read this."), attachments=[
            {"file_name": "log.txt", "file_size": 3, "extracted_content": "Force 7"}], files=[{"file_name": "mast.png"}]),
        turn("assistant",
             {"type": "thinking", "thinking": "Strong wind.", "summaries": [], "cut_off": False},
             {"type": "tool_use", "id": "t", "name": "artifacts", "input": {"content": "# Reefing"}},
             {"type": "tool_result", "tool_use_id": "t", "name": "artifacts", "content": [{"type": "text", "text": "OK"}]},
             {"type": "token_budget"}, {"type": "flag", "flag": "x", "helpline": None},
             {"type": "voice_note", "title": "Note", "text": "Reef early."},
             words("Reef the sail.")),
    )]))  # fmt: skip
    assert got.unread == []
    held = texts(got)
    assert {
        "Strong wind.",
        "OK",
        "Reef early.",
        "Reef the sail.",
        "[attached: log.txt]\nForce 7",
    } <= set(held)
    assert "[attached: mast.png]" in held


def test_an_empty_claude_conversation_is_normal(read):
    got = read(json.dumps([claude(), claude(turn("human", words("Hello")), uuid="v")]))
    assert got.failed == []
    assert got.reasons == ["empty conversation"]
    assert texts(got) == ["Hello"]


def test_a_claude_archive_with_projects_and_memories(read):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("conversations.json", json.dumps([claude(turn("human", words("Hello")))]))
        archive.writestr("projects.json", '[{"uuid": "p", "docs": []}]')
        archive.writestr("memories.json", '[{"conversations_memory": "Sails."}]')
        archive.writestr("users.json", "[]")
    got = read(held.getvalue())
    assert got.failed == []
    assert texts(got) == ["Hello"]
    assert set(got.reasons) == {"memories.json file", "projects.json file"}
