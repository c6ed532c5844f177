"""Reasoning that stands in the text of an answer, and what clients put there in its place.

``<think>`` as DeepSeek's and Qwen's templates write it, ``<details type="reasoning">`` as Open WebUI
keeps it (open-webui, backend/open_webui/utils/middleware.py); its pages keep tool calls and code in
the same way. One pass over the text, whatever it holds.
"""

import re

_MARK = re.compile(
    r"<(?P<end>/)?(?P<tag>think|thinking|thought|reasoning)>"
    r"|<(?P<kept>details)\s+type=\"(?:reasoning|tool_calls|code_interpreter)\""
    r"|</(?P<closed>details)>",
    re.IGNORECASE,
)


def without_reasoning(text: str) -> str:
    """An answer without its reasoning.

    A block that is never closed is reasoning to the end where nothing was said before it; a block
    that was never opened is reasoning from the beginning, since some templates open it themselves.
    """
    said: list[str] = []
    upto = 0
    inside, since = "", 0
    for mark in _MARK.finditer(text):
        opens = (mark["kept"] or ("" if mark["end"] else mark["tag"]) or "").lower()
        closes = (mark["closed"] or (mark["tag"] if mark["end"] else "") or "").lower()
        if not inside and opens:
            inside, since = opens, mark.start()
        elif inside and closes == inside:
            said.append(text[upto:since])
            inside, upto = "", mark.end()
        elif not inside and not upto and closes not in {"", "details"}:
            upto = mark.end()
    if inside and not "".join((*said, text[upto:since])).strip():
        upto = len(text)
    return "".join((*said, text[upto:]))
