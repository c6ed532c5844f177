"""A client's hand for the tests of this folder."""

from unabridged.domain.chat import Abilities
from unabridged.domain.hearing import Wishes
from unabridged.domain.message import Role, Text, ToolCall, ToolResult
from unabridged.models.scripted import ScriptedModel
from unabridged.wire.draft import Draft


def scripted(window=8192):
    able = Abilities("m", trained_window=window, tools=True, source="server")
    return ScriptedModel(("Yes.",), abilities=able)


def user(text):
    return Draft(Role.USER, (Text(text),))


def said(text):
    return Draft(Role.ASSISTANT, (Text(text),))


def system(text):
    return Draft(Role.SYSTEM, (Text(text),))


def call(name, arguments="{}", call_id="c1"):
    return Draft(Role.ASSISTANT, (ToolCall(call_id, name, arguments),))


def result(text, call_id="c1", name="look"):
    return Draft(Role.TOOL, (ToolResult(call_id, name, text),))


def talk(*texts):
    """User and assistant in turns."""
    return [said(text) if n % 2 else user(text) for n, text in enumerate(texts)]


def ask(memory, drafts, answer="Noted.", wishes=None, **how):
    heard = memory.sync(drafts, **how)
    context = memory.prepare_synced(heard, wishes or Wishes())
    return heard, context, memory.record(context, answer)


def words(messages):
    return [(m["role"], m["content"]) for m in messages]


def contents(context):
    return [m["content"] for m in context.messages[1:]]
