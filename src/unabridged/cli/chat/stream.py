"""Cuts a stream of Markdown into blocks that are finished, and the one that still grows."""

import re

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CONTINUES = re.compile(r"\s|[-*+]\s|\d{1,9}[.)]\s")
_BROKEN = re.compile(r"[^\s|]")


class Blocks:
    """Takes pieces of text; gives blocks. All blocks joined are the text, character for character.

    A block ends at an empty line outside code, unless what follows may belong to a list.
    """

    def __init__(self) -> None:
        self.growing = ""

    def feed(self, text: str) -> list[str]:
        """Take more text and give the blocks that are finished by it."""
        self.growing += text
        finished = []
        while (end := _end(self.growing)) is not None:
            finished.append(self.growing[:end])
            self.growing = self.growing[end:]
        return finished

    def rest(self) -> str:
        """Give what is left when the stream ended."""
        rest, self.growing = self.growing, ""
        return rest


def _end(text: str) -> int | None:
    """Where the first block ends, or None while it may still grow."""
    fence, place, empty, begun = "", 0, False, False
    for line in text.splitlines(keepends=True):
        if not line.endswith("\n"):
            # A line that has begun tells enough once its first word is there.
            decided = begun and empty and not fence and re.match(r"[^\s\d*+-]|\S\S", line)
            return place if decided and not _CONTINUES.match(line) else None
        if empty and begun and not fence and line.strip() and not _CONTINUES.match(line):
            return place
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line.strip().strip(mark[1][0]):
            fence = ""
        empty = not line.strip() and not fence
        begun = begun or bool(line.strip())
        place += len(line)
    return None


def hard_breaks(text: str) -> str:
    """Give Markdown in which a line break breaks the line, as people write in a chat."""
    lines, fence, shown = text.split("\n"), "", []
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        following = lines[number + 1] if number + 1 < len(lines) else ""
        breaks = not fence and not mark and _BROKEN.match(line.lstrip()) and following.strip()
        shown.append(line.rstrip() + "  " if breaks else line)
    return "\n".join(shown)
