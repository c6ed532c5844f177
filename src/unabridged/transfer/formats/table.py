"""Which formats can be read, and by which keys each is known."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from unabridged.domain.results import SkippedRecord
from unabridged.transfer import foreign_database, native_jsonl
from unabridged.transfer.formats import (
    chatgpt,
    claude,
    claude_code,
    codex,
    dana,
    emm,
    jsonl,
    llm,
    lmstudio,
    openai,
    openwebui,
    own_files,
    reqvibe,
    sillytavern,
    whisperengine,
    workspaceai,
)
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord

Read = Callable[[Iterator[JsonRecord | SkippedRecord]], Iterator[Item]]
ReadFile = Callable[[BinaryIO], Iterator[Item]]


def _no_records(records: Iterator[JsonRecord | SkippedRecord]) -> Iterator[Item]:
    return iter(record for record in records if isinstance(record, SkippedRecord))


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be read.

    Attributes:
        name: Its name, as ``format=`` takes it.
        title: What people call it.
        signs: Sets of paths; an object in which all paths of one of them are is of this format. A
            path is a key, or the keys on the way to one (``chat/history``); lists have no part in
            it, and ``*`` stands for any key before the last.
        read: What reads its records.
        magic: How its files begin, where they are no text; empty for JSON.
        read_file: What reads such a file as a whole, any place of which can be chosen.
    """

    name: str
    title: str
    signs: tuple[frozenset[str], ...] = ()
    read: Read = _no_records
    magic: bytes = b""
    read_file: ReadFile | None = None


def signs(*alternatives: str) -> tuple[frozenset[str], ...]:
    """Return the signs of a format; each alternative names its paths, separated by spaces."""
    return tuple(frozenset(each.split()) for each in alternatives)


FORMATS = (
    Format(
        native_jsonl.FORMAT,
        "Unabridged's own JSON Lines",
        signs("format version", "exchange"),
        native_jsonl.read,
    ),
    Format(
        own_files.FORMAT,
        "Unabridged's readable JSON files",
        signs("unabridged/about unabridged/sessions"),
        own_files.read,
    ),
    Format(chatgpt.FORMAT, "ChatGPT account export", signs("mapping"), chatgpt.read),
    Format(claude.FORMAT, "Claude account export", signs("chat_messages"), claude.read),
    Format(
        claude_code.FORMAT,
        "Claude Code session",
        signs("parentUuid sessionId", "type summary leafUuid"),
        claude_code.read,
    ),
    Format(
        codex.FORMAT,
        "Codex session",
        signs("timestamp type payload", "id timestamp instructions", "record_type"),
        codex.read,
    ),
    Format(
        openai.FORMAT,
        "Requests to OpenAI's API and their answers",
        signs(
            "custom_id body",
            "custom_id response",
            "request/messages response",
            "request/input response",
            "messages choices",
            "input output model",
            "input/messages preferred_output",
        ),
        openai.read,
    ),
    Format(
        openwebui.FORMAT,
        "Open WebUI chats",
        signs(
            "chat/history",
            "chat/messages user_id",
            "history/messages history/currentId",
        ),
        openwebui.read,
    ),
    Format(
        lmstudio.FORMAT,
        "LM Studio conversation",
        signs("messages/versions", "messages usePerChatPredictionConfig"),
        lmstudio.read,
    ),
    Format(
        sillytavern.FORMAT,
        "SillyTavern chat",
        signs("user_name character_name", "is_user mes", "chat_metadata"),
        sillytavern.read,
    ),
    Format(
        workspaceai.FORMAT,
        "WorkspaceAI memory (version 1, 2 or 3)",
        signs(
            "current_conversation",
            "recent_conversations summarized_conversations",
            "user assistant",
        ),
        workspaceai.read,
    ),
    Format(
        dana.FORMAT,
        "Dana conversation memory",
        signs("history conversation_id", "history/user_input", "user_input agent_response"),
        dana.read,
    ),
    Format(
        emm.FORMAT,
        "Aurora's Enhanced Memory Manager (EMM)",
        signs("messages/content_category", "metadata/condensations messages"),
        emm.read,
    ),
    Format(
        reqvibe.FORMAT,
        "ReqVIBE sessions",
        signs(
            "sessions/messages",
            "sessions/*/messages",
            "id messages title created_at model",
            "*/messages */title */created_at",
        ),
        reqvibe.read,
    ),
    Format(
        llm.FORMAT,
        "llm's log (logs.db)",
        magic=foreign_database.MAGIC,
        read_file=llm.read_file,
    ),
    Format(
        whisperengine.FORMAT,
        "WhisperEngine memories",
        signs(
            "user_id content metadata/role",
            "payload/memory_type payload/content",
            "memory_type content user_id",
        ),
        whisperengine.read,
    ),
    Format(
        jsonl.FORMAT,
        "JSON Lines of messages (role, content, time)",
        signs("role content", "role text", "sender text", "role tool_calls", "messages"),
        jsonl.read,
    ),
)
"""What can be read; the first whose signs are there wins."""
