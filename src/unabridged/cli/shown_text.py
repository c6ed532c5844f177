"""The words of an answer as they are shown: without tags of prompts that a model repeats."""

import re

_NAMES = ("recalled", "think", "thinking")
_TAG = re.compile(r"(?<!`)</?(?:recalled(?:-[a-z]+)?|think(?:ing)?)(?:\s[^<>]*)?>", re.IGNORECASE)
_ENDED = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_LONGEST = 400
"""Characters of a tag, attributes included."""
_OPEN = re.compile(r"</?([a-z-]*)(\s[^<>]*)?\Z", re.IGNORECASE)


class ShownText:
    """Takes an answer in pieces, wherever they break, and gives what is shown of it.

    Thoughts in front of an answer, between ``<think>`` and ``</think>``, are not shown. Stored text
    stays as the model sent it.
    """

    def __init__(self) -> None:
        self._held = ""
        self._shown = ""
        self._thought = ""

    @property
    def thinking(self) -> bool:
        """Whether the model thinks aloud."""
        return bool(self._thought)

    def feed(self, text: str) -> str:
        """Take a piece of the answer and return what can be shown by now."""
        self._held += text
        begun = self._held.lstrip().lower()
        if (
            not self._shown.strip()
            and not self._thought
            and begun.startswith(("<think>", "<thinking>"))
        ):
            self._thought, self._held = self._held, ""
        elif self._thought:
            self._thought, self._held = self._thought + self._held, ""
        if self._thought:
            ended = _ENDED.search(self._thought)
            if ended is None:
                return ""
            self._held, self._thought = self._thought[ended.end() :].lstrip(), ""
        place = _open_tag(self._held, self._shown)
        ready, self._held = self._held[:place], self._held[place:]
        return self._cleaned(ready)

    def rest(self) -> str:
        """Return what is left at the end; thoughts that nothing followed are shown."""
        left, self._held, self._thought = self._thought + self._held, "", ""
        return self._cleaned(left)

    def _cleaned(self, text: str) -> str:
        before = self._shown[-1:]
        cleaned = _TAG.sub("", before + text)[len(before) :]
        if not self._shown.strip() and cleaned != text:
            cleaned = cleaned.lstrip()
        self._shown = cleaned[-1:] or self._shown
        return cleaned


def shown_text(text: str) -> str:
    """Return a whole answer as it is shown."""
    shown = ShownText()
    return shown.feed(text) + shown.rest()


def _open_tag(text: str, before: str) -> int:
    # The place from which on the text may become a tag; its length where it cannot.
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
