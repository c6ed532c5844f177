"""Find the user's own words in a message: chat pages put looked-up documents before them.

Sources: open-webui, backend/open_webui/config.py (DEFAULT_RAG_TEMPLATE: ``<context>`` with
``<source>`` in it, then the question); AnythingLLM and LibreChat (``<documents>``, ``<document>``);
Claude Code (``<system-reminder>`` before, between and after).
"""

import re

from unabridged.language.lazy_pattern import lazy_pattern

_LOOKED_UP = lazy_pattern(
    r"\A.*</(?:context|sources?|documents?|attachments?|attached_files|search_results)>\s*",
    re.DOTALL | re.IGNORECASE,
)
_OPENS = lazy_pattern(
    r"<(?:context|sources?|documents?|attachments?|attached_files|search_results)\b[^>]*>",
    re.IGNORECASE,
)
_REMINDER, _REMINDER_END = "<system-reminder>", "</system-reminder>"
_REMINDERS = lazy_pattern(r"<system-reminder>.*?</system-reminder>\s*", re.DOTALL)


def own_words(text: str) -> str:
    """Return the user's own words: the text after the last block of documents.

    A document is not a statement of the user, so no fact or requirement is learned from it.
    Reminders of a program are left out too.
    """
    text = without_reminders(text)
    if "</" not in text or not _OPENS.search(text):
        return text
    return _LOOKED_UP.sub("", text)


def without_reminders(text: str) -> str:
    """Return a text without the reminders that a program put into it."""
    return _REMINDERS.sub("", text) if _REMINDER_END in text else text


def is_reminder(text: str) -> bool:
    """Return whether a text is nothing but a program's reminders."""
    found = text.lstrip()
    return found.startswith(_REMINDER) and not without_reminders(found).strip()
