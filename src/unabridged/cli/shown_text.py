"""Prepares answers to be shown: removes tags of prompts that a model repeats."""

import re

_NAMES = ("recalled", "think", "thinking")
_TAG = re.compile(r"(?<!`)</?(?:recalled(?:-[a-z]+)?|think(?:ing)?)(?:\s[^<>]*)?>", re.IGNORECASE)
_THOUGHT = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
_ENDED = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_LONGEST = 400
"""Characters of a tag, attributes included."""
_OPEN = re.compile(r"</?([a-z-]*)(\s[^<>]*)?\Z", re.IGNORECASE)


class ShownText:
    """Takes an answer in any pieces, and returns what to show of it.

    Thoughts in front of an answer, between ``<think>`` and ``</think>``, are not shown. Stored text
    stays as the model sent it.

    Attributes:
        thinking: Whether the model is writing such thoughts.
    """

    def __init__(self) -> None:
        self._held = ""
        self._last = ""
        self._begun = False
        self.thinking = False

    def feed(self, text: str) -> str:
        """Add a piece of the answer, and return what can be shown so far."""
        self._held += text
        if not self._begun and not self.thinking:
            self.thinking = _THOUGHT.match(self._held) is not None
        if self.thinking:
            ended = _ENDED.search(self._held, max(0, len(self._held) - len(text) - _LONGEST))
            if ended is None:
                return ""
            self._held, self.thinking = self._held[ended.end() :], False
        place = _open_tag(self._held, self._last)
        ready, self._held = self._held[:place], self._held[place:]
        return self._cleaned(ready)

    def rest(self) -> str:
        """Return what is left at the end; thoughts without an answer are shown."""
        left, self._held = self._held, ""
        return self._cleaned(left)

    def _cleaned(self, text: str) -> str:
        # A tag in backticks is a quotation; the backtick may be in the last piece.
        cleaned = _TAG.sub("", self._last + text)[len(self._last) :]
        if not self._begun:
            cleaned = cleaned.lstrip("\n")
        self._begun = self._begun or bool(cleaned)
        self._last = text[-1:] or self._last
        return cleaned


def shown_text(text: str) -> str:
    """Return a whole answer as it is shown."""
    shown = ShownText()
    return shown.feed(text) + shown.rest()


def _open_tag(text: str, before: str) -> int:
    # The place where an unfinished tag may begin; the length if there is none.
    place = text.rfind("<", max(0, len(text) - _LONGEST))
    match = _OPEN.match(text, place) if place >= 0 else None
    if match is None or (text[:place] or before).endswith("`"):
        return len(text)
    name = match[1].lower()
    if match[2] is None:
        may = any(one.startswith(name) for one in _NAMES) or "recalled-".startswith(name[:9])
    else:
        may = name in _NAMES or name.startswith("recalled-")
    return place if may else len(text)
