"""Find the user's own words in a message: chat pages put looked-up documents before them.

Sources: open-webui, backend/open_webui/config.py (DEFAULT_RAG_TEMPLATE: ``<context>`` with
``<source>`` in it, then the question); AnythingLLM and LibreChat (``<documents>``, ``<document>``).
"""

import re

_LOOKED_UP = re.compile(
    r"\A.*</(?:context|sources?|documents?|attachments?|attached_files|search_results)>\s*",
    re.DOTALL | re.IGNORECASE,
)
_OPENS = re.compile(
    r"<(?:context|sources?|documents?|attachments?|attached_files|search_results)\b[^>]*>",
    re.IGNORECASE,
)


def own_words(text: str) -> str:
    """Return the user's own words: the text after the last block of documents.

    A document is not a statement of the user, so no fact or requirement is learned from it.
    """
    if "</" not in text or not _OPENS.search(text):
        return text
    return _LOOKED_UP.sub("", text)
