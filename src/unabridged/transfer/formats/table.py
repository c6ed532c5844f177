"""The formats of imports."""

from unabridged.transfer import native_jsonl
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

FORMATS = tuple(
    module.FORMAT
    for module in (
        native_jsonl,
        own_files,
        chatgpt,
        claude,
        claude_code,
        codex,
        openai,
        openwebui,
        lmstudio,
        sillytavern,
        workspaceai,
        dana,
        emm,
        reqvibe,
        llm,
        whisperengine,
        jsonl,
    )
)
"""The formats of imports; the first one whose signs are present wins."""
