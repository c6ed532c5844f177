"""The same steps twice: with our server between a program and its upstream, and without it.

So that "works as without us" is a comparison. ``differences`` compares what arrived upstream, but
for what memory adds and for what no two runs have in common.
"""

import json
import re
from collections import Counter

from tests.helpers.arrivals import MEMORY

SET_BY_US = frozenset(["truncate", "shift", "stream_options"])
"""Fields that the server adds: two for Ollama, and the wish for usage at the end of a stream."""
OUR_OPTIONS = frozenset(["num_ctx", "num_predict"])
OTHER_EACH_TIME = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UUID"),
    (re.compile(r"127\.0\.0\.1:\d+"), "ADDRESS"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?"), "TIME"),
    (re.compile(r"\b\d\d?:\d\d(:\d\d)?( [AP]M)?\b"), "TIME"),
)


def differences(direct, through):
    """What arrived upstream in one run only, as lines; none where both are alike.

    Args:
        direct: The chats of the upstream that the program talked to, each with pairs of a pattern
            and a word: what is another in each run, in addition to ``OTHER_EACH_TIME``.
        through: Those of the upstream behind our server.
    """
    alone, ours = (
        Counter(_plain(chat, (*marks, *OTHER_EACH_TIME)) for chat, marks in chats)
        for chats in (direct, through)
    )
    lacking, more = list((alone - ours).elements()), list((ours - alone).elements())
    if len(lacking) == len(more):
        return [_where(*pair) for pair in zip(sorted(lacking), sorted(more), strict=True)]
    return [f"only without us: {each[:400]}" for each in lacking] + [
        f"only through us: {each[:400]}" for each in more
    ]


def _where(alone, ours):
    """Where two bodies begin to differ."""
    at = next((n for n, (a, b) in enumerate(zip(alone, ours, strict=False)) if a != b), 0)
    begin = max(0, at - 60)
    return f"without us …{alone[begin : at + 100]}…, through us …{ours[begin : at + 100]}…"


def _plain(chat, patterns):
    body = {name: value for name, value in chat.body.items() if name not in SET_BY_US}
    options = {n: v for n, v in (body.pop("options", None) or {}).items() if n not in OUR_OPTIONS}
    body["options"] = options
    body["messages"] = [_remembers_nothing(each) for each in body.get("messages") or ()]
    text = json.dumps([chat.status, body], ensure_ascii=False, sort_keys=True)
    for pattern, word in patterns:
        text = pattern.sub(word, text)
    return text


def _remembers_nothing(message):
    """A message without what memory added to it."""
    content = message.get("content")
    if message.get("role") != "user":
        return message
    if isinstance(content, str):
        return {**message, "content": MEMORY.sub("", content).strip()}
    parts = [
        {**part, "text": MEMORY.sub("", part["text"]).strip()}
        if part.get("type") == "text"
        else part
        for part in content or ()
    ]
    return {**message, "content": [part for part in parts if part.get("text") != ""]}
