"""Write the texts that the teacher reads into ``texts.json``: pairs of source and text.

Usage: corpus.py WORK-FOLDER (see run.sh)
"""

import html
import json
import random
import re
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.metadata import files
from pathlib import Path

from daily import turns

MOST: dict[str, int] = {
    "descriptions": 8_000,
    "anarchism": 4_500,
    "libreoffice": 5_000,
    "gimp": 2_500,
    "daily": 24_000,
}
"""Source to the most texts taken from it; the others have no limit."""

SHORTEST, LONGEST = 8, 1_500
"""Characters of a text that is taken."""

_TAG = re.compile(r"(?s)<[^>]+>")
_NOT_TEXT = re.compile(r"(?is)<(script|style|pre|head).*?</\1>")
_PARAGRAPH = re.compile(r"(?is)<(p|li|dd|h[1-4]|title)\b[^>]*>(.*?)</\1>")
_LUA_STRING = re.compile(r'(?s)_\(\s*\[\[(.+?)\]\]|_\(\s*"((?:[^"\\]|\\.)+)"')


def _read(path: Path) -> str:
    return path.read_text("utf-8", errors="replace")


def _glosses(root: Path) -> Iterator[tuple[list[str], str]]:
    for part in ("noun", "verb", "adj", "adv"):
        path = root / "wordnet-base/usr/share/wordnet" / f"data.{part}"
        for line in path.read_text("latin1").splitlines():
            head, bar, gloss = line.partition(" | ")
            if bar and not line.startswith("  "):
                fields = head.split()
                yield [fields[4 + 2 * n] for n in range(int(fields[3], 16))], gloss


def definitions(root: Path) -> Iterator[str]:
    """The words of each meaning, with its definition."""
    for words, gloss in _glosses(root):
        plain = [re.sub(r"\((a|p|ip)\)$", "", word).replace("_", " ") for word in words[:3]]
        yield ", ".join(plain) + ": " + re.sub(r';?\s*"[^"]*"', "", gloss).strip(" ;\n")


def examples(root: Path) -> Iterator[str]:
    """Sentences that show a word in use."""
    for _, gloss in _glosses(root):
        yield from re.findall(r'"([^"]+)"', gloss)


def endless_sky(root: Path) -> Iterator[str]:
    """Yield speech and narration."""
    for path in sorted((root / "endless-sky-data/usr/share/games").rglob("*.txt")):
        for line in re.findall(r"(?m)^\s*`(.*)`\s*$", _read(path)):
            yield re.sub(r"<\w[^>]*>", "X", line)


def naev(root: Path) -> Iterator[str]:
    """Dialogue of the missions, and descriptions."""
    for path in sorted((root / "naev-data/usr/share").rglob("*.lua")):
        for block, line in _LUA_STRING.findall(_read(path)):
            said = (block or line).replace("\\n", "\n").replace('\\"', '"')
            for paragraph in re.split(r"\n\s*\n", said):
                yield re.sub(r"#\w|%[sd]|\{\w+\}", "", paragraph)
    for path in sorted((root / "naev-data/usr/share").rglob("*.xml")):
        for told in re.findall(r"(?s)<(?:description|bar)>(.+?)</", _read(path)):
            yield html.unescape(told)


def _originals(path: Path) -> Iterator[str]:
    """The English side of a catalogue of translations (GNU gettext's .mo)."""
    data = path.read_bytes()
    count, start = struct.unpack("<II", data[8:16])
    for n in range(count):
        length, place = struct.unpack_from("<II", data, start + 8 * n)
        yield data[place : place + length].decode("utf-8", "replace").split("\0")[0]


def wesnoth(root: Path) -> Iterator[str]:
    """Dialogue of the campaigns, and the help."""
    folder = root / "wesnoth-1.16-data/usr/share/games/wesnoth/1.16/locale/fr/LC_MESSAGES"
    for path in sorted(folder.glob("*.mo")):
        for original in _originals(path):
            said = re.split(r"[\4^]", original)[-1]
            yield from re.split(r"\n\s*\n", re.sub(r"<[^>]+>|\$\w+|\|", "", said))


