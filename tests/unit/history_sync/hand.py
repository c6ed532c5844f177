"""A client's hand for the tests of this folder."""

from unabridged.domain.chat import Abilities
from unabridged.domain.client_history import RequestOptions
from unabridged.domain.message import Role, Text, ToolCall, ToolResult
from unabridged.models.scripted import ScriptedModel
from unabridged.wire.incoming_message import IncomingMessage


def scripted(window=8192):
    able = Abilities("m", trained_window=window, tools=True, source="server")
    return ScriptedModel(("Yes.",), abilities=able)


def user(text):
    return IncomingMessage(Role.USER, (Text(text),))


def said(text):
    return IncomingMessage(Role.ASSISTANT, (Text(text),))


def system(text):
    return IncomingMessage(Role.SYSTEM, (Text(text),))


def call(name, arguments="{}", call_id="c1"):
    return IncomingMessage(Role.ASSISTANT, (ToolCall(call_id, name, arguments),))


def result(text, call_id="c1", name="look"):
    return IncomingMessage(Role.TOOL, (ToolResult(call_id, name, text),))


def talk(*texts):
    """User and assistant in turns."""
    return [said(text) if n % 2 else user(text) for n, text in enumerate(texts)]


def ask(memory, drafts, answer="Noted.", request_options=None, **how):
    heard = memory.sync(drafts, **how)
    context = memory.prepare_synced(heard, request_options or RequestOptions())
    return heard, context, memory.record(context, answer)


def words(messages):
    return [(m["role"], m["content"]) for m in messages]


def contents(context):
    """What is sent, message by message."""
    return [m["content"] for m in context.messages]


def clients(context):
    """What is sent of the client's words, message by message: without what memory put after them."""
    after = context.edits.after
    assert not context.edits.left_out
    assert not context.edits.inserted
    assert all(content.endswith(after.get(n, "")) for n, content in enumerate(contents(context)))
    return [
        content.removesuffix(f"\n{after[n]}") if n in after else content
        for n, content in enumerate(contents(context))
    ]
