"""What of a user's message the user said: chat pages put in front of it what they looked up.

Sources: open-webui, backend/open_webui/config.py (DEFAULT_RAG_TEMPLATE: ``<context>`` with
``<source>`` in it, then the question); AnythingLLM and LibreChat (``<documents>``, ``<document>``).
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


def own_words(text: str) -> str:
    """Give the user's own words: what stands behind the last block that was looked up.

    A document is nobody's statement about himself, so no fact or requirement is drawn from it.
    """
    if "</" not in text or not _OPENS.search(text):
        return text
    return _LOOKED_UP.sub("", text)
