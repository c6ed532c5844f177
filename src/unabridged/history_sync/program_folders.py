"""The working folder that a coding agent names in its prompts.

It is a hint: it orders what is recalled, and is shown with the session.
"""

import re
from collections.abc import Iterable

from unabridged.domain.message import Role
from unabridged.wire.incoming_message import IncomingMessage, joined, with_reminders

MOST_CHARACTERS = 500
"""Characters of a folder; a longer text names none."""
_FOLDERS = tuple(
    (mark, re.compile(pattern, re.MULTILINE))
    for mark, pattern in (
        ("<cwd>", r"<cwd>([^<\n]+)</cwd>"),  # Codex
        ("orking directory:", r"^[\s\-*]*(?:Primary w|W)orking directory:[ \t]*(\S.*)$"),
        # … Claude Code, opencode, Goose
        ("orking in the", r"currently working in the directory:[ \t]*(\S.*)$"),  # Qwen Code
        ("orking in the", r"currently working in the following directories:\s+-[ \t]*(\S.*)$"),
        ("# Current Work", r"^# Current Work(?:ing|space) Directory \((.+)\)"),  # Cline, Roo Code
    )
)
"""A text that is in a prompt that names a folder, and the pattern that reads the folder."""


def folder_of(drafts: Iterable[IncomingMessage]) -> str:
    """Return the working folder that a request names last, or an empty text."""
    asked = [draft for draft in drafts if draft.role in (Role.SYSTEM, Role.USER)]
    texts = (joined(with_reminders(draft.parts)) for draft in reversed(asked))
    return next((folder for text in texts if (folder := _folder_in(text))), "")


def _folder_in(text: str) -> str:
    for mark, pattern in _FOLDERS:
        if mark in text and (found := pattern.search(text)) is not None:
            folder = found[1].strip().rstrip("/\\") or found[1].strip()
            if folder.isprintable() and len(folder) <= MOST_CHARACTERS:
                return folder
    return ""