def fortunes(root: Path) -> Iterator[str]:
    """Sayings, jokes and quotations, without who said them."""
    for package in ("fortunes", "fortunes-min"):
        for path in sorted((root / package / "usr/share/games/fortunes").iterdir()):
            if path.suffix or path.is_symlink():
                continue
            for cookie in _read(path).split("\n%\n"):
                yield re.sub(r"\n\s*-- .*", "", re.sub(r".\x08", "", cookie))


def pages(pattern: str) -> Callable[[Path], Iterator[str]]:
    """Paragraphs of the pages of a manual."""

    def paragraphs(root: Path) -> Iterator[str]:
        for path in sorted(root.glob(pattern)):
            for _, found in _PARAGRAPH.findall(_NOT_TEXT.sub(" ", _read(path))):
                yield html.unescape(_TAG.sub(" ", found))

    return paragraphs


def descriptions(root: Path) -> Iterator[str]:
    """Title and first paragraph of what Debian says of each package."""
    packed = root.parent / "descriptions.lz4"
    unpacked = subprocess.run(["lz4", "-dc", packed], capture_output=True, check=True)  # noqa: S607 - Debian's own tool
    for entry in unpacked.stdout.decode().split("\n\n"):
        found = re.search(r"Description-en: (.*)\n((?: .*\n?)*)", entry)
        if found:
            yield f"{found[1]}. {found[2].split(chr(10) + ' .' + chr(10))[0]}"


def chatterbot(_root: Path) -> Iterator[str]:
    """Questions and answers of small talk."""
    for path in files("chatterbot-corpus") or []:
        if "/english/" in str(path) and path.suffix == ".yml":
            for line in path.read_text("utf-8").splitlines():
                said = re.match(r"\s*- +(?:- )?(.*)", line)
                if said:
                    yield said[1].strip("\"' ")


def daily(_root: Path) -> Iterator[str]:
    """Made-up turns and the questions that they answer."""
    for turn, question in turns(MOST["daily"], seed=5):
        yield turn
        yield question


SOURCES: dict[str, Callable[[Path], Iterator[str]]] = {
    "definitions": definitions,
    "examples": examples,
    "endless-sky": endless_sky,
    "naev": naev,
    "wesnoth": wesnoth,
    "fortunes": fortunes,
    "chatterbot": chatterbot,
    "daily": daily,
    "descriptions": descriptions,
    "anarchism": pages("anarchism/**/*.html"),
    "libreoffice": pages("libreoffice-help-en-us/**/*.html"),
    "gimp": pages("gimp-help-en/**/en/*.html"),
    "gnome": pages("gnome-user-docs/usr/share/help/C/**/*.page"),
    "handbook": pages("debian-handbook/**/en-US/*.html"),
}
"""Source to what reads it."""

FEWEST_WORDS = 3
"""Words of the shortest text that is taken."""


def texts(root: Path) -> list[tuple[str, str]]:
    """Every text once, in an order without meaning."""
    found: dict[str, str] = {}
    for source, read in SOURCES.items():
        for text in read(root):
            plain = " ".join(text.split())
            if SHORTEST <= len(plain) <= LONGEST and plain.count(" ") + 1 >= FEWEST_WORDS:
                found.setdefault(plain, source)
    order = sorted((source, text) for text, source in found.items())
    random.Random(7).shuffle(order)  # noqa: S311 - an order, not a secret
    taken: Counter[str] = Counter()
    kept = []
    for source, text in order:
        taken[source] += 1
        if taken[source] <= MOST.get(source, len(order)) or source == "daily":
            kept.append((source, text))
    return kept


def main() -> None:
    """Write ``texts.json``."""
    work = Path(sys.argv[1])
    gathered = texts(work / "unpacked")
    (work / "texts.json").write_text(json.dumps(gathered), "utf-8")
    print(len(gathered), "texts:", dict(Counter(source for source, _ in gathered)))


if __name__ == "__main__":
    main()
